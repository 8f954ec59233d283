// Package centroid trains nearest-centroid classifiers (Rocchio without its
// negative term): a class is the mean direction of its examples.
package centroid

import (
	"context"
	"fmt"
	"math"

	"github.com/eventseer/eventseer/classify"
)

// A Trainer computes one centroid per class: the mean of the class's examples, each scaled to unit
// length, which is then scaled to unit length. For a vector of unit length the decision value of a class
// is therefore the cosine between the vector and the centroid, between -1 and 1. A Trainer has no options
// and is safe for concurrent use.
type Trainer struct{}

var _ classify.Trainer = Trainer{}

// Train returns a *classify.Linear with one row per class. Examples with empty vectors are left out of
// the means.
func (Trainer) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	model := &classify.Linear{Bias: make([]float64, len(classes))}
	dims := classify.Dimensions(examples)
	for k := range classes {
		sum := make([]float64, dims)
		for _, e := range examples {
			if e.Class == k {
				addUnitVector(sum, e)
			}
		}
		if !scaleToUnit(sum) {
			return nil, fmt.Errorf("train: no example of class %q has a nonzero component", classes[k])
		}
		model.Weights = append(model.Weights, sum)
	}
	return model, nil
}

// addUnitVector adds e's vector, scaled to unit length, to sum.
func addUnitVector(sum []float64, e classify.Example) {
	norm := euclideanNorm(e.X.Value)
	if norm == 0 {
		return
	}
	for i, ix := range e.X.Index {
		sum[ix] += e.X.Value[i] / norm
	}
}

// scaleToUnit scales v to unit length. It returns false if v is zero or its length is not finite.
func scaleToUnit(v []float64) bool {
	norm := euclideanNorm(v)
	if norm == 0 || math.IsInf(norm, 0) {
		return false
	}
	for i := range v {
		v[i] /= norm
	}
	return true
}

func euclideanNorm(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}
