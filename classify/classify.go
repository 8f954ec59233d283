// Package classify holds classifiers, their calibrations, the model file format, and the judges that
// apply models to pages. The classifiers are Linear, Kernel, and Stack, which contains Trees;
// calibrations map their decision values to probabilities. The learning algorithms are in the
// subpackages.
package classify

import (
	"context"
	"fmt"
	"math"

	"github.com/eventseer/eventseer/features"
)

// An Example is one labelled vector.
type Example struct {
	X features.Vector
	// Class is an index into the class names passed to Trainer.Train.
	Class int
	// Group names examples that must not be split between training and test data, such as the pages of
	// one site.
	Group string
}

// A Classifier computes decision values. It is read-only and safe for concurrent use.
type Classifier interface {
	// Decide returns one value per class; higher is likelier. Values of different classifiers are
	// comparable only after calibration.
	Decide(x features.Vector) []float64
}

// A Trainer fits a Classifier. The same classes, examples, options and seed
// give the same classifier, bit for bit, on every machine.
type Trainer interface {
	// Train fits a classifier that distinguishes the classes. It returns an error if a class has no
	// example, if a value is not finite, or if ctx ends first.
	Train(ctx context.Context, classes []string, examples []Example) (Classifier, error)
}

// A Linear is a Classifier with dense weights. The decision value of row k is the inner product of x and
// Weights[k], plus Bias[k]. It has one row per class; for two classes it may have a single row, whose
// value d gives the decision values {-d, d}.
type Linear struct {
	Weights [][]float64
	Bias    []float64
}

var _ Classifier = (*Linear)(nil)

// Decide returns one decision value per class.
func (l *Linear) Decide(x features.Vector) []float64 {
	if len(l.Weights) == 1 {
		d := x.Dot(l.Weights[0]) + l.Bias[0]
		return []float64{-d, d}
	}
	decisions := make([]float64, len(l.Weights))
	for k, w := range l.Weights {
		decisions[k] = x.Dot(w) + l.Bias[k]
	}
	return decisions
}

// Rounded returns l with weights and biases rounded to single precision, as a model file stores them. A
// model therefore decides the same before it is written and after it is read.
func (l *Linear) Rounded() *Linear {
	single := func(values []float64) []float64 {
		rounded := make([]float64, len(values))
		for i, v := range values {
			rounded[i] = float64(float32(v))
		}
		return rounded
	}
	r := &Linear{Bias: single(l.Bias)}
	for _, row := range l.Weights {
		r.Weights = append(r.Weights, single(row))
	}
	return r
}

// check returns an error if l does not fit the given number of classes or holds a value that is not
// finite.
func (l *Linear) check(classes int) error {
	rows := len(l.Weights)
	if rows != classes && (rows != 1 || classes != 2) {
		return fmt.Errorf("%d rows of weights do not fit %d classes", rows, classes)
	}
	if len(l.Bias) != rows {
		return fmt.Errorf("%d biases do not fit %d rows of weights", len(l.Bias), rows)
	}
	for k, row := range l.Weights {
		for i, w := range row {
			if !isFinite(w) {
				return fmt.Errorf("weight %d of row %d is %v, not a finite number", i, k, w)
			}
		}
		if !isFinite(l.Bias[k]) {
			return fmt.Errorf("the bias of row %d is %v, not a finite number", k, l.Bias[k])
		}
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// CheckExamples returns an error if a Trainer must refuse the examples. The reasons are fewer than two
// classes, a class without examples, and a class or value out of range.
func CheckExamples(classes []string, examples []Example) error {
	if len(classes) < 2 {
		return fmt.Errorf("train: %d classes, at least two are needed", len(classes))
	}
	count := make([]int, len(classes))
	for n, e := range examples {
		if e.Class < 0 || e.Class >= len(classes) {
			return fmt.Errorf("train: the class of example %d is %d, but there are %d classes", n, e.Class, len(classes))
		}
		for i, v := range e.X.Value {
			if !isFinite(v) {
				return fmt.Errorf("train: example %d has the value %v at index %d, which is not a finite number", n, v, e.X.Index[i])
			}
		}
		count[e.Class]++
	}
	for k, n := range count {
		if n == 0 {
			return fmt.Errorf("train: class %q has no example", classes[k])
		}
	}
	return nil
}

// Dimensions returns the number of components of the examples' vectors: their largest index plus one.
func Dimensions(examples []Example) int {
	dims := 0
	for _, e := range examples {
		if n := e.X.Len(); n > 0 {
			dims = max(dims, int(e.X.Index[n-1])+1)
		}
	}
	return dims
}
