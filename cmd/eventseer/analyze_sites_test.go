package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/warc"
)

// writeWARC writes pages, each a URL and its markup, to a new WARC.
func writeWARC(t *testing.T, pages [][2]string) string {
	t.Helper()
	at := time.Date(2027, 1, 11, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "pages.warc.gz")
	w, err := warc.Create(path, warc.WriterOptions{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(p[1]), p[1])
		if err := w.Write(warc.NewResponse(p[0], at, []byte(block))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Links within a site that look worth following are navigation if all pages of
// it have them.
func TestAnalyzeUsesTheSite(t *testing.T) {
	var teasers strings.Builder
	for _, place := range []string{"Oslo", "Bergen", "Hamar", "Narvik", "Molde", "Bod\u00f8"} {
		fmt.Fprintf(&teasers, "<li><a href=http://owls.example/in/%s>The spring meeting of keepers of small owls in %s</a>", place, place)
	}
	const text = "<p>On page %d we say what nobody else says: owl number %d was seen %d times, in the rain, by people who meant to look for gulls.</p>"
	var pages [][2]string
	for i := range 5 {
		pages = append(pages, [2]string{fmt.Sprintf("http://owls.example/%d", i), fmt.Sprintf(text+"<ul>%s</ul>", i, i+100, i+1000, &teasers)})
	}
	hubs := func(pages [][2]string) (n int) {
		code, out := runAnalyze(t, writeWARC(t, pages), "--format", "jsonl")
		if code != 0 {
			t.Fatalf("exit code %d", code)
		}
		for _, r := range readAnalyses(t, out) {
			for _, area := range r.Areas {
				if area.Kind == "hub" {
					n++
				}
			}
		}
		return n
	}
	if n := hubs(pages[:1]); n != 1 {
		t.Errorf("a page alone has %d hub areas, want 1", n)
	}
	if n := hubs(pages); n != 0 {
		t.Errorf("pages of a site that repeats the links have %d hub areas, want none", n)
	}
}

// A frame that the WARC holds is part of the page, one that it does not hold
// stays a link.
func TestAnalyzeReadsFrames(t *testing.T) {
	path := writeWARC(t, [][2]string{
		{"http://owls.example/", "<title>Owls</title><frameset cols='20%,*'><frame src=menu.html><frame src=gone.html><frame src=call.html></frameset>"},
		{"http://owls.example/call.html", "<h1>Workshop on Owls</h1><p>We invite papers on owls, on their flight and on their calls, until March.</p>"},
	})
	code, out := runAnalyze(t, path, "--format", "jsonl")
	records := readAnalyses(t, out)
	if code != 0 || len(records) != 2 {
		t.Fatalf("exit code %d, %d records", code, len(records))
	}
	r := records[0]
	if !strings.Contains(r.Text, "We invite papers on owls") || r.NumLinks != 2 {
		t.Errorf("text %q and %d links of the frameset, want the call's text and the two frames that are not there", r.Text, r.NumLinks)
	}
}
