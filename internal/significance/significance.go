// Package significance tests whether two systems differ that were measured on the same samples, and
// corrects for several tests. All tests are exact or, for many samples, use seeded random numbers: the
// same input gives the same output.
package significance

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// exactDraws is the largest number of differences for which all combinations of signs are tried.
	exactDraws = 16
	// signings is the number of random combinations of signs that are tried for more differences than
	// exactDraws.
	signings = 1 << exactDraws
	// resamples of a bootstrap.
	resamples = 10_000
)

// CorrectHolm returns the p values of several tests, corrected so that the probability of any false positive is
// at most the significance level (Holm 1979). The order is kept.
func CorrectHolm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		corrected[i] = least
	}
	return corrected
}

// PermutationTest returns the two-sided p value of the mean of paired differences by Fisher's test. It is the
// fraction of all combinations of signs for which the mean is at least as far from 0. For more than 16
// differences the signs are drawn at random. Without differences p is 1.
func PermutationTest(differences []float64, seed uint64) float64 {
	n := len(differences)
	observed := math.Abs(sum(differences))
	bound := observed - 1e-12*(1+observed) // tolerance, because equal sums may differ in the last bit
	if n <= exactDraws {
		far := 0
		for signs := range uint64(1) << n {
			if math.Abs(signedSum(differences, signs)) >= bound {
				far++
			}
		}
		return float64(far) / float64(uint64(1)<<n)
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	far := 1
	for range signings {
		total := 0.0
		for some := range slices.Chunk(differences, 64) {
			total += signedSum(some, r.Uint64())
		}
		if math.Abs(total) >= bound {
			far++
		}
	}
	return float64(far) / (signings + 1)
}

// signedSum returns the sum of differences, where those whose bit in signs is set are negated.
func signedSum(differences []float64, signs uint64) float64 {
	total := 0.0
	for i, d := range differences {
		if signs>>i&1 == 1 {
			d = -d
		}
		total += d
	}
	return total
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

// WilcoxonTest returns the two-sided p value of the signed-rank test of paired differences (Wilcoxon 1945),
// exact with midranks for ties. Differences of 0 are left out, as by Wilcoxon. Only the first 200
// differences are used. Without differences p is 1.
func WilcoxonTest(differences []float64) float64 {
	ranks, positive := signedRanks(differences)
	if len(ranks) == 0 {
		return 1
	}
	// The distribution of the sum of the positive ranks, in half ranks: each rank is either in the sum or
	// not.
	all := 0
	for _, r := range ranks {
		all += r
	}
	ways := make([]float64, all+1)
	ways[0] = 1
	top := 0
	for _, r := range ranks {
		for s := top; s >= 0; s-- {
			ways[s] /= 2
			ways[s+r] += ways[s]
		}
		top += r
	}
	low := min(positive, all-positive)
	tail := 0.0
	for s := 0; s <= low; s++ {
		tail += ways[s]
	}
	return min(1, 2*tail)
}

// maxRanked is the largest number of differences of a signed-rank test, whose time grows with their cube.
const maxRanked = 200

// signedRanks returns twice the midrank of each difference that is not 0, by its absolute value, and the sum
// of the results for positive differences.
func signedRanks(differences []float64) (ranks []int, positive int) {
	var ds []float64
	for _, d := range differences {
		if d != 0 && !math.IsNaN(d) && len(ds) < maxRanked {
			ds = append(ds, d)
		}
	}
	slices.SortStableFunc(ds, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for i := 0; i < len(ds); {
		j := i
		for j < len(ds) && math.Abs(ds[j]) == math.Abs(ds[i]) {
			j++
		}
		midrank := i + j + 1 // twice the mean of the ranks i+1 … j
		for ; i < j; i++ {
			ranks = append(ranks, midrank)
			if ds[i] > 0 {
				positive += midrank
			}
		}
	}
	return ranks, positive
}

// An Interval is a 95 % confidence interval of a mean.
type Interval struct{ Low, High float64 }

// BootstrapMean returns the mean of values and its interval by percentile bootstrap (Efron and Tibshirani 1993,
// section 13.3). The interval of one value is that value; without values all results are NaN.
func BootstrapMean(values []float64, seed uint64) (mean float64, ci Interval) {
	n := len(values)
	if n == 0 {
		return math.NaN(), Interval{math.NaN(), math.NaN()}
	}
	mean = sum(values) / float64(n)
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	means := make([]float64, resamples)
	for i := range means {
		total := 0.0
		for range n {
			total += values[r.IntN(n)]
		}
		means[i] = total / float64(n)
	}
	slices.Sort(means)
	return mean, Interval{means[resamples/40], means[resamples-1-resamples/40]}
}

// BootstrapRatio returns the mean of a divided by that of b, and its interval by a hierarchical bootstrap. Groups
// are drawn with replacement, then subjects within each drawn group, then paired repeats within each drawn
// subject (Davison and Hinkley 1997, section 3.8).
//
// The arguments hold groups of subjects with repeats. A mean is the mean of the groups' means, which are
// means of their subjects' means, so that all groups have the same weight. Empty groups and subjects are
// left out; without any group all results are NaN. If b is nil, Ratio returns the mean of a.
func BootstrapRatio(a, b [][][]float64, seed uint64) (ratio float64, ci Interval) {
	groups := indexesOf(a, func(g [][]float64) bool { return len(indexesOf(g, hasAny)) > 0 })
	n := len(groups)
	if n == 0 {
		return math.NaN(), Interval{math.NaN(), math.NaN()}
	}
	// of returns the ratio for a choice of values. For the values themselves pick returns i, for a draw a
	// random index below n.
	of := func(pick func(n, i int) int) float64 {
		above, below := 0.0, 0.0
		for i := range n {
			g := groups[pick(n, i)]
			subjects := indexesOf(a[g], hasAny)
			size, up, down := len(subjects), 0.0, 0.0
			for j := range size {
				k := subjects[pick(size, j)]
				repeats := len(a[g][k])
				for l := range repeats {
					m := l
					if repeats > 1 {
						m = pick(repeats, l)
					}
					up += a[g][k][m] / float64(repeats)
					if b != nil {
						down += b[g][k][m] / float64(repeats)
					}
				}
			}
			above, below = above+up/float64(size), below+down/float64(size)
		}
		if b == nil {
			below = float64(n)
		}
		return above / below
	}
	ratio = of(func(_, i int) int { return i })
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	all := make([]float64, resamples)
	for i := range all {
		all[i] = of(func(n, _ int) int { return r.IntN(n) })
	}
	slices.Sort(all)
	return ratio, Interval{all[resamples/40], all[resamples-1-resamples/40]}
}

func hasAny(repeats []float64) bool { return len(repeats) > 0 }

// indexesOf returns the indexes of the values that are wanted.
func indexesOf[V any](values []V, wanted func(V) bool) (indexes []int) {
	for i, v := range values {
		if wanted(v) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
