package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/show"
	"github.com/eventseer/eventseer/eventseer/store"
)

// seedData makes a data directory with three events: two open calls, the later
// one first, and a closed one.
func seedData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ acronym, title, day string }{
		{"LATE", "Conference on Web Crawling", "2027-05-01"},
		{"SOON", "Workshop on Web \x1b[31mMining\nand more", "2027-02-01"},
		{"PAST", "Symposium on Web Archives", "2026-11-01"},
	} {
		at, err := time.Parse(time.DateOnly, e.day)
		if err != nil {
			t.Fatal(err)
		}
		seen := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
		_, err = st.Put(t.Context(), eventseer.Event{
			URL: "https://" + strings.ToLower(e.acronym) + ".example.org/", Title: e.title, Acronym: e.acronym, Year: 2027,
			Location: &eventseer.Venue{City: "Oslo", Country: "Norway"}, FirstSeen: seen, LastSeen: seen, Topics: []string{"Hyperlinks"},
			Parent: "WEB 2027", Trail: []eventseer.Evidence{{Field: "location", Value: "Bergen, Norway", Source: eventseer.Provenance{URL: "https://old.example.org/"}, Seen: seen}},
			Deadlines: []eventseer.Deadline{{
				Kind: eventseer.Submission, Date: eventseer.Date(e.day), ExtendedFrom: "2026-10-20", Firm: true, Source: eventseer.Provenance{Inferred: "year from the title"}, Instant: at.Add(36*time.Hour - time.Second), TZ: "AoE", Text: "due " + e.day,
			}},
		}, []eventseer.Clip{{ID: "c-" + e.acronym, URL: "https://x.example/", Title: "A clip", Summary: "of the call"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// output runs a command line and returns what it wrote to stdout.
func output(t *testing.T, wantCode int, line ...string) string {
	t.Helper()
	a := newTestApp(t)
	var out bytes.Buffer
	var talk talkLog
	a.Stdout, a.Stderr = &out, &talk
	if code := run(t.Context(), line, a); code != wantCode {
		t.Fatalf("%v exits with %d, want %d\n%s%s", line, code, wantCode, out.String(), talk.String())
	}
	return out.String()
}

func TestFindTable(t *testing.T) {
	dir := seedData(t)
	got := output(t, 0, "find", "--data", dir, "web")
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "NEXT DEADLINE") ||
		!strings.HasPrefix(lines[1], "2027-02-02T11:59:59Z submission") || !strings.Contains(lines[2], "late-2027") {
		t.Errorf("find prints\n%s", got)
	}
	if strings.ContainsRune(got, '\x1b') || !strings.Contains(got, "Oslo, Norway") {
		t.Errorf("find prints %q", got)
	}
	if got := output(t, 0, "find", "--data", dir, "--all", "archives"); !strings.Contains(got, "past-2027") {
		t.Errorf("find --all prints\n%s", got)
	}
	if got := output(t, 0, "find", "--data", dir, "archives"); got != "" {
		t.Errorf("find prints\n%s", got)
	}
	if got := output(t, 0, "find", "--data", dir, "--limit", "1"); strings.Count(got, "\n") != 2 {
		t.Errorf("find --limit 1 prints\n%s", got)
	}
}

func TestFindFormats(t *testing.T) {
	dir := seedData(t)
	var list struct {
		Total  int
		Events []eventseer.Event
	}
	if err := json.Unmarshal([]byte(output(t, 0, "find", "--data", dir, "--all", "--format", "json")), &list); err != nil || list.Total != 3 || len(list.Events) != 3 {
		t.Errorf("json: %d of %d events, %v", len(list.Events), list.Total, err)
	}
	if got := output(t, 0, "find", "--data", dir, "--format", "json", "nothing"); !strings.Contains(got, `"events": []`) {
		t.Errorf("json of nothing: %s", got)
	}
	var e eventseer.Event
	first, _, _ := strings.Cut(output(t, 0, "find", "--data", dir, "--format", "jsonl"), "\n")
	if err := json.Unmarshal([]byte(first), &e); err != nil || e.ID != "soon-2027" {
		t.Errorf("jsonl: %v, %v", e.ID, err)
	}
	rows, err := csv.NewReader(strings.NewReader(output(t, 0, "find", "--data", dir, "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][0] != "soon-2027" || rows[1][9] != "2027-02-02T11:59:59Z" {
		t.Errorf("csv: %v, %v", rows, err)
	}
}

func TestFindErrors(t *testing.T) {
	t.Parallel()
	dir := seedData(t)
	output(t, exitUsage, "find", "--data", dir, `"open`)
	output(t, exitUsage, "find", "--data", dir, "colour:red")
	output(t, exitUsage, "find", "--data", dir, "--limit", "0")
	output(t, exitUsage, "find", "--data", dir, "--format", "yaml")
	output(t, exitNoData, "find", "--data", filepath.Join(dir, "none"))
	output(t, exitNoData, "show", "--data", t.TempDir(), "x")
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	output(t, exitLocked, "find", "--data", dir)
}

func TestShow(t *testing.T) {
	dir := seedData(t)
	got := output(t, 0, "show", "--data", dir, "soon-2027", "--history")
	for _, want := range []string{
		"SOON - Workshop on Web [31mMining and more", "2027-02-02T11:59:59Z", "due 2027-02-01", "Hyperlinks",
		"held with   WEB 2027", "extended from 2026-10-20; firm; not printed: year from the title", "2026-10-01T00:00:00Z location: Bergen, Norway, at https://old.example.org/", "of the call",
		"2026-10-01T00:00:00Z found at https://soon.example.org/",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("show prints no %q:\n%s", want, got)
		}
	}
	var s show.Record
	if err := json.Unmarshal([]byte(output(t, 0, "show", "--data", dir, "soon-2027", "--history", "--format", "json")), &s); err != nil ||
		s.Event.ID != "soon-2027" || len(s.History) != 1 || len(s.Clips) != 1 {
		t.Errorf("json: %+v, %v", s, err)
	}
	output(t, exitFailed, "show", "--data", dir, "none")
	output(t, exitUsage, "show", "--data", dir)
}

func TestServe(t *testing.T) {
	t.Parallel()
	dir := seedData(t)
	a := newTestApp(t)
	r, w := io.Pipe()
	a.Stdout = w
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int, 1)
	go func() {
		ended := run(ctx, []string{"serve", "--data", dir, "--listen", "127.0.0.1:0", "--quiet"}, a)
		_ = w.Close() // a reader who continues gets the end
		code <- ended
	}()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "SOON 2027", "search?q=web+-mining": "LATE 2027", "e/soon-2027": "Oslo, Norway", "healthz": "ok",
		"search?q=%22": "is not closed", "api/v1/events.json?q=colour:red": `"position": 0`,
	} {
		resp, err := http.Get(strings.TrimSpace(url) + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("GET /%s has no %q (%v):\n%s", path, want, err, body)
		}
	}
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("serve exits with %d, want 0", got)
	}
	output(t, exitFailed, "serve", "--data", dir, "--listen", "127.0.0.1:99999")
}
