// Package loglinear trains log-linear models over hashed features: classifiers
// (multinomial logistic regression) and rankers, which choose one of several
// candidates (conditional logit, McFadden 1974).
package loglinear

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eventseer/eventseer/classify"
)

// Options control how a model is trained. Zero values stand for the defaults named.
type Options struct {
	// Epochs is the number of passes over the examples. Zero means 8.
	Epochs int
	// Rate is the α of the learning rate. Zero means 0.1.
	Rate float64
	// L1 and L2 are the strengths of the regularization towards 0; L1 gives sparse models.
	L1, L2 float64
	// MinGroups is the number of groups in which a feature must occur to be used. A feature of only one
	// site tells nothing about others. Zero means 1.
	MinGroups int
	// Seed is the random seed for the order of the examples in each epoch.
	Seed uint64
	// Base is the model with which training starts. What is learned is added to its weights. L1 and L2
	// then regularize towards Base instead of 0, for biases too (a Gaussian prior around a model of other
	// data, Chelba and Acero 2004). Nil means that all weights start at 0.
	Base *classify.LogLinear
}

func (o *Options) setDefaults() {
	if o.Epochs == 0 {
		o.Epochs = 8
	}
	if o.Rate == 0 {
		o.Rate = 0.1
	}
	if o.MinGroups == 0 {
		o.MinGroups = 1
	}
}

// beta is the β of the learning rate α/(β+√n), n the sum of the squared gradients.
const beta = 1

// An Example is one vector with its class.
type Example struct {
	Terms []classify.Term
	Class int
	Group string
	// Weight multiplies the loss of the example. Zero means 1.
	Weight float64
}

// A Choice is a set of candidates of which some are right.
type Choice struct {
	Candidates [][]classify.Term
	// Gain is the value of choosing each candidate, 0 for a wrong one. A choice without a right candidate
	// is ignored.
	Gain   []float64
	Group  string
	Weight float64 // factor of its loss; zero means 1
}

// Train fits a model with a score for each class to the examples that use selects, all if use is nil. The
// method is FTRL-Proximal (McMahan et al. 2013, algorithm 1) with the softmax loss. The same examples and
// options give the same model. Train checks ctx before each epoch.
func Train(ctx context.Context, m classify.Meta, classes int, examples []Example, use func(i int) bool, o Options) (*classify.LogLinear, error) {
	o.setDefaults()
	order := selectedIndices(len(examples), use)
	if len(order) == 0 {
		return nil, fmt.Errorf("no examples to train on")
	}
	if classes < 2 {
		return nil, fmt.Errorf("%d classes, at least 2 are needed", classes)
	}
	if o.Base != nil && o.Base.Outputs() != classes {
		return nil, fmt.Errorf("the base model has %d outputs, must have %d", o.Base.Outputs(), classes)
	}
	t := newTrainer(classes, o)
	for _, i := range order {
		if c := examples[i].Class; c < 0 || c >= classes {
			return nil, fmt.Errorf("the class of example %d is %d, but there are %d classes", i, c, classes)
		}
		t.countGroups(examples[i].Group, examples[i].Terms)
	}
	scores := make([]float64, classes)
	err := t.runEpochs(ctx, order, func(i int) {
		e := &examples[i]
		t.scores(e.Terms, scores)
		if o.Base != nil {
			o.Base.Add(e.Terms, scores)
			for k, b := range o.Base.Bias() {
				scores[k] += float64(b)
			}
		}
		classify.Softmax(scores)
		scores[e.Class]--
		scaleBy(scores, e.Weight)
		t.updateWeights(e.Terms, scores)
	})
	if err != nil {
		return nil, err
	}
	return t.buildModel(m, true)
}

