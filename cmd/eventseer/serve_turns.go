package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/monitor"
	"eventseer/crawler/rundir"
	"eventseer/eventseer"
)

// How a service crawls.
const (
	crawlTurn   = 20 * time.Minute // of crawling, after which the monitor has its turn
	idlePause   = time.Minute      // between turns that find nothing to do
	keepRecords = 30 * 24 * time.Hour
	crawlSuffix = "-crawl" // of the folders of turns
	watchSuffix = "-monitor"
)

// A fieldworker crawls and visits what is due, in turn: both need the frontier to
// themselves (doc/decisions/017).
type fieldworker struct {
	app *app.App
	of  *service
	web *web
	// crawls and watches say which turns there are.
	crawls, watches bool
	seeds           []string
	perDay          float64 // pages that crawls fetch in 24 hours; 0 is no limit
	desk            eventseer.Desk
	turn, idle      time.Duration
}

// newFieldworker opens the live web for the turns of a service.
func newFieldworker(ctx context.Context, a *app.App, s *service, p parts, seeds string) (*fieldworker, error) {
	f := &fieldworker{
		app: a, of: s, crawls: p.has(partCrawl), watches: p.has(partMonitor), perDay: a.Config.CrawlPerDay, desk: s.store,
		turn: crawlTurn, idle: idlePause,
	}
	var err error
	if f.seeds, err = readSeeds(seeds, nil); err != nil {
		return nil, err
	}
	if _, err := a.Blocklist(); err != nil {
		return nil, err
	}
	f.web, err = openWeb(ctx, a, crawlFlags{})
	return f, err
}

// run makes turns until ctx ends. A turn that goes wrong is told and tried again.
func (f *fieldworker) run(ctx context.Context) error {
	for ctx.Err() == nil {
		worked := false
		if f.watches {
			worked = f.take(ctx, "visiting what is due", f.watchPlan)
		}
		if f.crawls && ctx.Err() == nil {
			worked = f.take(ctx, "crawling", f.crawlPlan) || worked
		}
		dropOldRecords(f.app, f.of.dir)
		if !worked {
			rest(ctx, f.idle)
		}
	}
	return nil
}

// rest waits for a time or the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// take makes one turn and reports whether there was something to do.
func (f *fieldworker) take(ctx context.Context, what string, planOf func(context.Context, *app.App) (plan, bool, error)) bool {
	own := child(f.app)
	own.Config.Progress = "none"
	p, ok, err := planOf(ctx, own)
	if !ok && err == nil {
		return false
	}
	var r crawlResult
	if err == nil {
		f.of.console.begin(what)
		r, err = runPlan(ctx, own, p)
		_, idleErr := dropIdle(p.run)
		err = errors.Join(err, idleErr)
	}
	err = errors.Join(err, own.Close())
	f.of.console.end(err)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		f.app.Logger().Error("the crawl goes on after a pause", "turn", what, "err", err)
		return false
	}
	if r.stats.Pages > 0 {
		f.app.Logf("%s: %s; record in %s", what, count(r.stats.Pages, "page", "pages"), p.run)
	}
	return r.stats.Pages > 0
}

// crawlPlan is a crawl from the seeds and from what visitors submitted, on to what the
// frontier holds; ok is false where the day's pages are spent.
func (f *fieldworker) crawlPlan(ctx context.Context, a *app.App) (p plan, ok bool, err error) {
	left := f.perDay
	if f.perDay > 0 {
		if left -= f.spent(); left < 1 {
			return p, false, nil
		}
	}
	notes, err := f.submitted(ctx)
	if err != nil {
		return p, false, err
	}
	p = f.plan(a, crawlSuffix)
	p.strategy, p.seeds = a.Config.Strategy, slices.Clone(f.seeds)
	for _, n := range notes {
		p.seeds = append(p.seeds, n.URL)
	}
	p.seeded = func(ctx context.Context) error { return f.settle(ctx, notes) }
	p.options.Budget, p.options.MaxTime, p.options.MaxDepth = left, f.turn, defaultMaxDepth
	p.options.BacklinkCost, p.options.Lists = a.Config.BacklinkCost, lists(a, f.web)
	return p, true, nil
}

