package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/webgraph"
)

func TestDiffEvent(t *testing.T) {
	dir := seedData(t)
	if got := output(t, 0, "diff", "--data", dir, "late-2027"); !strings.Contains(got, "found at https://late.example.org/") || !strings.Contains(got, "Fewer than two versions") {
		t.Errorf("diff prints\n%s", got)
	}
	db, err := monitor.Open(dir, monitor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for i, body := range []string{
		"<h1>Conference on Web Crawling 2027</h1><p>Submission deadline: May 1, 2027</p>",
		"<h1>Moved</h1>",
		"<h1>Conference on Web Crawling 2027</h1><p>Submission deadline: May 11, 2027</p>",
	} {
		page := &webgraph.Page{
			URL: "https://late.example.org/", Requested: "https://late.example.org/", Status: http.StatusOK, FetchedAt: at.AddDate(0, 0, i),
			Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(body),
		}
		if i == 1 {
			page.Status = http.StatusNotFound
		}
		if err := db.Import(t.Context(), page); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got := output(t, 0, "diff", "--data", dir, "late-2027")
	for _, want := range []string{
		"LATE - Conference on Web Crawling\n", "https://late.example.org/@2026-10-01T00:00:00Z -> https://late.example.org/@2026-10-03T00:00:00Z\n",
		"deadlines.submission: 2027-05-01 -> 2027-05-11\n", "  ~ Submission deadline: May [-1-]{+11+}, 2027\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("diff prints\n%s\nwant %q in it", got, want)
		}
	}
	if got := output(t, 0, "diff", "--data", dir, "late-2027", "--format", "jsonl"); !strings.Contains(got, `"page":{"from":"https://late.example.org/@2026-10-01T00:00:00Z"`) {
		t.Errorf("diff prints %s", got)
	}
	output(t, 1, "diff", "--data", dir, "nowhere-2027")
}
