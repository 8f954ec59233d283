package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"eventseer/classify"
	"eventseer/classify/train"
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
	cmd.Flags().StringVar(&f.Task, "task", "", "task of the algorithms: cfp, page-type, discipline, topic or vectors (default that of the model)")
	k := cmd.Flags().Int("folds", train.Folds, "number of folds algorithms are cross-validated over")
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

// contenders finds out what the two names are and for which task.
func contenders(names []string, task string, seed uint64) (sides [2]train.Contender, _ string, err error) {
	for i, name := range names {
		sides[i].Name = name
		if train.IsAlgorithm(name) {
			continue
		}
		m, err := engine.OpenModel(name)
		if err != nil {
			if !isModel(name) {
				err = app.Usagef("%q is no algorithm (those are %s) and no model: %w", name, train.AlgorithmNames(), err)
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
	sides, task, err := contenders(names, f.Task, a.Config.Seed)
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
	e := train.Evaluation{Folds: k, Errors: plan.errors()}
	comparison, err := e.Compare(ctx, sides, f.seeded(a), trainingEnvironment(a))
	if err != nil {
		return err
	}
	return runPublish(a, comparison, plan)
}
