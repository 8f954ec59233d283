package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/datasets/files"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change/versions"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/spf13/cobra"
)

// replayFlags are the flags of `monitor replay`.
type replayFlags struct {
	budget   float64
	policies []string
	within   app.Duration
	align    bool
}

func newMonitorReplayCommand(a *app.App) *cobra.Command {
	f := replayFlags{within: app.Duration(7 * 24 * time.Hour)}
	cmd := &cobra.Command{
		Use: "replay HISTORIES", Short: "Replay revisit policies over recorded versions of pages", Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json"),
		Long: `Replay revisit policies over recorded versions of pages, in time order, with a share of all
visits, and show which changes each would have seen in time. All visits are one a day of
each page from its first version to a week (--within) after its last. A policy knows
only what its visits have seen: changes, and the deadlines of the last version seen.
HISTORIES is JSONL, gzipped or not, one version per line: url, time, html, and optionally
site. Intervals are the 95 % range of 1,000 draws of the sites.`,
		Example: `  eventseer monitor replay revisions.jsonl.gz
  eventseer monitor replay revisions.jsonl.gz --budget 0.05 --policies freshness,fixed --format json`,
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.budget, "budget", 0.1, "share of all visits that is made, above 0 and at most 1")
	flags.StringSliceVar(&f.policies, "policies", policyNames(), "policies to replay")
	flags.Var(&f.within, "within", "time within which a change is to be seen")
	flags.BoolVar(&f.align, "align", false, "let all histories begin on one day, as if they were the pages of one operator")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		rows, err := replayHistories(cmd.Context(), a, paths[0], f)
		if err != nil {
			return err
		}
		return replayTable.Print(a, rows)
	}
	return cmd
}

// A replayRow is the result of one policy.
type replayRow struct {
	Policy    string            `json:"policy"`
	Visits    int               `json:"visits"`
	AllVisits int               `json:"all_visits"`
	All       monitor.SeenShare `json:"changes"`   // every version
	Telling   monitor.SeenShare `json:"telling"`   // changes reported to readers
	Deadlines monitor.SeenShare `json:"deadlines"` // those of deadlines
	Fresh     float64           `json:"fresh"`     // share of the time in which the last version was known
	Delay     time.Duration     `json:"mean_delay_ns"`
}

// A classifiedHistory is a history with the kinds of its changes.
type classifiedHistory struct {
	monitor.History
	site  string
	kinds [][]eventseer.ChangeKind // for each change after the first version
}

func replayHistories(ctx context.Context, a *app.App, path string, f replayFlags) ([]replayRow, error) {
	if f.budget <= 0 || f.budget > 1 {
		return nil, app.Usagef("--budget %v is not a share of all visits", f.budget)
	}
	var policies []monitor.Policy
	for _, name := range f.policies {
		p, err := (planFlags{policy: name}).policyOf()
		if err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	r, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	pages, err := monitor.ReadHistories(r, path)
	if err != nil {
		return nil, err
	}
	played, err := classifyHistories(ctx, a, pages, f)
	if err != nil {
		return nil, err
	}
	return replayPolicies(policies, played, f), nil
}

// classifyHistories reads all versions.
func classifyHistories(ctx context.Context, a *app.App, pages []monitor.PageHistory, f replayFlags) (all []classifiedHistory, err error) {
	x := engine.NewExtractor(a, judges.Set{})
	var first time.Time
	for _, p := range pages {
		if at := p.Versions[0].FetchedAt; first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, p := range pages {
		h := classifiedHistory{site: p.Site(), History: monitor.History{URL: p.URL, Kind: monitor.Event}}
		var shift time.Duration
		if f.align {
			shift = first.Sub(p.Versions[0].FetchedAt)
		}
		var events []eventseer.Event
		var before *tagtree.Tree
		for _, v := range p.Versions {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			tree, err := tagtree.Parse(v)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", v.URL, v.FetchedAt.Format(time.RFC3339), err)
			}
			if before != nil {
				change, _ := versions.Compare(x, before, tree)
				h.kinds = append(h.kinds, change.Kinds)
			}
			before = tree
			events = append(events, versions.ReadVersion(x, tree).Event)
			h.Changes = append(h.Changes, v.FetchedAt.Add(shift))
		}
		h.End = h.Changes[len(h.Changes)-1].Add(time.Duration(f.within))
		h.Yield = func(version int, now time.Time) (float64, []time.Time, bool) {
			y := engine.PageYieldOf(events[version], now.Add(-shift))
			moments := slices.Clone(y.Moments)
			for i := range moments {
				moments[i] = moments[i].Add(shift)
			}
			return y.Worth, moments, true
		}
		all = append(all, h)
	}
	return all, nil
}

func replayPolicies(policies []monitor.Policy, played []classifiedHistory, f replayFlags) (rows []replayRow) {
	o := monitor.ReplayOptions{PerPage: f.budget, Within: time.Duration(f.within)}
	histories, sites := make([]monitor.History, len(played)), make([]string, len(played))
	allVisits := 0
	for i, h := range played {
		histories[i], sites[i] = h.History, h.site
		allVisits += int(h.End.Sub(h.Changes[0])/(24*time.Hour)) + 1
		if i == 0 || h.Changes[0].Before(o.From) {
			o.From = h.Changes[0]
		}
		if h.End.After(o.To) {
			o.To = h.End
		}
	}
	for _, p := range policies {
		r := monitor.Replay(p, histories, o)
		of := func(counts func([]eventseer.ChangeKind) bool) monitor.SeenShare {
			return monitor.SeenShareOf(r, sites, o.Within, func(page, change int) bool { return counts(played[page].kinds[change]) })
		}
		rows = append(rows, replayRow{
			Policy: r.Policy, Visits: r.Visits, AllVisits: allVisits, Fresh: r.Fresh, Delay: r.Delay,
			All: of(func([]eventseer.ChangeKind) bool { return true }),
			Telling: of(func(kinds []eventseer.ChangeKind) bool {
				return slices.ContainsFunc(kinds, eventseer.ChangeKind.NotifiesReaders)
			}),
			Deadlines: of(func(kinds []eventseer.ChangeKind) bool {
				return slices.Contains(kinds, eventseer.DeadlineExtended) || slices.Contains(kinds, eventseer.DeadlineAdded)
			}),
		})
	}
	return rows
}

// replayTable is the output of monitor replay.
var replayTable = app.Table[replayRow]{Head: "POLICY\tVISITS\tCHANGES SEEN\tTELLING\tDEADLINES\tFRESH\tDELAY", Line: func(r replayRow) string {
	return fmt.Sprintf("%s\t%d of %d\t%s\t%s\t%s\t%.3f\t%.1f days", r.Policy, r.Visits, r.AllVisits, r.All, r.Telling, r.Deadlines, r.Fresh, r.Delay.Hours()/24)
}}
