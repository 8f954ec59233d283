package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/models"

	"github.com/spf13/cobra"
)

func newEvalCommand(a *app.App) *cobra.Command {
	var f trainFlags
	var rf reportFlags
	cmd := &cobra.Command{
		Use: "eval MODEL --data LABELS --pages INPUT", Short: "Measure the accuracy of a model on labelled pages",
		Example: `  eventseer eval cfp.model --data labels.tsv --pages pages.warc.gz --min f1=0.9
  eventseer eval page-type --data labels.tsv --pages pages.warc.gz --errors 20 --report html,json --report-dir out
  eventseer eval cfp --models cross-fitted --data labels.tsv --pages pages.warc.gz      # the figures of its card
  eventseer eval cv --task cfp --algo svm --data labels.tsv --pages pages.warc.gz
  eventseer eval compare cfp new.model --data labels.tsv --pages pages.warc.gz`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	addDataFlags(cmd, &f)
	rf.add(cmd)
	rf.addGates(cmd)
	which := cmd.Flags().String("models", "shipped", "shipped, or cross-fitted: with a shipped MODEL that is cross-fitted, pages of training hosts are judged by models trained without them")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := checkDataFlags(f); err != nil {
			return err
		}
		return evalModel(cmd.Context(), a, names[0], *which, f, rf)
	}
	cmd.AddCommand(newEvalCVCommand(a), newEvalCompareCommand(a))
	return cmd
}

// addDataFlags adds the flags for the evaluation data. They are checked by checkDataFlags, because
// cobra would also require them for the subcommands of eval.
func addDataFlags(cmd *cobra.Command, f *trainFlags) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Labels, "data", nil, dataUsage)
	flags.StringArrayVar(&f.Pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	flags.StringArrayVar(&f.Exclude, "exclude-type", nil, "leave out pages of this type, may be repeated")
	f.addWebFiles(flags)
}

func checkDataFlags(f trainFlags) error {
	if len(f.Labels) == 0 || len(f.Pages) == 0 {
		return app.Usagef("--data LABELS and --pages INPUT are needed")
	}
	return nil
}

func newEvalCVCommand(a *app.App) *cobra.Command {
	var f trainFlags
	var rf reportFlags
	cmd := &cobra.Command{
		Use: "cv --task TASK --data LABELS --pages INPUT", Short: "Measure an algorithm by cross-validation over groups",
		Example: `  eventseer eval cv --task cfp --algo thesis-tfidf40-svm --data labels.tsv --pages pages.warc.gz --exclude-type mail_announcement
  eventseer eval cv --task page-type --data labels.tsv --pages pages.warc.gz --learning-curve --report html=cv.html`,
		Args: usageArgs(cobra.NoArgs),
	}
	f.add(cmd)
	rf.add(cmd)
	rf.addGates(cmd)
	folds := cmd.Flags().Int("folds", train.Folds, "number of folds; the pages of a group share one")
	learning := cmd.Flags().Bool("learning-curve", false, "also train on 10, 20, 40 and 70 % of the training groups")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return evalCV(cmd.Context(), a, f, rf, *folds, *learning)
	}
	return cmd
}

func evalModel(ctx context.Context, a *app.App, path, which string, f trainFlags, rf reportFlags) error {
	model, err := openContender(path, which)
	if err != nil {
		return err
	}
	plan, err := planReport(a, rf, model.Model.Classes)
	if err != nil {
		return err
	}
	f.Task = model.Model.Task
	report, err := train.Evaluation{Errors: plan.maxErrors()}.Measure(ctx, model, f.optionsWithSeed(a), trainingEnvironment(a))
	return publishReport(a, report, plan, err)
}

// openContender opens a model. If cross-fitted models are requested, the result uses for each page
// the model trained without it.
func openContender(name, which string) (train.Contender, error) {
	model, err := judges.OpenModel(name)
	if err != nil {
		return train.Contender{}, err
	}
	m := train.Contender{Name: name, Model: model}
	if which == "shipped" {
		return m, nil
	}
	task := strings.TrimSuffix(name, ".model")
	if which == "cross-fitted" && !slices.Contains(judges.CrossFittedTasks, task) {
		return m, app.Usagef("--models cross-fitted exists for the shipped models %s, not for %s", strings.Join(judges.CrossFittedTasks, ", "), name)
	}
	set, err := judges.SetOfKind(which)
	if err != nil {
		return m, err
	}
	folded, err := set.Folded(task)
	if err != nil {
		return m, err
	}
	m.For = folded.For
	return m, nil
}

