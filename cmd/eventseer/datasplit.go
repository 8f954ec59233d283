package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"
	"eventseer/datasets/split"

	"github.com/spf13/cobra"
)

func newDataSplitCommand(a *app.App) *cobra.Command {
	var labels string
	var test float64
	var folds int
	cmd := &cobra.Command{
		Use: "split --data LABELS -o DIR", Short: "Split labels into training and test parts by group",
		Example: `  eventseer data split --data labels.tsv --test 0.2 --seed 1 -o split      # split/train.tsv, split/test.tsv
  eventseer data split --data labels.tsv --folds 5 -o folds               # folds/1/train.tsv, folds/1/test.tsv, …`,
		Long: `Split labels into training and test parts by group.

All labels of a group are on one side; page types and calls are as evenly spread
as the groups allow. The lines are those of LABELS, the same seed gives the same
split.`,
		Args: args(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.StringVar(&labels, "data", "", "labels file")
	flags.Float64Var(&test, "test", 0.2, "share of the test part, above 0 and at most 0.5")
	flags.IntVar(&folds, "folds", 0, "write this many folds, each of which is the test part once, instead of one split")
	cmd.RunE = func(*cobra.Command, []string) error {
		switch {
		case labels == "" || a.Config.Output == "-":
			return app.Usagef("--data LABELS and -o DIR are needed")
		case folds != 0 && (folds < 2 || folds > split.MaxFolds):
			return app.Usagef("--folds %d: 2 to %d", folds, split.MaxFolds)
		case !(test > 0 && test <= 0.5):
			return app.Usagef("--test %v: a share above 0, at most 0.5", test)
		}
		return splitData(a, labels, test, folds, a.Config.Output)
	}
	return cmd
}

func splitData(a *app.App, file string, test float64, folds int, dir string) error {
	data, err := datasets.Open(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := writeToLog(a, func(w io.Writer) error { return data.Problems.Write(w, datasets.ShownProblems) }); err != nil {
		return err
	}
	k, held := folds, 1
	if folds == 0 {
		k, held = split.ShareAsFolds(test)
	}
	foldOf, err := split.Folds(data.Labels(), k, a.Config.Seed)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	wrote := func(path string, labels int) { a.Logf("%s: %d labels", path, labels) }
	lines := bytes.SplitAfter(text, []byte("\n"))
	if folds == 0 {
		return split.Write(dir, lines, data.Labels(), func(i int) bool { return foldOf[i] < held }, wrote)
	}
	for fold := range k {
		err := split.Write(filepath.Join(dir, strconv.Itoa(fold+1)), lines, data.Labels(), func(i int) bool { return foldOf[i] == fold }, wrote)
		if err != nil {
			return err
		}
	}
	return nil
}
