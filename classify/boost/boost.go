// Package boost trains boosted regression trees, alone and as the second stage after linear classifiers.
package boost

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/eventseer/eventseer/classify"
)

// Options control how trees are grown. Zero values stand for the defaults named.
type Options struct {
	// Rounds is the number of trees of each output. Zero means 300.
	Rounds int
	// Leaves is the largest number of leaves of a tree, up to classify.MaxLeaves. Zero means 12.
	Leaves int
	// Rate is the factor by which the values of each tree are multiplied, in (0, 1]. Zero means 0.05.
	Rate float64
	// Penalty is added to the sum of second derivatives of a leaf (λ of Chen and Guestrin 2016, formula
	// 5). Zero means 5.
	Penalty float64
	// Rows and Columns are the fractions of examples and of components that are drawn for each tree, in
	// (0, 1]. Zero means 0.6 and 0.1.
	Rows, Columns float64
	// LeafWeight is the minimum sum of second derivatives of a leaf. Zero means 1.
	LeafWeight float64
	// Forests is the number of independently drawn forests whose values are averaged, which reduces the
	// influence of the draws. Zero means 1; the maximum is maxForests.
	Forests int
	// Seed is the random seed for drawing rows and columns.
	Seed uint64
}

// maxForests is the largest number of forests that are averaged.
const maxForests = 64

func (o Options) withDefaults() (Options, error) {
	ints := []struct {
		name      string
		v         *int
		def, most int
	}{{"Rounds", &o.Rounds, 300, 1 << 15}, {"Leaves", &o.Leaves, 12, classify.MaxLeaves}, {"Forests", &o.Forests, 1, maxForests}}
	for _, f := range ints {
		if *f.v == 0 {
			*f.v = f.def
		}
		if *f.v < 1 || *f.v > f.most {
			return o, fmt.Errorf("boost: %s is %d, must be 1 to %d", f.name, *f.v, f.most)
		}
	}
	for _, f := range []struct {
		name      string
		v         *float64
		def, most float64
	}{{"Rate", &o.Rate, 0.05, 1}, {"Penalty", &o.Penalty, 5, math.MaxFloat64}, {"Rows", &o.Rows, 0.6, 1}, {"Columns", &o.Columns, 0.1, 1}, {"LeafWeight", &o.LeafWeight, 1, math.MaxFloat64}} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if !(*f.v > 0 && *f.v <= f.most) {
			return o, fmt.Errorf("boost: %s is %v, must be above 0 and at most %v", f.name, *f.v, f.most)
		}
	}
	return o, nil
}

// maxCells is the largest product of examples and components; each takes one byte of memory.
const maxCells = 1 << 30

// Grow fits trees to the rows of x by gradient boosting. One output uses the logistic loss (class 1
// against 0), several use the softmax loss, one output per class. All rows must have the same length. The
// same rows, classes and options give the same trees. Grow checks ctx before each round.
func Grow(ctx context.Context, x [][]float32, class []int, outputs int, o Options) (*classify.Trees, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(x) == 0 || len(x)*len(x[0]) > maxCells {
		return nil, fmt.Errorf("boost: there are %d examples; examples times components must be 1 to %d", len(x), maxCells)
	}
	g := newGrower(x, class, outputs, o)
	forest := make([][][]classify.Node, outputs)
	for n := range o.Forests {
		g.beginForest(o.Seed + uint64(n)*forestSeeds)
		for range o.Rounds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g.growRound()
		}
		for k, trees := range g.forest {
			forest[k] = append(forest[k], scaledTrees(trees, 1/float32(o.Forests))...)
		}
	}
	return classify.NewTrees(classify.Trees{Inputs: len(x[0]), Base: g.base, Forest: forest})
}

// forestSeeds is the distance between the seeds of two forests. It is large, so that runs with small
// seeds have no forest in common.
const forestSeeds = 1000

// scaledTrees returns trees with the values of all nodes multiplied by factor.
func scaledTrees(trees [][]classify.Node, factor float32) [][]classify.Node {
	for _, tree := range trees {
		for i := range tree {
			tree[i].Value *= factor
		}
	}
	return trees
}

