package monitor

import "math"

// How visits are shared out. A page that changes λ times a day and is visited f times a
// day, at regular intervals, is fresh for
//
//	F(λ, f) = (1 - exp(-λ/f)) / (λ/f)
//
// of the time (Cho and Garcia-Molina, "Effective Page Refresh Policies for Web
// Crawlers", the freshness of a page visited in fixed order). The sum of w·F over all
// pages, for the f that sum to the visits there are, is largest where every page that is
// visited at all has the same w·∂F/∂f, the price (there, by the method of Lagrange
// multipliers):
//
//	∂F/∂f = (1 - (1+r) exp(-r)) / λ   with r = λ/f
//
// This grows with r from 0 to 1/λ. So a page with w/λ below the price gets no visit: it
// changes so fast that a visit would keep it fresh for no time worth having. No page is
// visited more than maxPerChange times between two changes: it is fresh for 95 % of the
// time then, and more would trouble its host for next to nothing.

// maxPerChange is how many visits there are of a page for each change of it at most.
const maxPerChange = 10

// mostVisits is how often a day a page is visited at most.
func mostVisits(rate float64) float64 { return min(maxPerChange*rate, 1/minInterval) }

// refresh returns how often a day a page is visited at a price, 0 if not at all.
func refresh(rate, worth, price float64) float64 {
	share := price * rate / worth
	if share >= 1 {
		return 0
	}
	return min(rate/ratioAt(share), mostVisits(rate))
}

// ratioAt returns the r with 1 - (1+r) exp(-r) = share, for a share between 0 and 1.
func ratioAt(share float64) float64 {
	low, high := 0.0, 1.0
	value := func(r float64) float64 { return 1 - (1+r)*math.Exp(-r) }
	for value(high) < share && high < 1e3 {
		low, high = high, 2*high
	}
	low, high = bisect(low, high, 40, func(r float64) bool { return value(r) < share }) // to a part in 10¹² of the range
	return (low + high) / 2
}

// priceOf returns the price at which the pages get so many visits a day.
func priceOf(pages []Page, perDay float64) float64 {
	low, high := bisect(-60, 60, 50, func(logarithm float64) bool {
		price, sum := math.Exp(logarithm), 0.0
		for _, p := range pages {
			sum += refresh(p.Rate, p.Worth, price)
		}
		return sum > perDay
	})
	return math.Exp((low + high) / 2)
}
