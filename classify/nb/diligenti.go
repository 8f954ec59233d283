package nb

import (
	"context"

	"eventseer/classify"
)

// A Diligenti fits the modified naive Bayes classifier of the context-focused
// crawler (Diligenti, Coetzee, Lawrence, Giles and Gori 2000; paper 002, section
// 2.3.2, names it without a formula): the multinomial model over the heaviest
// TF-IDF components of a document in place of its words, with likelihoods
// normalised for length. Here every example is scaled to the sum 1 before
// probabilities are estimated, so that each document has one vote; the vectors
// that are judged must be of one length too, as features.Options.Normalize
// makes them. It is safe for concurrent use.
type Diligenti struct {
	// Alpha is added to the share of each component, above 0. Zero means 1 over
	// the number of components, one document's worth in all.
	Alpha float64
}

var _ classify.Trainer = Diligenti{}

// Train returns a *classify.Linear. Negative values are an error. To leave what
// no class is sure of to an "other" class is the caller's part.
func (d Diligenti) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	scaled := make([]classify.Example, len(examples))
	for n, e := range examples {
		scaled[n] = e
		var sum float64
		for _, v := range e.X.Value {
			sum += v
		}
		if sum > 0 {
			scaled[n].X.Value = make([]float64, len(e.X.Value))
			for i, v := range e.X.Value {
				scaled[n].X.Value[i] = v / sum
			}
		}
	}
	if d.Alpha == 0 {
		d.Alpha = 1 / float64(max(1, classify.Dimensions(examples)))
	}
	return Multinomial(d).Train(ctx, classes, scaled)
}
