package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/reproduce"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/crawler/strategy/external"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/internal/atomicfile"

	"github.com/spf13/cobra"
)

func newLabCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "lab", Short: "Compare crawl strategies on a frozen web", Args: usageArgs(cobra.NoArgs),
		Example: `  eventseer lab run --web web.warc.gz --targets targets.tsv --seeds seeds/ --backlinks links.tsv.gz \
      --strategies breadth-first,best-first,eventseer --budget 2000 -o lab/
  eventseer lab run --web sim:seed=7 --strategies breadth-first,eventseer --budget 300 -o lab/
  eventseer lab report lab/`,
	}
	cmd.AddCommand(newLabRunCommand(a), newLabReportCommand(a), newLabReproduceCommand(a))
	return cmd
}

func newLabReproduceCommand(a *app.App) *cobra.Command {
	var f reproduce.Options
	cmd := &cobra.Command{
		Use: "reproduce --web DIR", Short: "Measure tables 4.1 to 4.3 of paper 002 and write them into a document", Args: usageArgs(cobra.NoArgs),
		Long: `Measure the tables of context graphs of paper 002 and write them between their marks in the document of -o, or to stdout.
DIR is the folder of the frozen web. A discipline with fewer than 40 labelled targets there is measured on a generated
web of its own, and the table says so. The same input gives the same bytes.`,
		Example: "  eventseer lab reproduce --web $S/web -o doc/reproduction.md\n  eventseer lab reproduce --web $S/web --draws 40",
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Web, "web", "", "folder with targets.tsv, links.tsv.gz and nodes.tsv")
	flags.StringVar(&f.Labels, "labels", "", "TSV with the columns url and discipline (default pages/labels.tsv beside the folder of --web)")
	flags.IntVar(&f.Draws, "draws", 10, "number of draws of 40 targets, with the seeds 1, 2, …")
	flags.IntVar(&f.Hosts, "hosts", 1000, "number of hosts of each generated web")
	flags.IntVar(&f.Pages, "pages", 20_000, "number of pages of each generated web")
	markRequired(cmd, "web")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return reproduce.Run(cmd.Context(), a, f) }
	return cmd
}

