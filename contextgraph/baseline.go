package contextgraph

import (
	"context"
	"fmt"
	"slices"

	"eventseer/classify"
)

// A Rejecting trainer learns to tell layers apart from the pages of layers alone,
// as the context-focused crawlers do (Diligenti et al. 2000, section 3.2; paper
// 002, section 3.3), and leaves to the last class, of what is in no layer, the
// pages that no layer is sure of: its decision value is always 0, so its
// probability, once calibrated, is a threshold on that of the others. It is safe
// for concurrent use if Layers is.
type Rejecting struct {
	// Layers learns all classes but the last. It must return a *classify.Linear.
	Layers classify.Trainer
}

var _ classify.Trainer = Rejecting{}

// Train returns a *classify.Linear with a row a class.
func (r Rejecting) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	last := len(classes) - 1
	if last < 3 { // of two classes a learner may keep one row
		return nil, fmt.Errorf("layers: %d classes, at least three layers and what is in none are needed", len(classes))
	}
	inside := slices.DeleteFunc(slices.Clone(examples), func(e classify.Example) bool { return e.Class == last })
	c, err := r.Layers.Train(ctx, classes[:last], inside)
	if err != nil {
		return nil, err
	}
	linear, ok := c.(*classify.Linear)
	if !ok || len(linear.Weights) != last {
		return nil, fmt.Errorf("layers: the learner gives a %T, it must be linear with a row a layer", c)
	}
	return &classify.Linear{Weights: append(slices.Clone(linear.Weights), nil), Bias: append(slices.Clone(linear.Bias), 0)}, nil
}
