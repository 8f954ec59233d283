package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/strategy"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// crawlFlags are the flags of `crawl`.
type crawlFlags struct {
	seeds      string
	search     int
	budget     float64
	limit      app.Duration
	replay     []string
	record     string
	sim        string
	still      bool // a generated web, at one moment: all crawls of it are the same
	run        string
	resume     bool
	backlinks  string
	models     string
	topic      string
	untilFound int
	minHarvest string
	maxDepth   int
	targets    string
	kinds      []string
	accuracy   float64
	seedURLs   []string
}

func newCrawlCommand(a *app.App) *cobra.Command {
	var f crawlFlags
	cmd := &cobra.Command{
		Use: "crawl [SEED…]", Short: "Crawl from known calls to new ones",
		Long: "Crawl from known calls to new ones: judge every page, keep the calls, follow what is worth following.\n\nStrategies:\n" + strategyList(),
		Example: `  eventseer crawl --seeds known-calls.txt --budget 5000
  eventseer crawl https://conf.example/cfp --strategy best-first --time 2h
  eventseer crawl --replay web.warc.gz --seeds seeds.txt --backlinks links.tsv.gz --budget 3000 --run runs/a
  eventseer crawl --seeds known-calls.txt --topic physics --budget 5000
  eventseer crawl --resume --run runs/a --replay web.warc.gz --seeds seeds.txt --budget 3000
  eventseer crawl status
  eventseer crawl why https://conf.example/cfp`,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", "file of seed URLs, one a line, # starts a comment")
	flags.IntVar(&f.search, "search-seeds", 0, fmt.Sprintf("queries for calls put to the first provider of type searxng; what they find is crawled after the seeds; at most %d", maxSearchQueries))
	flags.Float64Var(&f.budget, "budget", 0, "pages to spend: an answer of status 2xx, 404, 410 or 5xx is one; 0 is no limit")
	flags.Var(&f.limit, "time", "time to spend, such as 2h; 0 is no limit")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files to crawl instead of the live web; a hosts.json beside the first is obeyed")
	flags.StringVar(&f.record, "record", "", "WARC file every answer is recorded to, or the beginning of the names of many: rec for rec-00001.warc.gz …")
	flags.StringVar(&f.sim, "sim", "", "crawl a generated web instead of the live one: the built-in one, seed=7, or one of any size, hosts=10000,pages=1e6,seed=7")
	flags.StringVar(&f.run, "run", "", "folder for the record of the run (default DATA/runs/TIME)")
	flags.BoolVar(&f.resume, "resume", false, "go on with the interrupted crawl of --run")
	flags.StringVar(&f.backlinks, "backlinks", "", "links file that answers who links to a page: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.StringVar(&f.models, "models", "", "shipped, or cross-fitted: hosts that were trained on are judged by models trained without them (default shipped; cross-fitted in a replay)")
	flags.StringVar(&f.topic, "topic", "", "keep calls on this topic only and look for them first: a discipline ("+strings.Join(topicNames(), ", ")+") or a model file of task topic")
	flags.IntVar(&f.untilFound, "until-found", 0, "stop after so many calls; 0 is no limit")
	flags.StringVar(&f.minHarvest, "min-harvest", "", "stop when the harvest rate falls below RATE over WINDOW pages, such as 0.01/500")
	flags.IntVar(&f.maxDepth, "max-depth", defaultMaxDepth, "most steps from a seed, which ends endless calendars; 0 is no limit")
	flags.StringVar(&f.targets, "targets", "", "TSV with the columns url and kind: print how many of these pages were fetched at each budget")
	flags.StringSliceVar(&f.kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count")
	flags.Float64Var(&f.accuracy, "min-accuracy", minAccuracy, "least held-out accuracy of a layer model that may guide a crawl by context graphs, 0 to 1")
	for _, g := range crawlFlagGroups {
		app.AddConfigFlags(cmd, g.flags...)
	}
	groupFlags(cmd, crawlFlagGroups)
	cmd.AddCommand(newStatusCommand(a), newWhyCommand(a))
	cmd.RunE = func(cmd *cobra.Command, seeds []string) error {
		f.seedURLs = seeds
		return crawl(cmd.Context(), a, f)
	}
	return cmd
}

// defaultMaxDepth ends endless calendars.
const defaultMaxDepth = 200

func strategyList() string {
	var b strings.Builder
	for i, name := range strategy.Names() {
		fmt.Fprintf(&b, "  %-26s%s\n", name, strategy.About()[i])
	}
	return b.String()
}

// crawl plans and runs one crawl.
func crawl(ctx context.Context, a *app.App, f crawlFlags) error {
	minHarvest, err := f.check()
	if err != nil {
		return err
	}
	seeds, err := readSeeds(f.seeds, f.seedURLs)
	if err != nil {
		return err
	}
	if err := checkSeeds(seeds, f); err != nil {
		return err
	}
	topic, err := openTopic(f.topic)
	if err != nil {
		return err
	}
	var targets map[string]bool
	if f.targets != "" {
		if targets, err = readTargets(f.targets, f.kinds); err != nil {
			return err
		}
	}
	web, err := openWeb(ctx, a, f)
	if err != nil {
		return err
	}
	if len(seeds) == 0 {
		seeds = web.seeds()
	}
	search, err := newSeedSearch(a, f.search, f.topic, web)
	if err != nil {
		return err
	}
	blocks, err := a.Blocklist()
	if err != nil {
		return err
	}
	p := plan{
		web: web, strategy: a.Config.Strategy, models: f.models, topic: topic, seeds: seeds, search: search, resume: f.resume, minAccuracy: f.accuracy,
		options: crawler.Options{
			Budget: f.budget, BacklinkCost: a.Config.BacklinkCost, MaxTime: time.Duration(f.limit),
			Workers: workers(a, web), UntilFound: f.untilFound, MinHarvest: minHarvest, MaxDepth: f.maxDepth, Free: web.free, Now: web.now,
			Blocked: blocks.Blocked, IgnoreDirectives: ignoreDirectives(a, web), Rel: crawler.Rel(a.Config.Rel), Lists: lists(a, web),
		},
	}
	p.truth = truthOf(ctx, web, f.backlinks, targets)
	p.run, p.state = runDirs(a, f.run, web)
	result, err := runPlan(ctx, a, p)
	if err = sayEnd(a, result, p, err); err != nil || targets == nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error { return showTargets(w, p.run, targets) })
}

// check refuses numbers that bound no crawl.
func (f crawlFlags) check() (crawler.Harvest, error) {
	switch {
	case !(f.budget >= 0) || math.IsInf(f.budget, 1):
		return crawler.Harvest{}, app.Usagef("--budget %v is no number of pages", f.budget)
	case !(f.accuracy >= 0 && f.accuracy <= 1):
		return crawler.Harvest{}, app.Usagef("--min-accuracy %v is not between 0 and 1", f.accuracy)
	}
	return parseHarvest(f.minHarvest)
}

// sayEnd says how a crawl ended, and returns its error with what is wrong besides.
func sayEnd(a *app.App, r crawlResult, p plan, err error) error {
	if r.stats.Reason != "" {
		a.Logf("%s", describeEnd(r, p))
		if text := describeProviders(r.providers); text != "" {
			a.Logf("%s", text)
		}
		err = errors.Join(err, sayRefused(a, r, p))
	}
	if errors.Is(err, context.Canceled) {
		a.Logf("interrupted; the same command with --resume --run %s goes on", p.run)
	}
	return err
}

// maxDeadSeeds is the most seeds whose fate is told.
const maxDeadSeeds = 20

// sayRefused says why nothing was fetched, if nothing was: the fate of the seeds.
func sayRefused(a *app.App, r crawlResult, p plan) error {
	if r.stats.Pages > 0 {
		return nil
	}
	refused, told := 0, 0
	for _, seed := range p.seeds {
		url, err := webgraph.Canonical(seed)
		if err != nil {
			continue
		}
		if p.blocked(url) != "" {
			refused++ // seed has said why
			continue
		}
		fate, seen, err := r.state.frontier.Lookup(url)
		if err != nil {
			return err
		}
		if seen && fate.Reason != "" {
			if told++; told <= maxDeadSeeds {
				a.Logf("seed %s: %s%s", url, fate.Reason, privateHint(fate.Reason))
			}
		}
		if fate.Fate == crawler.Refused {
			refused++
		}
	}
	if told > maxDeadSeeds {
		a.Logf("%d seeds more brought nothing; `eventseer crawl why URL` tells why", told-maxDeadSeeds)
	}
	if refused > 0 && refused == len(p.seeds) {
		return fmt.Errorf("%w: no seed may be fetched", app.ErrRefused)
	}
	return nil
}

// privateHint is what to do about an address that is not asked because it is
// private, for the end of the reason.
func privateHint(reason string) string {
	if strings.HasSuffix(reason, fetch.ErrPrivateAddress.Error()) {
		return "; --allow-private fetches it"
	}
	return ""
}

// workers is how many pages are in hand at once: one in a frozen or generated
// web, so that a run repeats exactly, unless --workers says otherwise.
func workers(a *app.App, w *web) int {
	if w.frozen && a.Origins["workers"] == "default" {
		return 1
	}
	return a.Config.Workers
}

// lists reports whether sitemaps and feeds are sources: in a frozen or generated
// web only if asked for.
func lists(a *app.App, w *web) bool {
	if w.frozen && a.Origins["lists"] == "default" {
		return false
	}
	return a.Config.Lists == "on"
}

// ignoreDirectives reports whether pages may not say what is done with them. In a
// frozen web nobody is obliged, and crawls are compared with those of others.
func ignoreDirectives(a *app.App, w *web) bool {
	if w.frozen && a.Origins["directives"] == "default" {
		return true
	}
	return a.Config.Directives == "ignore"
}

// runDirs returns the folder of the run's record and the one of its state
// (doc/decisions/002).
func runDirs(a *app.App, run string, w *web) (record, state string) {
	if run == "" {
		run = freeRun(a, "")
	}
	if w.frozen {
		return run, filepath.Join(run, "state")
	}
	return run, a.Config.Data
}

// runTime is how the folders of runs are named.
const runTime = "2006-01-02T150405Z"

// freeRun is a folder for a run, named after the time; a number tells apart those
// that begin in one second.
func freeRun(a *app.App, suffix string) string {
	first := filepath.Join(a.Config.Data, "runs", a.Now().UTC().Format(runTime))
	run := first + suffix
	for n := 2; ; n++ {
		if _, err := os.Stat(run); err != nil {
			return run
		}
		run = fmt.Sprintf("%s-%d%s", first, n, suffix)
	}
}

// readSeeds returns the URLs of the file and then those of the command line.
func readSeeds(path string, urls []string) ([]string, error) {
	var seeds []string
	if path != "" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("seeds: %w", err)
		}
		defer func() { _ = f.Close() }() // read only: nothing to lose
		lines := bufio.NewScanner(f)
		n := 1
		for ; lines.Scan(); n++ {
			if line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")); line != "" && !strings.HasPrefix(line, "#") {
				seeds = append(seeds, line)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("seeds %s: line %d: %w", path, n, err)
		}
	}
	return append(seeds, urls...), nil
}

