package contextgraph

import (
	"math/rand/v2"
	"slices"
)

// sample returns at most n of nodes, in their order, each with the same chance
// (Vitter 1985, algorithm R); all if n is 0. The same seed draws the same.
func sample(nodes []int, n int, seed uint64) []int {
	if n == 0 || len(nodes) <= n {
		return nodes
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(nodes))))
	drawn := slices.Clone(nodes[:n])
	for i := n; i < len(nodes); i++ {
		if at := r.IntN(i + 1); at < n {
			drawn[at] = nodes[i]
		}
	}
	slices.Sort(drawn)
	return drawn
}
