// Package nb trains naive Bayes classifiers: the multinomial, complement and Bernoulli models, and the
// modification by Diligenti et al. that the first context-focused crawler used.
//
// Each is a linear function of the vector and is returned as a Linear. Components are treated as numbers
// of occurrences; weights such as TF-IDF can be used instead (Rennie et al. 2003, section 4), as long as
// none is negative.
package nb

import (
	"context"
	"fmt"
	"math"

	"github.com/eventseer/eventseer/classify"
)

// defaultAlpha is Laplace smoothing: one is added to the count of every component.
const defaultAlpha = 1

// A tally holds the sums from which the models are estimated. Examples with empty vectors are not
// counted.
type tally struct {
	alpha    float64 // added to the sum of each component
	dims     int
	examples []float64   // of each class
	sums     [][]float64 // sum of the values of each component, by class
	total    []float64   // sum of all values, by class
}

// newTally sums the values of the examples after applying the function value; alpha 0 means the default.
// It returns the errors that classify.Trainer documents.
func newTally(ctx context.Context, classes []string, examples []classify.Example, alpha float64, value func(float64) float64) (*tally, error) {
	if alpha == 0 {
		alpha = defaultAlpha
	}
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("naive bayes: alpha is %v, it must be above 0", alpha)
	}
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := &tally{alpha: alpha, dims: classify.Dimensions(examples), examples: make([]float64, len(classes)), total: make([]float64, len(classes))}
	for range classes {
		t.sums = append(t.sums, make([]float64, t.dims))
	}
	for n, e := range examples {
		if e.X.Len() == 0 {
			continue
		}
		t.examples[e.Class]++
		for i, ix := range e.X.Index {
			v := e.X.Value[i]
			if v < 0 {
				return nil, fmt.Errorf("train: example %d has the value %v at index %d; naive Bayes needs values of at least 0", n, v, ix)
			}
			t.sums[e.Class][ix] += value(v)
			t.total[e.Class] += value(v)
		}
	}
	for k, n := range t.examples {
		if n == 0 {
			return nil, fmt.Errorf("train: no example of class %q has a nonzero component", classes[k])
		}
	}
	return t, nil
}

func identity(v float64) float64 { return v }

// logPrior returns the logarithm of the fraction of examples that belong to class.
func (t *tally) logPrior(class int) float64 {
	all := 0.0
	for _, n := range t.examples {
		all += n
	}
	return math.Log(t.examples[class] / all)
}

// discriminant converts log-likelihoods into decision values whose size measures certainty. For two
// classes it takes their difference, for more the difference to the mean of all classes. So terms that
// are equally likely in all classes have weight 0.
func discriminant(weights [][]float64, bias []float64) *classify.Linear {
	if len(weights) == 2 {
		row := make([]float64, len(weights[0]))
		for i := range row {
			row[i] = weights[1][i] - weights[0][i]
		}
		return &classify.Linear{Weights: [][]float64{row}, Bias: []float64{bias[1] - bias[0]}}
	}
	centerValues(bias)
	column := make([]float64, len(weights))
	for i := range weights[0] {
		for k := range weights {
			column[k] = weights[k][i]
		}
		centerValues(column)
		for k := range weights {
			weights[k][i] = column[k]
		}
	}
	return &classify.Linear{Weights: weights, Bias: bias}
}

// centerValues subtracts the mean of values from each.
func centerValues(values []float64) {
	var mean float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for i := range values {
		values[i] -= mean
	}
}

// A Multinomial fits the multinomial model (McCallum and Nigam 1998, section 2.2). In it, the words of a
// document are drawn independently from the word distribution of its class. It is safe for concurrent
// use.
type Multinomial struct {
	// Alpha is added to the sum of each component, above 0. Zero means 1.
	Alpha float64
}

var _ classify.Trainer = Multinomial{}

// Train returns a *classify.Linear. For two classes it has one row, whose value is the logarithm of the
// odds. Train returns an error if a value is negative.
func (m Multinomial) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	t, err := newTally(ctx, classes, examples, m.Alpha, identity)
	if err != nil {
		return nil, err
	}
	var weights [][]float64
	var bias []float64
	for k, sums := range t.sums {
		under := t.total[k] + float64(t.alpha*float64(t.dims))
		row := make([]float64, t.dims)
		for i, sum := range sums {
			row[i] = math.Log((sum + t.alpha) / under)
		}
		weights = append(weights, row)
		bias = append(bias, t.logPrior(k))
	}
	return discriminant(weights, bias), nil
}

