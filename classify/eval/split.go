// Package eval measures classifiers. It provides splits that keep groups together, metrics with bootstrap
// intervals over groups, curves, tests of the difference between two classifiers, and reports as text,
// JSON and a single HTML file.
package eval

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A group is a set of examples that a split must keep together.
type group struct {
	name   string
	counts []float64 // examples of each class
	spread float64   // standard deviation of counts
}

// GroupedFolds assigns each example to one of k folds, 0 to k-1. All examples of a group are in the same
// fold, and every fold holds about the same fraction of each class. It is greedy like scikit-learn's
// StratifiedGroupKFold: groups with the most uneven classes first. The argument class holds the class
// index of each example, below classes. The seed determines the order of equally uneven groups.
func GroupedFolds(class []int, groups []string, classes, k int, seed uint64) ([]int, error) {
	if k < 2 {
		return nil, fmt.Errorf("split: %d folds, at least 2 are needed", k)
	}
	all := collectGroups(class, groups, classes)
	if len(all) < k {
		return nil, fmt.Errorf("split: %d groups do not fill %d folds: more groups or fewer folds are needed", len(all), k)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b group) int { return cmp.Compare(b.spread, a.spread) })
	foldOf := assignGroups(all, classes, k)
	folds := make([]int, len(class))
	for i, g := range groups {
		folds[i] = foldOf[g]
	}
	return folds, nil
}

// collectGroups returns the groups in the order of their first example.
func collectGroups(class []int, groups []string, classes int) []group {
	index := map[string]int{}
	var all []group
	for i, name := range groups {
		n, ok := index[name]
		if !ok {
			n = len(all)
			index[name] = n
			all = append(all, group{name: name, counts: make([]float64, classes)})
		}
		all[n].counts[class[i]]++
	}
	for i := range all {
		all[i].spread = deviation(all[i].counts)
	}
	return all
}

// assignGroups assigns each group in turn to the fold that makes the classes most evenly spread over the folds;
// of equal folds, to the smallest.
func assignGroups(all []group, classes, k int) map[string]int {
	total := make([]float64, classes)
	for _, g := range all {
		for c, n := range g.counts {
			total[c] += n
		}
	}
	counts := make([][]float64, k)
	sizes := make([]float64, k)
	for f := range counts {
		counts[f] = make([]float64, classes)
	}
	foldOf := map[string]int{}
	for _, g := range all {
		best, bestSpread := -1, 0.0
		for f := range k {
			spread := unevennessWith(counts, total, g, f)
			if best < 0 || spread < bestSpread || spread == bestSpread && sizes[f] < sizes[best] {
				best, bestSpread = f, spread
			}
		}
		foldOf[g.name] = best
		for c, n := range g.counts {
			counts[best][c] += n
			sizes[best] += n
		}
	}
	return foldOf
}

// unevennessWith returns how unevenly the classes are spread if g is put into fold f. It is the mean over the
// classes of the standard deviation, over the folds, of a fold's fraction of the class.
func unevennessWith(counts [][]float64, total []float64, g group, f int) float64 {
	var sum float64
	shares := make([]float64, len(counts))
	for c, all := range total {
		if all == 0 {
			continue
		}
		for i := range counts {
			n := counts[i][c]
			if i == f {
				n += g.counts[c]
			}
			shares[i] = n / all
		}
		sum += deviation(shares)
	}
	return sum
}