func newLabRunCommand(a *app.App) *cobra.Command {
	var f lab.Options
	var webs []string
	cmd := &cobra.Command{
		Use: "run --web WARC|sim:SPEC --strategies A,B -o DIR", Short: "Run every strategy from the same seeds on the same pages", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table"),
		Long: `Run every strategy from every set of seeds, on the same pages and with the same
budget, and compare all with the truth. DIR holds one folder per crawl (runs/STRATEGY/SEEDS-REPEAT)
and the results: summary.json, curves.csv, curves.svg, curves.png, report.html,
trec/ (one run per strategy, and qrels) and reproduce.sh. The same command resumes an
interrupted experiment.

With several --web the experiment is run on each, in DIR/web-1, DIR/web-2 and so on, and
DIR holds the comparison over webs, as ` + "`lab report`" + ` of these folders writes it.`,
		Example: `  eventseer lab run --web web.warc.gz --targets targets.tsv --seeds seeds/ --backlinks links.tsv.gz \
      --strategies breadth-first,best-first,eventseer,oracle --budget 5000 -o lab/
  eventseer lab run --web web.warc.gz --targets targets.tsv --seeds seeds/04.txt \
      --backlinks links.tsv.gz:coverage=0.1,stale=0.2 --strategies eventseer --repeats 5 --budget 1000 -o lab/
  eventseer lab run --web parts/1 --web parts/2 --web parts/3 --strategies breadth-first,eventseer --budget 1000 -o lab/`,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&webs, "web", nil, "frozen web: a WARC with its hosts.json beside it, a folder with web.warc.gz, targets.tsv, seeds and links.tsv.gz, sim:seed=N for the built-in one, or sim:hosts=10000,pages=1e6,seed=7,draws=12 for one of any size with 12 sets of seeds; may be repeated")
	flags.StringVar(&f.Targets, "targets", "", "TSV with the columns url and kind, and event_site to count distinct events (default for sim: its calls)")
	flags.StringSliceVar(&f.Kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count (with --values, those that have one)")
	flags.StringVar(&f.Values, "values", "", "values of finds, for example page=1,pdf=1,mail=0.2,again=0,past=0.5; all strategies receive them and areas are weighed by them (default: strategies receive "+crawler.DefaultValues().String()+", and all targets count 1)")
	flags.StringVar(&f.Clock, "clock", "", "simulated clock for results at equal hours (default "+lab.DefaultClock().String()+")")
	flags.StringVar(&f.Seeds, "seeds", "", "file of seed URLs, or a folder of such .txt files, each a draw (default for sim: its own)")
	flags.StringVar(&f.Backlinks, "backlinks", "", "links file for backlinks: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.StringSliceVar(&f.Strategies, "strategies", nil, "strategies to compare: "+strings.Join(strategy.Names(), ", ")+", "+external.Prefix+"PROGRAM (see doc/strategy.md); STRATEGY@MODEL replaces a model by a model file or version, @A+B several")
	flags.IntVar(&f.Budget, "budget", 1000, "number of pages each crawl may spend")
	flags.IntVar(&f.Repeats, "repeats", 1, "number of crawls from each set of seeds; each has its own random seed, --seed and those after it, and all but the first leave out one in five of the seeds")
	flags.IntVar(&f.Parallel, "parallel", runtime.GOMAXPROCS(0), "number of concurrent crawls")
	flags.StringVar(&f.Models, "models", "", "own (those of model use), shipped, or cross-fitted, where training hosts are judged by models trained without them (default cross-fitted; shipped for sim)")
	flags.StringVar(&f.Judge, "judge", "", "change the judgements of pages: perfect (exactly the targets are calls), noise=0.1 (a tenth of the pages is judged the other way), or both")
	flags.StringVar(&f.Topic, "topic", "", "search for calls on this topic only; see crawl --topic")
	flags.StringVar(&f.Against, "against", "", "strategy with which the others are compared, or all for all pairs (default eventseer if it runs, else all)")
	app.AddConfigFlags(cmd, "backlink-cost")
	markRequired(cmd, "web", "strategies")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.Config.Output == "-" {
			return app.Usagef("-o DIR is needed: the folder for the runs and the report")
		}
		if values, err := f.ParseValues(); err == nil && f.Values != "" && !flags.Changed("kinds") {
			f.Kinds = values.Kinds()
		}
		f.BacklinkCost, f.Seed = a.Config.BacklinkCost, a.Config.Seed
		if len(webs) == 1 {
			f.Web = webs[0]
			return runLab(cmd.Context(), a, f.InFolder(), a.Config.Output)
		}
		return runLabOfWebs(cmd.Context(), a, f, webs, a.Config.Output)
	}
	return cmd
}

// runLabOfWebs runs an experiment on several webs, one after the other, and compares the strategies
// over them. A web that fails does not end it: the error is returned after all others are complete.
func runLabOfWebs(ctx context.Context, a *app.App, f lab.Options, webs []string, dir string) error {
	experiments := make([]lab.Options, len(webs))
	for i, web := range webs {
		f.Web = web
		experiments[i] = f.InFolder()
		if j := slices.Index(webs, web); j < i {
			return app.Usagef("--web %s is given twice; each web counts once", web)
		}
		if err := checkLab(&experiments[i]); err != nil {
			return err
		}
	}
	var dirs []string
	var failed []error
	for i, of := range experiments {
		into := filepath.Join(dir, fmt.Sprintf("web-%d", i+1))
		one := *a // a copy, which closes what this experiment opens
		one.Closers, one.Stdout, one.Config.Output = nil, io.Discard, into
		err := errors.Join(runLab(ctx, &one, of, into), one.Close())
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("web %s: %w", of.Web, err))
			continue
		}
		dirs = append(dirs, into)
	}
	if len(dirs) < 2 {
		return errors.Join(append(failed, errors.New("fewer than two webs are complete, so there is nothing to compare; the same command goes on"))...)
	}
	return errors.Join(append(failed, reportWebs(a, dirs, f.Against, lab.Measure{}))...)
}

