package eval

import "math"

// fewDiscordant is the number of discordant pairs below which McNemar's test is
// the exact binomial one, as Dietterich (1998) and others advise.
const fewDiscordant = 25

// A McNemar is McNemar's test of two classifiers on the same examples. It takes
// the examples as independent, which pages of one site are not: with groups of
// several pages its p is too small.
type McNemar struct {
	BothRight int `json:"both_right"`
	OnlyA     int `json:"only_a_right"`
	OnlyB     int `json:"only_b_right"`
	BothWrong int `json:"both_wrong"`
	// Exact says that P is binomial; else it is that of Statistic, chi-squared
	// with one degree of freedom and the correction of Edwards (1948).
	Exact     bool    `json:"exact"`
	Statistic float64 `json:"statistic"`
	// P is two-sided.
	P float64 `json:"p"`
}

// NewMcNemar tests the four counts (McNemar 1947).
func NewMcNemar(bothRight, onlyA, onlyB, bothWrong int) McNemar {
	m := McNemar{BothRight: bothRight, OnlyA: onlyA, OnlyB: onlyB, BothWrong: bothWrong}
	n := onlyA + onlyB
	if n < fewDiscordant {
		m.Exact = true
		m.P = min(1, 2*binomialTail(n, min(onlyA, onlyB)))
		return m
	}
	gap := max(0, math.Abs(float64(onlyA-onlyB))-1)
	m.Statistic = gap * gap / float64(n)
	m.P = math.Erfc(math.Sqrt(m.Statistic / 2))
	return m
}

// binomialTail is the probability of at most k heads in n throws of a fair coin.
func binomialTail(n, k int) float64 {
	term := math.Ldexp(1, -n) // of i heads
	total := 0.0
	for i := 0; i <= k; i++ {
		total += term
		term = term * float64(n-i) / float64(i+1)
	}
	return total
}

// shiftedP is the two-sided p of a difference: the share of bootstrap draws
// that lie at least as far from the difference as it lies from 0 (Efron and
// Tibshirani 1993, section 16.4), never below what the number of draws shows.
func shiftedP(draws []float64, difference float64) float64 {
	far := 1
	for _, d := range draws {
		if math.Abs(d-difference) >= math.Abs(difference) {
			far++
		}
	}
	return float64(far) / float64(len(draws)+1)
}
