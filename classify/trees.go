package classify

import (
	"fmt"
	"math"
	"slices"
)

// Trees are boosted regression trees (Friedman 2001): the decision value of
// output k is Base[k] plus what the trees of k say of the vector. They are
// read-only and safe for concurrent use. Make them with NewTrees.
type Trees struct {
	// Inputs is the number of components the trees may look at.
	Inputs int
	// Base holds the value of each output before any tree.
	Base []float64
	// Forest holds the trees of each output, each a list of nodes, its root first.
	Forest [][][]Node

	scorer *scorer
}

// A Node of a tree sends a vector on, or is a leaf.
type Node struct {
	// Input is the component that is looked at, or -1 for a leaf.
	Input int32
	// Threshold is the largest value of the component that goes to Left.
	Threshold float32
	// Left and Right are the numbers of later nodes of the same tree.
	Left, Right int32
	// Value is what the tree says of a vector that ends here; of an inner node,
	// what it would say on average.
	Value float32
}

// Limits on Trees.
const (
	maxTreeNodes  = 2*MaxLeaves - 1
	maxTrees      = 1 << 16 // of one output
	maxTreeInputs = 1 << 20
)

// NewTrees returns t, or an error if its parts do not fit each other: a node
// that leads back or where another one leads, looks at a component that is not
// there or holds a value that is not finite, or a tree of more than MaxLeaves.
func NewTrees(t Trees) (*Trees, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("trees: %w", err)
	}
	t.scorer = newScorer(t.Inputs, t.Forest)
	return &t, nil
}

func (t *Trees) check() error {
	if t.Inputs < 1 || t.Inputs > maxTreeInputs || len(t.Base) < 1 || len(t.Base) != len(t.Forest) || len(t.Base) > maxClasses {
		return fmt.Errorf("%d inputs, %d base values and trees of %d outputs", t.Inputs, len(t.Base), len(t.Forest))
	}
	for k, trees := range t.Forest {
		if !finite(t.Base[k]) || len(trees) > maxTrees {
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
		return fmt.Errorf("%d nodes, 1 to %d can be had", len(tree), maxTreeNodes)
	}
	ways := make([]int, len(tree)) // that lead to each node
	for at, n := range tree {
		if at > 0 && ways[at] != 1 {
			return fmt.Errorf("%d ways lead to node %d", ways[at], at)
		}
		if !finite(float64(n.Value)) || !finite(float64(n.Threshold)) {
			return fmt.Errorf("node %d holds a value that is not finite", at)
		}
		if n.Input < 0 {
			continue
		}
		later := func(next int32) bool { return int(next) > at && int(next) < len(tree) }
		if int(n.Input) >= inputs || !later(n.Left) || !later(n.Right) {
			return fmt.Errorf("node %d looks at component %d of %d and leads to nodes %d and %d of %d", at, n.Input, inputs, n.Left, n.Right, len(tree))
		}
		ways[n.Left]++
		ways[n.Right]++
	}
	return nil
}

// Decide returns the value of each output for the dense vector x, which holds
// t.Inputs components.
func (t *Trees) Decide(x []float32) []float64 {
	out := slices.Clone(t.Base)
	t.scorer.addTo(out, x)
	return out
}

// Parts returns what each component adds to the value of output k: the sum of
// the changes of the nodes' values where the path of x branches on it (Saabas
// 2014).
func (t *Trees) Parts(x []float32, k int) []float64 {
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

// Importance returns how much each component moves the value of output k: the
// sum of the differences between the two sides of the nodes that look at it.
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
