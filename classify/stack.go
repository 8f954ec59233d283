package classify

import (
	"errors"
	"fmt"
	"math"

	"github.com/eventseer/eventseer/features"
)

// maxPassages is the largest number of different passage lengths.
const maxPassages = 4

// A Stack is a Classifier of two stages (stacked generalization, Wolpert 1992). Linear classifiers read
// the components below From, which are words. Boosted trees read the decision values of the linear
// classifiers together with the dense components from From on.
type Stack struct {
	// Base has one row per class, or a single one for two classes.
	Base *Linear
	// From is the first dense component.
	From int
	// Trees read a value for each row of Base, then the dense components, then the values of passageInput
	// for each row and passage length. They have one output per row.
	Trees *Trees
	// Passages is the number of different passage lengths in a vector.
	Passages int
}

var _ Classifier = (*Stack)(nil)

// TreeInputs returns the inputs of the trees for x.
func (s *Stack) TreeInputs(x features.Vector) []float32 {
	return StackInput(s.Base, s.From, s.Trees.Inputs-s.passageInputs(), s.Passages, x)
}

// passageInputs returns the number of inputs of the trees that describe passages. They are the last
// inputs.
func (s *Stack) passageInputs() int { return len(s.Base.Weights) * s.Passages * passageValues }

// StackInput returns the inputs of the second stage for x. They are n values of the whole page, then the
// values of passages of each length; passages is the number of lengths.
func StackInput(base *Linear, from, n, passages int, x features.Vector) []float32 {
	dense := make([]float32, n, n+len(base.Weights)*passages*passageValues)
	for k, row := range base.Weights {
		dense[k] = float32(x.Dot(row) + base.Bias[k])
	}
	first := len(base.Weights) - from
	for i := len(x.Index) - 1; i >= 0 && int(x.Index[i]) >= from; i-- {
		if at := int(x.Index[i]) + first; at < n {
			dense[at] = float32(x.Value[i])
		}
	}
	for g := range passages {
		var group []features.Vector
		if g < len(x.Passages) {
			group = x.Passages[g]
		}
		for k, row := range base.Weights {
			dense = append(dense, passageInput(group, row, base.Bias[k])...)
		}
	}
	return dense
}

const (
	// passageValues is the number of values that passageInput returns.
	passageValues = 3
	// noPassage is the decision value used for a passage that the page does not have.
	noPassage = -5
)

// passageInput returns the decision values of a row for the best and the second best passage, and the
// mean over all. A call may be only a part of a long page.
func passageInput(group []features.Vector, row []float64, bias float64) []float32 {
	best, second, sum := float64(noPassage), float64(noPassage), 0.0
	for _, x := range group {
		d := x.Dot(row) + bias
		sum += d
		if d > best {
			best, second = d, best
		} else if d > second {
			second = d
		}
	}
	return []float32{float32(best), float32(second), float32(sum / float64(max(1, len(group))))}
}

// Decide returns one decision value per class.
func (s *Stack) Decide(x features.Vector) []float64 {
	d := s.Trees.Decide(s.TreeInputs(x))
	if len(d) == 1 {
		return []float64{-d[0], d[0]}
	}
	return d
}

// Rounded returns s with the weights of its first stage rounded to single precision.
func (s *Stack) Rounded() *Stack {
	return &Stack{Base: s.Base.Rounded(), From: s.From, Trees: s.Trees, Passages: s.Passages}
}

func (s *Stack) check(classes int) error {
	if err := s.Base.check(classes); err != nil {
		return err
	}
	for k, row := range s.Base.Weights {
		if len(row) > s.From {
			return fmt.Errorf("row %d has %d weights, more than the %d components of words", k, len(row), s.From)
		}
	}
	if err := s.Trees.check(); err != nil {
		return err
	}
	if s.Trees.scorer == nil {
		return errors.New("trees must be made with NewTrees")
	}
	if s.Passages < 0 || s.Passages > maxPassages {
		return fmt.Errorf("there are %d passage lengths, must be 0 to %d", s.Passages, maxPassages)
	}
	if rows := len(s.Base.Weights); len(s.Trees.Base) != rows || s.Trees.Inputs-s.passageInputs() <= rows {
		return fmt.Errorf("trees with %d outputs and %d inputs do not fit %d linear classifiers", len(s.Trees.Base), s.Trees.Inputs, rows)
	}
	return nil
}

// contributions splits the value of the trees for x into contributions of features. A dense component contributes
// what it adds to the value. What a linear classifier adds is distributed among its words in proportion
// to their contributions to its decision value; words that contradict the decision get the opposite sign.
// Shares are relative to the sum of absolute contributions, so together the words get at most what the
// classifier adds, even if its decision value is close to 0. What it adds through passages counts like
// what it adds through the page.
func (s *Stack) contributions(x features.Vector, class int) []contribution {
	k, sign := rowOfClass(len(s.Base.Weights), class)
	moved := s.Trees.Contributions(s.TreeInputs(x), k)
	ofPage := len(moved) - s.passageInputs()
	for i, m := range moved[ofPage:] {
		moved[i/passageValues%len(s.Base.Weights)] += m
	}
	moved = moved[:ofPage]
	var parts []contribution
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
			parts = append(parts, contribution{p.component, unit * p.weight})
		}
	}
	for at := len(s.Base.Weights); at < len(moved); at++ {
		if moved[at] != 0 {
			parts = append(parts, contribution{s.From + at - len(s.Base.Weights), sign * moved[at]})
		}
	}
	return sumParts(parts)
}

// topParts returns the dense components with how far they can change the trees, and the words with their
// weights in the linear classifier of class. The two are on different scales.
func (s *Stack) topParts(class int) []contribution {
	k, sign := rowOfClass(len(s.Base.Weights), class)
	importance := s.Trees.Importance(k)
	importance = importance[:len(importance)-s.passageInputs()]
	var parts []contribution
	for at := len(s.Base.Weights); at < len(importance); at++ {
		if importance[at] != 0 {
			parts = append(parts, contribution{s.From + at - len(s.Base.Weights), importance[at]})
		}
	}
	return rowParts(parts, s.Base.Weights[k], sign)
}