// watchPlan is one pass of the monitor.
func (f *fieldworker) watchPlan(_ context.Context, a *app.App) (plan, bool, error) {
	links, err := discovererOf(discovererNames()[0])
	if err != nil {
		return plan{}, false, err
	}
	p := f.plan(a, watchSuffix)
	p.strategy = "breadth-first"
	p.monitor = &monitorPlan{plan: monitor.Plan{Policy: monitor.Policies()[0]}, links: links, fates: map[monitor.Fate]int{}}
	return p, true, nil
}

// plan is what both turns have in common.
func (f *fieldworker) plan(a *app.App, suffix string) plan {
	return plan{
		web: f.web, models: "shipped", host: f.of.host(), run: freeRun(a, suffix), state: f.of.dir, minAccuracy: minAccuracy,
		options: crawler.Options{
			Workers: workers(a, f.web), Free: f.web.free, Now: f.web.now, Blocked: a.Blocks.Blocked,
			IgnoreDirectives: ignoreDirectives(a, f.web), Rel: crawler.Rel(a.Config.Rel),
		},
	}
}

// maxSubmitted bounds the pages of visitors that one turn takes up.
const maxSubmitted = 200

// submitted returns the notes of pages that visitors queued.
func (f *fieldworker) submitted(ctx context.Context) (queued []eventseer.Note, err error) {
	if f.desk == nil {
		return nil, nil
	}
	notes, err := f.desk.Notes(ctx, false, eventseer.MaxNotes)
	for _, n := range notes {
		if n.Kind == eventseer.Submitted && len(queued) < maxSubmitted {
			queued = append(queued, n)
		}
	}
	return queued, err
}

// settle says of notes that the crawler has their pages.
func (f *fieldworker) settle(ctx context.Context, notes []eventseer.Note) error {
	for _, n := range notes {
		if err := f.desk.Settle(ctx, n.ID, "queued for the crawler", f.app.Now()); err != nil {
			return err
		}
	}
	return nil
}

// spent counts the pages that turns of the last 24 hours fetched, by their records.
func (f *fieldworker) spent() float64 {
	spent := 0.0
	for _, run := range turnRecords(f.of.dir, crawlSuffix) {
		if f.app.Now().Sub(run.at) < 24*time.Hour {
			spent += spentBy(run.path)
		}
	}
	return spent
}

// spentBy reads what a turn spent; a killed one has said nothing and spent a page a
// line.
func spentBy(run string) float64 {
	var r struct {
		Stats *crawler.Stats `json:"totals"`
	}
	if text, err := os.ReadFile(filepath.Join(run, rundir.RunFile)); err == nil && json.Unmarshal(text, &r) == nil && r.Stats != nil {
		return r.Stats.Spent
	}
	text, err := os.ReadFile(filepath.Join(run, rundir.PagesFile))
	if err != nil {
		return 0
	}
	return float64(strings.Count(string(text), "\n"))
}

// A turnRecord is the folder of a turn and when the turn began.
type turnRecord struct {
	path string
	at   time.Time
}

// turnRecords returns the folders of turns in a data directory, oldest first.
func turnRecords(data, suffix string) (all []turnRecord) {
	folder := filepath.Join(data, "runs")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if at, err := time.Parse(runTime, name[:min(len(name), len(runTime))]); ok && err == nil {
			all = append(all, turnRecord{filepath.Join(folder, e.Name()), at})
		}
	}
	return all
}

// dropOldRecords removes the folders of turns of long ago, or a service of years would
// fill the disk with them.
func dropOldRecords(a *app.App, data string) {
	for _, suffix := range []string{crawlSuffix, watchSuffix} {
		for _, run := range turnRecords(data, suffix) {
			if a.Now().Sub(run.at) < keepRecords {
				break
			}
			if err := os.RemoveAll(run.path); err != nil {
				a.Logger().Warn("old record", "err", fmt.Errorf("remove %s: %w", run.path, err))
			}
		}
	}
}
