package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A crawl that is gone on with after a pass of the monitor, which shares its frontier,
// misses nothing and has its whole budget.
func TestResumeAfterMonitor(t *testing.T) {
	t.Parallel()
	site := newSociety(t)
	site.calls = []string{"alpha", "beta", "gamma", "delta"}
	m := &monitored{t: t, data: t.TempDir(), now: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}
	dir := filepath.Join(t.TempDir(), "first")
	crawl := func(more ...string) string {
		t.Helper()
		code, _, talk := m.run(append([]string{"crawl", site.URL + "/calls", site.URL + "/about", "--run", dir, "--strategy", "breadth-first", "--lists", "off",
			"--contact", "ops@eventseer.example", "--allow-private", "--host-delay", "0s", "--workers", "1", "--progress", "none"}, more...)...)
		if code != 0 {
			t.Fatalf("crawl exits with %d:\n%s", code, talk)
		}
		return talk
	}
	crawl("--budget", "3")
	m.now = m.now.AddDate(0, 0, 70)
	if got := m.pass(); !strings.Contains(got, "/cfp/alpha:unchanged") {
		t.Errorf("monitored: %s", got)
	}
	site.takeRequests()
	if talk := crawl("--budget", "5", "--resume"); strings.Contains(talk, "missing") {
		t.Errorf("resumed:\n%s", talk)
	}
	// The seeds are requested again after this time, and have not changed, which costs nothing.
	if got := site.takeRequests(); strings.Count(got, ":304") != 2 || strings.Count(got, ":200") != 2 {
		t.Errorf("of a budget of 5 the second part spent %s", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		var page struct{ N int }
		if err := json.Unmarshal([]byte(line), &page); err != nil || page.N != n+1 {
			t.Errorf("line %d has the number %d: %v", n+1, page.N, err)
		}
		n = page.N
	}
	if n != 7 {
		t.Errorf("%d pages in the record, want 5 and two seeds that had not changed:\n%s", n, text)
	}
}
