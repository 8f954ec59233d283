package engine

import (
	"context"
	"encoding/csv"
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

// DropIdle removes the folder of a run that asked for nothing, and reports whether it
// was one.
func DropIdle(run string) (bool, error) {
	if info, err := os.Stat(filepath.Join(run, rundir.PagesFile)); err != nil || info.Size() > 0 {
		return false, nil // not begun, or of use
	}
	return true, os.RemoveAll(run)
}

// Describe says in a line what the visits brought.
func (m *MonitorPlan) Describe() string {
	alarms := 0
	for _, v := range m.seen {
		if v.Alarm != nil {
			alarms++
		}
	}
	return fmt.Sprintf("%s visited: %d changed, %d unchanged, %d gone, %d failed; %s", text.Count(len(m.seen), "source", "sources"),
		m.Fates[monitor.Changed], m.Fates[monitor.Unchanged], m.Fates[monitor.Gone], m.Fates[monitor.Failed],
		text.Count(alarms, "alarm stands", "alarms stand"))
}

// Write prints a line a visit.
func (m *MonitorPlan) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return app.WriteJSON(w, m.seen)
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
		note := text.OneLine(v.Why, app.MaxShown)
		if v.Alarm != nil {
			note = strings.TrimPrefix(note+"; ", "; ") + "ALARM " + string(v.Alarm.Kind) + ": " + v.Alarm.Text
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.Fate, v.Kind, text.Printable(v.URL), note)
	}
	return t.Flush()
}

// paceOf is how the frontier of a plan treats its hosts. A monitor's visits are not
// held back by how much crawls have fetched, and leave alone what crawls have left.
func paceOf(a *app.App, p Plan) frontier.Options {
	o := politeness(a, p.Web.Frozen && !p.Web.Paced)
	if p.Monitor != nil {
		o.PerHost, o.PerDomain, o.PerDepth = 0, 0, 0
		o.NoSync = false // the state is that of live crawls, also in a replay
		o.Floor = monitor.Floor
	}
	return o
}

// openSources opens the sources of a live crawl, or of a monitor's.
func openSources(a *app.App, p *Plan, s *State) (err error) {
	if s.Monitor != nil || p.Web.Frozen && p.Monitor == nil {
		return nil // a replay's state is its own, and nothing of it is visited again
	}
	s.Monitor, err = OpenMonitor(a, p.State)
	return err
}

// watch has a crawl write down what it sees of sources, and a monitor's visit those
// that are due.
func watch(ctx context.Context, a *app.App, p *Plan, s State) (crawler.Observer, error) {
	if s.Monitor == nil {
		return observers{}, nil
	}
	r := &monitor.Recorder{DB: s.Monitor, ListType: "cfp_list", Visited: func(s monitor.Source, _ string, raised bool) {
		if raised {
			a.Logger().Warn("monitor: alarm", "url", s.URL, "kind", s.Alarm.Kind, "what", s.Alarm.Text)
		}
	}}
	r.Moved = func(from, to string) { a.Logf("%s has moved to %s, which is watched from now on", from, to) }
	all := observers{newListTaker(ctx, p.Options.Sink, listTaker{sources: s.Monitor, listType: r.ListType, log: a.Logger()}), r}
	m := p.Monitor
	if m == nil {
		return all, nil
	}
	raise := r.Visited
	r.Visited = func(s monitor.Source, why string, raised bool) {
		raise(s, why, raised)
		last := s.Last()
		m.Fates[last.Fate]++
		m.seen = append(m.seen, Visited{URL: s.URL, Kind: s.Kind, At: last.At, Fate: last.Fate.String(), Why: why, Alarm: s.Alarm})
	}
	var err error
	if m.Plan.Yield, err = NewStoreYield(ctx, s.Store, p.Web.Now()); err != nil {
		return nil, err
	}
	p.Options.Backlinker = nil // what crawls owe stays owed
	p.Options.Strategy = &monitor.Strategy{DB: s.Monitor, Judge: p.Options.Strategy, Discover: m.Links}
	p.Options.Fetcher = monitor.Fetcher{Fetcher: p.Options.Fetcher, DB: s.Monitor}
	p.Options.Frontier = &monitor.Frontier{
		Frontier: p.Options.Frontier, DB: s.Monitor, Plan: m.Plan, Most: m.Most, Stay: m.Stay, Woken: m.Woken, Ours: m.Ours, Now: p.Web.Now,
		Pushed: func(n int) { a.Logf("%s due", text.Count(n, "source is", "sources are")) },
	}
	return all, nil
}
