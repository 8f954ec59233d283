// Package svm trains support vector machines.
//
// Linear is this project's own solver for linear classifiers, by dual coordinate descent; use it by
// default. LIBSVM trains C-SVC with any of four kernels through libsvm-go, a port of LIBSVM 3.18. It is
// for small sets, for the learning algorithm of the paper, and for exchange with the C version of LIBSVM.
// The classifiers of both are independent of the trainer.
package svm

import (
	"errors"
	"fmt"
	"math"

	"github.com/eventseer/eventseer/classify"
)

// A matrix holds the examples whose vectors are not empty, row by row (CSR).
type matrix struct {
	start []int // for each row its start in index and value; last the end of the last row
	index []uint32
	value []float64
	class []int // of each row
	dims  int
}

func (m *matrix) numRows() int { return len(m.class) }

// newMatrix copies the examples except those with empty vectors. It returns an error if a vector breaks
// the rules of features.Vector.
func newMatrix(classes []string, examples []classify.Example) (*matrix, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	nonZeros := 0
	for _, e := range examples {
		nonZeros += e.X.Len()
	}
	m := &matrix{
		start: make([]int, 1, len(examples)+1),
		index: make([]uint32, 0, nonZeros),
		value: make([]float64, 0, nonZeros),
		class: make([]int, 0, len(examples)),
	}
	for n, e := range examples {
		if err := checkIndices(e.X.Index, len(e.X.Value)); err != nil {
			return nil, fmt.Errorf("train: example %d: %w", n, err)
		}
		if e.X.Len() == 0 {
			continue
		}
		m.index = append(m.index, e.X.Index...)
		m.value = append(m.value, e.X.Value...)
		m.start = append(m.start, len(m.index))
		m.class = append(m.class, e.Class)
		m.dims = max(m.dims, int(e.X.Index[e.X.Len()-1])+1)
	}
	return m, m.checkClasses(classes)
}

func checkIndices(index []uint32, values int) error {
	if len(index) != values {
		return fmt.Errorf("there are %d indices for %d values", len(index), values)
	}
	for i, ix := range index {
		if i > 0 && ix <= index[i-1] {
			return fmt.Errorf("index %d follows %d, indices must increase", ix, index[i-1])
		}
		if ix >= maxDims {
			return fmt.Errorf("index %d is too large; the largest supported is %d", ix, maxDims-1)
		}
	}
	return nil
}

// maxDims is the largest number of weights of a class, which take 128 MB.
const maxDims = 1 << 24

// checkClasses returns an error if all examples of a class have empty vectors.
func (m *matrix) checkClasses(classes []string) error {
	count := make([]int, len(classes))
	for _, k := range m.class {
		count[k]++
	}
	for k, n := range count {
		if n == 0 {
			return fmt.Errorf("train: class %q has no example with a component: drop the class or look at its examples", classes[k])
		}
	}
	return nil
}

// checkPositive returns an error unless v is finite and above 0.
func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("svm: %s is %v, it must be above 0", name, v)
	}
	return nil
}

// sides holds a number for the examples of a class and one for all others.
type sides struct{ class, rest float64 }

// balanceFactors returns the factors that give both sides of a class the weight n/2.
func balanceFactors(m *matrix, class int) sides {
	in := 0
	for _, k := range m.class {
		if k == class {
			in++
		}
	}
	n := float64(m.numRows())
	return sides{n / float64(2*in), n / float64(2*(m.numRows()-in))}
}

var errNotFinite = errors.New("the solution is not finite: scale the vectors or lower C")

func checkFinite(weights []float64, bias float64) error {
	sum := bias * 0 // NaN if one of them is not finite
	for _, w := range weights {
		sum += w * 0
	}
	if sum != 0 {
		return errNotFinite
	}
	return nil
}
