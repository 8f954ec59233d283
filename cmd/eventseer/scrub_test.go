package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A service detects a value that changed on disk while its databases are open. Its health and its metrics
// show it.
func TestScrub(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	a.Config.Data = backupData(t)
	st, err := serve.ServiceStore(a, false)
	if err != nil {
		t.Fatal(err)
	}
	registry := admin.NewRegistry()
	s, err := serve.Open(t.Context(), a, st, registry, serve.Options{Parts: serve.Parts{serve.PartWeb}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	s.Scrubber.CheckAll(t.Context())
	if err := s.Scrubber.LastDamage(); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	for _, part := range []string{
		`eventseer_scrub_problems{file="store.db"} 0`, `eventseer_scrub_problems{file="frontier.db"} 0`, `eventseer_scrub_problems{file="links.db"} 0`,
		`eventseer_scrub_problems{file="publish.db"} 0`, `eventseer_scrub_values{file="store.db"}`, "eventseer_scrub_end_timestamp_seconds ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the metrics lack %s", part)
		}
	}
	lintMetrics(t, text, "operating.md")
	key := overwriteStored(t, filepath.Join(a.Config.Data, app.StoreFile), "event")
	s.Scrubber.CheckAll(t.Context())
	if err := s.Scrubber.LastDamage(); err == nil || !strings.Contains(err.Error(), "store.db: 1 problems, the first: bucket event: key \""+key) {
		t.Errorf("after a value changed: %v", err)
	}
	if text := scrape(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})); !strings.Contains(text, `eventseer_scrub_problems{file="store.db"} 1`) {
		t.Error("the metrics do not say that the store is damaged")
	}
}
