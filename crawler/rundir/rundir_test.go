package rundir

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// arrive tells d of page n: a call on every third, a backlink question on every
// second, nothing fetched on every fifth.
func arrive(t *testing.T, d *Dir, n int) {
	t.Helper()
	url := fmt.Sprintf("https://h%d.org/%d", n%4, n)
	a := crawler.Arrival{
		Lease:   crawler.Lease{Candidate: crawler.Candidate{URL: url, Score: 0.5, Parent: "https://p.org/?a=1&b=<2>", Depth: 2, How: crawler.Forward}},
		Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, Bytes: 10, Cost: 1, At: time.Date(2026, 5, 1, 12, 0, n, 5, time.UTC)},
	}
	var asked *crawler.BacklinkQuery
	v := crawler.Verdict{Relevance: 0.25, PageType: "other"}
	switch {
	case n%5 == 0:
		a.Outcome.Fate, a.Outcome.Status, a.Outcome.Cost = crawler.Refused, 0, 0
	default:
		html := fmt.Sprintf(`<a href="https://x.org/%d" rel=nofollow>one, "two"</a><a href="/y">three</a>`, n)
		tree, err := tagtree.Parse(&webgraph.Page{URL: url, Status: 200, Body: []byte(html), Header: map[string][]string{"Content-Type": {"text/html"}}})
		if err != nil {
			t.Fatal(err)
		}
		a.Tree = tree
	}
	if n%3 == 0 {
		v.Target, v.PageType, a.Outcome.Clips = true, "cfp", []string{"c"}
	}
	if n%2 == 0 {
		asked = &crawler.BacklinkQuery{URL: url, Found: 3, Cost: 2}
		a.Outcome.Cost += 2
	}
	if err := d.ObservePages([]crawler.StepRecord{{N: n, Arrival: a, Verdict: v, Asked: asked}}); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func files(t *testing.T, path string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, name := range []string{PagesFile, CurveFile, LinksFile} {
		b, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(b)
	}
	return got
}

func gunzip(t *testing.T, s string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := create(t, path)
	for n := 1; n <= 3; n++ {
		arrive(t, d, n)
	}
	open := gunzip(t, files(t, path)[LinksFile]) // readable while the crawl runs
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got := files(t, path)
	got[LinksFile] = gunzip(t, got[LinksFile])
	want := map[string]string{
		PagesFile: `{"n":1,"t":"2026-05-01T12:00:01Z","url":"https://h1.org/1","parent":"https://p.org/?a=1&b=<2>","how":"forward","depth":2,"score":0.5,"status":200,"bytes":10,"cost":1,"page_type":"other","cfp_score":0.25,"is_cfp":false}
{"n":2,"t":"2026-05-01T12:00:02Z","url":"https://h2.org/2","parent":"https://p.org/?a=1&b=<2>","how":"forward","depth":2,"score":0.5,"status":200,"bytes":10,"cost":1,"page_type":"other","cfp_score":0.25,"is_cfp":false}
{"n":2,"t":"2026-05-01T12:00:02Z","url":"https://h2.org/2","parent":"","how":"backlinks","depth":2,"score":0,"status":0,"bytes":0,"cost":2,"page_type":"","cfp_score":0,"is_cfp":false}
{"n":3,"t":"2026-05-01T12:00:03Z","url":"https://h3.org/3","parent":"https://p.org/?a=1&b=<2>","how":"forward","depth":2,"score":0.5,"status":200,"bytes":10,"cost":1,"page_type":"cfp","cfp_score":0.25,"is_cfp":true}
`,
		CurveFile: "fetched,found,events,hosts\n1,0,0,1\n2,0,0,2\n3,1,1,3\n",
		LinksFile: `source,target,anchor,nofollow
https://h1.org/1,https://x.org/1,"one, ""two""",1
https://h1.org/1,https://h1.org/y,three,0
https://h2.org/2,https://x.org/2,"one, ""two""",1
https://h2.org/2,https://h2.org/y,three,0
https://h3.org/3,https://x.org/3,"one, ""two""",1
https://h3.org/3,https://h3.org/y,three,0
`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[LinksFile], open); diff != "" {
		t.Errorf("links before the end (-want +got):\n%s", diff)
	}
}

