package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"

	"github.com/spf13/cobra"
)

// maxSplitFolds is how many folds data split makes, or puts together to a share.
const maxSplitFolds = 20

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
		case folds != 0 && (folds < 2 || folds > maxSplitFolds):
			return app.Usagef("--folds %d: 2 to %d", folds, maxSplitFolds)
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
	if err := writeToLog(a, func(w io.Writer) error { return data.Problems.Write(w, shownProblems) }); err != nil {
		return err
	}
	k, held := folds, 1
	if folds == 0 {
		k, held = shareAsFolds(test)
	}
	foldOf, err := foldsOf(data.Labels(), k, a.Config.Seed)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if folds == 0 {
		return writeSplit(a, dir, lines, data.Labels(), func(i int) bool { return foldOf[i] < held })
	}
	for fold := range k {
		err := writeSplit(a, filepath.Join(dir, strconv.Itoa(fold+1)), lines, data.Labels(), func(i int) bool { return foldOf[i] == fold })
		if err != nil {
			return err
		}
	}
	return nil
}

// shareAsFolds returns the fewest folds of which some are nearest to a share.
func shareAsFolds(share float64) (k, held int) {
	best := math.Inf(1)
	for n := 2; n <= maxSplitFolds; n++ {
		m := max(1, int(math.Round(share*float64(n))))
		if miss := math.Abs(float64(m)/float64(n) - share); miss < best-1e-9 {
			k, held, best = n, m, miss
		}
	}
	return k, held
}

// foldsOf puts each label into a fold, by group, page types and calls spread.
func foldsOf(labels []datasets.Label, k int, seed uint64) ([]int, error) {
	var strata, groups []string
	for _, l := range labels {
		strata, groups = append(strata, fmt.Sprintf("%s %t", l.PageType, l.IsCFP)), append(groups, l.Group)
	}
	all := inOrder(strata)
	classes := make([]int, len(strata))
	for i, s := range strata {
		classes[i] = slices.Index(all, s)
	}
	return eval.GroupedFolds(classes, groups, len(all), k, seed)
}

// writeSplit writes the header and the lines of the labels to train.tsv and
// test.tsv of a folder that has none yet.
func writeSplit(a *app.App, dir string, lines [][]byte, labels []datasets.Label, inTest func(i int) bool) error {
	header := slices.Concat(bytes.TrimRight(lines[0], "\r\n"), []byte("\n"))
	parts := map[bool][]byte{false: slices.Clone(header), true: slices.Clone(header)}
	counts := map[bool]int{}
	for i, l := range labels {
		line := bytes.TrimRight(lines[l.Line-1], "\r\n")
		parts[inTest(i)] = append(append(parts[inTest(i)], line...), '\n')
		counts[inTest(i)]++
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		test bool
	}{{"train.tsv", false}, {"test.tsv", true}} {
		path := filepath.Join(dir, part.name)
		if err := writeNew(path, parts[part.test]); err != nil {
			return err
		}
		a.Logf("%s: %d labels", path, counts[part.test])
	}
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: remove it, or name another folder", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
