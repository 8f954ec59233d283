package contextgraph

import (
	"math/rand/v2"
	"slices"
)

// An Agreement counts how often the layers told of pages are those of a graph. The
// last layer told stands for none, as do the layers of the graph from it on. The
// zero value has counted nothing.
type Agreement struct {
	counts [][]int // by layer of the graph and layer told
}

// Add counts a page of a layer by its scores of layers 0, 1, …, and last of none.
func (a *Agreement) Add(layer int, scores []float64) {
	n := len(scores)
	for len(a.counts) < n {
		a.counts = append(a.counts, make([]int, n))
	}
	a.counts[min(layer, n-1)][Told(scores)]++
}

// Told is the index of the likeliest layer, the last for none.
func Told(scores []float64) int { return slices.Index(scores, slices.Max(scores)) }

// Counts are the pages by layer of the graph and layer told. They must not be
// changed.
func (a *Agreement) Counts() [][]int { return a.counts }

// Totals returns how many pages of a layer there are, and how many were told to be
// of it.
func (a *Agreement) Totals(layer int) (pages, told int) {
	for k, n := range a.counts[layer] {
		pages, told = pages+n, told+a.counts[k][layer]
	}
	return pages, told
}

// MeanRecall is the mean of the recalls of the layers that hold pages, without none;
// ok is false if there are no such layers.
func (a *Agreement) MeanRecall() (recall float64, ok bool) {
	layers := 0
	for layer := range max(0, len(a.counts)-1) {
		if pages, _ := a.Totals(layer); pages > 0 {
			recall, layers = recall+float64(a.counts[layer][layer])/float64(pages), layers+1
		}
	}
	return recall / float64(layers), layers > 0
}

// DrawNodes draws at most n of the nodes of each layer, in their order; all if n
// is 0. Nodes without a layer are left out.
func DrawNodes(nodes []Node, n int, seed uint64) []Node {
	byLayer := map[int][]int{}
	for i, node := range nodes {
		if node.Layer >= 0 {
			byLayer[node.Layer] = append(byLayer[node.Layer], i)
		}
	}
	var picks []int
	for layer, of := range byLayer {
		if n > 0 && len(of) > n {
			r := rand.New(rand.NewPCG(seed, uint64(layer)))
			r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
			of = of[:n]
		}
		picks = append(picks, of...)
	}
	slices.Sort(picks)
	drawn := make([]Node, len(picks))
	for i, at := range picks {
		drawn[i] = nodes[at]
	}
	return drawn
}