// A crash loses parts of the last arrival, and of those the frontier did not commit. The files of
// the resumed run still equal those of a whole one.
func TestResume(t *testing.T) {
	const pages, committed = 12, 8
	whole := filepath.Join(t.TempDir(), "whole")
	d := create(t, whole)
	for n := 1; n <= pages; n++ {
		arrive(t, d, n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	want := files(t, whole)
	for _, test := range []struct {
		name    string
		written int
		torn    map[string]int // bytes cut off the end
	}{
		{"nothing more", committed, nil},
		{"one more", committed + 1, nil},
		{"torn pages", committed + 1, map[string]int{PagesFile: 20, CurveFile: 8, LinksFile: 30}},
		{"torn curve", committed + 1, map[string]int{CurveFile: 2}},
		{"torn links", committed + 1, map[string]int{LinksFile: 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run")
			d := create(t, path)
			for n := 1; n <= test.written; n++ {
				arrive(t, d, n)
			}
			for name, bytes := range test.torn {
				chop(t, filepath.Join(path, name), bytes)
			}
			d, lost, err := Resume(path, committed, Options{}) // the first is not closed: killed
			if err != nil || lost != 0 {
				t.Fatal(lost, err)
			}
			for n := committed + 1; n <= pages; n++ {
				arrive(t, d, n)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, files(t, path)); diff != "" {
				t.Errorf("(-whole +resumed):\n%s", diff)
			}
		})
	}
}

// A run that ended can be resumed too: the packed links are gone on with.
func TestResumeAfterClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := create(t, path)
	for n := 1; n <= 4; n++ {
		arrive(t, d, n)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		var lost int
		var err error
		if d, lost, err = Resume(path, n, Options{}); err != nil || lost != 0 {
			t.Fatal(lost, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(gunzip(t, files(t, path)[LinksFile]), "\n"); n != 9 {
		t.Errorf("%d lines of links, want 9", n)
	}
}

// A run that ended because its last arrival could not be committed loses only that arrival.
func TestResumeAfterFailedCommit(t *testing.T) {
	for _, pages := range []int{5, 6} { // the fifth has no links
		path := filepath.Join(t.TempDir(), "run")
		d := create(t, path)
		for n := 1; n <= pages; n++ {
			arrive(t, d, n)
		}
		for range 2 {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			var err error
			if d, _, err = Resume(path, pages-1, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(gunzip(t, files(t, path)[LinksFile]), "\n"); n != 9 {
			t.Errorf("%d pages: %d lines of links, want 9", pages, n)
		}
	}
}

// A power cut may lose committed data; Resume reports how much.
func TestResumeAfterLoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := create(t, path)
	arrive(t, d, 1)
	arrive(t, d, 2)
	chop(t, filepath.Join(path, PagesFile), 5)
	d, lost, err := Resume(path, 4, Options{Events: func() int { return 77 }})
	if err != nil || lost != 2 {
		t.Fatalf("%d lost, %v; want 2", lost, err)
	}
	arrive(t, d, 6)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, path)[CurveFile]; !strings.HasSuffix(got, "\n1,0,0,1\n2,0,0,2\n3,1,77,2\n") {
		t.Errorf("curve %q", got)
	}
}

func chop(t *testing.T, path string, n int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, max(0, info.Size()-int64(n))); err != nil {
		t.Fatal(err)
	}
}

func TestCreateRefuses(t *testing.T) {
	path := t.TempDir()
	d := create(t, path)
	if _, err := Create(path, Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("a second run: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(path, PagesFile), Options{}); err == nil {
		t.Error("a file as folder: no error")
	}
}

// The files written in one piece are whole or as they were.
func TestWritePieces(t *testing.T) {
	path := t.TempDir()
	d := create(t, path)
	for _, reason := range []string{"", "budget"} {
		if err := d.WriteRun(map[string]string{"reason": reason, "url": "?a&b"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.WriteRun(func() {}); err == nil {
		t.Error("a value that is no JSON: no error")
	}
	good := func(yield func(any, error) bool) {
		_ = yield(map[string]int{"id": 1}, nil) && yield(map[string]int{"id": 2}, nil)
	}
	if err := d.WriteEvents(good); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("store is broken")
	bad := func(yield func(any, error) bool) { _ = yield(1, nil) && yield(nil, wrong) }
	if err := d.WriteEvents(bad); !errors.Is(err, wrong) {
		t.Errorf("got %v, want %v", err, wrong)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(path, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(b)
	}
	if len(got) != 5 || got[EventsFile] != "{\"id\":1}\n{\"id\":2}\n" || got[RunFile] != "{\n  \"reason\": \"budget\",\n  \"url\": \"?a&b\"\n}\n" {
		t.Errorf("%q", got)
	}
}

// Whatever the files contain, Resume ends and leaves complete lines.
func FuzzResume(f *testing.F) {
	f.Add([]byte("{\"n\":1,\"cost\":1}\n{\"n\":2}\n{\"n\":"), []byte("fetched\n1,0,0,1\n2"), []byte{0x1f, 0x8b}, 2)
	f.Fuzz(func(t *testing.T, pages, curve, links []byte, committed int) {
		path := t.TempDir()
		for name, b := range map[string][]byte{PagesFile: pages, CurveFile: curve, LinksFile: links} {
			if err := os.WriteFile(filepath.Join(path, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, _, err := Resume(path, committed, Options{})
		if err != nil {
			return
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(path, PagesFile))
		if err != nil || len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
			t.Errorf("%q, %v", b, err)
		}
	})
}

// A record whose files cannot be made is an error, as on a full disk.
func TestCreateFails(t *testing.T) {
	for _, file := range []string{PagesFile, CurveFile, LinksFile} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.MkdirAll(filepath.Join(dir, file, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		if d, err := Create(dir, Options{}); err == nil || d != nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s is a folder: %v, %v", file, d, err)
		}
	}
	const full = "/dev/full" // every write fails with ENOSPC
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(full, filepath.Join(dir, CurveFile)); err != nil {
		t.Fatal(err)
	}
	if d, err := Create(dir, Options{}); !errors.Is(err, syscall.ENOSPC) || d != nil {
		t.Errorf("on a full disk: %v, %v", d, err)
	}
}
