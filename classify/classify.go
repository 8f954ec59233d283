// Package classify holds the contracts of the learners, the classifiers they
// give (Linear, Kernel, and Stack with its Trees), the calibrations that make
// probabilities of their values, the model file all this is kept in, and the
// judges that apply models to pages. The learners themselves are in the packages
// below.
package classify

import (
	"context"

	"eventseer/features"
)

// An Example is one labelled vector.
type Example struct {
	X features.Vector
	// Class is an index into the class names the Trainer is given.
	Class int
	// Group ties examples that must stay on one side of a split, such as the
	// pages of one site.
	Group string
}

// A Classifier gives decision values. It is read-only and safe for concurrent use.
type Classifier interface {
	// Decide returns one value a class, higher is likelier. Values of
	// different classifiers are not comparable until they are calibrated.
	Decide(x features.Vector) []float64
}

// A Trainer fits a Classifier. The same classes, examples, options and seed
// give the same classifier, bit for bit, on every machine.
type Trainer interface {
	// Train fits a classifier that tells the classes apart. It returns an
	// error, never a useless classifier, if a class has no example, if a value
	// is not finite, or if ctx ends first.
	Train(ctx context.Context, classes []string, examples []Example) (Classifier, error)
}
