package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newCrawlCommand(a *app.App) *cobra.Command {
	var f engine.CrawlOptions
	cmd := &cobra.Command{
		Use: "crawl [SEED…]", Short: "Crawl from known calls to new ones",
		Long: "Crawl from known calls to new ones: classify every page, store the calls, and follow promising links.\n" +
			"\n" +
			"Strategies:\n" + engine.StrategyList(),
		Example: `  eventseer crawl --seeds seeds.txt --budget 5000
  eventseer crawl https://conf.example/cfp --strategy best-first --time 2h
  eventseer crawl --replay web.warc.gz --seeds seeds.txt --backlinks links.tsv.gz --budget 3000 --run runs/a
  eventseer crawl --seeds seeds.txt --topic physics --budget 5000
  eventseer crawl --resume                          # the newest run, as it was begun
  eventseer crawl --resume --run runs/a
  eventseer crawl status
  eventseer crawl why https://conf.example/cfp`,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Seeds, "seeds", "", "file of seed URLs, one per line; # starts a comment")
	flags.IntVar(&f.Search, "search-seeds", 0, fmt.Sprintf("number of queries for calls sent to the first provider of type searxng; the pages found are crawled after the seeds; at most %d", seeds.MaxQueries))
	flags.Float64Var(&f.Budget, "budget", 0, "pages to spend; a response of status 2xx, 404, 410 or 5xx counts as one; 0 is no limit")
	flags.Var(&f.Limit, "time", "time to spend, such as 2h; 0 is no limit")
	flags.StringSliceVar(&f.Replay, "replay", nil, "WARC files to crawl instead of the live web; a hosts.json next to the first one defines responses of hosts")
	flags.StringVar(&f.Record, "record", "", "WARC file to which every response is recorded, or a name prefix of many files: rec for rec-00001.warc.gz …")
	flags.StringVar(&f.Sim, "sim", "", "crawl a generated web instead of the live one: the built-in one, seed=7, or one of any size, hosts=10000,pages=1e6,seed=7")
	flags.StringVar(&f.Run, "run", "", "folder for the record of the run (default DATA/runs/TIME)")
	flags.BoolVar(&f.Resume, "resume", false, "resume the interrupted crawl of --run, or the newest one, with its recorded flags and seeds")
	flags.StringVar(&f.Backlinks, "backlinks", "", "links file for backlinks: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.StringVar(&f.Models, "models", "", "own (those of model use), shipped, or cross-fitted, where training hosts are judged by models trained without them (default own; cross-fitted in a replay)")
	flags.StringVar(&f.Topic, "topic", "", "store only calls on this topic and search for them first: a discipline ("+strings.Join(engine.TopicNames(), ", ")+") or a model file of task topic")
	flags.IntVar(&f.UntilFound, "until-found", 0, "stop after this many calls; 0 is no limit")
	flags.StringVar(&f.MinHarvest, "min-harvest", "", "stop when the harvest rate falls below RATE over WINDOW pages, such as 0.01/500")
	flags.IntVar(&f.MaxDepth, "max-depth", engine.DefaultMaxDepth, "maximum number of steps from a seed, which ends endless calendars; 0 is no limit")
	flags.StringVar(&f.Targets, "targets", "", "TSV with the columns url and kind: print how many of these pages were fetched at each budget")
	flags.StringSliceVar(&f.Kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count")
	flags.Float64Var(&f.Accuracy, "min-accuracy", engine.MinAccuracy, "minimum held-out accuracy of a layer model that may guide a crawl by context graphs, 0 to 1")
	groupFlags(cmd, crawlFlagGroups)
	cmd.AddCommand(newStatusCommand(a), newWhyCommand(a))
	cmd.RunE = func(cmd *cobra.Command, seeds []string) error {
		f.SeedURLs = seeds
		if f.Resume {
			if err := restoreRun(a, cmd.Flags(), &f); err != nil {
				return err
			}
		}
		return runCrawl(cmd.Context(), a, f)
	}
	return cmd
}

// restoreRun completes the flags of `crawl --resume` from the record of the run.
func restoreRun(a *app.App, flags *pflag.FlagSet, f *engine.CrawlOptions) (err error) {
	if f.Run == "" {
		if f.Run = rundir.NewestRun(a.Config.Data, engine.CrawlSuffix, engine.WatchSuffix); f.Run == "" {
			return app.Usagef("there is no run in %s to resume; --run or --data names another place", filepath.Join(a.Config.Data, "runs"))
		}
		a.Logf("resuming %s", f.Run)
	}
	run, err := engine.ReadRun(f.Run)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // killed before it wrote a record, or missing, which is reported later
	}
	if err != nil {
		return err
	}
	given := f.Seeds != "" || len(f.SeedURLs) > 0
	if err := app.RestoreFlags(flags, run.ResumeFlags()); err != nil {
		return fmt.Errorf("%s: %w", f.Run, err)
	}
	if !given {
		f.SeedURLs = run.Seeds
	}
	return a.Configure(flags)
}

// runCrawl plans and runs one crawl.
func runCrawl(ctx context.Context, a *app.App, f engine.CrawlOptions) error {
	minHarvest, err := f.Check()
	if err != nil {
		return err
	}
	seeds, err := begin.ReadSeeds(a, f.Seeds, f.SeedURLs)
	if err != nil {
		return err
	}
	if len(seeds) == 0 && f.Sim == "" && f.Search == 0 && len(f.Replay) == 0 {
		if seeds, err = begin.ServiceSeeds(a, false); err != nil {
			return err
		}
	}
	if err := begin.CheckSeeds(seeds, f.Sim != "" || f.Search != 0); err != nil {
		return err
	}
	var targets map[string]bool
	if f.Targets != "" {
		if targets, err = readTargets(f.Targets, f.Kinds); err != nil {
			return err
		}
	}
	web, err := engine.OpenWeb(ctx, a, f)
	if err != nil {
		return err
	}
	topic, err := engine.OpenTopic(a, f.Topic, engine.ModelsOf(web, f.Models))
	if err != nil {
		return err
	}
	if !web.Frozen {
		_, why := a.Config.BacklinkProviders()
		a.Logf("%s", why)
	}
	if len(seeds) == 0 {
		seeds = web.Seeds()
	}
	search, err := engine.NewSeedSearch(a, f.Search, f.Topic, web)
	if err != nil {
		return err
	}
	manners, err := engine.PageRulesOf(a, web)
	if err != nil {
		return err
	}
	folders, err := engine.RunDirs(a, f, web)
	if err != nil {
		return err
	}
	p := engine.NewCrawl(web, folders,
		engine.Guide{Strategy: a.Config.Strategy, Models: f.Models, Topic: topic, MinAccuracy: f.Accuracy, Truth: truthOf(ctx, web, f.Backlinks, targets)},
		engine.Seeding{Seeds: seeds, Search: search, Resume: f.Resume},
		engine.Bounds{
			Budget: f.Budget, BacklinkCost: a.Config.BacklinkCost, MaxTime: time.Duration(f.Limit), MaxDepth: f.MaxDepth, UntilFound: f.UntilFound, MinHarvest: minHarvest,
		}, manners)
	result, err := engine.RunPlan(ctx, a, p)
	if err = reportEnd(a, result, p, err); err != nil || targets == nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error { return showTargets(w, p.Run, targets) })
}

