package boost

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/classify"
)

// A Stack trains a *classify.Stack. The trees learn from decision values of linear classifiers on
// examples that these were not trained on. The examples are split into Folds parts, and each part is
// judged by classifiers trained on the others.
type Stack struct {
	// Base trains the linear classifiers; it must return a *classify.Linear.
	Base classify.Trainer
	// From is the index of the first dense component; the components below are words. At least 1.
	From int
	// Inputs is the number of components of the vectors.
	Inputs int
	// Passages is the number of different passage lengths in the vectors.
	Passages int
	// Trees are the options of the second stage.
	Trees Options
	// Folds is the number of parts. Zero means 4.
	Folds int
	// Split assigns examples to k parts, 0 to k-1, and keeps the examples of a group together.
	Split func(class []int, groups []string, classes, k int, seed uint64) ([]int, error)
}

var _ classify.Trainer = Stack{}

// Train returns a *classify.Stack. It leaves out examples whose vectors are empty.
func (s Stack) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	if s.From < 1 {
		return nil, errors.New("boost: no word is left for the first stage: add pages, or train a single stage, such as a linear SVM")
	}
	if s.Inputs <= s.From || s.Split == nil {
		return nil, fmt.Errorf("boost: components %d to %d are dense; a stack needs dense components and a function that splits examples", s.From, s.Inputs)
	}
	if s.Folds == 0 {
		s.Folds = 4
	}
	examples = slices.DeleteFunc(slices.Clone(examples), func(e classify.Example) bool { return e.X.Len() == 0 })
	words := make([]classify.Example, len(examples))
	for i, e := range examples {
		words[i] = e
		n := e.X.Len()
		for n > 0 && int(e.X.Index[n-1]) >= s.From {
			n--
		}
		words[i].X.Index, words[i].X.Value = e.X.Index[:n], e.X.Value[:n]
	}
	class, groups := make([]int, len(examples)), make([]string, len(examples))
	for i, e := range examples {
		class[i], groups[i] = e.Class, e.Group
	}
	parts, err := s.Split(class, groups, len(classes), s.Folds, s.Trees.Seed)
	if err != nil {
		return nil, fmt.Errorf("boost: %w; a single stage, such as a linear SVM, needs fewer examples", err)
	}
	heldOut, err := s.heldOutInputs(ctx, classes, examples, words, parts)
	if err != nil {
		return nil, err
	}
	base, err := s.trainBase(ctx, classes, words)
	if err != nil {
		return nil, err
	}
	trees, err := Grow(ctx, heldOut, class, len(base.Weights), s.Trees)
	if err != nil {
		return nil, err
	}
	return &classify.Stack{Base: base, From: s.From, Trees: trees, Passages: s.Passages}, nil
}

// trainBase trains the linear classifiers on the words of the examples.
func (s Stack) trainBase(ctx context.Context, classes []string, words []classify.Example) (*classify.Linear, error) {
	c, err := s.Base.Train(ctx, classes, words)
	if err != nil {
		return nil, err
	}
	linear, ok := c.(*classify.Linear)
	if !ok {
		return nil, fmt.Errorf("boost: the first stage is a %T; it must be a linear classifier", c)
	}
	return linear.Rounded(), nil // as a model file stores them, because the trees learn from their decision values
}

// heldOutInputs returns the inputs of the second stage for each example. They come from linear classifiers that
// were not trained on the example's group.
func (s Stack) heldOutInputs(ctx context.Context, classes []string, examples, words []classify.Example, parts []int) ([][]float32, error) {
	dense := make([][]float32, len(examples))
	for f := range s.Folds {
		var rest []classify.Example
		for i, p := range parts {
			if p != f {
				rest = append(rest, words[i])
			}
		}
		base, err := s.trainBase(ctx, classes, rest)
		if err != nil {
			return nil, fmt.Errorf("boost: train without part %d of %d: %w; a single stage, such as a linear SVM, needs fewer examples", f+1, s.Folds, err)
		}
		for i, p := range parts {
			if p == f {
				dense[i] = classify.StackInput(base, s.From, len(base.Weights)+s.Inputs-s.From, s.Passages, examples[i].X)
			}
		}
	}
	return dense, nil
}