// TrainRanker fits a model with one output and without bias for ranking. The softmax over the candidates
// of a choice then gives most of the probability to the right ones, in proportion to their gains.
// Otherwise it is like Train.
func TrainRanker(ctx context.Context, m classify.Meta, choices []Choice, use func(i int) bool, o Options) (*classify.LogLinear, error) {
	o.setDefaults()
	order := slices.DeleteFunc(selectedIndices(len(choices), use), func(i int) bool {
		return !slices.ContainsFunc(choices[i].Gain, func(g float64) bool { return g > 0 })
	})
	if len(order) == 0 {
		return nil, fmt.Errorf("none of the choices to train on has a candidate with a gain above 0")
	}
	t := newTrainer(1, o)
	for _, i := range order {
		if len(choices[i].Gain) != len(choices[i].Candidates) {
			return nil, fmt.Errorf("choice %d has %d gains for %d candidates", i, len(choices[i].Gain), len(choices[i].Candidates))
		}
		t.countGroups(choices[i].Group, choices[i].Candidates...)
	}
	all := make([]*packedChoice, len(choices))
	var sum []float64
	err := t.runEpochs(ctx, order, func(i int) {
		if all[i] == nil {
			all[i] = t.packChoice(&choices[i])
		}
		if sum == nil {
			sum = make([]float64, len(t.w))
		}
		t.updateByChoice(&choices[i], all[i], sum)
	})
	if err != nil {
		return nil, err
	}
	return t.buildModel(m, false)
}

// A packedChoice is a choice with the terms of all candidates in one list, by row of the weights. Terms for
// which no weight is learned are left out.
type packedChoice struct {
	rows   []int32
	values []float32
	ends   []int // for each candidate the end of its terms in rows
}

func (t *trainer) packChoice(c *Choice) *packedChoice {
	p := &packedChoice{ends: make([]int, len(c.Candidates))}
	for i, terms := range c.Candidates {
		for _, x := range terms {
			if row, ok := t.index[x.ID]; ok {
				p.rows, p.values = append(p.rows, row), append(p.values, x.Value)
			}
		}
		p.ends[i] = len(p.rows)
	}
	return p
}

// updateByChoice updates the weights by one choice; the loss is -log Σ p·gain. The slice sum must hold a zero
// per row of the weights, and holds zeros again when updateByChoice returns.
func (t *trainer) updateByChoice(c *Choice, terms *packedChoice, sum []float64) {
	p := make([]float64, len(terms.ends))
	from := 0
	for i, end := range terms.ends {
		for k := from; k < end; k++ {
			p[i] += float64(float64(terms.values[k]) * t.w[terms.rows[k]])
		}
		from = end
	}
	classify.Softmax(p)
	mass := 0.0
	for i := range p {
		mass += float64(p[i] * c.Gain[i])
	}
	if mass == 0 {
		return
	}
	// The gradients of a term are summed over the candidates first, so that each weight is updated once
	// per choice.
	one := make([]float64, 1)
	from = 0
	for i, end := range terms.ends {
		one[0] = p[i] - p[i]*c.Gain[i]/mass
		scaleBy(one, c.Weight)
		for k := from; k < end; k++ {
			sum[terms.rows[k]] += float64(one[0] * float64(terms.values[k]))
		}
		from = end
	}
	for _, row := range terms.rows {
		if one[0] = sum[row]; one[0] != 0 {
			sum[row] = 0
			t.updateWeight(int(row), 1, one)
		}
	}
}

func scaleBy(g []float64, weight float64) {
	if weight == 0 {
		return
	}
	for k := range g {
		g[k] *= weight
	}
}

func selectedIndices(n int, use func(int) bool) []int {
	var order []int
	for i := range n {
		if use == nil || use(i) {
			order = append(order, i)
		}
	}
	return order
}

// A trainer is the state of FTRL-Proximal: z and n of each weight.
type trainer struct {
	Options
	outputs int
	index   map[uint32]int32 // row of each feature; row 0 is the bias
	seen    map[uint32]featureGroups
	w, z, n []float64 // by row and output; w is computed from z and n
}

// A featureGroups counts the groups in which a feature occurs, and holds the last of them.
type featureGroups struct {
	n    int
	last string
}

func newTrainer(outputs int, o Options) *trainer {
	return &trainer{Options: o, outputs: outputs, index: map[uint32]int32{}, seen: map[uint32]featureGroups{}}
}

