package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/models"

	"github.com/spf13/cobra"
)

func newEvalCompareCommand(a *app.App) *cobra.Command {
	var f trainFlags
	var rf reportFlags
	cmd := &cobra.Command{
		Use: "compare A B --data LABELS --pages INPUT", Short: "Say whether one of two models or algorithms is better than the other",
		Long: `Say whether one of two models or algorithms is better than the other.

A and B are model files, names of shipped models, or algorithms; these are
cross-validated over the same folds of groups. A file that is named like an
algorithm is ./NAME. The difference of each figure has a 95 % interval by paired
bootstrap over groups; McNemar's test is of the pages that one side gets right.`,
		Example: `  eventseer eval compare old.model new.model --data labels.tsv --pages pages.warc.gz --errors 20
  eventseer eval compare svm thesis-tfidf40-svm --task cfp --data labels.tsv --pages pages.warc.gz --report html`,
		Args: args(cobra.ExactArgs(2)),
	}
	addDataFlags(cmd, &f)
	rf.add(cmd)
	cmd.Flags().StringVar(&f.task, "task", "", "task of the algorithms: cfp, page-type, discipline, topic or vectors (default that of the model)")
	folds := cmd.Flags().Int("folds", cvFolds, "number of folds algorithms are cross-validated over")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if f.task != taskVectors {
			if err := checkDataFlags(f); err != nil {
				return err
			}
		}
		return evalCompare(cmd.Context(), a, names, f, rf, *folds)
	}
	return cmd
}

// A contender is one side of a comparison: a model, or an algorithm.
type contender struct {
	name   string
	model  *classify.Model // nil for an algorithm
	recipe recipe
}

// contenders finds out what the two names are and for which task.
func contenders(names []string, task string, seed uint64) ([]contender, string, error) {
	sides := make([]contender, len(names))
	for i, name := range names {
		sides[i].name = name
		if slices.ContainsFunc(algorithms[:], func(a algorithm) bool { return a.name == name }) {
			continue
		}
		m, err := engine.OpenModel(name)
		if err != nil {
			if !isModel(name) {
				err = app.Usagef("%q is no algorithm (those are %s) and no model: %w", name, algorithmNames(), err)
			}
			return nil, "", err
		}
		if task == "" {
			task = m.Task
		}
		if m.Task != task {
			return nil, "", fmt.Errorf("%s: %w: it is of task %q, not %q", name, classify.ErrIncompatible, m.Task, task)
		}
		sides[i].model = m
	}
	if task == "" {
		return nil, "", app.Usagef("--task is needed: %s and %s are algorithms", names[0], names[1])
	}
	for i := range sides {
		if sides[i].model != nil {
			continue
		}
		var err error
		if sides[i].recipe, err = newRecipe(sides[i].name, task, parameters{terms: -1, seed: seed}); err != nil {
			return nil, "", err
		}
	}
	return sides, task, nil
}

// isModel says that there is a file or a shipped model of that name.
func isModel(name string) bool {
	_, fileErr := os.Stat(name)
	_, shippedErr := fs.Stat(models.Files(), name+".model")
	return fileErr == nil || shippedErr == nil
}

func evalCompare(ctx context.Context, a *app.App, names []string, f trainFlags, rf reportFlags, k int) error {
	if k < 2 {
		return app.Usagef("--folds %d: at least 2 are needed", k)
	}
	sides, task, err := contenders(names, f.task, a.Config.Seed)
	if err != nil {
		return err
	}
	f.task = task
	classes, err := taskClasses(task)
	if err != nil {
		return err
	}
	plan, err := planReport(a, rf, classes)
	if err != nil {
		return err
	}
	c, err := readExamples(ctx, a, f)
	if err != nil {
		return err
	}
	var ps [2][]eval.Prediction
	var seen []string
	for i, side := range sides {
		if ps[i], err = contend(ctx, a, side, c, k); err != nil {
			return err
		}
		if side.model != nil && side.model.Data == c.digest {
			seen = append(seen, side.name)
		}
	}
	comparison, err := eval.Compare(sides[0].name, sides[1].name, c.classes, ps[0], ps[1], a.Config.Seed)
	if err != nil {
		return err
	}
	if len(seen) > 0 {
		comparison.Void = strings.Join(seen, " and ") + " saw these pages in training, so the figures are too good"
	}
	comparison.Keep(plan.errors())
	return runPublish(a, comparison, plan)
}

// contend has one side judge the pages of c.
func contend(ctx context.Context, a *app.App, side contender, c *corpus, k int) ([]eval.Prediction, error) {
	if side.model != nil {
		return judgeCorpus(side.name, side.model, func(int) *classify.Model { return side.model }, c)
	}
	folds, err := c.foldsOf(k, a.Config.Seed)
	if err != nil {
		return nil, err
	}
	cv, err := crossValidate(ctx, side.recipe, side.recipe.calibration, c, folds, k, func(done int) { a.Logf("%s: fold %d of %d done", side.name, done, k) })
	if err != nil {
		return nil, err
	}
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	describePages(ps, c)
	return ps, nil
}
