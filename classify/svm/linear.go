package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/eventseer/eventseer/classify"
)

// A Loss is the function that penalizes examples on the wrong side of their margin.
type Loss int

// Losses as functions of the margin m = y·d of an example with side y = ±1 and decision value d.
const (
	// Hinge is max(0, 1-m): C-SVC, liblinear's -s 3, "L1 loss".
	Hinge Loss = iota
	// SquaredHinge is max(0, 1-m)²: liblinear's -s 1, "L2 loss".
	SquaredHinge
)

// Linear trains linear classifiers by dual coordinate descent (Hsieh, Chang, Lin, Keerthi and
// Sundararajan 2008). It trains one for each class against all others, and a single one for two classes.
// A classifier takes between ten and a few hundred passes over the examples, of which the trainer makes a
// copy. A trainer is safe for concurrent use.
type Linear struct {
	// C is the cost of a training error, above 0. Zero means 1.
	C float64
	// Loss is the loss function; the zero value is Hinge.
	Loss Loss
	// Balanced multiplies C for the examples of a side by n / 2·n(side), so that both sides have the same
	// weight. The sides are the class and all others.
	Balanced bool
	// Weights multiplies C for the examples of each class where the class is against all others; the
	// others keep C. For two classes, each has its own factor. Nil means 1 for all; each is above 0.
	Weights []float64
	// Bias is the value of the constant component added to every example, like liblinear's -B; its weight
	// is regularized like the others. Zero means 1. A value below zero means no constant component: the
	// bias of the classifier is then 0.
	Bias float64
	// Seed is the random seed for the order of the examples within a pass.
	Seed uint64
	// Eps is the tolerance: training ends when the projected gradients of all
	// examples lie within it. Zero means 0.01; liblinear's default is 0.1.
	Eps float64
	// MaxIterations is the largest number of passes over the examples. A classifier that has not reached
	// Eps by then is used as it is. Zero means 1000.
	MaxIterations int
}

var _ classify.Trainer = Linear{}

// Train returns a *classify.Linear. Examples with empty vectors are left out; the decision values for an
// empty vector are the biases. Train checks ctx before each pass.
func (l Linear) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	l, err := l.withDefaults(len(classes))
	if err != nil {
		return nil, err
	}
	m, err := newMatrix(classes, examples)
	if err != nil {
		return nil, err
	}
	first := 0
	if len(classes) == 2 {
		first = 1 // one classifier decides for both classes: {-d, d}
	}
	model := &classify.Linear{}
	s := newDescent(m, l)
	for k := first; k < len(classes); k++ {
		weights, bias, err := s.trainClass(ctx, k, l.sideCosts(m, k, len(classes)), l.randomSource(k))
		if err != nil {
			return nil, fmt.Errorf("train: class %q: %w", classes[k], err)
		}
		model.Weights = append(model.Weights, weights)
		model.Bias = append(model.Bias, bias)
	}
	return model, nil
}

func (l Linear) withDefaults(classes int) (Linear, error) {
	if l.C == 0 {
		l.C = 1
	}
	if l.Bias == 0 {
		l.Bias = 1
	}
	if l.Eps == 0 {
		l.Eps = 0.01
	}
	if l.MaxIterations == 0 {
		l.MaxIterations = 1000
	}
	if err := errors.Join(checkPositive("C", l.C), checkPositive("Eps", l.Eps)); err != nil {
		return l, err
	}
	if math.IsNaN(l.Bias) || math.IsInf(l.Bias, 0) {
		return l, fmt.Errorf("svm: Bias is %v", l.Bias)
	}
	if l.Loss != Hinge && l.Loss != SquaredHinge {
		return l, fmt.Errorf("svm: unknown loss %d", l.Loss)
	}
	if l.MaxIterations < 0 {
		return l, fmt.Errorf("svm: MaxIterations is %d", l.MaxIterations)
	}
	if l.Weights != nil && len(l.Weights) != classes {
		return l, fmt.Errorf("svm: %d class weights are given for %d classes", len(l.Weights), classes)
	}
	for k, w := range l.Weights {
		if err := checkPositive(fmt.Sprintf("the weight of class %d", k), w); err != nil {
			return l, err
		}
	}
	return l, nil
}

// randomSource returns the random source for the order of the examples when the classifier of class is trained.
func (l Linear) randomSource(class int) *rand.Rand {
	return rand.New(rand.NewPCG(l.Seed, uint64(class)))
}

// sideCosts returns C for the examples of class and for all others.
func (l Linear) sideCosts(m *matrix, class, classes int) sides {
	c := sides{l.C, l.C}
	if l.Weights != nil {
		c.class *= l.Weights[class]
		if classes == 2 {
			c.rest *= l.Weights[1-class]
		}
	}
	if l.Balanced {
		b := balanceFactors(m, class)
		c.class *= b.class
		c.rest *= b.rest
	}
	return c
}
