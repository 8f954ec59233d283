package template

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A THOR groups the pages of a site by their tag signatures with k-means, all at once (Caverlee,
// Liu and Buttler 2004, section 3.1). It is the baseline to Clusters.
type THOR struct {
	// MaxClusters is the greatest number of clusters that is tried; 0 means 10.
	MaxClusters int
	// Restarts is the number of restarts of k-means for each number; 0 means 10.
	Restarts int
	// Seed picks the first centres.
	Seed uint64
}

// maxIterations bounds the steps of one run of k-means.
const maxIterations = 50

// Cluster returns for each page the number of its cluster, from 0. Of the runs with
// one number of clusters that with the greatest internal similarity counts, the sum
// of the pages' cosines with their centres; of the numbers that with the greatest
// simplified silhouette, the mean over pages of how much nearer their own centre is
// than the next.
func (t THOR) Cluster(pages []*tagtree.Node) []int {
	vectors := TagSignatures(pages)
	rng := rand.New(rand.NewPCG(t.Seed, uint64(len(pages))))
	best, bestSilhouette := make([]int, len(pages)), 0.0
	for k := 2; k <= min(cmp.Or(t.MaxClusters, 10), len(pages)); k++ {
		var top kMeans
		for range cmp.Or(t.Restarts, 10) {
			if run := runKMeans(vectors, k, rng); top.of == nil || run.similarity > top.similarity {
				top = run
			}
		}
		if s := top.silhouette(vectors); s > bestSilhouette {
			best, bestSilhouette = top.of, s
		}
	}
	return best
}

// kMeans is what one run gives.
type kMeans struct {
	of         []int // the cluster of each vector
	centres    [][]float64
	similarity float64
}

// runKMeans runs the simple k-means algorithm from k of the vectors.
func runKMeans(vectors [][]float64, k int, rng *rand.Rand) kMeans {
	run := kMeans{of: make([]int, len(vectors))}
	for _, i := range rng.Perm(len(vectors))[:k] {
		run.centres = append(run.centres, slices.Clone(vectors[i]))
	}
	for range maxIterations {
		if !run.assign(vectors) {
			break
		}
		run.move(vectors)
	}
	return run
}

// assign puts each vector to its nearest centre and reports whether any moved.
func (r *kMeans) assign(vectors [][]float64) bool {
	moved := false
	r.similarity = 0
	for i, v := range vectors {
		best, most := 0, -1.0
		for j, c := range r.centres {
			if s := dot(v, c); s > most {
				best, most = j, s
			}
		}
		moved = moved || r.of[i] != best
		r.of[i] = best
		r.similarity += most
	}
	return moved
}

// move sets each centre to the mean direction of its vectors; one without any stays.
func (r *kMeans) move(vectors [][]float64) {
	for j := range r.centres {
		sum := make([]float64, len(r.centres[j]))
		some := false
		for i, v := range vectors {
			if r.of[i] == j {
				some = true
				for d := range v {
					sum[d] += v[d]
				}
			}
		}
		if some {
			scaleToUnit(sum)
			r.centres[j] = sum
		}
	}
}

// silhouette returns the simplified silhouette of a run, -1 to 1, with 1 minus the
// cosine for distance.
func (r *kMeans) silhouette(vectors [][]float64) float64 {
	sum := 0.0
	for i, v := range vectors {
		own, next := 1-dot(v, r.centres[r.of[i]]), 2.0
		for j, c := range r.centres {
			if j != r.of[i] {
				next = min(next, 1-dot(v, c))
			}
		}
		if far := max(own, next); far > 0 {
			sum += (next - own) / far
		}
	}
	return sum / float64(len(vectors))
}

// maxSignatureTags bounds the names of elements in signatures: those on the most pages, with equal counts the
// first by name.
const maxSignatureTags = 256

// TagSignatures returns the tag signatures of pages as in THOR (Caverlee, Liu and Buttler 2004,
// section 3.1; paper 000, related work). Each page has a vector with one dimension per element
// name, of weight log(tf+1)·log((n+1)/n_t), scaled to length 1. tf is the number of such elements
// on the page and n_t that of the n pages that have any.
func TagSignatures(pages []*tagtree.Node) [][]float64 {
	counts := make([]map[string]int, len(pages))
	frequency := make(map[string]int)
	for i, p := range pages {
		counts[i] = make(map[string]int)
		countTags(p, counts[i])
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

func countTags(n *tagtree.Node, counts map[string]int) {
	if n.Name != "" {
		counts[text.CutBytes(n.Name, htmltree.MaxName)]++
	}
	for _, c := range n.Children {
		countTags(c, counts)
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
