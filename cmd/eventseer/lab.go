package main

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/lab"
	"eventseer/crawler/strategy"

	"github.com/spf13/cobra"
)

func newLabCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "lab", Short: "Compare crawl strategies on a frozen web", Args: args(cobra.NoArgs),
		Example: `  eventseer lab run --web web.warc.gz --targets targets.tsv --seeds seeds/ --backlinks links.tsv.gz \
      --strategies breadth-first,best-first,eventseer --budget 2000 -o lab/
  eventseer lab run --web sim:seed=7 --strategies breadth-first,eventseer --budget 300 -o lab/
  eventseer lab report lab/`,
	}
	cmd.AddCommand(newLabRunCommand(a), newLabReportCommand(a))
	return cmd
}

// labFlags say what an experiment is made of.
type labFlags struct {
	Web          string   `json:"web"`
	Targets      string   `json:"targets,omitempty"`
	Kinds        []string `json:"kinds"`
	Seeds        string   `json:"seeds,omitempty"`
	Backlinks    string   `json:"backlinks,omitempty"`
	BacklinkCost float64  `json:"backlink_cost"`
	Strategies   []string `json:"strategies"`
	Budget       int      `json:"budget"`
	Repeats      int      `json:"repeats"`
	Seed         uint64   `json:"seed"`
	Models       string   `json:"models"`
	Topic        string   `json:"topic,omitempty"`
	Against      string   `json:"against"`
	parallel     int
}

