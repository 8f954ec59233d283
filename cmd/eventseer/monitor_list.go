package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// A listedSource is a line that monitor list prints.
type listedSource struct {
	URL     string         `json:"url"`
	Kind    monitor.Kind   `json:"kind"`
	By      monitor.By     `json:"by"`
	Added   time.Time      `json:"added"`
	Due     time.Time      `json:"due"` // zero: at once
	Why     string         `json:"why"`
	Rate    float64        `json:"changes_per_day"`
	Visits  int            `json:"visits"`
	Changed int            `json:"changed"`
	Failed  int            `json:"failed"`
	Records int            `json:"records"` // records found through its links
	Last    *time.Time     `json:"last,omitempty"`
	Fate    string         `json:"fate,omitempty"` // of the last visit
	Alarm   *monitor.Alarm `json:"alarm,omitempty"`
}

func newMonitorListCommand(a *app.App) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List the watched pages: when each is due, how often it changes, and why", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
		Example: "  eventseer monitor list\n  eventseer monitor list --format jsonl --per-day 100",
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := listSources(cmd.Context(), a, f)
		if err != nil {
			return err
		}
		return monitorListTable(a.Now()).Print(a, all)
	}
	return cmd
}

// listSources returns all sources in the order in which they are due.
func listSources(ctx context.Context, a *app.App, f planFlags) ([]listedSource, error) {
	policy, err := f.policyOf()
	if err != nil {
		return nil, err
	}
	m, err := engine.OpenExistingMonitor(a)
	if err != nil {
		return nil, err
	}
	plan := monitor.Plan{Policy: policy, PerDay: f.perDay}
	st, err := engine.OpenStoreIn(a, a.Config.Data, false)
	if err != nil {
		return nil, err
	}
	if plan.Yield, err = engine.NewStoreYield(ctx, st, a.Now()); err != nil {
		return nil, err
	}
	planned, err := m.Plan(plan)
	all := make([]listedSource, len(planned))
	for i, p := range planned {
		all[i] = listedSource{
			URL: p.URL, Kind: p.Kind, By: p.By, Added: p.Added, Due: p.At, Why: p.Why, Rate: p.Rate, Visits: p.Visited,
			Changed: p.Changed, Failed: p.Failed, Records: p.Records, Alarm: p.Alarm,
		}
		if last := p.Source.Last(); !last.At.IsZero() {
			all[i].Last, all[i].Fate = &last.At, last.Fate.String()
		}
	}
	return all, err
}

// monitorListTable returns the result of monitor list.
func monitorListTable(now time.Time) app.Table[listedSource] {
	return app.Table[listedSource]{
		Head: "DUE\tKIND\tCHANGES\tVISITS\tRECORDS\tURL\tWHY",
		Line: func(l listedSource) string {
			due, why := "now", l.Why
			if l.Due.After(now) {
				due = admin.TimeText(l.Due, now)
			}
			if l.Alarm != nil {
				why = "ALARM " + string(l.Alarm.Kind) + ": " + l.Alarm.Text + "; " + why
			}
			return fmt.Sprintf("%s\t%s\t%.3g a week\t%d\t%d\t%s\t%s", due, l.Kind, 7*l.Rate, l.Visits, l.Records, text.Printable(l.URL), why)
		},
		Columns: []string{"url", "kind", "by", "due", "changes_per_day", "visits", "changed", "failed", "records", "why"},
		Record: func(l listedSource) []string {
			return []string{
				l.URL, string(l.Kind), string(l.By), l.Due.UTC().Format(time.RFC3339), strconv.FormatFloat(l.Rate, 'g', 4, 64),
				strconv.Itoa(l.Visits), strconv.Itoa(l.Changed), strconv.Itoa(l.Failed), strconv.Itoa(l.Records), l.Why,
			}
		},
	}
}

// A monitorStatus is the output of monitor status.
type monitorStatus struct {
	Sources map[string]int `json:"sources"` // by kind
	Due     int            `json:"due"`
	NextDue *time.Time     `json:"next_due"` // next time among sources that are not due yet
	Visits  int            `json:"visits"`
	Changed int            `json:"changed"`
	Failed  int            `json:"failed"`
	Alarms  []listedSource `json:"alarms"`
}

func newMonitorStatusCommand(a *app.App) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use: "status", Short: "Show the state of the monitor: what is due, what has fallen silent", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer monitor status\n  eventseer monitor status --format json",
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := listSources(cmd.Context(), a, f)
		if err != nil {
			return err
		}
		s := statusOf(all, a.Now())
		return a.PrintRecord(s, func(w io.Writer) error { return s.table(w, a.Now()) })
	}
	return cmd
}

func statusOf(all []listedSource, now time.Time) monitorStatus {
	s := monitorStatus{Sources: map[string]int{}, Alarms: []listedSource{}}
	for _, l := range all {
		s.Sources[string(l.Kind)]++
		s.Visits, s.Changed, s.Failed = s.Visits+l.Visits, s.Changed+l.Changed, s.Failed+l.Failed
		switch {
		case !l.Due.After(now):
			s.Due++
		case s.NextDue == nil:
			s.NextDue = &l.Due
		}
		if l.Alarm != nil {
			s.Alarms = append(s.Alarms, l)
		}
	}
	return s
}

func (s monitorStatus) table(w io.Writer, now time.Time) error {
	t := app.NewTabWriter(w)
	fmt.Fprintf(t, "sources\t%s\n", admin.CountsText(s.Sources))
	fmt.Fprintf(t, "due\t%d\n", s.Due)
	if s.NextDue != nil {
		fmt.Fprintf(t, "next due\t%s\n", admin.TimeText(*s.NextDue, now))
	}
	fmt.Fprintf(t, "visits\t%d, %d with a new version, %d without a page\n", s.Visits, s.Changed, s.Failed)
	fmt.Fprintf(t, "alarms\t%d\n", len(s.Alarms))
	for _, l := range s.Alarms {
		fmt.Fprintf(t, "\t%s\t%s\tsince %s: %s\n", l.Alarm.Kind, text.Printable(l.URL), l.Alarm.Since.UTC().Format(time.RFC3339), l.Alarm.Text)
	}
	return t.Flush()
}
