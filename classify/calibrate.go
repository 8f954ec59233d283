package classify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// A Platt maps a decision value d to a probability, 1/(1+exp(A·d+B)) (Platt
// 1999). A is negative where higher values are likelier.
type Platt struct{ A, B float64 }

// Probability returns the probability that belongs to the decision value d, in [0, 1].
func (p Platt) Probability(d float64) float64 {
	f := float64(p.A*d) + p.B
	if f >= 0 {
		e := math.Exp(-f)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(f))
}

// Constants of Lin, Lin and Weng 2007, appendix.
const (
	plattMaxIter = 100
	plattMinStep = 1e-10
	plattSigma   = 1e-12 // keeps the Hessian positive definite
	plattEps     = 1e-5  // bound on the absolute gradient at the optimum
)

// FitPlatt fits a sigmoid to decision values of examples that the classifier was not trained on. It
// uses Newton's method with backtracking (Lin, Lin, Weng: A Note on Platt's Probabilistic Outputs,
// 2007, appendix). It has no randomness.
func FitPlatt(decisions []float64, positive []bool) (Platt, error) {
	target, err := plattTargets(decisions, positive)
	if err != nil {
		return Platt{}, err
	}
	prior1 := 0.0
	for _, p := range positive {
		if p {
			prior1++
		}
	}
	prior0 := float64(len(positive)) - prior1
	s := Platt{A: 0, B: math.Log((prior0 + 1) / (prior1 + 1))}
	loss := plattLoss(s, decisions, positive, target)
	for range plattMaxIter {
		g1, g2, h11, h22, h21 := plattDerivatives(s, decisions, positive, target)
		if math.Abs(g1) < plattEps && math.Abs(g2) < plattEps {
			break
		}
		det := float64(h11*h22) - float64(h21*h21)
		dA := (float64(h21*g2) - float64(h22*g1)) / det
		dB := (float64(h21*g1) - float64(h11*g2)) / det
		gd := float64(g1*dA) + float64(g2*dB)
		step := 1.0
		for ; step >= plattMinStep; step /= 2 {
			next := Platt{A: s.A + float64(step*dA), B: s.B + float64(step*dB)}
			nextLoss := plattLoss(next, decisions, positive, target)
			if nextLoss < loss+float64(0.0001*step*gd) {
				s, loss = next, nextLoss
				break
			}
		}
		if step < plattMinStep {
			break
		}
	}
	return s, nil
}

// plattTargets returns a function with the target probabilities of positive and negative examples. The
// targets are not 1 and 0 but lie between, farther from 1 and 0 the fewer examples there are (Platt 1999,
// section 2.2).
func plattTargets(decisions []float64, positive []bool) (func(positive bool) float64, error) {
	var prior1, prior0 float64
	for i, p := range positive {
		if !isFinite(decisions[i]) {
			return nil, fmt.Errorf("calibrate: decision value %d is %v, not a finite number", i, decisions[i])
		}
		if p {
			prior1++
		} else {
			prior0++
		}
	}
	if prior1 == 0 || prior0 == 0 {
		return nil, fmt.Errorf("calibrate: there are %g positive and %g negative examples; both kinds are needed", prior1, prior0)
	}
	return func(p bool) float64 {
		if p {
			return (prior1 + 1) / (prior1 + 2)
		}
		return 1 / (prior0 + 2)
	}, nil
}

// plattLoss returns the cross entropy of the targets, formula (5) of Lin et al.
func plattLoss(s Platt, decisions []float64, positive []bool, target func(bool) float64) float64 {
	var loss float64
	for i, d := range decisions {
		t := target(positive[i])
		f := float64(d*s.A) + s.B
		if f >= 0 {
			loss += float64(t*f) + math.Log1p(math.Exp(-f))
		} else {
			loss += float64((t-1)*f) + math.Log1p(math.Exp(f))
		}
	}
	return loss
}