func newLabRunCommand(a *app.App) *cobra.Command {
	var f labFlags
	cmd := &cobra.Command{
		Use: "run --web WARC|sim:SPEC --strategies A,B -o DIR", Short: "Run every strategy from the same seeds on the same pages", Args: args(cobra.NoArgs), Annotations: formats("table"),
		Long: `Run every strategy from every set of seeds, on the same pages and with the same
budget, and judge all by the truth. DIR holds a folder a crawl (runs/STRATEGY/SEEDS-REPEAT)
and what they come to: summary.json, curves.csv, curves.svg, curves.png, report.html,
trec/ (a run a strategy, and qrels) and reproduce.sh. An interrupted experiment goes on
when the same command is given again.`,
		Example: `  eventseer lab run --web web.warc.gz --targets targets.tsv --seeds seeds/ --backlinks links.tsv.gz \
      --strategies breadth-first,best-first,eventseer,oracle --budget 5000 -o lab/
  eventseer lab run --web web.warc.gz --targets targets.tsv --seeds seeds/04.txt \
      --backlinks links.tsv.gz:coverage=0.1,stale=0.2 --strategies eventseer --repeats 5 --budget 1000 -o lab/`,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Web, "web", "", "frozen web: a WARC with its hosts.json beside it, sim:seed=N for the built-in one, or sim:hosts=10000,pages=1e6,seed=7 for one of any size")
	flags.StringVar(&f.Targets, "targets", "", "TSV with the columns url and kind, and event_site where distinct events are to be counted (default for sim: its calls)")
	flags.StringSliceVar(&f.Kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count")
	flags.StringVar(&f.Seeds, "seeds", "", "file of seed URLs, or a folder of such .txt files, each a draw (default for sim: its own)")
	flags.StringVar(&f.Backlinks, "backlinks", "", "links file that answers who links to a page: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.StringSliceVar(&f.Strategies, "strategies", nil, "strategies to compare: "+strings.Join(strategy.Names(), ", "))
	flags.IntVar(&f.Budget, "budget", 1000, "pages each crawl may spend")
	flags.IntVar(&f.Repeats, "repeats", 1, "crawls from each set of seeds, each with a random seed of its own: --seed and those after it")
	flags.IntVar(&f.parallel, "parallel", runtime.GOMAXPROCS(0), "crawls at once")
	flags.StringVar(&f.Models, "models", "", "shipped, or cross-fitted: hosts that were trained on are judged by models trained without them (default cross-fitted; shipped for sim)")
	flags.StringVar(&f.Topic, "topic", "", "look for calls on this topic only; see crawl --topic")
	flags.StringVar(&f.Against, "against", "", "strategy the others are tested against, or all for all pairs (default eventseer if it runs, else all)")
	app.AddConfigFlags(cmd, "backlink-cost")
	require(cmd, "web", "strategies")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.Config.Output == "-" {
			return app.Usagef("-o DIR is needed: the folder for the runs and the report")
		}
		f.BacklinkCost, f.Seed = a.Config.BacklinkCost, a.Config.Seed
		return runLab(cmd.Context(), a, f, a.Config.Output)
	}
	return cmd
}

// check completes the flags and refuses what makes no experiment.
func (f *labFlags) check() error {
	for _, name := range f.Strategies {
		if !slices.Contains(strategy.Names(), name) {
			return app.Usagef("no strategy %q; there are %s", name, strings.Join(strategy.Names(), ", "))
		}
	}
	if f.Against == "" {
		f.Against = lab.All
		if slices.Contains(f.Strategies, "eventseer") {
			f.Against = "eventseer"
		}
	}
	switch {
	case f.Web == "", f.Web == "sim:": // never the live web
		return app.Usagef("--web %s names no web: a WARC file, or sim:seed=N", f.Web)
	case f.Against != lab.All && !slices.Contains(f.Strategies, f.Against):
		return app.Usagef("--against %s: it is none of the strategies that run", f.Against)
	case f.Against == lab.Oracle:
		return app.Usagef("--against oracle: it knows the truth and is nobody's rival; oracle_share says how near the others come")
	case f.parallel < 1:
		return app.Usagef("--parallel %d is below 1", f.parallel)
	case !(f.BacklinkCost >= 0):
		return app.Usagef("--backlink-cost %v is below 0", f.BacklinkCost)
	}
	return nil
}

// lab runs an experiment and reports it.
func runLab(ctx context.Context, a *app.App, f labFlags, dir string) error {
	if err := f.check(); err != nil {
		return err
	}
	b, err := openBench(ctx, a, f, dir)
	if err != nil {
		return err
	}
	e := b.experiment()
	if err := e.Validate(); err != nil {
		return app.Usage(err)
	}
	e.Parallel, e.Crawl, e.Progress = f.parallel, b.crawl, labProgress(a)
	if err := b.begin(e); err != nil {
		return err
	}
	defer engine.SpendMemory(a)()
	runs, err := e.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			a.Logf("interrupted; the same command goes on, crawls that are complete are kept in %s", dir)
		}
		return err
	}
	return reportLab(a, b.record, dir, e, runs)
}

// labProgress tells after each crawl how far the experiment is, and when it is
// likely to end.
func labProgress(a *app.App) func(done, all int, r lab.Run) {
	begun := a.Now()
	if a.Config.Quiet || a.Config.Progress == "none" {
		return nil
	}
	return func(done, all int, r lab.Run) {
		took := a.Now().Sub(begun)
		left := time.Duration(float64(took) / float64(done) * float64(all-done))
		dead := ""
		if r.Pages == 0 {
			dead = ": none of its seeds answered"
		}
		a.Status(map[string]any{"done": done, "all": all, "run": r.Name(), "found": r.Found(), "seconds_left": left.Seconds()},
			"%d of %d crawls, %s left: %s found %d targets in %.0f pages%s", done, all, left.Round(time.Second), r.Name(), r.Found(), r.Spent, dead)
	}
}

// experiment is what the flags ask for, without its parts.
func (b *bench) experiment() lab.Experiment {
	return lab.Experiment{
		Strategies: b.record.Flags.Strategies, Seeds: b.record.Draws, Repeats: b.record.Flags.Repeats, Budget: b.record.Flags.Budget, Targets: b.targets,
	}
}
