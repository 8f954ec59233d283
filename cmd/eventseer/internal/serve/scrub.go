package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// firstScrub leaves the minute after a start to visitors.
	firstScrub = time.Minute
	scrubPause = 24 * time.Hour
)

// A Scrubber checks the databases of a service daily and reports damage. It does so in the log, in
// the metrics, and in health checks of the service. It is safe for concurrent use.
type Scrubber struct {
	admin.Described
	app *app.App
	of  *Service

	mu    sync.Mutex // guards below
	found []snapshot.ScrubbedFile
	ended time.Time // of the last complete scrub, zero before
	took  time.Duration
	err   error // why the last one was incomplete
}

// NewScrubber returns the scrubber of a service.
func NewScrubber(a *app.App, s *Service) *Scrubber { return &Scrubber{app: a, of: s} }

// Run scrubs until ctx ends.
func (s *Scrubber) Run(ctx context.Context) error {
	engine.Wait(ctx, firstScrub)
	for ctx.Err() == nil {
		s.CheckAll(ctx)
		engine.Wait(ctx, scrubPause)
	}
	return nil
}

// CheckAll checks all databases once. An interrupted one is not counted.
func (s *Scrubber) CheckAll(ctx context.Context) {
	began := time.Now() // not the service's clock, which may be fixed
	open, release := s.of.openDatabases()
	found, err := snapshot.CheckDatabases(ctx, s.of.Dir, open)
	release()
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err != nil {
		s.app.Logger().Error("not all databases could be read", "err", err)
		return
	}
	s.found, s.ended, s.took = found, s.app.Now(), time.Since(began)
	for _, f := range found {
		if len(f.Problems) > 0 {
			s.app.Logger().Error("the database is damaged: stop eventseer, then run `eventseer check --repair` or restore a backup",
				"file", f.File, "problems", len(f.Problems), "first", f.Problems[0])
		}
	}
	s.app.Logger().Info("scrub", "files", len(found), "seconds", s.took.Seconds())
}

// LastDamage returns the damage found by the last scrub.
func (s *Scrubber) LastDamage() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var broken []error
	for _, f := range s.found {
		if n := len(f.Problems); n > 0 {
			broken = append(broken, fmt.Errorf("%s: %d problems, the first: %w", f.File, n, f.Problems[0]))
		}
	}
	return errors.Join(append(broken, s.err)...)
}

// Collect implements prometheus.Collector.
func (s *Scrubber) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gauge := func(name, help string, labels ...string) func(float64, ...string) {
		return admin.MetricFamily(out, prometheus.GaugeValue, "eventseer_"+name, help, labels...)
	}
	if s.ended.IsZero() {
		return
	}
	problems, values := gauge("scrub_problems", "Problems found by the last scrub, by database.", "file"), gauge("scrub_values", "Values read by the last scrub, by database.", "file")
	for _, f := range s.found {
		problems(float64(len(f.Problems)), f.File)
		values(float64(f.Values), f.File)
	}
	gauge("scrub_end_timestamp_seconds", "Time at which the last complete scrub ended.")(float64(s.ended.Unix()))
	gauge("scrub_duration_seconds", "Duration of the last scrub.")(s.took.Seconds())
}
