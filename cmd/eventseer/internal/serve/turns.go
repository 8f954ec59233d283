package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// How a service crawls.
const (
	idlePause = time.Minute // between turns without work
	// watchPatience is how long the monitor's turn waits for hosts, time that the crawl could use.
	watchPatience = 30 * time.Second
)

// A turnScheduler alternates between crawling and visiting due sources, because both need exclusive
// use of the frontier (doc/decisions/017).
type turnScheduler struct {
	app *app.App
	of  *Service
	web *engine.Web
	// crawls and watches select the kinds of turns.
	crawls, watches bool
	watched         string // the setting sources as last applied
	desk            eventseer.NoteStore
	turn, idle      time.Duration
}

// NewTurnScheduler opens the live web for the turns of a service.
func NewTurnScheduler(ctx context.Context, a *app.App, s *Service, p Parts) (*turnScheduler, error) {
	f := &turnScheduler{
		app: a, of: s, crawls: p.Has(PartCrawl), watches: p.Has(PartMonitor), desk: s.Store,
		turn: engine.CrawlTurn, idle: idlePause,
	}
	given, err := begin.ServiceSeeds(a, false)
	if err != nil {
		return nil, err
	}
	s.Console.setSeeds(len(given))
	if f.crawls && len(given) == 0 {
		a.Logf("there are no seeds, so the crawl finds nothing new; `eventseer import starting` adds the shipped starting points, the setting seeds others")
	}
	a.EnableTurnSettings()
	if _, err := a.Blocklist(); err != nil {
		return nil, err
	}
	if f.crawls {
		_, why := a.Config.BacklinkProviders()
		a.Logf("%s", why)
	}
	f.web, err = engine.OpenWeb(ctx, a, engine.CrawlOptions{})
	return f, err
}

// Run makes turns until ctx ends. A failed turn is reported and tried again.
func (f *turnScheduler) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		worked := false
		if f.watches {
			worked = f.makeTurn(ctx, "visiting what is due", f.watchPlan)
		}
		if f.crawls && ctx.Err() == nil {
			worked = f.makeTurn(ctx, "crawling", f.crawlPlan) || worked
		}
		engine.DropOldRecords(f.app, f.of.Dir)
		if !worked {
			f.app.WaitUntilReload(ctx, f.idle)
		}
	}
	return nil
}

// makeTurn makes one turn and reports whether there was work.
func (f *turnScheduler) makeTurn(ctx context.Context, what string, planOf func(context.Context, *app.App) (engine.Plan, bool, error)) bool {
	own := engine.ChildApp(f.app)
	own.Config = f.app.TurnConfig()
	own.Config.Progress = "none"
	p, ok, err := planOf(ctx, own)
	if !ok && err == nil {
		return false
	}
	var r engine.CrawlResult
	if err == nil {
		f.of.Console.beginTurn(what)
		r, err = engine.RunPlan(ctx, own, p)
		_, idleErr := engine.RemoveIdleRun(p.Run)
		err = errors.Join(err, idleErr)
	}
	err = errors.Join(err, own.Close())
	f.of.Console.endTurn(err)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		f.app.Logger().Error("the crawl continues after a pause", "turn", what, "err", err)
		return false
	}
	if r.Stats.Own > 0 {
		f.app.Logf("%s: %s; record in %s", what, text.Count(r.Stats.Own, "page", "pages"), p.Run)
	}
	return r.Stats.Own > 0
}

// crawlPlan returns a crawl from the seeds, submitted pages and the frontier. ok is false if the
// day's pages are spent.
func (f *turnScheduler) crawlPlan(ctx context.Context, a *app.App) (p engine.Plan, ok bool, err error) {
	left := a.Config.CrawlPerDay
	if left > 0 {
		if left -= f.pagesSpentToday(); left < 1 {
			return p, false, nil
		}
	}
	notes, err := f.submittedPages(ctx)
	if err != nil {
		return p, false, err
	}
	given, err := begin.ServiceSeeds(a, true) // read now, including later additions
	if err != nil {
		return p, false, err
	}
	seeding := engine.Seeding{Seeds: given, Seeded: func(ctx context.Context) error {
		for _, n := range notes {
			if err := f.desk.CloseNote(ctx, n.ID, "queued for the crawler", f.app.Now()); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, n := range notes {
		seeding.Seeds = append(seeding.Seeds, n.URL)
	}
	f.of.Console.setSeeds(len(given))
	manners, err := engine.PageRulesOf(a, f.web)
	p = engine.NewCrawl(f.web, f.turnFolders(a, engine.CrawlSuffix),
		engine.Guide{Strategy: a.Config.Strategy, MinAccuracy: engine.MinAccuracy}, seeding,
		engine.Bounds{Budget: left, BacklinkCost: a.Config.BacklinkCost, MaxTime: f.turn, MaxDepth: engine.DefaultMaxDepth}, manners)
	return p.InProcess(f.of.Host()), true, err
}

// watchPlan returns one pass of the monitor.
func (f *turnScheduler) watchPlan(_ context.Context, a *app.App) (engine.Plan, bool, error) {
	if a.Config.Sources != f.watched {
		if err := begin.WatchConfigured(a, f.of.Monitor); err != nil {
			return engine.Plan{}, false, err
		}
		f.watched = a.Config.Sources
	}
	m, err := engine.DefaultMonitorPlan(a, judges.Own)
	if err != nil {
		return engine.Plan{}, false, err
	}
	m.Patience = watchPatience
	manners, err := engine.PageRulesOf(a, f.web)
	return engine.NewMonitorRun(f.web, f.turnFolders(a, engine.WatchSuffix), m, 0, f.turn, manners).InProcess(f.of.Host()), true, err
}

// turnFolders returns the folders of a turn.
func (f *turnScheduler) turnFolders(a *app.App, suffix string) engine.Folders {
	return engine.Folders{Run: engine.UnusedRunFolder(a, suffix), State: f.of.Dir}
}

// maxSubmitted is the largest number of visitors' pages that one turn adds.
const maxSubmitted = 200

// submittedPages returns the notes of pages that visitors queued.
func (f *turnScheduler) submittedPages(ctx context.Context) (queued []eventseer.Note, err error) {
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

// pagesSpentToday returns the number of pages that turns of the last 24 hours fetched, from their records.
func (f *turnScheduler) pagesSpentToday() float64 {
	spent := 0.0
	for _, run := range engine.TurnRecords(f.of.Dir, engine.CrawlSuffix) {
		if f.app.Now().Sub(run.At) < 24*time.Hour {
			spent += pagesSpentByTurn(run.Path)
		}
	}
	return spent
}

// pagesSpentByTurn returns the pages spent by a turn; for a killed one each line counts as one.
func pagesSpentByTurn(run string) float64 {
	if r, err := engine.ReadRun(run); err == nil && r.Stats != nil {
		return r.Stats.Spent
	}
	text, err := os.ReadFile(filepath.Join(run, rundir.PagesFile))
	if err != nil {
		return 0
	}
	return float64(strings.Count(string(text), "\n"))
}
