package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/strategy/external"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// newLabManifest returns the description of an experiment.
func newLabManifest(f lab.Options, b *labBench, models map[string]string) (lab.Manifest, error) {
	r := lab.Manifest{
		Version: app.FullVersion(), Flags: f, Inputs: map[string]string{}, Models: models, SeedHashes: map[string]string{},
		Topic: b.topic.Hash, Settings: crawlSettings(b.app.Config),
	}
	if b.web.IsGenerated() {
		r.Day = b.web.Now().Format(time.DateOnly)
	}
	for _, s := range b.seeds {
		r.Draws = append(r.Draws, s.name)
		r.SeedHashes[s.name] = engine.HashLines(s.urls)
	}
	files := []string{f.Targets}
	if digest, ok := strings.CutPrefix(b.web.Digest, "sha256:"); ok {
		r.Inputs[f.Web] = digest
		if hosts := filepath.Join(filepath.Dir(f.Web), "hosts.json"); exists(hosts) {
			files = append(files, hosts)
		}
	}
	if f.Backlinks != "" {
		spec, err := backlink.ParseSpec(f.Backlinks)
		if err != nil {
			return r, app.MarkUsage(err)
		}
		files = append(files, spec.Path)
	}
	for _, path := range files {
		if path == "" {
			continue
		}
		sum, err := engine.HashFile(path)
		if err != nil {
			return r, err
		}
		r.Inputs[path] = sum
	}
	for _, s := range f.Strategies {
		path, ok := strings.CutPrefix(s, external.Prefix)
		if !ok {
			continue
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return r, app.Usagef("--strategies %s: %w: name an executable file", s, err)
		}
		if r.Programs == nil {
			r.Programs = map[string]string{}
		}
		if r.Programs[path], err = engine.HashFile(found); err != nil {
			return r, err
		}
	}
	for path, hash := range b.files {
		if r.Programs == nil {
			r.Programs = map[string]string{}
		}
		r.Programs[path] = hash
	}
	if err := r.Check(); err != nil {
		return r, app.MarkUsage(err)
	}
	return r, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// crawlSettings returns the settings that affect crawls in a frozen web.
func crawlSettings(c app.Config) map[string]string {
	changed := map[string]string{}
	for key, value := range map[string]any{
		"rel": c.Rel, "robots": c.Robots, "render": c.Render, "per-host": c.PerHost, "per-domain": c.PerDomain, "per-depth": c.PerDepth,
	} {
		is := func(s app.Setting) bool { return s.Key == key }
		if text := fmt.Sprint(value); text != fmt.Sprint(app.Settings[slices.IndexFunc(app.Settings, is)].Def) {
			changed[key] = text
		}
	}
	return changed
}

// createExperiment creates the folder of an experiment. If it holds an earlier one, its strategies are added to
// the record, and it is an error if the two cannot be compared.
func (b *labBench) createExperiment(e lab.Experiment) error {
	if err := os.MkdirAll(filepath.Join(b.dir, lab.RunsDir), 0o755); err != nil {
		return err
	}
	lock, err := lab.LockFolder(b.dir)
	if err != nil {
		return err
	}
	b.app.OnClose(lock.Close)
	runs, err := os.ReadDir(filepath.Join(b.dir, lab.RunsDir))
	if err != nil {
		return err
	}
	earlier, _, err := lab.ReadManifest(b.dir)
	if err == nil {
		before := labBench{record: earlier}
		cells := before.experiment()
		if b.record, err = b.record.ContinueFrom(earlier, lab.CompleteCells(b.dir, cells.Cells())); err == nil {
			e = b.experiment()
			err = e.Validate()
		}
		if err != nil {
			return app.MarkUsage(fmt.Errorf("%s (see its %s): %w; name another folder", b.dir, lab.RecordFile, err))
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(runs) > 0:
		return app.Usagef("%s holds crawls that belong to no experiment: %w; name another folder", b.dir, err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return lab.WriteManifest(b.dir, b.record, b.targets)
}

func newLabReportCommand(a *app.App) *cobra.Command {
	var against string
	var m lab.Measure
	cmd := &cobra.Command{
		Use: "report DIR…", Short: "Write the report of an experiment again, or compare experiments on several webs", Args: usageArgs(cobra.MinimumNArgs(1)),
		Long: `Write the report of an experiment again, from the complete crawls. With --kinds,
--values, --budget and --clock the same crawls are measured by other targets, on fewer pages, or by another simulated clock. The files of
the report are written to the folder of -o, by default to DIR.

Several DIRs are experiments on several webs: strategies that all of them have are compared
over webs and draws. The mean over webs has a 95 % interval by a bootstrap over webs, then the
draws of each, then their repeats, and so has the ratio to the strategy of --against; p is from a permutation over webs, and over the draws of these webs. The
folder of -o gets summary.json and runs.csv.`,
		Example: `  eventseer lab report lab/
  eventseer lab report lab/ --against best-first
  eventseer lab report lab/ --kinds page,pdf,mail --budget 500 -o lab-mails/
  eventseer lab report lab-1 lab-2 lab-3 --against eventseer -o lab-webs/`,
	}
	cmd.Flags().StringSliceVar(&m.Kinds, "kinds", nil, "kinds of targets that count (default as in the run)")
	cmd.Flags().IntVar(&m.Budget, "budget", 0, "number of pages of each crawl that count (default all)")
	cmd.Flags().StringVar(&m.Values, "values", "", "values of finds by which areas are weighed, for example page=1,mail=0.2,again=0 (default as in the run)")
	cmd.Flags().StringVar(&m.Clock, "clock", "", "simulated clock for results at equal hours, for example workers=8,delay=5s (default as in the run)")
	cmd.Flags().StringVar(&against, "against", "", "strategy with which the others are compared, or all for all pairs (default as in the run)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return reportWebs(a, args, against, m)
		}
		dir := args[0]
		record, e, runs, err := readExperiment(a, dir, m)
		if err != nil {
			return err
		}
		rivals := slices.DeleteFunc(slices.Clone(e.Strategies), lab.IsOracle)
		switch known := append(rivals, lab.All); {
		case against != "" && !slices.Contains(known, against):
			return app.Usagef("--against %s: no strategy of that name is complete in %s; there are %s", against, dir, strings.Join(known, ", "))
		case against != "":
			record.Flags.Against = against
		case !slices.Contains(known, record.Flags.Against):
			record.Flags.Against = lab.All
		}
		return reportLab(a, record, dir, e, runs)
	}
	return cmd
}

// readExperiment reads the experiment in a folder with its complete crawls, evaluated by m.
func readExperiment(a *app.App, dir string, m lab.Measure) (record lab.Manifest, e lab.Experiment, runs []lab.Run, err error) {
	record, targets, err := lab.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %s is not a folder of `eventseer lab run`", err, dir)
	}
	if err == nil {
		if err := record.ChangeMeasure(targets, m); err != nil {
			return record, e, nil, app.MarkUsage(err)
		}
		e, runs, err = completeCells(a, dir, record, targets)
	}
	return record, e, runs, err
}

// completeCells reads the cells of an experiment. Strategies with missing cells are left out.
func completeCells(a *app.App, dir string, r lab.Manifest, targets []lab.Target) (lab.Experiment, []lab.Run, error) {
	values, err := r.Flags.ParseValues()
	b := labBench{record: r, targets: targets, values: values}
	e := b.experiment()
	if err := errors.Join(err, e.Validate(), r.Check()); err != nil {
		return e, nil, fmt.Errorf("%s: %w", filepath.Join(dir, lab.RecordFile), err)
	}
	return lab.ReadComplete(e, dir, a.Logf)
}

// reportLab writes and prints the results of the crawls.
func reportLab(a *app.App, r lab.Manifest, dir string, e lab.Experiment, runs []lab.Run) error {
	summary := e.Summarise(runs, r.Flags.Against, r.Flags.Seed)
	into := dir
	if a.Config.Output != "-" {
		into = a.Config.Output
	}
	err := lab.WriteFiles(e, dir, into, lab.Report{
		Summary: summary, Runs: runs, Seed: r.Flags.Seed, Settings: r.ReportSettings(), Command: r.Command() + " " + lab.ShellWord(dir),
		Reproduce: func(w io.Writer) error { return r.WriteScript(w, dir) },
	})
	if err != nil {
		return err
	}
	a.Logf("%s of at most %d pages each, %d targets; the report is %s", text.Count(len(e.Cells()), "crawl", "crawls"), e.Budget, len(e.Targets), filepath.Join(into, lab.ReportFile))
	return lab.PrintFigures(a.Stdout, e, summary)
}
