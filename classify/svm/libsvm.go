package svm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"eventseer/classify"
)

// LIBSVM is a trainer of C-SVC through libsvm-go, for sets of up to some
// thousand examples: time and memory grow with the square of their number. It
// has no randomness; on processors that fuse multiplication and addition the
// library's sums, and so the machine, may differ in the last digits. Trainings of
// one process run one after the other, because the library sets GOMAXPROCS; a
// training must not run beside other work that changes it.
type LIBSVM struct {
	// Kernel is LinearKernel unless set.
	Kernel classify.KernelType
	// C is the cost of a training error, above 0. Zero means 1.
	C float64
	// Gamma is that of the kernel, above 0; the linear one has none. Zero means
	// one divided by the largest index of the examples, counted from 1.
	Gamma float64
	// Coef0 is that of the polynomial and the sigmoid kernel.
	Coef0 float64
	// Degree is that of the polynomial kernel, up to 100. Zero means 3.
	Degree int
	// Balanced multiplies C for the examples of each side of a machine by
	// n / sides·n(side), so that all sides weigh the same; pairwise machines
	// have all classes for sides.
	Balanced bool
	// Eps is the tolerance of the stopping criterion. Zero means 0.001.
	Eps float64
	// Pairwise trains linear machines for more than two classes a pair of
	// classes, as LIBSVM does, instead of one a class against all others. The
	// other kernels do so anyway.
	Pairwise bool
}

var _ classify.Trainer = LIBSVM{}

// Train returns a *classify.Linear of machines collapsed to weight vectors,
// exact but for rounding, or a *classify.Kernel for the other kernels and for
// Pairwise. Examples without any component are left out. ctx is looked at before
// each call of the library, not within one.
func (t LIBSVM) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	m, err := newMatrix(classes, examples)
	if err != nil {
		return nil, err
	}
	t, err = t.withDefaults(m.dims)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kernel != classify.LinearKernel || t.Pairwise && len(classes) > 2:
		return t.solve(ctx, m, m.class, len(classes))
	case len(classes) == 2:
		return t.collapsed(ctx, m, m.class)
	}
	model := &classify.Linear{}
	for k, class := range classes {
		against := make([]int, m.rows())
		for i, c := range m.class {
			if c == k {
				against[i] = 1
			}
		}
		machine, err := t.collapsed(ctx, m, against)
		if err != nil {
			return nil, fmt.Errorf("train: class %q: %w", class, err)
		}
		model.Weights = append(model.Weights, machine.Weights...)
		model.Bias = append(model.Bias, machine.Bias...)
	}
	return model, nil
}

// collapsed trains one linear machine on sides 0 and 1.
func (t LIBSVM) collapsed(ctx context.Context, m *matrix, side []int) (*classify.Linear, error) {
	k, err := t.solve(ctx, m, side, 2)
	if err != nil {
		return nil, err
	}
	return k.Linear(), nil
}

func (t LIBSVM) withDefaults(dims int) (LIBSVM, error) {
	if t.C == 0 {
		t.C = 1
	}
	if t.Eps == 0 {
		t.Eps = 1e-3
	}
	if t.Gamma == 0 {
		t.Gamma = 1 / float64(max(1, dims))
	}
	if t.Degree == 0 {
		t.Degree = 3
	}
	if err := errors.Join(checkPositive("C", t.C), checkPositive("Eps", t.Eps), checkPositive("Gamma", t.Gamma)); err != nil {
		return t, err
	}
	switch {
	case t.Kernel < classify.LinearKernel || t.Kernel > classify.SigmoidKernel:
		return t, fmt.Errorf("svm: there is no %v", t.Kernel)
	case t.Degree < 1 || t.Degree > maxDegree:
		return t, fmt.Errorf("svm: Degree is %d, it is 1 to %d", t.Degree, maxDegree)
	case math.IsNaN(t.Coef0) || math.IsInf(t.Coef0, 0):
		return t, fmt.Errorf("svm: Coef0 is %v", t.Coef0)
	}
	return t, nil
}

// maxDegree bounds the degree of a polynomial kernel to train with.
const maxDegree = 100
