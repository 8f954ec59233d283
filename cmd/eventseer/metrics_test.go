package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/crawler"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func TestMetrics(t *testing.T) {
	registry := admin.NewRegistry()
	m := admin.NewCrawlMetrics(registry)
	status := admin.CrawlStatus{Links: map[string]int{"waiting": 7}, Hosts: map[string]int{"ready": 2}}
	var broken error
	registry.MustRegister(admin.StateCollector{
		Stats: func() crawler.Stats { return crawler.Stats{Spent: 3} }, Status: func() (admin.CrawlStatus, error) { return status, broken },
		Budget: 10, Robots: func() (int, int) { return 4, 5 },
	})
	arrive := func(o crawler.Outcome, target bool) {
		t.Helper()
		if err := m.ObservePages([]crawler.StepRecord{{Arrival: crawler.Arrival{Outcome: o}, Verdict: crawler.Verdict{Target: target}}}); err != nil {
			t.Fatal(err)
		}
	}
	arrive(crawler.Outcome{Fate: crawler.Fetched, Status: 200, Bytes: 100, Took: 20 * time.Millisecond}, true)
	arrive(crawler.Outcome{Fate: crawler.Fetched, Status: 404, Bytes: 11}, false)
	arrive(crawler.Outcome{Fate: crawler.Gone}, false)

	text := scrape(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	for _, line := range []string{
		`eventseer_pages_total{fate="fetched",status="2xx"} 1`, `eventseer_pages_total{fate="fetched",status="4xx"} 1`,
		`eventseer_pages_total{fate="gone",status="none"} 1`, "eventseer_page_bytes_total 111", "eventseer_targets_total 1",
		`eventseer_fetch_duration_seconds_bucket{le="0.02"} 3`, `eventseer_frontier_links{state="waiting"} 7`,
		`eventseer_frontier_hosts{state="ready"} 2`, "eventseer_budget_pages 10", "eventseer_budget_spent_pages 3",
		"eventseer_robots_cached_files 4", "go_goroutines ",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	lintMetrics(t, text, "operating.md")
	broken = errors.New("the file is broken")
	if _, err := registry.Gather(); err == nil {
		t.Error("metrics of a frontier that cannot be read are no error")
	}
}

// lintMetrics checks that metrics are named as is usual, and in the documents.
func lintMetrics(t *testing.T, text string, docs ...string) {
	t.Helper()
	var documented []byte
	for _, name := range docs {
		text, err := os.ReadFile(filepath.Join("../../doc", name))
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, text...)
	}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# TYPE eventseer_"); ok {
			name, _, _ = strings.Cut(name, " ")
			if !strings.Contains(string(documented), "`eventseer_"+name) {
				t.Errorf("no eventseer_%s in %v", name, docs)
			}
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	return w.Body.String()
}
