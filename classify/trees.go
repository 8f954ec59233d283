package classify

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Trees are boosted regression trees (Friedman 2001). The decision value of output k is Base[k] plus the
// sum of the values that the trees of k have for the vector. They are read-only and safe for concurrent
// use. Make them with NewTrees.
type Trees struct {
	// Inputs is the number of components that the trees may test.
	Inputs int
	// Base holds the value of each output before any tree.
	Base []float64
	// Forest holds the trees of each output, each a list of nodes, its root first.
	Forest [][][]Node

	scorer *scorer
}

// A Node is an inner node of a tree, which tests one component, or a leaf.
type Node struct {
	// Input is the index of the component that is tested, or -1 for a leaf.
	Input int32
	// Threshold is the largest value of the component for which the vector goes to Left.
	Threshold float32
	// Left and Right are the indexes of the children, which come later in the same tree.
	Left, Right int32
	// Value is the tree's output for a vector that ends at this leaf. For an inner node it is the mean
	// output below it.
	Value float32
}

// Limits on Trees.
const (
	maxTreeNodes  = 2*MaxLeaves - 1
	maxTrees      = 1 << 16 // of one output
	maxTreeInputs = 1 << 20
)

// NewTrees returns t prepared for use. It returns an error if a child index points back or two nodes
// share a child, if a component is out of range, if a value is not finite, or if a tree has more than
// MaxLeaves leaves.
func NewTrees(t Trees) (*Trees, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("trees: %w", err)
	}
	t.scorer = newScorer(t.Inputs, t.Forest)
	return &t, nil
}

func (t *Trees) check() error {
	if t.Inputs < 1 || t.Inputs > maxTreeInputs || len(t.Base) < 1 || len(t.Base) != len(t.Forest) || len(t.Base) > maxClasses {
		return fmt.Errorf("%d inputs, %d base values and trees of %d outputs do not fit together", t.Inputs, len(t.Base), len(t.Forest))
	}
	for k, trees := range t.Forest {
		if !isFinite(t.Base[k]) || len(trees) > maxTrees {
			return fmt.Errorf("output %d: base value %v and %d trees", k, t.Base[k], len(trees))
		}
		for i, tree := range trees {
			if err := checkTree(tree, t.Inputs); err != nil {
				return fmt.Errorf("output %d, tree %d: %w", k, i, err)
			}
		}
	}
	return nil
}

func checkTree(tree []Node, inputs int) error {
	if len(tree) < 1 || len(tree) > maxTreeNodes {
		return fmt.Errorf("%d nodes, must be 1 to %d", len(tree), maxTreeNodes)
	}
	ways := make([]int, len(tree)) // number of nodes that have each node as a child
	for at, n := range tree {
		if at > 0 && ways[at] != 1 {
			return fmt.Errorf("%d nodes have node %d as a child", ways[at], at)
		}
		if !isFinite(float64(n.Value)) || !isFinite(float64(n.Threshold)) {
			return fmt.Errorf("node %d holds a value that is not finite", at)
		}
		if n.Input < 0 {
			continue
		}
		later := func(next int32) bool { return int(next) > at && int(next) < len(tree) }
		if int(n.Input) >= inputs || !later(n.Left) || !later(n.Right) {
			return fmt.Errorf("node %d is damaged: it tests component %d of %d and has the children %d and %d of %d nodes", at, n.Input, inputs, n.Left, n.Right, len(tree))
		}
		ways[n.Left]++
		ways[n.Right]++
	}
	return nil
}

// Decide returns the value of each output for the dense vector x, which must have t.Inputs components.
func (t *Trees) Decide(x []float32) []float64 {
	out := slices.Clone(t.Base)
	t.scorer.addLeafValues(out, x)
	return out
}

// Contributions returns the contribution of each component to the value of output k. It is the sum of the changes
// of the nodes' values along the path of x at nodes that test the component (Saabas 2014).
func (t *Trees) Contributions(x []float32, k int) []float64 {
	parts := make([]float64, t.Inputs)
	for _, tree := range t.Forest[k] {
		n := &tree[0]
		for n.Input >= 0 {
			next := &tree[n.Right]
			if x[n.Input] <= n.Threshold {
				next = &tree[n.Left]
			}
			parts[n.Input] += float64(next.Value) - float64(n.Value)
			n = next
		}
	}
	return parts
}