// A grower is the state of one training.
type grower struct {
	options   Options
	bins      binnedColumns
	class     []int
	base      []float64
	scores    [][]float64 // by output and example
	forest    [][][]classify.Node
	rng       *rand.Rand
	gradients []float64
	curvature []float64 // second derivatives
}

func newGrower(x [][]float32, class []int, outputs int, o Options) *grower {
	n := len(x)
	g := &grower{
		options: o, bins: binColumns(x), class: class,
		gradients: make([]float64, n), curvature: make([]float64, n), scores: make([][]float64, outputs),
	}
	for k := range outputs {
		positives := 0.0
		for _, c := range class {
			if isPositiveForOutput(c, k, outputs) {
				positives++
			}
		}
		base := roundToSingle(math.Log(positives / float64(n)))
		if outputs == 1 {
			base = roundToSingle(math.Log(positives / (float64(n) - positives)))
		}
		g.base = append(g.base, base)
		g.scores[k] = make([]float64, n)
	}
	return g
}

// beginForest begins another forest, drawn with seed.
func (g *grower) beginForest(seed uint64) {
	g.rng = rand.New(rand.NewPCG(seed, 0))
	g.forest = make([][][]classify.Node, len(g.base))
	for k, base := range g.base {
		for i := range g.scores[k] {
			g.scores[k][i] = base
		}
	}
}

// isPositiveForOutput reports whether an example of class c is a positive example of output k.
func isPositiveForOutput(c, k, outputs int) bool {
	if outputs == 1 {
		return c == 1
	}
	return c == k
}

// growRound grows one tree per output, all on the same rows.
func (g *grower) growRound() {
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
			if isPositiveForOutput(c, k, len(g.forest)) {
				g.gradients[i]--
			}
			g.curvature[i] = max(float64(p*(1-p)), 1e-6)
		}
		tree := g.growTree(rows, g.drawColumns())
		g.forest[k] = append(g.forest[k], g.bins.treeNodes(tree))
		for i := range g.class {
			g.scores[k][i] += roundToSingle(g.bins.leafOf(tree, i).value)
		}
	}
}

// roundToSingle rounds v to single precision. Exponentials and logarithms differ in the last bit between
// machines; without rounding, the trees would differ too.
func roundToSingle(v float64) float64 { return float64(float32(v)) }

// probabilities returns the probabilities by the trees grown so far, by output and example.
func (g *grower) probabilities() [][]float64 {
	probs := make([][]float64, len(g.scores))
	for k := range probs {
		probs[k] = make([]float64, len(g.class))
	}
	for i := range g.class {
		if len(probs) == 1 {
			probs[0][i] = roundToSingle(1 / (1 + math.Exp(-g.scores[0][i])))
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
			probs[k][i] = roundToSingle(probs[k][i] / sum)
		}
	}
	return probs
}

