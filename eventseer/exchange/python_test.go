package exchange

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const python = "/usr/bin/python3" // Debian's, which has the libraries

// parsedByPython writes files and has testdata/parse_back.py read them.
func parsedByPython(t *testing.T, files map[string][]byte, out any) {
	t.Helper()
	if err := exec.Command(python, "-c", "import icalendar, feedparser").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s has no icalendar and feedparser (apt-get install python3-icalendar python3-feedparser): %v", python, err)
		}
		t.Skipf("%s has no icalendar and feedparser: %v", python, err)
	}
	script, err := filepath.Abs("testdata/parse_back.py")
	if err != nil {
		t.Fatal(err)
	}
	args, dir := []string{script}, t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	cmd := exec.Command(python, args...)
	cmd.Dir = dir
	var talk strings.Builder
	cmd.Stderr = &talk
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, talk.String())
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
}

type pyCalendar struct {
	Name  string
	Parts []struct {
		Kind, UID, Start, End, Status, Summary string
		Sequence                               int
		Alarms, Errors                         []string
	}
}

func TestPythonCalendars(t *testing.T) {
	var got map[string]pyCalendar
	parsedByPython(t, map[string][]byte{
		"all.ics":     written(t, "ics", sample(), "what=all&alarm=7d"),
		"allday.ics":  written(t, "ics", sample(), "style=allday"),
		"todo.ics":    written(t, "ics", sample(), "as=todo"),
		"hostile.ics": written(t, "ics", hostilePublication(), "what=all&alarm=1d"),
	}, &got)
	for name, cal := range got {
		for _, part := range cal.Parts {
			if len(part.Errors) > 0 || part.Summary == "" {
				t.Errorf("%s: %+v", name, part)
			}
		}
	}
	if n := len(got["hostile.ics"].Parts); n < 2*len(evil) {
		t.Errorf("hostile: %d parts", n)
	}
	all := got["all.ics"]
	if all.Name != sample().Title || len(all.Parts) != 7 {
		t.Fatalf("%q, %d parts", all.Name, len(all.Parts))
	}
	for _, want := range []struct {
		file       string
		n          int
		start, end string
	}{
		{"all.ics", 1, "2027-01-16T10:59:59+00:00", "2027-01-16T11:59:59+00:00"}, {"all.ics", 6, "2027-06-01", "2027-06-05"}, {"allday.ics", 1, "2027-01-15", ""}, {"todo.ics", 1, "2027-01-16T11:59:59+00:00", ""},
	} {
		if part := got[want.file].Parts[want.n]; part.Start != want.start || part.End != want.end {
			t.Errorf("%s: part %d is from %s to %s, want %s to %s", want.file, want.n, part.Start, part.End, want.start, want.end)
		}
	}
	if p := all.Parts[1]; p.UID != "icx-2027-submission-1@seer.example" || p.Sequence != 2 || len(p.Alarms) != 1 || p.Alarms[0] != "-7 days, 0:00:00" || p.Summary != "ICX 2027: submission, round 1 (23:59 AoE)" {
		t.Errorf("first round: %+v", p)
	}
	if p := all.Parts[5]; p.Status != "CANCELLED" {
		t.Errorf("withdrawn: %+v", p)
	}
}

func TestPythonFeeds(t *testing.T) {
	var got map[string]struct {
		Bozo                bool
		Why, Version, Title string
		Links               [][2]string
		Items               []struct{ ID, Title, Summary, Updated string }
	}
	parsedByPython(t, map[string][]byte{
		"a.atom": written(t, "atom", sample(), ""), "a.rss": written(t, "rss", sample(), ""),
		"hostile.atom": written(t, "atom", hostilePublication(), ""), "hostile.rss": written(t, "rss", hostilePublication(), ""),
	}, &got)
	for name, feed := range got {
		want := 1
		if strings.HasPrefix(name, "hostile") {
			want = len(evil)
		}
		if feed.Bozo || len(feed.Items) != want {
			t.Errorf("%s: %d items, want %d; %s", name, len(feed.Items), want, feed.Why)
		}
		self := false
		for _, l := range feed.Links {
			self = self || l == [2]string{"self", sample().Self}
		}
		if !self {
			t.Errorf("%s: links %v, want the feed's own", name, feed.Links)
		}
		for _, it := range feed.Items {
			if strings.Contains(strings.ToLower(it.Summary), "<script") || it.ID == "" || it.Title == "" {
				t.Errorf("%s: %+v", name, it)
			}
		}
	}
	if v := got["a.atom"].Version + " " + got["a.rss"].Version; v != "atom10 rss20" {
		t.Errorf("versions %s", v)
	}
	if at := got["a.atom"].Items[0].Updated; at != "2026-10-20T08:00:00Z" {
		t.Errorf("updated %s, want when the deadline was seen to move", at)
	}
}
