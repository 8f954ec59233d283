package extract

import "math"

// A feature is an input of a ranker. Its name identifies its weight; of returns its value for a candidate,
// 0 if the feature does not hold.
type feature[C any] struct {
	name string
	of   func(C) float64
}

// indicator returns a function for the value of a feature that holds or does not: 1 or 0.
func indicator[C any](holds func(C) bool) func(C) float64 {
	return func(c C) float64 { return oneIfTrue(holds(c)) }
}

// oneIfTrue returns 1 for true and 0 for false.
func oneIfTrue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// A ranker scores candidates for a field by a weighted sum of features. The weights are learned from pages
// with known records by the tests named Learn….
type ranker[C any] struct {
	features []feature[C]
	weights  []float64 // by index of the feature
}

// newRanker combines features with their weights by name. A feature without a weight is ignored.
func newRanker[C any](features []feature[C], weights map[string]float64) ranker[C] {
	r := ranker[C]{features: features, weights: make([]float64, len(features))}
	for i, f := range features {
		r.weights[i] = weights[f.name]
	}
	return r
}

// score returns the weighted sum of a candidate's features.
func (r ranker[C]) score(c C) float64 {
	sum := 0.0
	for i, f := range r.features {
		if r.weights[i] != 0 {
			sum += float64(r.weights[i] * f.of(c))
		}
	}
	return sum
}

// softmax converts scores to probabilities with the sum 1.
func softmax(scores []float64) []float64 {
	top := math.Inf(-1)
	for _, s := range scores {
		top = max(top, s)
	}
	sum, out := 0.0, make([]float64, len(scores))
	for i, s := range scores {
		out[i] = math.Exp(s - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