// countGroups counts the groups of each feature. It compares only with the feature's previous group: if
// examples of two groups alternate, each change counts.
func (t *trainer) countGroups(group string, vectors ...[]classify.Term) {
	for _, terms := range vectors {
		for _, x := range terms {
			if g := t.seen[x.ID]; g.n == 0 || g.last != group {
				t.seen[x.ID] = featureGroups{g.n + 1, group}
			}
		}
	}
}

func (t *trainer) runEpochs(ctx context.Context, order []int, step func(i int)) error {
	row := int32(1)
	for _, id := range slices.Sorted(maps.Keys(t.seen)) {
		if t.seen[id].n >= t.MinGroups {
			t.index[id] = row
			row++
		}
	}
	t.seen = nil
	size := int(row) * t.outputs
	t.w, t.z, t.n = make([]float64, size), make([]float64, size), make([]float64, size)
	draw := rand.New(rand.NewPCG(t.Seed, 0))
	for range t.Epochs {
		if err := ctx.Err(); err != nil {
			return err
		}
		draw.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		for _, i := range order {
			step(i)
		}
	}
	return nil
}

// setWeight computes weight i from z and the square root of n.
func (t *trainer) setWeight(i int, root float64) {
	z, l1, l2 := t.z[i], t.L1, t.L2
	if i < t.outputs && t.Base == nil { // biases are free
		l1, l2 = 0, 0
	}
	if math.Abs(z) <= l1 {
		t.w[i] = 0
		return
	}
	t.w[i] = -(z - math.Copysign(l1, z)) / ((beta+root)/t.Rate + l2)
}

func (t *trainer) scores(terms []classify.Term, scores []float64) {
	copy(scores, t.w[:t.outputs])
	for _, x := range terms {
		row, ok := t.index[x.ID]
		if !ok {
			continue
		}
		at := int(row) * t.outputs
		for k, w := range t.w[at : at+t.outputs] {
			scores[k] += float64(float64(x.Value) * w)
		}
	}
}

// updateWeights updates the weights of terms by the gradient of the loss with respect to each score.
func (t *trainer) updateWeights(terms []classify.Term, slope []float64) {
	if t.outputs > 1 {
		t.updateWeight(0, 1, slope)
	}
	for _, x := range terms {
		if row, ok := t.index[x.ID]; ok {
			t.updateWeight(int(row)*t.outputs, float64(x.Value), slope)
		}
	}
}

// minGradient is the gradient below which a weight is not updated. If there are many classes, most have nearly
// no probability, and updating their weights would take most of the time.
const minGradient = 1e-3

func (t *trainer) updateWeight(at int, value float64, slope []float64) {
	for k, s := range slope {
		g := float64(s * value)
		if math.Abs(g) < minGradient {
			continue
		}
		i := at + k
		n := t.n[i] + float64(g*g)
		root := math.Sqrt(n)
		sigma := (root - math.Sqrt(t.n[i])) / t.Rate
		t.z[i] += g - float64(sigma*t.w[i])
		t.n[i] = n
		t.setWeight(i, root)
	}
}

func (t *trainer) buildModel(m classify.Meta, bias bool) (*classify.LogLinear, error) {
	biases, weights := make([]float64, t.outputs), map[uint32][]float64{}
	if bias {
		for k := range biases {
			biases[k] = t.w[k]
		}
	}
	for id, row := range t.index {
		at := int(row) * t.outputs
		weights[id] = t.w[at : at+t.outputs]
	}
	if t.Base != nil {
		t.addBase(biases, weights)
	}
	return classify.NewLogLinear(m, biases, weights)
}

// addBase adds the weights of the base model.
func (t *trainer) addBase(biases []float64, weights map[uint32][]float64) {
	for k, b := range t.Base.Bias() {
		biases[k] += float64(b)
	}
	for _, id := range t.Base.IDs() {
		if weights[id] == nil {
			weights[id] = make([]float64, t.outputs)
		}
		outputs, values := t.Base.Weights(id)
		for i, k := range outputs {
			weights[id][k] += float64(values[i])
		}
	}
}
