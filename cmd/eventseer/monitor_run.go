package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/frontier"
	"eventseer/crawler/monitor"
	"eventseer/crawler/rundir"
	"eventseer/internal/text"
)

// monitor makes one pass over what is due, or goes on as long as the flags say.
func runMonitor(ctx context.Context, a *app.App, f monitorFlags) error {
	format, err := a.Format("table", "jsonl", "json", "csv")
	if err != nil {
		return err
	}
	policy, err := f.plan.policyOf()
	if err != nil {
		return err
	}
	links, err := discovererOf(f.links)
	if err != nil {
		return err
	}
	crawl := crawlFlags{budget: f.budget, replay: f.replay, record: f.record}
	if _, err := crawl.check(); err != nil {
		return err
	}
	if _, err := dataDir(a); err != nil {
		return err
	}
	web, err := openWeb(ctx, a, crawl)
	if err != nil {
		return err
	}
	blocks, err := a.Blocklist()
	if err != nil {
		return err
	}
	m := &monitorPlan{
		plan: monitor.Plan{Policy: policy, PerDay: f.plan.perDay}, links: links, most: int(f.budget),
		stay: func() bool { return f.limit > 0 }, fates: map[monitor.Fate]int{},
	}
	p := plan{
		web: web, strategy: "breadth-first", models: "shipped", run: freeRun(a, ""), state: a.Config.Data, monitor: m,
		options: crawler.Options{
			Budget: f.budget, MaxTime: time.Duration(f.limit), Workers: workers(a, web), Free: web.free, Now: web.now,
			Blocked: blocks.Blocked, IgnoreDirectives: ignoreDirectives(a, web), Rel: crawler.Rel(a.Config.Rel),
		},
	}
	result, err := runPlan(ctx, a, p)
	idle, idleErr := dropIdle(p.run)
	err = errors.Join(err, idleErr)
	switch {
	case result.stats.Reason == "":
	case idle:
		a.Logf("nothing was visited; `eventseer monitor list` tells what is due when")
	case result.stats.Reason == crawler.BudgetSpent:
		a.Logf("budget spent: %s; record in %s", m.describe(), p.run)
	default:
		a.Logf("%s; record in %s", m.describe(), p.run)
	}
	if errors.Is(err, context.Canceled) {
		a.Logf("interrupted; what was visited is kept, the same command goes on")
	}
	return errors.Join(err, a.WithOutput(func(w io.Writer) error { return m.write(w, format) }))
}

// dropIdle removes the folder of a run that asked for nothing, and reports whether it
// was one.
func dropIdle(run string) (bool, error) {
	if info, err := os.Stat(filepath.Join(run, rundir.PagesFile)); err != nil || info.Size() > 0 {
		return false, nil // not begun, or of use
	}
	return true, os.RemoveAll(run)
}

// describe says in a line what the visits brought.
func (m *monitorPlan) describe() string {
	alarms := 0
	for _, v := range m.seen {
		if v.Alarm != nil {
			alarms++
		}
	}
	return fmt.Sprintf("%s visited: %d changed, %d unchanged, %d gone, %d failed; %s", count(len(m.seen), "source", "sources"),
		m.fates[monitor.Changed], m.fates[monitor.Unchanged], m.fates[monitor.Gone], m.fates[monitor.Failed],
		count(alarms, "alarm stands", "alarms stand"))
}

// write prints a line a visit.
func (m *monitorPlan) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, m.seen)
	case "jsonl":
		return app.WriteJSONLines(w, m.seen)
	case "csv":
		rows := csv.NewWriter(w)
		_ = rows.Write([]string{"url", "kind", "at", "fate", "why"}) // Flush tells
		for _, v := range m.seen {
			_ = rows.Write([]string{v.URL, string(v.Kind), v.At.UTC().Format(time.RFC3339), v.Fate, v.Why})
		}
		rows.Flush()
		return rows.Error()
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, v := range m.seen {
		note := text.OneLine(v.Why, maxShown)
		if v.Alarm != nil {
			note = strings.TrimPrefix(note+"; ", "; ") + "ALARM " + string(v.Alarm.Kind) + ": " + v.Alarm.Text
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.Fate, v.Kind, text.Printable(v.URL), note)
	}
	return t.Flush()
}

// paceOf is how the frontier of a plan treats its hosts. A monitor's visits are not
// held back by how much crawls have fetched, and leave alone what crawls have left.
func paceOf(a *app.App, p plan) frontier.Options {
	o := politeness(a, p.web.frozen && !p.web.paced)
	if p.monitor != nil {
		o.PerHost, o.PerDomain, o.PerDepth = 0, 0, 0
		o.NoSync = false // the state is that of live crawls, also in a replay
		o.Floor = monitor.Floor
	}
	return o
}

// openSources opens the sources of a live crawl, or of a monitor's.
func openSources(a *app.App, p *plan, s *state) (err error) {
	if s.monitor != nil || p.web.frozen && p.monitor == nil {
		return nil // a replay's state is its own, and nothing of it is visited again
	}
	s.monitor, err = openMonitor(a, p.state)
	return err
}

// watch has a crawl write down what it sees of sources, and a monitor's visit those
// that are due.
func watch(ctx context.Context, a *app.App, p *plan, s state) (crawler.Observer, error) {
	if s.monitor == nil {
		return observers{}, nil
	}
	r := &monitor.Recorder{DB: s.monitor, ListType: "cfp_list", Visited: func(s monitor.Source, _ string, raised bool) {
		if raised {
			a.Logger().Warn("monitor: alarm", "url", s.URL, "kind", s.Alarm.Kind, "what", s.Alarm.Text)
		}
	}}
	r.Moved = func(from, to string) { a.Logf("%s has moved to %s, which is watched from now on", from, to) }
	all := observers{newListTaker(ctx, p.options.Sink, listTaker{sources: s.monitor, listType: r.ListType, log: a.Logger()}), r}
	m := p.monitor
	if m == nil {
		return all, nil
	}
	raise := r.Visited
	r.Visited = func(s monitor.Source, why string, raised bool) {
		raise(s, why, raised)
		last := s.Last()
		m.fates[last.Fate]++
		m.seen = append(m.seen, visited{URL: s.URL, Kind: s.Kind, At: last.At, Fate: last.Fate.String(), Why: why, Alarm: s.Alarm})
	}
	var err error
	if m.plan.Yield, err = newStoreYield(ctx, s.store, p.web.now()); err != nil {
		return nil, err
	}
	p.options.Backlinker = nil // what crawls owe stays owed
	p.options.Strategy = &monitor.Strategy{DB: s.monitor, Judge: p.options.Strategy, Discover: m.links}
	p.options.Fetcher = monitor.Fetcher{Fetcher: p.options.Fetcher, DB: s.monitor}
	p.options.Frontier = &monitor.Frontier{
		Frontier: p.options.Frontier, DB: s.monitor, Plan: m.plan, Most: m.most, Stay: m.stay, Woken: m.woken, Ours: m.ours, Now: p.web.now,
		Pushed: func(n int) { a.Logf("%s due", count(n, "source is", "sources are")) },
	}
	return all, nil
}
