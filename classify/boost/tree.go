package boost

import (
	"slices"
	"sort"

	"eventseer/classify"
)

// maxBins bounds the values of a column that are told apart.
const maxBins = 48

// binned holds the columns of the examples as bin numbers.
type binned struct {
	cuts [][]float32 // of each column, increasing: bin b ends at cuts[b]
	bin  [][]uint8   // of each column and row
}

// binColumns parts the values of each column into bins of about the same number
// of rows.
func binColumns(x [][]float32) binned {
	var b binned
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

// cutPoints returns values halfway between neighbours, at most maxBins-1. It
// sorts values.
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

// A branch is a node of a tree that is grown: it sends bins up to bin left.
type branch struct {
	column      int // -1 for a leaf
	bin         uint8
	left, right int
	value       float64
}

// leaf returns where row i ends.
func (b binned) leaf(tree []branch, i int) branch {
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

// nodes returns the tree as a classifier holds it.
func (b binned) nodes(tree []branch) []classify.Node {
	nodes := make([]classify.Node, len(tree))
	for i, t := range tree {
		nodes[i] = classify.Node{Input: int32(t.column), Left: int32(t.left), Right: int32(t.right), Value: float32(t.value)}
		if t.column >= 0 {
			nodes[i].Threshold = b.cuts[t.column][t.bin]
		}
	}
	return nodes
}

// A split is a leaf with the best way to part its rows.
type split struct {
	node                 int
	rows                 []int32
	gradients, curvature float64 // sums over the rows
	gain                 float64 // 0 if there is no way
	column               int
	bin                  uint8
}

// grow grows a tree leaf by leaf, the one first that gains most, with the gain
// of Chen and Guestrin 2016, formula 7.
func (g *grower) grow(rows []int32, columns []int) []branch {
	var tree []branch
	add := func(rows []int32) *split {
		s := g.best(rows, columns)
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
		left, right := g.part(s)
		a, b := add(left), add(right)
		tree[s.node].column, tree[s.node].bin, tree[s.node].left, tree[s.node].right = s.column, s.bin, a.node, b.node
		leaves[most] = a
		leaves = append(leaves, b)
	}
	return tree
}

func (g *grower) part(s *split) (left, right []int32) {
	for _, i := range s.rows {
		if g.bins.bin[s.column][i] <= s.bin {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}

// leastGain is what a split must gain: less is rounding.
const leastGain = 1e-6

// best finds the split of rows that gains most; of equals the first column and bin.
func (g *grower) best(rows []int32, columns []int) *split {
	s := &split{rows: rows}
	for _, i := range rows {
		s.gradients += g.gradients[i]
		s.curvature += g.curvature[i]
	}
	whole := quality(s.gradients, s.curvature, g.options.Penalty) + leastGain
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
			gain := quality(left, leftCurvature, g.options.Penalty) + quality(s.gradients-left, rest, g.options.Penalty) - whole
			if gain > s.gain {
				s.gain, s.column, s.bin = gain, j, uint8(b)
			}
		}
	}
	return s
}

// quality is twice what a leaf of these sums takes off the loss.
func quality(gradients, curvature, penalty float64) float64 {
	return float64(gradients*gradients) / (curvature + penalty)
}
