package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// monitorFlags are the flags of `monitor`.
type monitorFlags struct {
	budget float64
	limit  app.Duration
	replay []string
	record string
	links  string
	plan   planFlags
}

// planFlags control the distribution of visits.
type planFlags struct {
	perDay float64
	policy string
}

func (f *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.perDay, "per-day", 0, "number of visits a day, distributed among the sources; 0 is one a week for each")
	cmd.Flags().StringVar(&f.policy, "policy", monitor.Policies()[0].Name(), "how visits are distributed: "+strings.Join(policyNames(), ", "))
}

func policyNames() (names []string) {
	for _, p := range monitor.Policies() {
		names = append(names, p.Name())
	}
	return names
}

func newMonitorCommand(a *app.App) *cobra.Command {
	var f monitorFlags
	cmd := &cobra.Command{
		Use: "monitor", Short: "Revisit what is due: lists of calls, known events, feeds, sitemaps", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
		Long: `Revisit what is due: lists of calls, known events, feeds and sitemaps. Only new links on
them are followed, and new versions of known events reach the store. Crawls add the calls
and lists they find as sources; monitor add adds others.`,
		Example: `  eventseer monitor
  eventseer monitor --budget 500 --time 2h
  eventseer monitor add https://society.example/calls https://society.example/feed.xml
  eventseer monitor list
  eventseer monitor status`,
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.budget, "budget", 0, "pages to spend; a response of status 2xx, 404, 410 or 5xx counts as one; 0 is no limit")
	flags.Var(&f.limit, "time", "continue for this time with what becomes due, such as 2h; 0 is one pass over what is due now")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files to read instead of the live web")
	flags.StringVar(&f.record, "record", "", "WARC file to which every response is recorded, or a name prefix of many files: rec for rec-00001.warc.gz …")
	flags.StringVar(&f.links, "links", engine.DiscovererNames()[0], "which new links of a source are followed: "+strings.Join(engine.DiscovererNames(), ", "))
	f.plan.add(cmd)
	groupFlags(cmd, monitorFlagGroups)
	cmd.AddCommand(newMonitorAddCommand(a), newMonitorRemoveCommand(a), newMonitorListCommand(a), newMonitorStatusCommand(a), newMonitorImportCommand(a), newMonitorReplayCommand(a))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runMonitor(cmd.Context(), a, f) }
	return cmd
}

// monitorFlagGroups are the headings of monitor --help.
var monitorFlagGroups = []flagGroup{
	{"What is visited", []string{"links", "model", "per-day", "policy", "render", "replay"}},
	{"When it ends", []string{"budget", "time"}},
	{"Politeness", []string{"host-delay", "delay-factor", "max-crawl-delay", "politeness", "robots", "directives", "rel", "blocklist", "allow-private"}},
	{"Operation", []string{"workers", "record", "record-size", "admin", "admin-public"}},
}

func newMonitorAddCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "add URL…", Short: "Watch pages", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer monitor add https://society.example/calls\n  eventseer monitor add --kind event https://conf.example/2027/",
	}
	kind := cmd.Flags().String("kind", string(monitor.Index), "kind of the pages: index (lists calls or events), event, feed or sitemap; feeds and sitemaps are recognised")
	cmd.RunE = func(_ *cobra.Command, urls []string) error {
		m, err := engine.OpenMonitor(a, a.Config.Data, false)
		if errors.Is(err, bolt.ErrLocked) {
			err = fmt.Errorf("%w; when it has ended, add them again", err)
		}
		if err != nil {
			return err
		}
		return forEachURL(a, urls, func(url string) (string, error) {
			fresh, err := m.Add(url, monitor.Kind(*kind), monitor.ByOperator)
			if fresh {
				return "watched from now on", err
			}
			return "watched already", err
		})
	}
	return cmd
}

func newMonitorRemoveCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "remove URL…", Short: "Stop watching pages; their versions are kept", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer monitor remove https://society.example/calls",
		RunE: func(_ *cobra.Command, urls []string) error {
			m, err := engine.OpenExistingMonitor(a)
			if err != nil {
				return err
			}
			return forEachURL(a, urls, func(url string) (string, error) {
				was, err := m.Remove(url)
				if err == nil && !was {
					err = errors.New("is not watched; `eventseer monitor list` lists the watched pages")
				}
				return "no longer watched", err
			})
		},
	}
}

