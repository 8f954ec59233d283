package nb

import (
	"context"
	"math"

	"eventseer/classify"
)

// A Bernoulli fits the multi-variate Bernoulli model: a component is present or
// absent, and absence counts as well (McCallum and Nigam 1998, section 2.1).
// Any value above 0 is a presence in training; the classifier is exact for
// vectors of ones, so give it such. It is safe for concurrent use.
type Bernoulli struct {
	// Alpha is added to the examples with and to those without a component,
	// above 0. Zero means 1.
	Alpha float64
}

var _ classify.Trainer = Bernoulli{}

// Train returns a *classify.Linear whose biases hold the components that are
// absent. Negative values are an error.
func (b Bernoulli) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	alpha, err := smoothing(b.Alpha)
	if err != nil {
		return nil, err
	}
	t, err := newTally(ctx, classes, examples, present)
	if err != nil {
		return nil, err
	}
	var weights [][]float64
	var bias []float64
	for k, holders := range t.sums {
		row, absent := make([]float64, t.dims), t.prior(k)
		under := t.examples[k] + 2*alpha
		for i, n := range holders {
			with, without := math.Log((n+alpha)/under), math.Log((t.examples[k]-n+alpha)/under)
			row[i] = with - without
			absent += without
		}
		weights = append(weights, row)
		bias = append(bias, absent)
	}
	return discriminant(weights, bias), nil
}

func present(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}
