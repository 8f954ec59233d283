package classify

import (
	"cmp"
	"math/bits"
	"slices"
)

// A scorer finds the leaves that a vector ends in, in all trees at once:
// QuickScorer (Lucchese et al. 2015, algorithm 1). A walk from root to leaf waits
// at every node for memory; here the nodes that send the vector right are read
// in a row, component by component up to the first threshold that holds it, and
// each rules out the leaves to its left. Most components are 0, and below all
// thresholds.
type scorer struct {
	from   []uint32 // of each input, its first cut; and the number of cuts
	cuts   []cut    // by input, then by threshold
	first  []uint32 // of each tree, its first leaf
	leaves []float32
	ends   []int // of each output, the number of trees up to its last
}

// A cut is an inner node: a value above the threshold leaves only the leaves of
// keep in its tree, bit i for the i-th leaf from the left.
type cut struct {
	threshold float32
	tree      uint32
	keep      uint32
}

// MaxLeaves is the number of leaves a tree may have: a bit each.
const MaxLeaves = 32

func newScorer(inputs int, forest [][][]Node) *scorer {
	s := &scorer{from: make([]uint32, inputs+1)}
	byInput := make([][]cut, inputs)
	for _, trees := range forest {
		for _, tree := range trees {
			s.first = append(s.first, uint32(len(s.leaves)))
			s.add(tree, 0, byInput)
		}
		s.ends = append(s.ends, len(s.first))
	}
	for i, cuts := range byInput {
		slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.threshold, b.threshold) })
		s.cuts = append(s.cuts, cuts...)
		s.from[i+1] = uint32(len(s.cuts))
	}
	return s
}

// add adds what is below a node of the last tree, from left to right.
func (s *scorer) add(tree []Node, at int32, byInput [][]cut) {
	n := tree[at]
	if n.Input < 0 {
		s.leaves = append(s.leaves, n.Value)
		return
	}
	number := len(s.first) - 1
	first := len(s.leaves) - int(s.first[number])
	s.add(tree, n.Left, byInput)
	left := len(s.leaves) - int(s.first[number]) - first // leaves
	byInput[n.Input] = append(byInput[n.Input], cut{n.Threshold, uint32(number), ^uint32((1<<left - 1) << first)})
	s.add(tree, n.Right, byInput)
}

// addTo adds to every output the values of the leaves that x ends in, tree by
// tree.
func (s *scorer) addTo(out []float64, x []float32) {
	possible := make([]uint32, len(s.first))
	for i := range possible {
		possible[i] = ^uint32(0)
	}
	for i, v := range x[:len(s.from)-1] {
		for _, c := range s.cuts[s.from[i]:s.from[i+1]] {
			if v <= c.threshold {
				break
			}
			possible[c.tree] &= c.keep
		}
	}
	tree := 0
	for k, end := range s.ends {
		sum := out[k]
		for ; tree < end; tree++ {
			sum += float64(s.leaves[int(s.first[tree])+bits.TrailingZeros32(possible[tree])])
		}
		out[k] = sum
	}
}
