// Package boost trains boosted regression trees, alone and as the second stage
// over linear machines.
package boost

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"eventseer/classify"
)

// Options say how trees are grown. Zero values mean the defaults named.
type Options struct {
	// Rounds is the number of trees of each output. Zero means 300.
	Rounds int
	// Leaves is the largest number of leaves of a tree, at most
	// classify.MaxLeaves. Zero means 12.
	Leaves int
	// Rate scales what each tree says, in (0, 1]. Zero means 0.05.
	Rate float64
	// Penalty is added to the second derivatives of a leaf (λ of Chen and
	// Guestrin 2016, formula 5). Zero means 5.
	Penalty float64
	// Rows and Columns are the shares of examples and of components that each
	// tree is grown on, in (0, 1]. Zero means 0.6 and 0.1.
	Rows, Columns float64
	// LeafWeight is the least sum of second derivatives of a leaf. Zero means 1.
	LeafWeight float64
	// Seed draws rows and columns.
	Seed uint64
}

func (o Options) withDefaults() (Options, error) {
	ints := []struct {
		v         *int
		def, most int
	}{{&o.Rounds, 300, 1 << 15}, {&o.Leaves, 12, classify.MaxLeaves}}
	for _, f := range ints {
		if *f.v == 0 {
			*f.v = f.def
		}
		if *f.v < 1 || *f.v > f.most {
			return o, fmt.Errorf("boost: %d rounds or leaves, 1 to %d can be had", *f.v, f.most)
		}
	}
	for _, f := range []struct {
		v         *float64
		def, most float64
	}{{&o.Rate, 0.05, 1}, {&o.Penalty, 5, math.MaxFloat64}, {&o.Rows, 0.6, 1}, {&o.Columns, 0.1, 1}, {&o.LeafWeight, 1, math.MaxFloat64}} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if !(*f.v > 0 && *f.v <= f.most) {
			return o, fmt.Errorf("boost: an option is %v, it must be above 0 and at most %v", *f.v, f.most)
		}
	}
	return o, nil
}

// maxCells bounds examples times components: one byte each is held.
const maxCells = 1 << 30

// Grow fits trees to the rows of x, all of the same length, by gradient
// boosting of the logistic loss (outputs 1: class 1 against 0) or of the
// softmax loss (one output a class). The same rows, classes and options give
// the same trees. ctx is looked at before each round.
func Grow(ctx context.Context, x [][]float32, class []int, outputs int, o Options) (*classify.Trees, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(x) == 0 || len(x)*len(x[0]) > maxCells {
		return nil, fmt.Errorf("boost: %d examples, 1 to %d cells can be held", len(x), maxCells)
	}
	g := newGrower(x, class, outputs, o)
	for range o.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.round()
	}
	return classify.NewTrees(classify.Trees{Inputs: len(x[0]), Base: g.base, Forest: g.forest})
}

// A grower holds the state of one training.
type grower struct {
	options   Options
	bins      binned
	class     []int
	base      []float64
	scores    [][]float64 // of each output and example
	forest    [][][]classify.Node
	rng       *rand.Rand
	gradients []float64
	curvature []float64 // second derivatives
}

func newGrower(x [][]float32, class []int, outputs int, o Options) *grower {
	n := len(x)
	g := &grower{
		options: o, bins: binColumns(x), class: class, rng: rand.New(rand.NewPCG(o.Seed, 0)),
		gradients: make([]float64, n), curvature: make([]float64, n), forest: make([][][]classify.Node, outputs),
	}
	for k := range outputs {
		positives := 0.0
		for _, c := range class {
			if isPositive(c, k, outputs) {
				positives++
			}
		}
		base := single(math.Log(positives / float64(n)))
		if outputs == 1 {
			base = single(math.Log(positives / (float64(n) - positives)))
		}
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = base
		}
		g.base, g.scores = append(g.base, base), append(g.scores, scores)
	}
	return g
}

// isPositive reports whether an example of class c is one of output k.
func isPositive(c, k, outputs int) bool {
	if outputs == 1 {
		return c == 1
	}
	return c == k
}

// round grows one tree an output, all on the same rows.
func (g *grower) round() {
	var rows []int32
	for i := range g.class {
		if g.rng.Float64() < g.options.Rows {
			rows = append(rows, int32(i))
		}
	}
	probs := g.probabilities()
	for k := range g.forest {
		for i, c := range g.class {
			p := probs[k][i]
			g.gradients[i] = p
			if isPositive(c, k, len(g.forest)) {
				g.gradients[i]--
			}
			g.curvature[i] = max(float64(p*(1-p)), 1e-6)
		}
		tree := g.grow(rows, g.columns())
		g.forest[k] = append(g.forest[k], g.bins.nodes(tree))
		for i := range g.class {
			g.scores[k][i] += single(g.bins.leaf(tree, i).value)
		}
	}
}

// single rounds to single precision: exponentials and logarithms differ in the
// last bit between machines, and with them the trees would.
func single(v float64) float64 { return float64(float32(v)) }

// probabilities returns what the trees so far say, by output and example.
func (g *grower) probabilities() [][]float64 {
	probs := make([][]float64, len(g.scores))
	for k := range probs {
		probs[k] = make([]float64, len(g.class))
	}
	for i := range g.class {
		if len(probs) == 1 {
			probs[0][i] = single(1 / (1 + math.Exp(-g.scores[0][i])))
			continue
		}
		most, sum := math.Inf(-1), 0.0
		for k := range probs {
			most = max(most, g.scores[k][i])
		}
		for k := range probs {
			probs[k][i] = math.Exp(g.scores[k][i] - most)
			sum += probs[k][i]
		}
		for k := range probs {
			probs[k][i] = single(probs[k][i] / sum)
		}
	}
	return probs
}

// columns draws the columns of one tree, at least one of those that vary.
func (g *grower) columns() []int {
	var drawn, varying []int
	for j, cuts := range g.bins.cuts {
		if len(cuts) == 0 {
			continue
		}
		varying = append(varying, j)
		if g.rng.Float64() < g.options.Columns {
			drawn = append(drawn, j)
		}
	}
	if len(drawn) == 0 && len(varying) > 0 {
		drawn = append(drawn, varying[g.rng.IntN(len(varying))])
	}
	return drawn
}