func evalCV(ctx context.Context, a *app.App, f trainFlags, rf reportFlags, k int, learning bool) error {
	o, env := f.optionsWithSeed(a), trainingEnvironment(a)
	classes, err := o.ClassNames()
	switch {
	case err != nil:
		return err
	case k < 2:
		return app.Usagef("--folds %d: at least 2 are needed", k)
	}
	plan, err := planReport(a, rf, classes)
	if err != nil {
		return err
	}
	report, err := train.Evaluation{Folds: k, LearningCurve: learning, Errors: plan.maxErrors()}.CrossValidate(ctx, o, env)
	return publishReport(a, report, plan, err)
}

func newEvalCompareCommand(a *app.App) *cobra.Command {
	var f trainFlags
	var rf reportFlags
	cmd := &cobra.Command{
		Use: "compare A B --data LABELS --pages INPUT", Short: "Compare two models or algorithms statistically",
		Long: `Compare two models or algorithms statistically.

A and B are model files, names of shipped models, or algorithms; algorithms are
cross-validated over the same folds of groups. ./NAME is a file with the name of an
algorithm. The difference of each figure has a 95 % interval by paired bootstrap over
groups; McNemar's test covers the pages that one side gets right.`,
		Example: `  eventseer eval compare old.model new.model --data labels.tsv --pages pages.warc.gz --errors 20
  eventseer eval compare svm thesis-tfidf40-svm --task cfp --data labels.tsv --pages pages.warc.gz --report html`,
		Args: usageArgs(cobra.ExactArgs(2)),
	}
	addDataFlags(cmd, &f)
	rf.add(cmd)
	cmd.Flags().StringVar(&f.Task, "task", "", "task of the algorithms: cfp, page-type, discipline, topic or vectors (default that of the model)")
	k := cmd.Flags().Int("folds", train.Folds, "number of folds for the cross-validation of algorithms")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if f.Task != train.TaskVectors {
			if err := checkDataFlags(f); err != nil {
				return err
			}
		}
		return evalCompare(cmd.Context(), a, names, f, rf, *k)
	}
	return cmd
}

// openContenders returns the models of the two names, and their task.
func openContenders(names []string, task string, seed uint64) (sides [2]train.Contender, _ string, err error) {
	for i, name := range names {
		sides[i].Name = name
		if train.IsAlgorithm(name) {
			continue
		}
		m, err := judges.OpenModel(name)
		if err != nil {
			if !isModel(name) {
				err = app.Usagef("%q is neither an algorithm (those are %s) nor a model: %w", name, train.AlgorithmNames(), err)
			}
			return sides, "", err
		}
		if task == "" {
			task = m.Task
		}
		if m.Task != task {
			return sides, "", fmt.Errorf("%s: %w: it is of task %q, not %q", name, classify.ErrIncompatible, m.Task, task)
		}
		sides[i].Model = m
	}
	if task == "" {
		return sides, "", app.Usagef("--task is needed: %s and %s are algorithms", names[0], names[1])
	}
	for i := range sides {
		if sides[i].Model != nil {
			continue
		}
		if sides[i].Recipe, err = train.NewRecipe(sides[i].Name, task, train.Parameters{Terms: -1, Seed: seed}); err != nil {
			return sides, "", err
		}
	}
	return sides, task, nil
}

// isModel reports whether there is a file or a shipped model with that name.
func isModel(name string) bool {
	_, fileErr := os.Stat(name)
	_, shippedErr := fs.Stat(models.Files(), name+".model")
	return fileErr == nil || shippedErr == nil
}

func evalCompare(ctx context.Context, a *app.App, names []string, f trainFlags, rf reportFlags, k int) error {
	if k < 2 {
		return app.Usagef("--folds %d: at least 2 are needed", k)
	}
	sides, task, err := openContenders(names, f.Task, a.Config.Seed)
	if err != nil {
		return err
	}
	f.Task = task
	classes, err := train.Classes(task)
	if err != nil {
		return err
	}
	plan, err := planReport(a, rf, classes)
	if err != nil {
		return err
	}
	e := train.Evaluation{Folds: k, Errors: plan.maxErrors()}
	comparison, err := e.Compare(ctx, sides, f.optionsWithSeed(a), trainingEnvironment(a))
	if err != nil {
		return err
	}
	return writeMeasurement(a, comparison, plan)
}

// fileErrors is the number of errors listed in a report file by default.
const fileErrors = 100

// reportFlags are the flags common to the eval commands.
type reportFlags struct {
	reports []string
	dir     string
	errors  int
	gates   []string
}

