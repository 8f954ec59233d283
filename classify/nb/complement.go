package nb

import (
	"context"
	"fmt"
	"math"

	"eventseer/classify"
)

// A Complement fits the complement model, made for classes of uneven size: a
// class is what is least like all others together (Rennie, Shih, Teevan and
// Karger 2003, table 4, steps 4 to 8; steps 1 to 3, the weights of terms, are
// the vectoriser's). It has no prior. It is safe for concurrent use.
type Complement struct {
	// Alpha is added to the sum of each component, above 0. Zero means 1.
	Alpha float64
	// Normalize divides the weights of a class by the sum of their sizes, so
	// that no class wins by strongly dependent words (WCNB, section 3.2).
	Normalize bool
}

var _ classify.Trainer = Complement{}

// Train returns a *classify.Linear. Negative values are an error.
func (c Complement) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	alpha, err := smoothing(c.Alpha)
	if err != nil {
		return nil, err
	}
	t, err := newTally(ctx, classes, examples, asIs)
	if err != nil {
		return nil, err
	}
	weights := make([][]float64, len(classes))
	for k := range classes {
		weights[k] = t.complement(k, alpha)
		if c.Normalize && !scaleToSum(weights[k]) {
			return nil, fmt.Errorf("train: all but class %q has no weight to normalise", classes[k])
		}
	}
	return discriminant(weights, make([]float64, len(classes))), nil
}

// complement returns minus the logarithms of the probabilities of components
// in all classes but one.
func (t *tally) complement(class int, alpha float64) []float64 {
	row := make([]float64, t.dims)
	under := float64(alpha * float64(t.dims))
	for k := range t.sums {
		if k == class {
			continue
		}
		under += t.total[k]
		for i, sum := range t.sums[k] {
			row[i] += sum
		}
	}
	for i, sum := range row {
		row[i] = -math.Log((sum + alpha) / under)
	}
	return row
}

// scaleToSum scales v so that its sizes sum to 1 and reports whether that can be.
func scaleToSum(v []float64) bool {
	var sum float64
	for _, x := range v {
		sum += math.Abs(x)
	}
	if sum == 0 {
		return false
	}
	for i := range v {
		v[i] /= sum
	}
	return true
}
