// Package nb trains naive Bayes classifiers: the multinomial, complement and
// Bernoulli models, and the modification of Diligenti et al. that the first
// context-focused crawler used.
//
// Each is a linear function of its vectors and is returned as such. Components
// are read as numbers of occurrences; weights such as TF-IDF take their place
// (Rennie et al. 2003, section 4), as long as none is negative.
package nb

import (
	"context"
	"fmt"
	"math"

	"eventseer/classify"
)

// defaultAlpha is Laplace's rule: every component is seen once more than it is.
const defaultAlpha = 1

// A tally holds what the models are estimated from. Examples without any
// component are not counted.
type tally struct {
	dims     int
	examples []float64   // of each class
	sums     [][]float64 // of the values of each component, by class
	total    []float64   // of all values, by class
}

// newTally sums the values of the examples as value maps them. It returns the
// errors a Trainer promises.
func newTally(ctx context.Context, classes []string, examples []classify.Example, value func(float64) float64) (*tally, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := &tally{dims: classify.Dimensions(examples), examples: make([]float64, len(classes)), total: make([]float64, len(classes))}
	for range classes {
		t.sums = append(t.sums, make([]float64, t.dims))
	}
	for n, e := range examples {
		if e.X.Len() == 0 {
			continue
		}
		t.examples[e.Class]++
		for i, ix := range e.X.Index {
			v := e.X.Value[i]
			if v < 0 {
				return nil, fmt.Errorf("train: example %d holds %v at index %d, naive Bayes needs values of at least 0", n, v, ix)
			}
			t.sums[e.Class][ix] += value(v)
			t.total[e.Class] += value(v)
		}
	}
	for k, n := range t.examples {
		if n == 0 {
			return nil, fmt.Errorf("train: class %q has no example with a component", classes[k])
		}
	}
	return t, nil
}

func asIs(v float64) float64 { return v }

// prior returns the logarithm of a class's share of the examples.
func (t *tally) prior(class int) float64 {
	all := 0.0
	for _, n := range t.examples {
		all += n
	}
	return math.Log(t.examples[class] / all)
}

// smoothing returns alpha or its default.
func smoothing(alpha float64) (float64, error) {
	if alpha == 0 {
		return defaultAlpha, nil
	}
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return 0, fmt.Errorf("naive bayes: alpha is %v, it must be above 0", alpha)
	}
	return alpha, nil
}

// discriminant turns log-likelihoods into decision values whose size says how
// sure they are: of two classes their difference, of more the excess over the
// mean of all. What a vector makes likelier under every class falls out.
func discriminant(weights [][]float64, bias []float64) *classify.Linear {
	if len(weights) == 2 {
		row := make([]float64, len(weights[0]))
		for i := range row {
			row[i] = weights[1][i] - weights[0][i]
		}
		return &classify.Linear{Weights: [][]float64{row}, Bias: []float64{bias[1] - bias[0]}}
	}
	center(bias)
	column := make([]float64, len(weights))
	for i := range weights[0] {
		for k := range weights {
			column[k] = weights[k][i]
		}
		center(column)
		for k := range weights {
			weights[k][i] = column[k]
		}
	}
	return &classify.Linear{Weights: weights, Bias: bias}
}

// center subtracts the mean of values from each.
func center(values []float64) {
	var mean float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for i := range values {
		values[i] -= mean
	}
}