func (f *reportFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.reports, "report", nil, "also write reports: a list of text, json and html, each as report.txt, report.json or report.html, or FORMAT=FILE")
	flags.StringVar(&f.dir, "report-dir", "", "folder of the reports without a FILE, created if missing (default that of -o, else the current one)")
	flags.IntVar(&f.errors, "errors", -1, fmt.Sprintf("number of errors to list, the most confident first, at most %d (default 0 on the terminal and in text, %d in json and html)", eval.MaxErrors, fileErrors))
	flags.Lookup("errors").DefValue = "0" // not shown: the usage text has it
}

func (f *reportFlags) addGates(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.gates, "min", nil, "fail with exit code 4 unless a figure reaches a value, such as f1=0.9; may be repeated")
}

// A reportPlan is the output of a measurement, checked before the long run.
type reportPlan struct {
	format  string
	files   []reportFile
	inText  int // errors listed in text
	inFiles int // errors listed in json and html
	gates   []eval.Gate
}

// maxErrors returns the largest number of errors listed in any output.
func (p reportPlan) maxErrors() int { return max(p.inText, p.inFiles) }

type reportFile struct{ format, path string }

// planReport reads the flags for a report over classes.
func planReport(a *app.App, f reportFlags, classes []string) (reportPlan, error) {
	p := reportPlan{inText: max(0, f.errors), inFiles: f.errors}
	if f.errors < 0 {
		p.inFiles = fileErrors
	}
	if f.errors < -1 || f.errors > eval.MaxErrors {
		return p, app.Usagef("--errors %d: 0 to %d can be listed", f.errors, eval.MaxErrors)
	}
	var err error
	if p.format, err = a.OutputFormat("table", "json"); err != nil {
		return p, err
	}
	for _, text := range f.gates {
		g, err := eval.ParseGate(text, classes)
		if err != nil {
			return p, err
		}
		p.gates = append(p.gates, g)
	}
	dir := f.dir
	if dir == "" && a.Config.Output != "-" {
		dir = filepath.Dir(a.Config.Output)
	}
	for _, text := range f.reports {
		file, err := parseReport(text, dir)
		if err != nil {
			return p, err
		}
		p.files = append(p.files, file)
	}
	if f.dir != "" {
		return p, os.MkdirAll(f.dir, 0o755)
	}
	return p, nil
}

// parseReport reads FORMAT or FORMAT=FILE.
func parseReport(text, dir string) (reportFile, error) {
	endings := map[string]string{"text": "txt", "json": "json", "html": "html"}
	format, path, named := strings.Cut(text, "=")
	ending, ok := endings[format]
	switch {
	case !ok:
		return reportFile{}, app.Usagef("--report %s: the formats are text, json and html", text)
	case named && (path == "" || path == "-"):
		return reportFile{}, app.Usagef("--report %s: name a file after the =; --format sets the format of stdout", text)
	case !named:
		path = filepath.Join(dir, "report."+ending)
	}
	if info, err := os.Stat(filepath.Dir(path)); named && (err != nil || !info.IsDir()) {
		return reportFile{}, app.Usagef("--report %s: there is no folder %s", text, filepath.Dir(path))
	}
	return reportFile{format, path}, nil
}

// A measurement is the result of the eval commands: an eval.Report or an eval.Comparison.
type measurement interface {
	WriteText(io.Writer) error
	WriteErrors(w io.Writer, n int) error
	WriteJSON(io.Writer) error
	WriteHTML(io.Writer) error
}

// writeMeasurement writes m to stdout or to -o, and to the report files.
func writeMeasurement(a *app.App, m measurement, p reportPlan) error {
	text := func(w io.Writer) error {
		if err := m.WriteText(w); err != nil || p.inText == 0 {
			return err
		}
		return m.WriteErrors(w, p.inText)
	}
	write := map[string]func(io.Writer) error{"table": text, "text": text, "json": m.WriteJSON, "html": m.WriteHTML}
	if err := a.WithOutput(write[p.format]); err != nil {
		return err
	}
	for _, file := range p.files {
		var b bytes.Buffer
		if err := write[file.format](&b); err != nil {
			return err
		}
		if err := os.WriteFile(file.path, b.Bytes(), 0o644); err != nil {
			return err
		}
		a.Logf("wrote %s", file.path)
	}
	return nil
}

// publishReport writes a report, and returns ErrGate unless it passes every gate, or the error of
// measuring.
func publishReport(a *app.App, r *eval.Report, p reportPlan, err error) error {
	if err != nil {
		return err
	}
	if err := writeMeasurement(a, r, p); err != nil {
		return err
	}
	missed, err := r.MissedGates(p.gates)
	if err != nil {
		return err
	}
	if len(missed) > 0 {
		return fmt.Errorf("%w: %s", app.ErrGate, strings.Join(missed, ", "))
	}
	return nil
}
