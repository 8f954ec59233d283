//go:build measure

package extract

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify"
)

// A judgedList is the list that models trained without its owner read from a page.
type judgedList struct {
	decision float64 // the reader's measure of certainty for the list
	right, n int     // correct items, and all items
	fold     int
}

// Constants of fitLists.
const (
	mostJudged = 20 // maximum number of items that a list counts for, so that long lists do not dominate
	curveSteps = 9  // points of the curve
)

// fitLists fits a sigmoid with two parameters to the lists of all folds except one, and returns points of
// it. The lists are from a few hundred pages, too few for a curve with more parameters.
func fitLists(t *testing.T, lists []judgedList, without int) classify.Isotonic {
	var decisions []float64
	var right []bool
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lists {
		if l.fold == without || l.n == 0 {
			continue
		}
		low, high = min(low, l.decision), max(high, l.decision)
		k := min(l.n, mostJudged)
		share := int(math.Round(float64(k) * float64(l.right) / float64(l.n)))
		for i := range k {
			decisions, right = append(decisions, l.decision), append(right, i < share)
		}
	}
	s, err := classify.FitPlatt(decisions, right)
	if err != nil {
		t.Fatal(err)
	}
	var curve classify.Isotonic
	for k := range curveSteps {
		d := low + (high-low)*float64(k)/(curveSteps-1)
		curve.Decisions, curve.Probs = append(curve.Decisions, d), append(curve.Probs, s.Probability(d))
	}
	return curve
}

// listBins returns, in thirds, the share of correct items that curves fitted without the list's fold
// predict, and the true share.
func listBins(t *testing.T, lists []judgedList) string {
	type item struct{ predicted, observed float64 }
	var items []item
	for f := range trainingFolds {
		curve := fitLists(t, lists, f)
		for _, l := range lists {
			if l.fold != f {
				continue
			}
			for range l.n {
				items = append(items, item{curve.Probability(l.decision), float64(l.right) / float64(l.n)})
			}
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.predicted, b.predicted) })
	out := ""
	for k := range 3 {
		bin := items[k*len(items)/3 : (k+1)*len(items)/3]
		var predicted, observed float64
		for _, x := range bin {
			predicted += x.predicted / float64(len(bin))
			observed += x.observed / float64(len(bin))
		}
		out += fmt.Sprintf(" %.2f→%.2f (%d)", predicted, observed, len(bin))
	}
	return out
}