// checkLab completes the flags and rejects those that do not make an experiment.
func checkLab(f *lab.Options) error {
	for _, spec := range f.Strategies {
		name, models := judges.SplitStrategy(spec)
		if !slices.Contains(strategy.Names(), name) && !strings.HasPrefix(name, external.Prefix) || spec != name && models == "" {
			return app.Usagef("no strategy %q; there are %s, and %sPROGRAM; @MODEL after one replaces a model", spec, strings.Join(strategy.Names(), ", "), external.Prefix)
		}
	}
	if _, err := f.ParseValues(); err != nil {
		return app.MarkUsage(err)
	}
	if _, err := lab.ParseClock(f.Clock); err != nil {
		return app.MarkUsage(err)
	}
	if _, err := lab.ParseJudge(f.Judge); err != nil {
		return app.MarkUsage(err)
	}
	f.Against = judges.StrategyName(f.Against)
	if f.Against == "" {
		f.Against = lab.All
		if slices.Contains(f.Strategies, "eventseer") {
			f.Against = "eventseer"
		}
	}
	switch {
	case f.Web == "", f.Web == "sim:": // never the live web
		return app.Usagef("--web %s is not a web: name a WARC file, or sim:seed=N", f.Web)
	case f.Against != lab.All && !slices.Contains(strategyNames(f), f.Against):
		return app.Usagef("--against %s is not one of the strategies of --strategies", f.Against)
	case lab.IsOracle(f.Against):
		return app.Usagef("--against %s: the oracle knows the truth and cannot be compared; oracle_share shows how near the others come", f.Against)
	case f.Parallel < 1:
		return app.Usagef("--parallel %d must be at least 1", f.Parallel)
	case !(f.BacklinkCost >= 0):
		return app.Usagef("--backlink-cost %v must not be negative", f.BacklinkCost)
	}
	return nil
}

// strategyNames returns the names of the experiment's strategies.
func strategyNames(f *lab.Options) []string {
	names := make([]string, len(f.Strategies))
	for i, s := range f.Strategies {
		names[i] = judges.StrategyName(s)
	}
	return names
}

// runLab runs an experiment and reports it.
func runLab(ctx context.Context, a *app.App, f lab.Options, dir string) error {
	if err := checkLab(&f); err != nil {
		return err
	}
	b, err := openLabBench(ctx, a, f, dir)
	if err != nil {
		return err
	}
	e := b.experiment()
	if err := e.Validate(); err != nil {
		return app.MarkUsage(err)
	}
	e.Parallel, e.Crawl, e.Progress = f.Parallel, b.runOrReadCell, labProgress(a)
	if err := b.createExperiment(e); err != nil {
		return err
	}
	defer app.RelaxMemoryLimit(a)()
	_, err = e.Run(ctx)
	if ctx.Err() != nil {
		a.Logf("interrupted; the same command continues, and complete crawls are kept in %s", dir)
		return err
	}
	// The report has the complete crawls of earlier commands too.
	whole, runs, readErr := completeCells(a, dir, b.record, b.targets)
	if b.record.Flags.Against != lab.All && !slices.Contains(whole.Strategies, b.record.Flags.Against) {
		b.record.Flags.Against = lab.All
	}
	if readErr == nil {
		readErr = reportLab(a, b.record, dir, whole, runs)
	}
	return errors.Join(err, readErr)
}

// labProgress returns a function that shows after each crawl the progress of the experiment, and
// its expected end.
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
			dead = ": none of its seeds could be fetched"
		}
		a.Status(map[string]any{"done": done, "all": all, "run": r.Name(), "found": r.Found(), "seconds_left": left.Seconds()},
			"%d of %d crawls, %s left: %s found %d targets in %.0f pages%s", done, all, left.Round(time.Second), r.Name(), r.Found(), r.Spent, dead)
	}
}

// experiment returns the experiment that the flags describe, without models and strategies.
func (b *labBench) experiment() lab.Experiment {
	clock, _ := lab.ParseClock(b.record.Flags.Clock) // checked with the flags
	return lab.Experiment{
		Clock: clock, Strategies: strategyNames(&b.record.Flags), Seeds: b.record.Draws, Repeats: b.record.Flags.Repeats, Budget: b.record.Flags.Budget, Targets: b.countedTargets(b.record.Flags), Values: b.values,
	}
}

// A labBench is the data shared by the cells of an experiment.
type labBench struct {
	app     *app.App
	dir     string
	record  lab.Manifest
	web     *engine.Web
	memos   map[string]*engine.Memo // by the models of a strategy, "" for none of its own
	files   map[string]string       // SHA-256 of those models, by file
	topic   engine.Topic
	seeds   []seedSet
	targets []lab.Target                   // of all kinds
	values  crawler.Values                 // zero: the default for strategies, and every target counts 1
	truth   func() (strategy.Truth, error) // for the oracle; read once
}

