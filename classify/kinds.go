package classify

import "fmt"

// Rounded returns c as a model file keeps it: with its linear weights in single
// precision, so that it decides the same before and after a round trip.
func Rounded(c Classifier) Classifier {
	switch c := c.(type) {
	case *Linear:
		return c.Rounded()
	case *Stack:
		return c.Rounded()
	}
	return c
}

// checkClassifier returns an error if the classifier does not fit the classes
// and the vectorizer.
func (m *Model) checkClassifier() error {
	n, size := len(m.Classes), m.Vectorizer.Size()
	switch c := m.Classifier.(type) {
	case *Linear:
		for k, row := range c.Weights {
			if len(row) > size {
				return fmt.Errorf("row %d has %d weights for %d terms", k, len(row), size)
			}
		}
		return c.check(n)
	case *Kernel:
		if len(c.Counts) != n {
			return fmt.Errorf("a kernel of %d classes for %d", len(c.Counts), n)
		}
		return c.check()
	case *Stack:
		if dense := c.Trees.Inputs - len(c.Base.Weights); c.From != m.Vectorizer.Terms() || c.From+dense != size {
			return fmt.Errorf("trees of components %d to %d over a vectorizer of %d terms and %d components", c.From, c.From+dense, m.Vectorizer.Terms(), size)
		}
		return c.check(n)
	}
	return fmt.Errorf("a model file holds no %T", m.Classifier)
}
