// Package split divides labels into training and test parts by group.
package split

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/files"
)

// MaxFolds is the largest number of folds.
const MaxFolds = 20

// ShareAsFolds returns the number of folds k, the smallest possible, and the number of folds held out
// that approximate a fraction best.
func ShareAsFolds(share float64) (k, held int) {
	best := math.Inf(1)
	for n := 2; n <= MaxFolds; n++ {
		m := max(1, int(math.Round(share*float64(n))))
		if miss := math.Abs(float64(m)/float64(n) - share); miss < best-1e-9 {
			k, held, best = n, m, miss
		}
	}
	return k, held
}

// Folds assigns each label to one of k folds. It keeps groups together and spreads page types and calls
// evenly.
func Folds(labels []datasets.Label, k int, seed uint64) ([]int, error) {
	var strata, groups []string
	for _, l := range labels {
		strata, groups = append(strata, fmt.Sprintf("%s %t", l.PageType, l.IsCFP)), append(groups, l.Group)
	}
	all := files.ClassOrder(strata)
	classes := make([]int, len(strata))
	for i, s := range strata {
		classes[i] = slices.Index(all, s)
	}
	return eval.GroupedFolds(classes, groups, len(all), k, seed)
}

// Write writes the header and the lines of the labels to train.tsv and test.tsv in a folder that has
// neither. It calls wrote with the path and the number of labels of each file.
func Write(dir string, lines [][]byte, labels []datasets.Label, inTest func(i int) bool, wrote func(path string, labels int)) error {
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
		wrote(path, counts[part.test])
	}
	return nil
}

// writeNew writes a file and returns an error if it exists.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: remove it, or name another folder", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
