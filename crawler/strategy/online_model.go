package strategy

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"
)

// A linkClassifier predicts how near a link is to a call: its classes are ordered, the best last.
// It is read-only.
type linkClassifier struct {
	linear *classify.Linear
	platt  []classify.Platt // one per class; with two classes only the second's is used
	ranks  []int            // of the wanted classes that have examples
	most   int              // rank of the best wanted class
}

// ones are the values of the vectors of links: each word counts 1.
var ones = slices.Repeat([]float64{1}, maxLinkWords)

func linkVector(words []uint32) features.Vector {
	return features.Vector{Index: words, Value: ones[:len(words)]}
}

// trainLinks trains a classifier and calibrates it on its examples, as ACHE does. It omits classes
// without examples and returns nil if fewer than two remain.
func trainLinks(ctx context.Context, t classify.Trainer, classes []string, examples []classify.Example) (*linkClassifier, error) {
	c := &linkClassifier{most: len(classes) - 1}
	for k := range classes {
		if slices.ContainsFunc(examples, func(x classify.Example) bool { return x.Class == k }) {
			c.ranks = append(c.ranks, k)
		}
	}
	if len(c.ranks) < 2 {
		return nil, nil
	}
	names := make([]string, len(c.ranks))
	for k, rank := range c.ranks {
		names[k] = classes[rank]
	}
	for i := range examples {
		examples[i].Class = slices.Index(c.ranks, examples[i].Class)
	}
	trained, err := t.Train(ctx, names, examples)
	if err != nil {
		return nil, err
	}
	linear, ok := trained.(*classify.Linear)
	if !ok {
		return nil, fmt.Errorf("the learner returned a %T; a linear classifier is needed", trained)
	}
	c.linear = linear
	for k := range names {
		decisions, positive := make([]float64, len(examples)), make([]bool, len(examples))
		for i, x := range examples {
			decisions[i], positive[i] = linear.Decide(x.X)[k], x.Class == k
		}
		platt, err := classify.FitPlatt(decisions, positive)
		if err != nil {
			return nil, err
		}
		c.platt = append(c.platt, platt)
	}
	return c, nil
}

// bestProbability returns, with two wanted classes, the probability of the better one. With more, as in ACHE,
// links of a better class come before others, and within a class those of higher probability; the
// result is scaled to the range from 0 to 1.
func (c *linkClassifier) bestProbability(words []uint32) float64 {
	p := classify.CalibratedProbabilities(c.platt, c.linear.Decide(linkVector(words)))
	if c.most == 1 {
		return p[1]
	}
	best := 0
	for k := range p {
		if p[k] > p[best] {
			best = k
		}
	}
	return (float64(c.ranks[best]) + p[best]) / float64(c.most+1)
}

// expectedValue returns the expected value of a link with these words, the mean over its classes. The
// best class has value 1, each before it discount times the next, and the first, of links that lead
// to no call, 0.
func (c *linkClassifier) expectedValue(words []uint32) float64 {
	sum := 0.0
	for k, p := range classify.CalibratedProbabilities(c.platt, c.linear.Decide(linkVector(words))) {
		if c.ranks[k] > 0 {
			sum += p * math.Pow(discount, float64(c.most-c.ranks[k]))
		}
	}
	return sum
}

// describeReason describes the word with the most weight for the best class, such as " by anchor 'call'",
// "" if none does.
func (c *linkClassifier) describeReason(words []linkWord) string {
	row := c.linear.Weights[len(c.linear.Weights)-1]
	var best linkWord
	most := 0.0
	for _, w := range words {
		if int(w.index) < len(row) && row[w.index] > most {
			best, most = w, row[w.index]
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf(" by %s '%s'", best.block, best.word)
}

// linkClassifierNote is the stored form of a linkClassifier: most weights are 0.
type linkClassifierNote struct {
	Dims  int
	Rows  []features.Vector
	Bias  []float64
	Platt []classify.Platt
	Ranks []int
	Most  int
}

// MarshalJSON implements json.Marshaler. Decoding restores the same weights, bit for bit.
func (c *linkClassifier) MarshalJSON() ([]byte, error) {
	n := linkClassifierNote{Dims: len(c.linear.Weights[0]), Bias: c.linear.Bias, Platt: c.platt, Ranks: c.ranks, Most: c.most}
	for _, row := range c.linear.Weights {
		var v features.Vector
		for i, w := range row {
			if w != 0 {
				v.Index, v.Value = append(v.Index, uint32(i)), append(v.Value, w)
			}
		}
		n.Rows = append(n.Rows, v)
	}
	return json.Marshal(n)
}

// UnmarshalJSON is of json.Unmarshaler.
func (c *linkClassifier) UnmarshalJSON(b []byte) error {
	var n linkClassifierNote
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	if len(n.Rows) == 0 || len(n.Rows) != len(n.Bias) || n.Dims < 0 || n.Dims > linkDims || len(n.Platt) != max(2, len(n.Rows)) || len(n.Ranks) != len(n.Platt) || n.Most < 1 {
		return fmt.Errorf("the link classifier has %d rows, %d biases and %d calibrations, which do not fit", len(n.Rows), len(n.Bias), len(n.Platt))
	}
	c.linear, c.platt, c.ranks, c.most = &classify.Linear{Bias: n.Bias}, n.Platt, n.Ranks, n.Most
	for _, v := range n.Rows {
		row := make([]float64, n.Dims)
		for i, ix := range v.Index {
			if int(ix) >= n.Dims || i >= len(v.Value) {
				return fmt.Errorf("a link classifier has the weight %d of %d", ix, n.Dims)
			}
			row[ix] = v.Value[i]
		}
		c.linear.Weights = append(c.linear.Weights, row)
	}
	return nil
}
