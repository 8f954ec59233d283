package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"

	"github.com/spf13/cobra"
)

func newEvalCommand(a *app.App) *cobra.Command {
	var f trainFlags
	var rf reportFlags
	cmd := &cobra.Command{
		Use: "eval MODEL --data LABELS --pages INPUT", Short: "Measure a model on labelled pages",
		Example: `  eventseer eval cfp.model --data labels.tsv --pages pages.warc.gz --min f1=0.9
  eventseer eval page-type --data labels.tsv --pages pages.warc.gz --errors 20 --report html,json --report-dir out
  eventseer eval cfp --models cross-fitted --data labels.tsv --pages pages.warc.gz      # the figures of its card
  eventseer eval cv --task cfp --algo svm --data labels.tsv --pages pages.warc.gz
  eventseer eval compare cfp new.model --data labels.tsv --pages pages.warc.gz`,
		Args: args(cobra.ExactArgs(1)),
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

// addDataFlags adds the flags that say what is measured on. They are checked by
// checkDataFlags, for cobra would demand them of the verbs below eval as well.
func addDataFlags(cmd *cobra.Command, f *trainFlags) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.labels, "data", nil, dataUsage)
	flags.StringArrayVar(&f.pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	flags.StringArrayVar(&f.exclude, "exclude-type", nil, "leave out pages of this type, may be repeated")
	f.addWebFiles(flags)
}

func checkDataFlags(f trainFlags) error {
	if len(f.labels) == 0 || len(f.pages) == 0 {
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
		Args: args(cobra.NoArgs),
	}
	f.add(cmd)
	rf.add(cmd)
	rf.addGates(cmd)
	folds := cmd.Flags().Int("folds", cvFolds, "number of folds; the pages of a group share one")
	learning := cmd.Flags().Bool("learning-curve", false, "also train on 10, 20, 40 and 70 % of the training groups")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return evalCV(cmd.Context(), a, f, rf, *folds, *learning)
	}
	return cmd
}

func evalModel(ctx context.Context, a *app.App, path, which string, f trainFlags, rf reportFlags) error {
	model, judging, err := openJudging(path, which)
	if err != nil {
		return err
	}
	plan, err := planReport(a, rf, model.Classes)
	if err != nil {
		return err
	}
	f.task = model.Task
	c, err := readPages(ctx, a, f)
	if err != nil {
		return err
	}
	ofPage := func(i int) *classify.Model { return judging(c.pageURL(i)) }
	ps, err := judgeCorpus(path, model, ofPage, c)
	if err != nil {
		return err
	}
	report, err := c.report(path, ps, a.Config.Seed)
	if err != nil {
		return err
	}
	report.About = []eval.Tag{
		{Name: "model", Value: path}, {Name: "task", Value: model.Task}, {Name: "algorithm", Value: model.Algo},
		{Name: "options", Value: model.Options}, {Name: "trained on", Value: model.Data}, {Name: "measured on", Value: c.digest},
	}
	if c.digest == model.Data && which == "shipped" {
		report.Warnings = append(report.Warnings, "these are the pages the model was trained on: the figures are too good; its card names the command for held-out pages")
	}
	explainErrors(report, plan.errors(), c, ofPage)
	if err := runPublish(a, report, plan); err != nil {
		return err
	}
	return checkGates(report, plan.gates)
}

// openJudging opens a model, and says which model judges the page of a URL: it,
// or where cross-fitted ones are asked for, that trained without the page.
func openJudging(name, which string) (*classify.Model, func(pageURL string) *classify.Model, error) {
	model, err := engine.OpenModel(name)
	if err != nil {
		return nil, nil, err
	}
	if which == "shipped" {
		return model, func(string) *classify.Model { return model }, nil
	}
	task := strings.TrimSuffix(name, ".model")
	if which == "cross-fitted" && !slices.Contains(engine.CrossFitted, task) {
		return nil, nil, app.Usagef("--models cross-fitted: of the shipped models %s only, not of %s", strings.Join(engine.CrossFitted, ", "), name)
	}
	folded, err := engine.ShippedFolded(task, which)
	if err != nil {
		return nil, nil, err
	}
	return model, folded.For, nil
}

// judgeCorpus has models judge the documents of c, each the one that ofPage says;
// model is what they have in common, and name stands for it in errors.
func judgeCorpus(name string, model *classify.Model, ofPage func(i int) *classify.Model, c *corpus) ([]eval.Prediction, error) {
	if !slices.Equal(model.Classes, c.classes) {
		return nil, fmt.Errorf("%s: %w: its classes are %q, those of task %s are %q: train it again", name, classify.ErrIncompatible, model.Classes, model.Task, c.classes)
	}
	ps := make([]eval.Prediction, c.numJudged())
	for i, d := range c.docs[:len(ps)] {
		model := ofPage(i)
		scores := model.Scores(d)
		ps[i] = eval.Prediction{Truth: c.class[i], Guess: model.Class(scores), Score: scores[1], Scores: scores, Group: c.groups[i]}
	}
	describePages(ps, c)
	return ps, nil
}

func evalCV(ctx context.Context, a *app.App, f trainFlags, rf reportFlags, k int, learning bool) error {
	classes, err := f.classes()
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
	r, c, err := prepare(ctx, a, f)
	if err != nil {
		return err
	}
	l := newLearner(a, r, f, k)
	cv, short, err := measure(ctx, a, l, r.calibration, c, k)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(f.labels, ", "), err)
	}
	ps, err := cv.predictions()
	if err != nil {
		return err
	}
	describePages(ps, c)
	report, err := c.report(r.algorithm.name+", "+short.Title, ps, a.Config.Seed)
	if err != nil {
		return err
	}
	report.About = []eval.Tag{
		{Name: "task", Value: f.task}, {Name: "algorithm", Value: r.algorithm.name}, {Name: "options", Value: r.options()},
		{Name: "tuned for", Value: f.tune.String()}, {Name: "seed", Value: strconv.FormatUint(a.Config.Seed, 10)},
		{Name: "measured on", Value: c.digest},
	}
	report.About = slices.DeleteFunc(report.About, func(t eval.Tag) bool { return t.Value == "" || t.Value == "0s" })
	if learning {
		if err := learningCurve(ctx, a, l, cv, report); err != nil {
			return err
		}
	}
	explainErrors(report, plan.errors(), c, cv.judges(r, short, a.Config.Seed))
	if err := runPublish(a, report, plan); err != nil {
		return err
	}
	return checkGates(report, plan.gates)
}

// taskClasses returns the classes of task, none for vectors: their file says.
func taskClasses(task string) ([]string, error) {
	if task == taskVectors {
		return nil, nil
	}
	classes, err := classify.Classes(task)
	if err != nil {
		return nil, app.Usage(err)
	}
	return classes, nil
}

// judges returns what finds the model that judged a document, that of its fold:
// nil where the model is of a kind that cannot say what decided.
func (cv *crossValidation) judges(r recipe, report *eval.Report, seed uint64) func(doc int) *classify.Model {
	made := make([]*classify.Model, cv.k)
	tried := make([]bool, cv.k)
	return func(doc int) *classify.Model {
		fold := cv.folds[doc]
		if tried[fold] {
			return made[fold]
		}
		tried[fold] = true
		cal, err := cv.calibrate(fold)
		if err != nil {
			return nil
		}
		m, err := newModel(r, cv.without(fold), cv.models[fold], cal, report, seed)
		if err != nil {
			return nil
		}
		made[fold] = m
		return m
	}
}