// reportEnd reports how a crawl ended, and returns its error joined with other problems.
func reportEnd(a *app.App, r engine.CrawlResult, p engine.Plan, err error) error {
	if r.Stats.Reason != "" {
		a.Logf("%s", engine.DescribeEnd(r, p))
		if text := admin.DescribeProviders(r.Providers); text != "" {
			a.Logf("%s", text)
		}
		err = errors.Join(err, explainRefusedSeeds(a, r, p))
	}
	if errors.Is(err, context.Canceled) {
		a.Logf("interrupted; `eventseer crawl --resume --run %s` continues", p.Run)
	}
	return err
}

// maxDeadSeeds is the maximum number of seeds whose result is reported.
const maxDeadSeeds = 20

// explainRefusedSeeds explains by the results of the seeds why nothing was fetched, if so.
func explainRefusedSeeds(a *app.App, r engine.CrawlResult, p engine.Plan) error {
	if r.Stats.Pages > 0 {
		return nil
	}
	refused, told := 0, 0
	for _, seed := range p.Seeds {
		url, err := webgraph.Canonical(seed)
		if err != nil {
			continue
		}
		if p.BlockedReason(url) != "" {
			refused++ // seed has said why
			continue
		}
		fate, seen, err := r.State.Frontier.Lookup(url)
		if err != nil {
			return err
		}
		if seen && fate.Reason != "" {
			hint := ""
			if strings.HasSuffix(fate.Reason, fetch.ErrPrivateAddress.Error()) {
				hint = "; --allow-private fetches it"
			}
			if told++; told <= maxDeadSeeds {
				a.Logf("seed %s: %s%s", url, fate.Reason, hint)
			}
		}
		if fate.Fate == crawler.Refused {
			refused++
		}
	}
	if told > maxDeadSeeds {
		a.Logf("%d more seeds found nothing; `eventseer crawl why URL` explains why", told-maxDeadSeeds)
	}
	switch {
	case refused > 0 && refused == len(p.Seeds):
		return fmt.Errorf("%w: no seed may be fetched", app.ErrRefused)
	case r.Stats.Reason == crawler.Offline:
		return fmt.Errorf("%w: many hosts in a row cannot be reached; the links are stored, and the same command continues once the network is back", app.ErrPartly)
	case told > 0:
		return fmt.Errorf("%w: no seed could be fetched; the same command tries them again", app.ErrPartly)
	}
	return nil
}

func newStatusCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "status", Short: "Show the state of the crawl of the data directory, running or not", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer crawl status\n  eventseer crawl status --run runs/a --format jsonl",
	}
	run := cmd.Flags().String("run", "", "folder of a replay, which holds its state")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var s admin.CrawlStatus
		if err := engine.QueryInspector(cmd.Context(), a, *run, "/status", &s, func(i *admin.Inspector) (any, error) { return i.Status(admin.TopHosts) }); err != nil {
			return err
		}
		return a.PrintLine(s, s.Table)
	}
	return cmd
}

func newWhyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "why URL", Short: "Explain why a URL is fetched, or not, or not yet", Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer crawl why https://conf.example/cfp\n  eventseer crawl why --run runs/a https://conf.example/ --format jsonl",
	}
	run := cmd.Flags().String("run", "", "folder of a replay, which holds its state")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		address, err := webgraph.Canonical(given[0])
		if err != nil {
			return app.MarkUsage(err)
		}
		var s admin.Story
		ask := "/why?url=" + url.QueryEscape(address)
		tell := func(i *admin.Inspector) (any, error) { return i.StoryOf(cmd.Context(), address) }
		if err := engine.QueryInspector(cmd.Context(), a, *run, ask, &s, tell); err != nil {
			return err
		}
		return a.PrintLine(s, s.Table)
	}
	return cmd
}

// targetBudgets are the pages of budget at which targets are counted.
var targetBudgets = []float64{250, 500, 1000, 2000, 3000, 5000, 10000}

// readTargets returns the URLs of a targets.tsv (columns url and kind) whose
// kind is one of kinds.
func readTargets(path string, kinds []string) (map[string]bool, error) {
	list, err := lab.ReadTargets(path, kinds)
	targets := make(map[string]bool, len(list))
	for _, t := range lab.OfKinds(list, kinds) {
		targets[t.URL] = true
	}
	return targets, err
}

// showTargets prints how many known targets a run had fetched at each budget. Targets are defined
// by the list, not by the crawler's classifier.
func showTargets(out io.Writer, run string, targets map[string]bool) error {
	f, err := os.Open(filepath.Join(run, rundir.PagesFile))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "pages spent\ttargets of %d\t\n", len(targets))
	found, spent, next := map[string]bool{}, 0.0, 0
	pages := json.NewDecoder(bufio.NewReader(f))
	for {
		var p rundir.Page
		if err := pages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		spent += p.Cost
		for next < len(targetBudgets) && spent > targetBudgets[next] {
			fmt.Fprintf(table, "%.0f\t%d\t\n", targetBudgets[next], len(found))
			next++
		}
		if p.Status == http.StatusOK && p.Cost > 0 && targets[p.URL] {
			found[p.URL] = true
		}
	}
	fmt.Fprintf(table, "%.0f\t%d\t\n", spent, len(found))
	return table.Flush()
}
