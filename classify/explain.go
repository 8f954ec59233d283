package classify

import (
	"cmp"
	"math"
	"slices"

	"github.com/eventseer/eventseer/features"
)

// A Reason is one feature's contribution to a decision value.
type Reason struct {
	Term string
	// Weight is how much the feature adds to the decision value: above 0 it is evidence for the class.
	Weight float64
}

// A contribution is what one component adds to a decision value.
type contribution struct {
	component int
	weight    float64
}

// Explain returns the n features of d that contribute most to the decision value of class, for or against
// it. It returns none if the page's vector is empty (see Scores) and none for kernels, whose decision
// values are not sums over features.
func (m *Model) Explain(d *features.Document, class, n int) []Reason {
	x := m.Vectorizer.Vector(d)
	if x.Len() == 0 {
		return nil
	}
	switch c := m.Classifier.(type) {
	case *Linear:
		k, sign := rowOfClass(len(c.Weights), class)
		return m.topReasons(linearParts(x, c.Weights[k], sign), n)
	case *Stack:
		return m.topReasons(c.contributions(x, class), n)
	}
	return nil
}

// TopFeatures returns the n features with the largest absolute weights for class. Dense features of a Stack have
// no sign: their weight is how far they can change the decision value, which is not comparable with the
// weights of words.
func (m *Model) TopFeatures(class, n int) []Reason {
	switch c := m.Classifier.(type) {
	case *Linear:
		k, sign := rowOfClass(len(c.Weights), class)
		return m.topReasons(rowParts(nil, c.Weights[k], sign), n)
	case *Stack:
		return m.topReasons(c.topParts(class), n)
	}
	return nil
}

// rowOfClass returns the row that holds the decision value of class, and the sign to multiply it by.
func rowOfClass(rows, class int) (row int, sign float64) {
	if rows == 1 {
		return 0, float64(2*class - 1)
	}
	return class, 1
}

// linearParts returns the contribution of each component of x to the inner product of x and weights.
func linearParts(x features.Vector, weights []float64, sign float64) []contribution {
	var parts []contribution
	for i, ix := range x.Index {
		if int(ix) < len(weights) && weights[ix] != 0 {
			parts = append(parts, contribution{int(ix), sign * x.Value[i] * weights[ix]})
		}
	}
	return parts
}

// rowParts appends a part for each of weights that is not 0, multiplied by sign.
func rowParts(parts []contribution, weights []float64, sign float64) []contribution {
	for ix, w := range weights {
		if w != 0 {
			parts = append(parts, contribution{ix, sign * w})
		}
	}
	return parts
}

// sumParts sums the parts of each component.
func sumParts(parts []contribution) []contribution {
	slices.SortStableFunc(parts, func(a, b contribution) int { return cmp.Compare(a.component, b.component) })
	var merged []contribution
	for _, p := range parts {
		if n := len(merged); n > 0 && merged[n-1].component == p.component {
			merged[n-1].weight += p.weight
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}

// topReasons returns the n parts with the largest absolute weights as reasons with the names of their
// features.
func (m *Model) topReasons(parts []contribution, n int) []Reason {
	slices.SortStableFunc(parts, func(a, b contribution) int { return cmp.Compare(math.Abs(b.weight), math.Abs(a.weight)) })
	var reasons []Reason
	for _, p := range parts[:min(n, len(parts))] {
		reasons = append(reasons, Reason{m.Vectorizer.Name(p.component), p.weight})
	}
	return reasons
}
