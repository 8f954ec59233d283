package classify

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// A Calibrator maps decision values to probabilities in [0, 1]. It is read-only
// and safe for concurrent use.
type Calibrator interface {
	Prob(d float64) float64
}

var (
	_ Calibrator = Platt{}
	_ Calibrator = Isotonic{}
)

// MaxSteps bounds the points of an Isotonic.
const MaxSteps = 64

// An Isotonic maps decision values to probabilities by a function that never
// falls: Probs[i] at Decisions[i], straight lines between, level outside.
// Decisions increase, Probs do not decrease; there are 1 to MaxSteps of each.
type Isotonic struct{ Decisions, Probs []float64 }

// Prob returns the probability that belongs to the decision value d.
func (s Isotonic) Prob(d float64) float64 {
	i := sort.SearchFloat64s(s.Decisions, d)
	switch {
	case i == 0:
		return s.Probs[0]
	case i == len(s.Decisions):
		return s.Probs[i-1]
	}
	share := (d - s.Decisions[i-1]) / (s.Decisions[i] - s.Decisions[i-1])
	return s.Probs[i-1] + float64(share*(s.Probs[i]-s.Probs[i-1]))
}

// Check returns an error if s is not what its comment promises.
func (s Isotonic) Check() error {
	if len(s.Decisions) != len(s.Probs) || len(s.Probs) < 1 || len(s.Probs) > MaxSteps {
		return fmt.Errorf("isotonic: %d decision values and %d probabilities, 1 to %d of each can be had", len(s.Decisions), len(s.Probs), MaxSteps)
	}
	for i, p := range s.Probs {
		if !finite(s.Decisions[i]) || !(p >= 0 && p <= 1) {
			return fmt.Errorf("isotonic: probability %v at decision value %v", p, s.Decisions[i])
		}
		if i > 0 && (s.Decisions[i] <= s.Decisions[i-1] || p < s.Probs[i-1]) {
			return fmt.Errorf("isotonic: point %d does not follow the one before", i)
		}
	}
	return nil
}

// A step is a run of decision values of one probability.
type step struct {
	n, decisions, targets float64 // how many, and their sums
}

func (s step) prob() float64 { return s.targets / s.n }

func (s step) with(t step) step {
	return step{s.n + t.n, s.decisions + t.decisions, s.targets + t.targets}
}

// FitIsotonic fits a rising function to decision values of examples that the
// classifier was not trained on, by pooling adjacent violators (Zadrozny and
// Elkan 2002, section 3). As a sigmoid's, its targets are those of Platt 1999,
// not 0 and 1, so that it is never certain; and it is drawn through the mean
// decision value of each step, so that examples of one step keep their order.
func FitIsotonic(decisions []float64, positive []bool) (Isotonic, error) {
	target, err := plattTargets(decisions, positive)
	if err != nil {
		return Isotonic{}, err
	}
	order := make([]int, len(decisions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(decisions[a], decisions[b]) })
	var steps []step
	for at, i := range order {
		s := step{1, decisions[i], target(positive[i])}
		tied := at > 0 && decisions[order[at-1]] == decisions[i]
		for len(steps) > 0 && (tied || steps[len(steps)-1].prob() >= s.prob()) {
			s, tied = steps[len(steps)-1].with(s), false
			steps = steps[:len(steps)-1]
		}
		steps = append(steps, s)
	}
	s := newIsotonic(joinSteps(steps))
	return s, s.Check() // sums of huge decision values overflow
}

// joinSteps joins the neighbours of closest probability until MaxSteps are left.
func joinSteps(steps []step) []step {
	for len(steps) > MaxSteps {
		closest := 0
		gap := func(i int) float64 { return steps[i+1].prob() - steps[i].prob() }
		for i := range len(steps) - 1 {
			if gap(i) < gap(closest) {
				closest = i
			}
		}
		steps[closest] = steps[closest].with(steps[closest+1])
		steps = slices.Delete(steps, closest+1, closest+2)
	}
	return steps
}

// newIsotonic draws a function through steps. Means of huge decision values may
// coincide; then the later step's probability holds.
func newIsotonic(steps []step) Isotonic {
	var s Isotonic
	for _, t := range steps {
		d := t.decisions / t.n
		if last := len(s.Decisions) - 1; last >= 0 && d <= s.Decisions[last] {
			s.Probs[last] = t.prob()
			continue
		}
		s.Decisions = append(s.Decisions, d)
		s.Probs = append(s.Probs, t.prob())
	}
	return s
}
