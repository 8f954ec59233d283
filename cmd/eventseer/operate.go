package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/monitor"
	"eventseer/internal/bolt"
)

// operate lets a crawl that is about to run be watched and steered: it answers at
// the admin socket and reads the configuration anew at SIGHUP, until the
// returned function is called.
func operate(ctx context.Context, a *app.App, p plan, r crawlResult, c *crawler.Crawler, site adminSite) (stop func(), err error) {
	i := &inspector{
		data: p.state, run: p.run, running: true, frontier: r.state.frontier, links: r.state.links,
		blocked: p.options.Blocked, robots: robotsOf(p.web.base), now: a.Now,
	}
	if r.state.monitor != nil {
		plan := monitor.Plan{}
		if p.monitor != nil {
			plan = p.monitor.plan
		}
		i.watched = sourceStory(a, r.state, plan)
	}
	figures := stateCollector{stats: c.Stats, status: func() (crawlStatus, error) { return i.status(0) }, budget: p.options.Budget, robots: p.web.base.RobotsCached}
	site.metrics.MustRegister(figures)
	if p.figures != nil {
		site.metrics.MustRegister(p.figures)
	}
	site.healthy = func() error {
		_, err := r.state.frontier.Progress(ctx) // waits for ever where a commit does
		return errors.Join(err, healthy(c.Stats()))
	}
	site.status = func(_ context.Context, top int) (any, error) { return i.status(top) }
	site.why = func(ctx context.Context, url string) (any, error) { return i.why(ctx, url) }
	if p.host != nil {
		return p.host.attach(i, figures), nil
	}
	site.backup = backupHandler(a, func() (map[string]bolt.Source, func()) { return r.state.sources(), func() {} })
	silence, err := serveAdmin(ctx, a, p.state, site)
	if err != nil {
		return nil, err
	}
	deafen := a.ReloadOnHangup(ctx)
	said := make(chan struct{})
	hush := context.AfterFunc(ctx, func() {
		defer close(said)
		a.Logf("stopping when the pages in hand are done; the same signal again stops at once")
	})
	return func() {
		if !hush() {
			<-said
		}
		deafen()
		silence()
	}, nil
}

// healthy returns an error for a crawl that has ended.
func healthy(s crawler.Stats) error {
	if s.Reason != "" {
		return fmt.Errorf("the crawl has ended: %s", s.Reason)
	}
	return nil
}

// observers are told one after the other; the first error is the last.
type observers []crawler.Observer

// Arrived implements crawler.Observer.
func (all observers) Arrived(batch []crawler.Told) error {
	for _, o := range all {
		if err := o.Arrived(batch); err != nil {
			return err
		}
	}
	return nil
}

// A pageLog writes a line a page with --verbose, and warns of pages that could
// not be judged or kept.
type pageLog struct{ *slog.Logger }

// Arrived implements crawler.Observer.
func (l pageLog) Arrived(batch []crawler.Told) error {
	for _, t := range batch {
		o, lease := t.Arrival.Outcome, t.Arrival.Lease
		level := slog.LevelDebug
		if strings.HasPrefix(o.Reason, "strategy: ") || strings.HasPrefix(o.Reason, "sink: ") {
			level = slog.LevelWarn
		}
		l.Log(context.Background(), level, "page", "n", t.N, "url", lease.URL, "fate", o.Fate, "status", o.Status, "bytes", o.Bytes,
			"seconds", o.Took.Seconds(), "how", lease.How, "depth", lease.Depth, "score", lease.Score,
			"cfp_score", t.Verdict.Relevance, "is_cfp", t.Verdict.Target, "reason", o.Reason)
		if t.Asked != nil && t.Asked.Err != nil {
			l.Warn("backlinks", "url", t.Asked.URL, "err", t.Asked.Err)
		}
	}
	return nil
}