// forEachURL applies a function to every URL and prints the results. Errors do not stop it.
func forEachURL(a *app.App, urls []string, do func(url string) (string, error)) error {
	wrong := 0
	var last error
	for _, url := range urls {
		done, err := do(url)
		switch {
		case errors.Is(err, bolt.ErrLocked), errors.Is(err, bolt.ErrIncompatible):
			return err
		case err != nil:
			a.Logf("%s: %v", url, err)
			wrong++
			last = err
		default:
			a.Logf("%s: %s", url, done)
		}
	}
	switch {
	case wrong == len(urls):
		return app.MarkUsage(last)
	case wrong > 0:
		return fmt.Errorf("%w: %d of %d URLs", app.ErrPartly, wrong, len(urls))
	}
	return nil
}

func newMonitorImportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "import WARC…", Short: "Store the pages of recordings as versions of pages", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer monitor import 2026-autumn.warc.gz",
		RunE: func(cmd *cobra.Command, paths []string) error {
			m, err := engine.OpenMonitor(a, a.Config.Data, false)
			if err != nil {
				return err
			}
			return importVersions(cmd.Context(), a, m, paths)
		},
	}
}

// importBatch is the number of pages in memory at once.
const importBatch = 100

func importVersions(ctx context.Context, a *app.App, m *monitor.DB, paths []string) error {
	files, err := engine.RecordedFiles(paths)
	if err != nil {
		return err
	}
	pages, bad := 0, 0
	var batch []*webgraph.Page
	flush := func() error {
		err := m.Import(ctx, batch...)
		pages += len(batch)
		batch = batch[:0]
		return err
	}
	for _, file := range files {
		for page, err := range warc.Pages(file) {
			var rotten *warc.BadRecord
			if err == nil {
				_, err = webgraph.Canonical(page.URL)
			} else if !errors.As(err, &rotten) {
				return err
			}
			if err != nil {
				a.Logf("%v: left out", err)
				bad++
				continue
			}
			if page.Status/100 != 2 {
				continue
			}
			if batch = append(batch, page); len(batch) == importBatch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	a.Logf("%d pages, versions in %s", pages, filepath.Join(a.Config.Data, monitor.VersionsDir))
	if bad > 0 {
		return fmt.Errorf("%w: %d records do not contain a page", app.ErrPartly, bad)
	}
	return nil
}

// policyOf returns the policy that the flags name.
func (f planFlags) policyOf() (monitor.Policy, error) {
	if !(f.perDay >= 0 && f.perDay <= math.MaxFloat64) {
		return nil, app.Usagef("--per-day %v is not a number of visits", f.perDay)
	}
	for _, p := range monitor.Policies() {
		if p.Name() == f.policy {
			return p, nil
		}
	}
	return nil, app.Usagef("--policy %q is not one of %s", f.policy, strings.Join(policyNames(), ", "))
}

// runMonitor makes one pass over the due sources, or continues as long as the flags say.
func runMonitor(ctx context.Context, a *app.App, f monitorFlags) error {
	policy, err := f.plan.policyOf()
	if err != nil {
		return err
	}
	links, err := engine.DiscovererOf(a, judges.Own, f.links)
	if err != nil {
		return err
	}
	crawl := engine.CrawlOptions{Budget: f.budget, Replay: f.replay, Record: f.record}
	if _, err := crawl.Check(); err != nil {
		return err
	}
	if _, err := app.DataDir(a); err != nil {
		return err
	}
	web, err := engine.OpenWeb(ctx, a, crawl)
	if err != nil {
		return err
	}
	manners, err := engine.PageRulesOf(a, web)
	if err != nil {
		return err
	}
	m := &engine.MonitorPlan{
		Plan: monitor.Plan{Policy: policy, PerDay: f.plan.perDay}, Links: links, Most: int(f.budget),
		Stay: func() bool { return f.limit > 0 },
	}
	p := engine.NewMonitorRun(web, engine.Folders{Run: engine.UnusedRunFolder(a, ""), State: a.Config.Data}, m, f.budget, time.Duration(f.limit), manners)
	result, err := engine.RunPlan(ctx, a, p)
	idle, idleErr := engine.RemoveIdleRun(p.Run)
	err = errors.Join(err, idleErr)
	switch {
	case result.Stats.Reason == "":
	case idle:
		a.Logf("nothing was visited; `eventseer monitor list` shows what is due when")
	case result.Stats.Reason == crawler.BudgetSpent:
		a.Logf("budget spent: %s; record in %s", m.Describe(), p.Run)
	default:
		a.Logf("%s; record in %s", m.Describe(), p.Run)
	}
	if errors.Is(err, context.Canceled) {
		a.Logf("interrupted; completed visits are stored, and the same command continues")
	}
	return errors.Join(err, m.Print(a))
}
