package main

import (
	"context"
	"slices"
	"strings"

	"eventseer/classify/train"
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
		Args: args(cobra.NoArgs),
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
	model, err := openJudging(path, which)
	if err != nil {
		return err
	}
	plan, err := planReport(a, rf, model.Model.Classes)
	if err != nil {
		return err
	}
	f.Task = model.Model.Task
	report, err := train.Evaluation{Errors: plan.errors()}.Measure(ctx, model, f.seeded(a), trainingEnvironment(a))
	if err != nil {
		return err
	}
	if err := runPublish(a, report, plan); err != nil {
		return err
	}
	return checkGates(report, plan.gates)
}

// openJudging opens a model, with what says which model judges the page of a URL
// where cross-fitted ones are asked for: that trained without the page.
func openJudging(name, which string) (train.Contender, error) {
	model, err := engine.OpenModel(name)
	if err != nil {
		return train.Contender{}, err
	}
	m := train.Contender{Name: name, Model: model}
	if which == "shipped" {
		return m, nil
	}
	task := strings.TrimSuffix(name, ".model")
	if which == "cross-fitted" && !slices.Contains(engine.CrossFitted, task) {
		return m, app.Usagef("--models cross-fitted: of the shipped models %s only, not of %s", strings.Join(engine.CrossFitted, ", "), name)
	}
	folded, err := engine.ShippedFolded(task, which)
	if err != nil {
		return m, err
	}
	m.For = folded.For
	return m, nil
}

func evalCV(ctx context.Context, a *app.App, f trainFlags, rf reportFlags, k int, learning bool) error {
	o, env := f.seeded(a), trainingEnvironment(a)
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
	report, err := train.Evaluation{Folds: k, LearningCurve: learning, Errors: plan.errors()}.CrossValidate(ctx, o, env)
	if err != nil {
		return err
	}
	if err := runPublish(a, report, plan); err != nil {
		return err
	}
	return checkGates(report, plan.gates)
}