// A Bernoulli fits the multi-variate Bernoulli model: a component is present or absent, and absence
// counts as well (McCallum and Nigam 1998, section 2.1). In training any value above 0 counts as present.
// The classifier is exact only for vectors whose values are 1. It is safe for concurrent use.
type Bernoulli struct {
	// Alpha is added to the numbers of examples with and without each component; it is above 0. Zero
	// means 1.
	Alpha float64
}

var _ classify.Trainer = Bernoulli{}

// Train returns a *classify.Linear whose biases include the contribution of absent components. It returns
// an error if a value is negative.
func (b Bernoulli) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	t, err := newTally(ctx, classes, examples, b.Alpha, presence)
	if err != nil {
		return nil, err
	}
	var weights [][]float64
	var bias []float64
	for k, holders := range t.sums {
		row, absent := make([]float64, t.dims), t.logPrior(k)
		under := t.examples[k] + 2*t.alpha
		for i, n := range holders {
			with, without := math.Log((n+t.alpha)/under), math.Log((t.examples[k]-n+t.alpha)/under)
			row[i] = with - without
			absent += without
		}
		weights = append(weights, row)
		bias = append(bias, absent)
	}
	return discriminant(weights, bias), nil
}

func presence(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}

// A Complement fits the complement naive Bayes model, made for classes of uneven size. It chooses the
// class whose complement, all other classes together, fits the document least (Rennie, Shih, Teevan and
// Karger 2003, table 4, steps 4 to 8; the term weights of steps 1 to 3 are computed by the vectorizer).
// It has no prior. It is safe for concurrent use.
type Complement struct {
	// Alpha is added to the sum of each component, above 0. Zero means 1.
	Alpha float64
	// Normalize divides the weights of a class by the sum of their absolute values (WCNB, section 3.2).
	// Then no class is preferred because its words depend on each other.
	Normalize bool
}

var _ classify.Trainer = Complement{}

// Train returns a *classify.Linear. It returns an error if a value is negative.
func (c Complement) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	t, err := newTally(ctx, classes, examples, c.Alpha, identity)
	if err != nil {
		return nil, err
	}
	weights := make([][]float64, len(classes))
	for k := range classes {
		weights[k] = t.complementWeights(k)
		if c.Normalize && !scaleToSum(weights[k]) {
			return nil, fmt.Errorf("train: the classes other than %q have no weights to normalise", classes[k])
		}
	}
	return discriminant(weights, make([]float64, len(classes))), nil
}

// complementWeights returns the negative logarithms of the probabilities of the components in all classes except
// class.
func (t *tally) complementWeights(class int) []float64 {
	row := make([]float64, t.dims)
	under := float64(t.alpha * float64(t.dims))
	for k := range t.sums {
		if k == class {
			continue
		}
		under += t.total[k]
		for i, sum := range t.sums[k] {
			row[i] += sum
		}
	}
	for i, sum := range row {
		row[i] = -math.Log((sum + t.alpha) / under)
	}
	return row
}

// scaleToSum scales v so that its absolute values sum to 1. It returns false if that is impossible.
func scaleToSum(v []float64) bool {
	var sum float64
	for _, x := range v {
		sum += math.Abs(x)
	}
	if sum == 0 {
		return false
	}
	for i := range v {
		v[i] /= sum
	}
	return true
}

// A Diligenti fits the modified naive Bayes classifier of the context-focused crawler (Diligenti,
// Coetzee, Lawrence, Giles and Gori 2000). It is the multinomial model over the TF-IDF components of a
// document with the highest values, instead of its words, with likelihoods normalized by length. Paper
// 002, section 2.3.2, names it without a formula.
//
// Here every example is scaled to the sum 1 before probabilities are estimated, so that each document
// counts equally. The vectors to be judged must also have a common length, as features.Options.Normalize
// gives them. It is safe for concurrent use.
type Diligenti struct {
	// Alpha is added to the share of each component, above 0. Zero means 1 divided by the number of
	// components, which together weighs as much as one document.
	Alpha float64
}

var _ classify.Trainer = Diligenti{}

// Train returns a *classify.Linear. It returns an error if a value is negative. Callers that want to put
// uncertain examples into an "other" class do it themselves.
func (d Diligenti) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	scaled := make([]classify.Example, len(examples))
	for n, e := range examples {
		scaled[n] = e
		var sum float64
		for _, v := range e.X.Value {
			sum += v
		}
		if sum > 0 {
			scaled[n].X.Value = make([]float64, len(e.X.Value))
			for i, v := range e.X.Value {
				scaled[n].X.Value[i] = v / sum
			}
		}
	}
	if d.Alpha == 0 {
		d.Alpha = 1 / float64(max(1, classify.Dimensions(examples)))
	}
	return Multinomial(d).Train(ctx, classes, scaled)
}
