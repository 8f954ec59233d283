package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// few is the number of examples below which figures of a class are not to be
// relied on: a Report withholds them and warns instead.
const few = 20

// resamples is the number of bootstrap draws behind an interval.
const resamples = 1000

// A grouping numbers the groups of predictions in the order they first occur.
type grouping struct {
	of []int // of each prediction
	n  int
}

func groupingOf(ps []Prediction) grouping {
	index := map[string]int{}
	g := grouping{of: make([]int, len(ps))}
	for i, p := range ps {
		n, ok := index[p.Group]
		if !ok {
			n = len(index)
			index[p.Group] = n
		}
		g.of[i] = n
	}
	g.n = len(index)
	return g
}

// bootstrap calls visit for each draw of whole groups with replacement; weight
// says how often each prediction was drawn, and is reused for the next draw
// (cluster bootstrap: Davison and Hinkley 1997, section 3.8).
func (g grouping) bootstrap(seed uint64, visit func(weight []float64)) {
	rng := rand.New(rand.NewPCG(seed, 1))
	weight := make([]float64, len(g.of))
	times := make([]float64, g.n)
	for range resamples {
		clear(times)
		for range times {
			times[rng.IntN(len(times))]++
		}
		for i, group := range g.of {
			weight[i] = times[group]
		}
		visit(weight)
	}
}

// interval returns the 2.5 and 97.5 percentiles of draws, widened to hold value.
func interval(draws []float64, value float64) (low, high float64) {
	if len(draws) == 0 {
		return value, value
	}
	slices.Sort(draws)
	at := func(q float64) float64 { return draws[int(math.Round(q*float64(len(draws)-1)))] }
	return min(at(0.025), value), max(at(0.975), value)
}

// ones weighs n predictions alike.
func ones(n int) []float64 {
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = 1
	}
	return weight
}
