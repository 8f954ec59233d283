package classify

import (
	"errors"
	"fmt"
	"math"

	"github.com/eventseer/eventseer/features"
)

// A Stack is a Classifier of two stages (stacked generalization, Wolpert
// 1992): linear machines read the components below From, which are words, and
// boosted trees read what those machines say together with the dense
// components from From on.
type Stack struct {
	// Base holds one row a class, or a single one for two classes.
	Base *Linear
	// From is the first dense component.
	From int
	// Trees read a value for each row of Base and then the dense components.
	// They have an output for each row.
	Trees *Trees
}

var _ Classifier = (*Stack)(nil)

// Dense returns what the trees read of x.
func (s *Stack) Dense(x features.Vector) []float32 {
	return StackInput(s.Base, s.From, s.Trees.Inputs, x)
}

// StackInput returns the n values that the second stage reads of x.
func StackInput(base *Linear, from, n int, x features.Vector) []float32 {
	dense := make([]float32, n)
	for k, row := range base.Weights {
		dense[k] = float32(x.Dot(row) + base.Bias[k])
	}
	first := len(base.Weights) - from
	for i := len(x.Index) - 1; i >= 0 && int(x.Index[i]) >= from; i-- {
		if at := int(x.Index[i]) + first; at < n {
			dense[at] = float32(x.Value[i])
		}
	}
	return dense
}

// Decide returns one decision value a class.
func (s *Stack) Decide(x features.Vector) []float64 {
	d := s.Trees.Decide(s.Dense(x))
	if len(d) == 1 {
		return []float64{-d[0], d[0]}
	}
	return d
}

// Rounded returns s with the weights of its first stage rounded to single precision.
func (s *Stack) Rounded() *Stack { return &Stack{Base: s.Base.Rounded(), From: s.From, Trees: s.Trees} }

func (s *Stack) check(classes int) error {
	if err := s.Base.check(classes); err != nil {
		return err
	}
	for k, row := range s.Base.Weights {
		if len(row) > s.From {
			return fmt.Errorf("row %d has %d weights, the words end at component %d", k, len(row), s.From)
		}
	}
	if err := s.Trees.check(); err != nil {
		return err
	}
	if s.Trees.scorer == nil {
		return errors.New("trees are made with NewTrees")
	}
	if rows := len(s.Base.Weights); len(s.Trees.Base) != rows || s.Trees.Inputs <= rows {
		return fmt.Errorf("trees of %d outputs and %d inputs over %d machines", len(s.Trees.Base), s.Trees.Inputs, rows)
	}
	return nil
}

// parts splits the trees' value for x: dense components count for what they
// move it. What a word machine moves is shared among its words by their size,
// those that speak against its answer with the other sign: so all together they
// count for at most as much, however near to 0 they leave it.
func (s *Stack) parts(x features.Vector, class int) []part {
	k, sign := rowOf(len(s.Base.Weights), class)
	moved := s.Trees.Parts(s.Dense(x), k)
	var parts []part
	for row, weights := range s.Base.Weights {
		words := linearParts(x, weights, 1)
		answer, size := s.Base.Bias[row], math.Abs(s.Base.Bias[row])
		for _, p := range words {
			answer += p.weight
			size += math.Abs(p.weight)
		}
		if moved[row] == 0 || size == 0 {
			continue
		}
		unit := sign * moved[row] / size
		if answer < 0 {
			unit = -unit
		}
		for _, p := range words {
			parts = append(parts, part{p.component, unit * p.weight})
		}
	}
	for at := len(s.Base.Weights); at < len(moved); at++ {
		if moved[at] != 0 {
			parts = append(parts, part{s.From + at - len(s.Base.Weights), sign * moved[at]})
		}
	}
	return merge(parts)
}

// top weighs the dense components by how far they move the trees, and the
// words by their weights in the machine of class. The two are not to scale.
func (s *Stack) top(class int) []part {
	k, sign := rowOf(len(s.Base.Weights), class)
	importance := s.Trees.Importance(k)
	var parts []part
	for at := len(s.Base.Weights); at < len(importance); at++ {
		if importance[at] != 0 {
			parts = append(parts, part{s.From + at - len(s.Base.Weights), importance[at]})
		}
	}
	return rowParts(parts, s.Base.Weights[k], sign)
}