// drawColumns draws the columns for one tree from those that have different values, at least one.
func (g *grower) drawColumns() []int {
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

// maxBins is the largest number of bins of a column.
const maxBins = 48

// A binnedColumns holds the columns of the examples as bin numbers.
type binnedColumns struct {
	cuts [][]float32 // for each column the ascending upper limits of its bins: bin b ends at cuts[b]
	bin  [][]uint8   // by column and row
}

// binColumns divides the values of each column into bins with about the same number of rows.
func binColumns(x [][]float32) binnedColumns {
	var b binnedColumns
	values := make([]float32, len(x))
	for j := range x[0] {
		for i, row := range x {
			values[i] = row[j]
		}
		cuts := cutPoints(values)
		bins := make([]uint8, len(x))
		for i, row := range x {
			bins[i] = uint8(sort.Search(len(cuts), func(c int) bool { return row[j] <= cuts[c] }))
		}
		b.cuts, b.bin = append(b.cuts, cuts), append(b.bin, bins)
	}
	return b
}

// cutPoints returns at most maxBins-1 values, each halfway between two neighbouring values. It sorts
// values.
func cutPoints(values []float32) []float32 {
	slices.Sort(values)
	step := len(values)/maxBins + 1
	var cuts []float32
	since := 0
	for i := 1; i < len(values); i++ {
		since++
		if values[i] == values[i-1] || since < step && len(cuts) > 0 || len(cuts) == maxBins-1 {
			continue
		}
		cuts = append(cuts, values[i-1]+(values[i]-values[i-1])/2)
		since = 0
	}
	return cuts
}

// A branch is a node of a tree that is being grown. Rows with a bin up to bin go left.
type branch struct {
	column      int // -1 for a leaf
	bin         uint8
	left, right int
	value       float64
}

// leafOf returns the leaf that row i reaches.
func (b binnedColumns) leafOf(tree []branch, i int) branch {
	at := tree[0]
	for at.column >= 0 {
		if b.bin[at.column][i] <= at.bin {
			at = tree[at.left]
		} else {
			at = tree[at.right]
		}
	}
	return at
}

// treeNodes returns the tree as nodes of a classify.Trees.
func (b binnedColumns) treeNodes(tree []branch) []classify.Node {
	nodes := make([]classify.Node, len(tree))
	for i, t := range tree {
		nodes[i] = classify.Node{Input: int32(t.column), Left: int32(t.left), Right: int32(t.right), Value: float32(t.value)}
		if t.column >= 0 {
			nodes[i].Threshold = b.cuts[t.column][t.bin]
		}
	}
	return nodes
}

// A split is a leaf with the best split of its rows.
type split struct {
	node                 int
	rows                 []int32
	gradients, curvature float64 // sums over the rows
	gain                 float64 // 0 if the rows cannot be split
	column               int
	bin                  uint8
}

// growTree grows a tree leaf by leaf, always splitting the leaf with the highest gain. The gain is that of
// Chen and Guestrin 2016, formula 7.
func (g *grower) growTree(rows []int32, columns []int) []branch {
	var tree []branch
	add := func(rows []int32) *split {
		s := g.bestSplit(rows, columns)
		s.node = len(tree)
		tree = append(tree, branch{column: -1, value: -g.options.Rate * s.gradients / (s.curvature + g.options.Penalty)})
		return s
	}
	leaves := []*split{add(rows)}
	for len(leaves) < g.options.Leaves {
		most := 0
		for i, s := range leaves {
			if s.gain > leaves[most].gain {
				most = i
			}
		}
		s := leaves[most]
		if s.gain <= 0 {
			break
		}
		left, right := g.partitionRows(s)
		a, b := add(left), add(right)
		tree[s.node].column, tree[s.node].bin, tree[s.node].left, tree[s.node].right = s.column, s.bin, a.node, b.node
		leaves[most] = a
		leaves = append(leaves, b)
	}
	return tree
}

func (g *grower) partitionRows(s *split) (left, right []int32) {
	for _, i := range s.rows {
		if g.bins.bin[s.column][i] <= s.bin {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}

// leastGain is the minimum gain of a split: a smaller one may be a rounding error.
const leastGain = 1e-6

// bestSplit returns the split of rows with the highest gain; of equal ones, the first by column and bin.
func (g *grower) bestSplit(rows []int32, columns []int) *split {
	s := &split{rows: rows}
	for _, i := range rows {
		s.gradients += g.gradients[i]
		s.curvature += g.curvature[i]
	}
	whole := lossReduction(s.gradients, s.curvature, g.options.Penalty) + leastGain
	for _, j := range columns {
		var gradients, curvature [maxBins]float64
		for _, i := range rows {
			b := g.bins.bin[j][i]
			gradients[b] += g.gradients[i]
			curvature[b] += g.curvature[i]
		}
		var left, leftCurvature float64
		for b := range g.bins.cuts[j] {
			left += gradients[b]
			leftCurvature += curvature[b]
			rest := s.curvature - leftCurvature
			if leftCurvature < g.options.LeafWeight || rest < g.options.LeafWeight {
				continue
			}
			gain := lossReduction(left, leftCurvature, g.options.Penalty) + lossReduction(s.gradients-left, rest, g.options.Penalty) - whole
			if gain > s.gain {
				s.gain, s.column, s.bin = gain, j, uint8(b)
			}
		}
	}
	return s
}

// lossReduction returns twice the reduction of the loss by a leaf with these sums of derivatives.
func lossReduction(gradients, curvature, penalty float64) float64 {
	return float64(gradients*gradients) / (curvature + penalty)
}
