package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/internal/bolt"
)

// startOperatorAccess lets the operator watch and control a crawl. Until the returned function is called, it
// serves the admin socket and reloads the configuration at SIGHUP.
func startOperatorAccess(ctx context.Context, a *app.App, p Plan, r CrawlResult, c *crawler.Crawler, site admin.AdminSite) (stop func(), err error) {
	i := &admin.Inspector{
		Data: p.State, Run: p.Run, Running: true, Frontier: r.State.Frontier, Links: r.State.Links,
		Blocked: p.options.Blocked, Robots: RobotsOf(p.web.Base), Now: a.Now,
	}
	if r.State.Monitor != nil {
		plan := monitor.Plan{}
		if p.monitor != nil {
			plan = p.monitor.Plan
		}
		i.Watched = sourceExplainer(a, r.State, plan)
	}
	figures := admin.StateCollector{Stats: c.Stats, Status: func() (admin.CrawlStatus, error) { return i.Status(0) }, Budget: p.options.Budget, Robots: p.web.Base.RobotsCached}
	site.Metrics.MustRegister(figures)
	if p.cluster.Figures != nil {
		site.Metrics.MustRegister(p.cluster.Figures)
	}
	site.Healthy = func() error {
		_, err := r.State.Frontier.Progress(ctx) // waits forever if a commit does
		if why := c.Stats().Reason; why != "" {
			err = errors.Join(err, fmt.Errorf("the crawl has ended: %s", why))
		}
		return err
	}
	site.Status = func(_ context.Context, top int) (any, error) { return i.Status(top) }
	site.Why = func(ctx context.Context, url string) (any, error) { return i.StoryOf(ctx, url) }
	if p.host != nil {
		return p.host.Attach(i, figures), nil
	}
	site.Backup = snapshot.BackupHandler(a, func() (map[string]bolt.Source, func()) { return r.State.Sources(), func() {} })
	silence, err := admin.ServeAdmin(ctx, a, p.State, site)
	if err != nil {
		return nil, err
	}
	deafen := a.ReloadOnHangup(ctx)
	said := make(chan struct{})
	hush := context.AfterFunc(ctx, func() {
		defer close(said)
		a.Logf("the crawl stops when the pages being fetched are done; send the signal again to stop at once")
	})
	return func() {
		if !hush() {
			<-said
		}
		deafen()
		silence()
	}, nil
}

// An observers calls observers one after the other until the first error.
type observers []crawler.Observer

// ObservePages implements crawler.Observer.
func (all observers) ObservePages(batch []crawler.StepRecord) error {
	for _, o := range all {
		if err := o.ObservePages(batch); err != nil {
			return err
		}
	}
	return nil
}

// A pageLog writes one line per page with --verbose, and warns of pages that could not be judged or
// stored.
type pageLog struct{ *slog.Logger }

// ObservePages implements crawler.Observer.
func (l pageLog) ObservePages(batch []crawler.StepRecord) error {
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