// checkSeeds refuses a crawl that has nowhere to begin.
func checkSeeds(seeds []string, f crawlFlags) error {
	usable := func(seed string) bool {
		_, err := webgraph.Canonical(seed)
		return err == nil
	}
	switch {
	case f.resume && f.run == "":
		return app.Usagef("--resume needs --run: the folder of the crawl to go on with")
	case len(seeds) == 0 && f.sim == "" && f.search == 0:
		return app.Usagef("crawl needs seeds: URLs, or a file with --seeds")
	case len(seeds) > 0 && !slices.ContainsFunc(seeds, usable):
		return app.Usagef("no seed is an http or https URL, the first is %q", seeds[0])
	}
	return nil
}

// parseHarvest reads RATE/WINDOW.
func parseHarvest(s string) (crawler.Harvest, error) {
	if s == "" {
		return crawler.Harvest{}, nil
	}
	rate, window, _ := strings.Cut(s, "/")
	r, err1 := strconv.ParseFloat(rate, 64)
	w, err2 := strconv.Atoi(window)
	if err := errors.Join(err1, err2); err != nil {
		return crawler.Harvest{}, app.Usagef("--min-harvest %q is not RATE/WINDOW, such as 0.01/500", s)
	}
	return crawler.Harvest{Rate: r, Window: w}, nil
}
