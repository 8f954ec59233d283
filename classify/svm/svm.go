// Package svm trains linear support vector machines (C-SVC) through libsvm-go,
// a port of LIBSVM 3.18, and collapses them to weight vectors.
//
// The library reads files only, swallows errors, prints to stdout, sets
// GOMAXPROCS and rounds what it writes; everything that keeps these habits
// away from the rest of the program is in libsvm.go.
package svm

import (
	"context"
	"fmt"
	"math"

	"eventseer/classify"
)

// A Trainer fits one linear machine a class against all others, or a single one
// where there are two classes. It has no randomness; on processors that fuse
// multiplication and addition the library's sums, and so the weights, may differ
// in the last digits. Trainings of one process
// run one after the other, because the library sets GOMAXPROCS; a training must
// not run beside other work that changes it.
type Trainer struct {
	// C is the cost of a training error, above 0. Zero means 1.
	C float64
	// Balanced multiplies C for the examples of a side (the class, the rest) by
	// n / 2·n(side), so that both sides weigh the same.
	Balanced bool
	// Eps is the tolerance of the stopping criterion. Zero means 0.001.
	Eps float64
}

var _ classify.Trainer = Trainer{}

// Train returns a *classify.Linear. Examples without any component are left
// out; the machine's answer to an empty vector is its bias. ctx is looked at
// between two classes, not within one.
func (t Trainer) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	t, err := t.withDefaults()
	if err != nil {
		return nil, err
	}
	first := 0
	if len(classes) == 2 {
		first = 1 // one machine decides for both: {-d, d}
	}
	model := &classify.Linear{}
	for k := first; k < len(classes); k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := newProblem(examples, k)
		if p.positive == 0 || p.negative == 0 {
			return nil, fmt.Errorf("train: class %q has no example with a component, or nothing else has", classes[k])
		}
		weights, bias, err := t.solve(p)
		if err != nil {
			return nil, fmt.Errorf("train: class %q: %w", classes[k], err)
		}
		model.Weights = append(model.Weights, weights)
		model.Bias = append(model.Bias, bias)
	}
	return model, nil
}

func (t Trainer) withDefaults() (Trainer, error) {
	if t.C == 0 {
		t.C = 1
	}
	if t.Eps == 0 {
		t.Eps = 1e-3
	}
	for _, v := range []float64{t.C, t.Eps} {
		if !(v > 0) || math.IsInf(v, 0) {
			return t, fmt.Errorf("svm: C is %v and Eps is %v, both must be above 0", t.C, t.Eps)
		}
	}
	return t, nil
}

// A problem is one class against the rest, without empty vectors.
type problem struct {
	examples           []classify.Example
	label              []int // +1 or -1, one an example
	positive, negative int
	dims               int
}

func newProblem(examples []classify.Example, class int) problem {
	p := problem{dims: classify.Dimensions(examples)}
	for _, e := range examples {
		if e.X.Len() == 0 {
			continue
		}
		label := -1
		if e.Class == class {
			label = +1
			p.positive++
		} else {
			p.negative++
		}
		p.examples = append(p.examples, e)
		p.label = append(p.label, label)
	}
	return p
}