// openLabBench opens the web, reads seeds and targets, and loads the models.
func openLabBench(ctx context.Context, a *app.App, f lab.Options, dir string) (*labBench, error) {
	crawl := engine.CrawlOptions{Backlinks: f.Backlinks, Still: true}
	if spec, ok := strings.CutPrefix(f.Web, "sim:"); ok {
		crawl.Sim = spec
	} else {
		crawl.Replay = []string{f.Web}
	}
	b := &labBench{app: a, dir: dir}
	var err error
	if b.web, err = engine.OpenWeb(ctx, a, crawl); err != nil {
		return nil, err
	}
	if err := b.readInputs(ctx, a, f); err != nil {
		return nil, err
	}
	if truth := truthOf(ctx, b.web, f.Backlinks, b.targetURLs(f)); truth != nil {
		b.truth = sync.OnceValues(truth)
	}
	f.Models = engine.ModelsOf(b.web, f.Models)
	if b.topic, err = engine.OpenTopic(a, f.Topic, f.Models); err != nil {
		return nil, err
	}
	set, err := b.openMemos(f)
	if err != nil {
		return nil, err
	}
	hashes, err := set.Hashes()
	if err != nil {
		return nil, err
	}
	if b.values, err = f.ParseValues(); err != nil {
		return nil, err
	}
	b.record, err = newLabManifest(f, b, hashes)
	return b, err
}

// openMemos opens the models of all strategies, each set once, and returns the set of those without a
// model of their own.
func (b *labBench) openMemos(f lab.Options) (plain judges.Set, err error) {
	b.memos, b.files = map[string]*engine.Memo{}, map[string]string{}
	for _, spec := range append([]string{""}, f.Strategies...) {
		_, models := judges.SplitStrategy(spec)
		if b.memos[models] != nil {
			continue
		}
		cell := *b.app
		cell.Config.Model = models
		judge, set, err := engine.NewCrawlJudge(&cell, b.web, f.Models)
		if err != nil {
			return set, err
		}
		var fetcher crawler.Fetcher = b.web.Fetcher
		if models == "" {
			plain = set
		} else {
			fetcher = b.memos[""] // its pages are cached there
		}
		b.memos[models] = engine.NewMemo(fetcher, b.changed(judge, f), engine.NewExtractor(&cell, set))
		for hash, path := range set.Files() {
			b.files[path] = hash
		}
	}
	return plain, nil
}

// changed returns a judge changed by --judge. A perfect one knows the targets of all kinds.
func (b *labBench) changed(judge strategy.Judge, f lab.Options) strategy.Judge {
	spec, _ := lab.ParseJudge(f.Judge) // checked with the flags
	if spec == (lab.JudgeSpec{}) {
		return judge
	}
	j := strategy.ExperimentalJudge{Judge: judge, Noise: spec.Noise, Seed: f.Seed}
	if spec.Perfect {
		j.Calls = map[string]string{}
		for _, t := range b.targets {
			j.Calls[t.URL] = strategy.CallPage
			if t.Kind == crawler.MailKind {
				j.Calls[t.URL] = strategy.MailPage
			}
		}
	}
	return j
}

// readInputs reads seeds and targets; a generated web has its own.
func (b *labBench) readInputs(ctx context.Context, a *app.App, f lab.Options) (err error) {
	if b.web.Large != nil && f.Seeds == "" {
		b.seeds = drawsOf(b.web.Large)
	} else if own := b.web.Seeds(); own != nil && f.Seeds == "" {
		b.seeds = []seedSet{{"own", own}}
	} else if b.seeds, err = readSeedSets(a, f.Seeds); err != nil {
		return err
	}
	if b.web.IsGenerated() && f.Targets == "" {
		b.targets, err = b.web.SimTargets(ctx)
		return err
	}
	if f.Targets == "" {
		return app.Usagef("--targets is needed: the pages to be found")
	}
	b.targets, err = lab.ReadTargets(f.Targets, f.Kinds)
	return err
}

// drawsOf returns the sets of seeds of a large web: its own, or one for each draw that its name asks for.
func drawsOf(w *simweb.Large) []seedSet {
	draws := w.Draws()
	if len(draws) == 1 {
		return []seedSet{{"own", draws[0]}}
	}
	sets := make([]seedSet, len(draws))
	for i, seeds := range draws {
		sets[i] = seedSet{fmt.Sprintf("%02d", i), seeds}
	}
	return sets
}

