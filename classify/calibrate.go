package classify

import (
	"fmt"
	"math"
)

// A Platt maps a decision value d to a probability, 1/(1+exp(A·d+B)) (Platt
// 1999). A is negative where higher values are likelier.
type Platt struct{ A, B float64 }

// Prob returns the probability that belongs to the decision value d, in [0, 1].
func (p Platt) Prob(d float64) float64 {
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
	plattEps     = 1e-5  // largest gradient at the end
)

// FitPlatt fits a sigmoid to decision values of examples that the classifier
// was not trained on, by Newton's method with backtracking (Lin, Lin, Weng:
// A Note on Platt's Probabilistic Outputs, 2007, appendix). It has no randomness.
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

// plattTargets returns the probabilities that stand for yes and no, a little
// inside of 1 and 0 by how few examples say so (Platt 1999, section 2.2).
func plattTargets(decisions []float64, positive []bool) (func(positive bool) float64, error) {
	var prior1, prior0 float64
	for i, p := range positive {
		if !finite(decisions[i]) {
			return nil, fmt.Errorf("calibrate: decision value %d is %v", i, decisions[i])
		}
		if p {
			prior1++
		} else {
			prior0++
		}
	}
	if prior1 == 0 || prior0 == 0 {
		return nil, fmt.Errorf("calibrate: %g positive and %g negative examples, both are needed", prior1, prior0)
	}
	return func(p bool) float64 {
		if p {
			return (prior1 + 1) / (prior1 + 2)
		}
		return 1 / (prior0 + 2)
	}, nil
}

// plattLoss is the cross entropy of the targets, formula (5) of Lin et al.
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
		p := s.Prob(d)
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
