package tagtree

import (
	"math/rand/v2"
	"slices"
)

// A THOR groups the pages of a site by their tag signatures with k-means, all at
// once (Caverlee, Liu and Buttler 2004, section 3.1): the baseline to Clusters.
type THOR struct {
	// MaxClusters is the greatest number of clusters that is tried; 0 means 10.
	MaxClusters int
	// Restarts is how often k-means starts anew for each number; 0 means 10.
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
func (t THOR) Cluster(pages []*Node) []int {
	vectors := TagSignatures(pages)
	rng := rand.New(rand.NewPCG(t.Seed, uint64(len(pages))))
	best, bestSilhouette := make([]int, len(pages)), 0.0
	for k := 2; k <= min(orDefault(t.MaxClusters, 10), len(pages)); k++ {
		var top kMeans
		for range orDefault(t.Restarts, 10) {
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

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
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