// countedTargets returns the targets that count: in a generated web without --targets all.
func (b *labBench) countedTargets(f lab.Options) []lab.Target {
	if f.Targets == "" {
		return b.targets
	}
	return lab.OfKinds(b.targets, f.Kinds)
}

func (b *labBench) targetURLs(f lab.Options) map[string]bool {
	urls := map[string]bool{}
	for _, t := range b.countedTargets(f) {
		urls[t.URL] = true
	}
	return urls
}

// cellState is the folder of a cell's state while it runs.
const cellState = "state"

// runOrReadCell runs one cell, unless its record is complete, and reads the record.
func (b *labBench) runOrReadCell(ctx context.Context, c lab.Cell) (lab.Record, error) {
	run := filepath.Join(b.dir, lab.RunsDir, c.Name())
	record, err := lab.ReadCell(run, b.record.Flags.Budget)
	if !errors.Is(err, fs.ErrNotExist) {
		return record, err
	}
	if err := os.RemoveAll(run); err != nil {
		return record, err
	}
	end, err := b.runCell(ctx, c, run)
	if err != nil {
		return record, err
	}
	if err := atomicfile.WriteJSON(filepath.Join(run, lab.CellFile), end); err != nil {
		return record, err
	}
	return lab.ReadCell(run, b.record.Flags.Budget)
}

// runCell crawls into the folder run, like other commands but with data cached between cells.
func (b *labBench) runCell(ctx context.Context, c lab.Cell, run string) (end lab.CellEnd, err error) {
	cell := *b.app // a copy, which closes what the cell opens
	cell.Closers, cell.Stderr = nil, io.Discard
	cell.Config.Quiet, cell.Config.Progress, cell.Config.Admin = true, "none", "off"
	cell.Config.Seed += uint64(c.Repeat)
	i := slices.IndexFunc(b.seeds, func(s seedSet) bool { return s.name == c.Seeds })
	seeds, err := lab.SeedsOfRepeat(b.seeds[i].urls, c.Repeat, b.record.Flags.Seed)
	if err != nil {
		return end, app.MarkUsage(fmt.Errorf("draw %s: %w", c.Seeds, err))
	}
	flags := b.record.Flags
	name, models := judges.SplitStrategy(flags.Strategies[slices.Index(strategyNames(&flags), c.Strategy)])
	cell.Config.Model = models
	p := engine.NewLabRun(b.web, engine.Folders{Run: run, State: filepath.Join(run, cellState)},
		engine.Guide{Strategy: name, Models: flags.Models, Topic: b.topic, MinAccuracy: engine.MinAccuracy, Truth: b.truth, Values: b.values}, seeds,
		engine.Bounds{Budget: float64(flags.Budget), BacklinkCost: flags.BacklinkCost, MaxDepth: engine.DefaultMaxDepth}, crawler.Rel(cell.Config.Rel), b.memos[models])
	_, err = engine.RunPlan(ctx, &cell, p)
	if err = errors.Join(err, cell.Close()); err != nil {
		return end, err
	}
	if err := os.RemoveAll(p.State); err != nil {
		return end, err
	}
	if err := lab.SyncFile(filepath.Join(run, rundir.PagesFile)); err != nil {
		return end, err
	}
	end.Budget = flags.Budget
	robots := engine.RobotsOf(b.web.Base)
	end.Violations, err = lab.CountViolations(run, func(url string) bool { return strings.HasPrefix(robots(url), admin.DisallowedBy) })
	return end, err
}

// A seedSet is the seeds of one crawl.
type seedSet struct {
	name string
	urls []string
}

// readSeedSets reads one file, or all .txt files of a folder in order of name.
func readSeedSets(a *app.App, path string) ([]seedSet, error) {
	if path == "" {
		return nil, app.Usagef("--seeds is needed: a file of URLs or a folder of such .txt files")
	}
	files, err := lab.SeedFiles(path)
	if err != nil {
		return nil, err
	}
	var sets []seedSet
	for _, file := range files {
		urls, err := begin.ReadSeeds(a, file, nil)
		if err != nil {
			return nil, err
		}
		if err := begin.CheckSeeds(urls, false); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		sets = append(sets, seedSet{strings.TrimSuffix(filepath.Base(file), ".txt"), urls})
	}
	if len(sets) == 0 {
		return nil, app.Usagef("--seeds %s holds no .txt files", path)
	}
	return sets, nil
}
