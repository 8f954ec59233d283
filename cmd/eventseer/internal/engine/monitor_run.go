package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
)

// RemoveIdleRun removes the folder of a run without requests, and reports whether it was one.
func RemoveIdleRun(run string) (bool, error) {
	if info, err := os.Stat(filepath.Join(run, rundir.PagesFile)); err != nil || info.Size() > 0 {
		return false, nil // not begun, or with requests
	}
	return true, os.RemoveAll(run)
}

// Describe describes the results of the visits in one line.
func (m *MonitorPlan) Describe() string {
	alarms, fates := 0, map[string]int{}
	for _, v := range m.seen {
		fates[v.Fate]++
		if v.Alarm != nil {
			alarms++
		}
	}
	return fmt.Sprintf("%s visited: %d changed, %d unchanged, %d gone, %d failed; %s", text.Count(len(m.seen), "source", "sources"),
		fates[monitor.Changed.String()], fates[monitor.Unchanged.String()], fates[monitor.Gone.String()], fates[monitor.Failed.String()],
		text.Count(alarms, "alarm stands", "alarms stand"))
}

// Print prints one line per visit.
func (m *MonitorPlan) Print(a *app.App) error { return visitedTable.Print(a, m.seen) }

var visitedTable = app.Table[Visited]{
	Line: func(v Visited) string {
		note := text.OneLine(v.Why, app.MaxShown)
		if v.Alarm != nil {
			note = strings.TrimPrefix(note+"; ", "; ") + "ALARM " + string(v.Alarm.Kind) + ": " + v.Alarm.Text
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s", v.Fate, v.Kind, text.Printable(v.URL), note)
	},
	Columns: []string{"url", "kind", "at", "fate", "why"},
	Record: func(v Visited) []string {
		return []string{v.URL, string(v.Kind), v.At.UTC().Format(time.RFC3339), v.Fate, v.Why}
	},
}

// pacingOptions returns the frontier options of a plan. A monitor's visits ignore the budgets of crawls,
// and do not fetch links left by crawls.
func pacingOptions(a *app.App, p Plan) frontier.Options {
	o := politenessOptions(a, p.web.Frozen && !p.web.Paced)
	if p.monitor != nil {
		o.PerHost, o.PerDomain, o.PerDepth = 0, 0, 0
		o.NoSync = false // the state is that of live crawls, even in a replay
		o.Floor = monitor.Floor
	}
	return o
}

// openSources opens the sources of a live crawl, or of a monitor's.
func openSources(a *app.App, p Plan, s *State) (err error) {
	if s.Monitor != nil || p.web.Frozen && p.monitor == nil {
		return nil // a replay has its own state, in which nothing is revisited
	}
	s.Monitor, err = OpenMonitor(a, p.State, false)
	return err
}

// watchSources makes a crawl record changes of sources, and the monitor visit those that are due.
func watchSources(ctx context.Context, a *app.App, p *Plan, s State) (crawler.Observer, error) {
	if s.Monitor == nil {
		return observers{}, nil
	}
	r := &monitor.Recorder{DB: s.Monitor, ListType: "cfp_list", Visited: func(s monitor.Source, _ string, raised bool) {
		if raised {
			a.Logger().Warn("monitor: alarm", "url", s.URL, "kind", s.Alarm.Kind, "what", s.Alarm.Text)
		}
	}}
	r.Moved = func(from, to string) { a.Logf("%s has moved to %s, which is watched from now on", from, to) }
	all := observers{newListForwarder(ctx, p.options.Sink, listForwarder{sources: s.Monitor, listType: r.ListType, log: a.Logger()}), r}
	m := p.monitor
	if m == nil {
		return all, nil
	}
	raise := r.Visited
	r.Visited = func(s monitor.Source, why string, raised bool) {
		raise(s, why, raised)
		last := s.Last()
		m.seen = append(m.seen, Visited{URL: s.URL, Kind: s.Kind, At: last.At, Fate: last.Fate.String(), Why: why, Alarm: s.Alarm})
	}
	var err error
	if m.Plan.Yield, err = NewStoreYield(ctx, s.Store, p.web.Now()); err != nil {
		return nil, err
	}
	p.options.Backlinker = nil // pending backlink queries of crawls stay pending
	p.options.Strategy = &monitor.Strategy{DB: s.Monitor, Judge: p.options.Strategy, Discover: m.Links}
	p.options.Fetcher = monitor.Fetcher{Wrapped: crawler.Wrapped{Fetcher: p.options.Fetcher}, DB: s.Monitor}
	p.options.Frontier = &monitor.Frontier{
		Frontier: p.options.Frontier, DB: s.Monitor, Plan: m.Plan, Most: m.Most, Stay: m.Stay, Woken: m.Woken, Patience: m.Patience, Ours: m.Ours, Now: p.web.Now,
		Pushed: func(n int) { a.Logf("%s due", text.Count(n, "source is", "sources are")) },
	}
	return all, nil
}

// A listForwarder passes the lists of calls that a crawl or the monitor reads to the store. It is a
// crawler.Observer, so a list is stored before the frontier records it as read, and stored again
// after a crash, which changes nothing.
type listForwarder struct {
	sources  *monitor.DB
	listType string // of pages
	take     func(*tagtree.Tree) error
	log      *slog.Logger
}

// newListForwarder returns a listForwarder for a sink that accepts lists, or one that does nothing.
func newListForwarder(ctx context.Context, s crawler.Sink, l listForwarder) crawler.Observer {
	sink, ok := s.(interface {
		TakeList(ctx context.Context, t *tagtree.Tree) error
	})
	if !ok {
		return observers{}
	}
	ctx = context.WithoutCancel(ctx) // the pages in progress are finished
	l.take = func(t *tagtree.Tree) error { return sink.TakeList(ctx, t) }
	return l
}

// ObservePages implements crawler.Observer. A list that cannot be stored does not end the run: its
// pages are visited nevertheless.
func (l listForwarder) ObservePages(batch []crawler.StepRecord) error {
	for _, t := range batch {
		tree := t.Arrival.Tree
		if tree == nil || t.Arrival.Outcome.Fate != crawler.Fetched {
			continue
		}
		source, _, err := l.sources.Source(t.Arrival.Lease.URL)
		if err != nil {
			return err
		}
		if source.Kind != monitor.Index && t.Verdict.PageType != l.listType {
			continue
		}
		if err := l.take(tree); err != nil {
			l.log.Warn("list", "err", err)
		}
	}
	return nil
}

// addSourceFunctions sets the functions of an inspector that report on sources, if the data directory has any.
func addSourceFunctions(a *app.App, i *admin.Inspector) error {
	m, err := OpenMonitor(a, i.Data, true)
	if errors.Is(err, bolt.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	st, err := OpenStoreIn(a, i.Data, false)
	if err != nil {
		return err
	}
	i.Watched = sourceExplainer(a, State{Store: st, Monitor: m}, monitor.Plan{})
	return nil
}

// sourceExplainer returns a function that explains when the monitor visits a canonical URL and why, ""
// if it is not a source.
func sourceExplainer(a *app.App, s State, plan monitor.Plan) func(ctx context.Context, url string) (string, error) {
	return func(ctx context.Context, url string) (string, error) {
		if _, ok, err := s.Monitor.Source(url); !ok || err != nil {
			return "", err
		}
		yields, err := NewStoreYield(ctx, s.Store, a.Now())
		if err != nil {
			return "", err
		}
		plan := plan
		plan.Yield = yields
		planned, err := s.Monitor.Plan(plan)
		for _, p := range planned {
			if p.URL == url {
				return describePlanned(p, a), err
			}
		}
		return "", err
	}
}

func describePlanned(p monitor.Planned, a *app.App) string {
	due := "now"
	if p.At.After(a.Now()) {
		due = admin.TimeText(p.At, a.Now())
	}
	text := fmt.Sprintf("%s, by %s; due %s: %s", p.Kind, p.By, due, p.Why)
	if p.Was != "" {
		text += "; it was at " + p.Was
	}
	if p.Alarm != nil {
		text += fmt.Sprintf("; alarm since %s: %s", p.Alarm.Since.Format("2006-01-02"), p.Alarm.Text)
	}
	return text
}
