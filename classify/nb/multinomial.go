package nb

import (
	"context"
	"math"

	"eventseer/classify"
)

// A Multinomial fits the multinomial model: a document is drawn word by word
// from its class's distribution of words (McCallum and Nigam 1998, section 2.2).
// It is safe for concurrent use.
type Multinomial struct {
	// Alpha is added to the sum of each component, above 0. Zero means 1.
	Alpha float64
}

var _ classify.Trainer = Multinomial{}

// Train returns a *classify.Linear: of two classes with one row, the logarithm
// of their odds. Negative values are an error.
func (m Multinomial) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	alpha, err := smoothing(m.Alpha)
	if err != nil {
		return nil, err
	}
	t, err := newTally(ctx, classes, examples, asIs)
	if err != nil {
		return nil, err
	}
	weights, bias := t.multinomial(alpha)
	return discriminant(weights, bias), nil
}

// multinomial returns the logarithms of the probabilities of components and of
// classes.
func (t *tally) multinomial(alpha float64) (weights [][]float64, bias []float64) {
	for k, sums := range t.sums {
		under := t.total[k] + float64(alpha*float64(t.dims))
		row := make([]float64, t.dims)
		for i, sum := range sums {
			row[i] = math.Log((sum + alpha) / under)
		}
		weights = append(weights, row)
		bias = append(bias, t.prior(k))
	}
	return weights, bias
}