// Importance returns how far each component can change the value of output k. It is the sum of the
// differences between the two children of the nodes that test it.
func (t *Trees) Importance(k int) []float64 {
	sums := make([]float64, t.Inputs)
	for _, tree := range t.Forest[k] {
		for _, n := range tree {
			if n.Input >= 0 {
				sums[n.Input] += math.Abs(float64(tree[n.Left].Value) - float64(tree[n.Right].Value))
			}
		}
	}
	return sums
}

// A scorer finds the leaf of a vector in all trees at the same time with QuickScorer (Lucchese et al.
// 2015, algorithm 1). A walk from root to leaf would wait for memory at every node. The scorer instead
// reads the nodes that send the vector right one after the other, component by component in ascending
// order of thresholds until one is at least the value, and each excludes the leaves to its left. Most
// components are 0, which is below all thresholds.
type scorer struct {
	lowest []float32 // for each input its lowest threshold, infinite if no node tests it
	from   []uint32  // for each input the index of its first cut; last the number of cuts
	cuts   []cut     // sorted by input, then by threshold
	first  []uint32  // for each tree the index of its first leaf
	leaves []float32
	ends   []int // for each output the index after its last tree
}

// A cut is an inner node of a tree. A value above its threshold excludes the leaves in excludes, where bit
// i stands for the i-th leaf from the left.
type cut struct {
	threshold float32
	tree      uint32
	excludes  uint32
}

// MaxLeaves is the largest number of leaves of a tree: one bit each in a cut.
const MaxLeaves = 32

func newScorer(inputs int, forest [][][]Node) *scorer {
	s := &scorer{from: make([]uint32, inputs+1)}
	byInput := make([][]cut, inputs)
	for _, trees := range forest {
		for _, tree := range trees {
			s.first = append(s.first, uint32(len(s.leaves)))
			s.addSubtree(tree, 0, byInput)
		}
		s.ends = append(s.ends, len(s.first))
	}
	for i, cuts := range byInput {
		slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.threshold, b.threshold) })
		lowest := float32(math.Inf(1))
		if len(cuts) > 0 {
			lowest = cuts[0].threshold
		}
		s.lowest = append(s.lowest, lowest)
		s.cuts = append(s.cuts, cuts...)
		s.from[i+1] = uint32(len(s.cuts))
	}
	return s
}

// addSubtree adds the subtree below a node of the last tree, from left to right.
func (s *scorer) addSubtree(tree []Node, at int32, byInput [][]cut) {
	n := tree[at]
	if n.Input < 0 {
		s.leaves = append(s.leaves, n.Value)
		return
	}
	number := len(s.first) - 1
	first := len(s.leaves) - int(s.first[number])
	s.addSubtree(tree, n.Left, byInput)
	left := len(s.leaves) - int(s.first[number]) - first // leaves
	byInput[n.Input] = append(byInput[n.Input], cut{n.Threshold, uint32(number), uint32((1<<left - 1) << first)})
	s.addSubtree(tree, n.Right, byInput)
}

// excludedLeaves are buffers for the excluded leaves of each tree.
var excludedLeaves = sync.Pool{New: func() any { return new([]uint32) }}

// addLeafValues adds the value of the leaf that x reaches to the tree's output, tree by tree.
func (s *scorer) addLeafValues(out []float64, x []float32) {
	buffer := excludedLeaves.Get().(*[]uint32)
	defer excludedLeaves.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], len(s.first))
	excluded := (*buffer)[:len(s.first)]
	clear(excluded)
	for i, lowest := range s.lowest {
		v := x[i]
		if v <= lowest {
			continue
		}
		for _, c := range s.cuts[s.from[i]:s.from[i+1]] {
			if v <= c.threshold {
				break
			}
			excluded[c.tree] |= c.excludes
		}
	}
	begin := 0
	for k, end := range s.ends {
		sum := out[k]
		trees := excluded[begin:end]
		for tree, first := range s.first[begin:end] {
			sum += float64(s.leaves[int(first)+bits.TrailingZeros32(^trees[tree])])
		}
		out[k], begin = sum, end
	}
}
