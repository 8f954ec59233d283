package tagtree

import (
	"cmp"
	"math"
	"slices"

	"eventseer/features/htmltree"
	"eventseer/internal/text"
)

// maxSignatureTags bounds the names of elements that signatures tell apart: those
// on the most pages, of as many the first by name.
const maxSignatureTags = 256

// TagSignatures returns the tag signatures of pages as THOR has them (Caverlee, Liu
// and Buttler 2004, section 3.1; paper 000, related work): a vector a page with a
// dimension a name of elements, of weight log(tf+1)·log((n+1)/n_t), where tf is the
// number of such elements on the page and n_t that of the n pages that have any,
// scaled to length 1.
func TagSignatures(pages []*Node) [][]float64 {
	counts := make([]map[string]int, len(pages))
	frequency := make(map[string]int)
	for i, p := range pages {
		counts[i] = make(map[string]int)
		p.countTags(counts[i])
		for tag := range counts[i] {
			frequency[tag]++
		}
	}
	tags := make([]string, 0, len(frequency))
	for tag := range frequency {
		tags = append(tags, tag)
	}
	slices.SortFunc(tags, func(a, b string) int {
		return cmp.Or(cmp.Compare(frequency[b], frequency[a]), cmp.Compare(a, b))
	})
	tags = tags[:min(len(tags), maxSignatureTags)]
	vectors := make([][]float64, len(pages))
	for i := range vectors {
		vectors[i] = make([]float64, len(tags))
		for j, tag := range tags {
			vectors[i][j] = math.Log(float64(counts[i][tag]+1)) *
				math.Log(float64(len(pages)+1)/float64(frequency[tag]))
		}
		scaleToUnit(vectors[i])
	}
	return vectors
}

func (n *Node) countTags(counts map[string]int) {
	if n.Name != "" {
		counts[text.Cut(n.Name, htmltree.MaxName)]++
	}
	for _, c := range n.Children {
		c.countTags(counts)
	}
}

// scaleToUnit scales a vector to length 1; one of zeros stays.
func scaleToUnit(v []float64) {
	length := math.Sqrt(dot(v, v))
	if length == 0 {
		return
	}
	for i := range v {
		v[i] /= length
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