func plattDerivatives(s Platt, decisions []float64, positive []bool, target func(bool) float64) (g1, g2, h11, h22, h21 float64) {
	h11, h22 = plattSigma, plattSigma
	for i, d := range decisions {
		p := s.Probability(d)
		d2 := float64(p * (1 - p))
		h11 += float64(d * d * d2)
		h22 += d2
		h21 += float64(d * d2)
		d1 := target(positive[i]) - p
		g1 += float64(d * d1)
		g2 += d1
	}
	return g1, g2, h11, h22, h21
}

// A Calibrator maps decision values to probabilities in [0, 1]. It is read-only
// and safe for concurrent use.
type Calibrator interface {
	Probability(d float64) float64
}

var (
	_ Calibrator = Platt{}
	_ Calibrator = Isotonic{}
)

// MaxSteps is the largest number of points of an Isotonic.
const MaxSteps = 64

// An Isotonic maps decision values to probabilities by an increasing, piecewise linear function. It has
// the value Probs[i] at Decisions[i] and is constant outside. Decisions strictly increase, Probs do not
// decrease; both have the same length, 1 to MaxSteps.
type Isotonic struct{ Decisions, Probs []float64 }

// Probability returns the probability that belongs to the decision value d.
func (s Isotonic) Probability(d float64) float64 {
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

// Check returns an error if s breaks one of the conditions in the comment of Isotonic.
func (s Isotonic) Check() error {
	if len(s.Decisions) != len(s.Probs) || len(s.Probs) < 1 || len(s.Probs) > MaxSteps {
		return fmt.Errorf("isotonic: %d decision values and %d probabilities; there must be 1 to %d of each", len(s.Decisions), len(s.Probs), MaxSteps)
	}
	for i, p := range s.Probs {
		if !isFinite(s.Decisions[i]) || !(p >= 0 && p <= 1) {
			return fmt.Errorf("isotonic: the probability %v at the decision value %v is not a probability, or the decision value is not finite", p, s.Decisions[i])
		}
		if i > 0 && (s.Decisions[i] <= s.Decisions[i-1] || p < s.Probs[i-1]) {
			return fmt.Errorf("isotonic: point %d is not in ascending order", i)
		}
	}
	return nil
}

// A step is a run of consecutive decision values with the same probability.
type step struct {
	n, decisions, targets float64 // number of examples; sums of their decision values and of their targets
}

func (s step) probability() float64 { return s.targets / s.n }

func (s step) mergedWith(t step) step {
	return step{s.n + t.n, s.decisions + t.decisions, s.targets + t.targets}
}

// FitIsotonic fits an increasing function to decision values of examples that the classifier was not
// trained on. It pools adjacent violators (Zadrozny and Elkan 2002, section 3). The targets are those of
// Platt 1999, as for a sigmoid, so that no probability is 0 or 1. The function interpolates between the
// means of the steps, so that examples of the same step keep their order.
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
		for len(steps) > 0 && (tied || steps[len(steps)-1].probability() >= s.probability()) {
			s, tied = steps[len(steps)-1].mergedWith(s), false
			steps = steps[:len(steps)-1]
		}
		steps = append(steps, s)
	}
	s := newIsotonic(joinSteps(steps))
	return s, s.Check() // not finite if the sum of huge decision values overflowed
}

// joinSteps merges the adjacent steps whose probabilities are closest until at most MaxSteps are left.
func joinSteps(steps []step) []step {
	for len(steps) > MaxSteps {
		closest := 0
		gap := func(i int) float64 { return steps[i+1].probability() - steps[i].probability() }
		for i := range len(steps) - 1 {
			if gap(i) < gap(closest) {
				closest = i
			}
		}
		steps[closest] = steps[closest].mergedWith(steps[closest+1])
		steps = slices.Delete(steps, closest+1, closest+2)
	}
	return steps
}

// newIsotonic returns the function that interpolates between the means of steps. If rounding makes two
// means equal, the probability of the later step is used.
func newIsotonic(steps []step) Isotonic {
	var s Isotonic
	for _, t := range steps {
		d := t.decisions / t.n
		if last := len(s.Decisions) - 1; last >= 0 && d <= s.Decisions[last] {
			s.Probs[last] = t.probability()
			continue
		}
		s.Decisions = append(s.Decisions, d)
		s.Probs = append(s.Probs, t.probability())
	}
	return s
}
