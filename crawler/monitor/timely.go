package monitor

import (
	"fmt"
	"math"
	"time"
)

// Timely sees as many changes as possible within a given time, by default a week. A visit shows all changes
// since the previous visit, so pages are not visited more than once in that time. The value of a visit is the
// expected number of changes in that time. Changes of pages come in clusters: a page that changes r times a
// day in the mean, and has not changed for s days, changes at a rate of
//
//	λ = 1/(1/r + s)
//
// (the time between changes is a Lomax distribution, an exponential one of unknown rate that each change sets
// again). Near a deadline the rate doubles. Pages with the most expected changes are visited each week, and
// the others less often, the fewer changes are expected. If the budget allows a visit of every page each
// week, the time is shorter.
type Timely struct {
	// Within is the time within which a change should be seen. Zero means 7 days.
	Within time.Duration
}

// Name implements Policy.
func (Timely) Name() string { return "timely" }

// Constants of the distribution of visits. They are the effect of a deadline on the rate of
// changes, and how steeply the visits of a page decrease below the price of a visit.
const (
	// mostOfMean bounds the time, as a share of the mean time between two visits of a page. What is
	// left is taken from the pages with little to expect.
	mostOfMean = 0.7

	nearFactor = 2
	nearBefore = 7 * 24 * time.Hour
	nearAfter  = 2 * 24 * time.Hour
	steepness  = 3
)

// Fit implements Policy.
func (t Timely) Fit(pages []Page, perDay float64) Pace {
	within := 7.0
	if t.Within > 0 {
		within = toDays(t.Within)
	}
	within = min(within, mostOfMean*float64(len(pages))/perDay)
	expected := make([]float64, len(pages))
	for i, p := range pages {
		expected[i], _ = expectedRate(p, within)
	}
	_, high := bisectRange(math.Log(minWorth*minRate)-1, math.Log(maxRate*1e4), 50, func(logarithm float64) bool {
		price, sum := math.Exp(logarithm), 0.0
		for _, e := range expected {
			sum += 1 / visitInterval(e, price, within)
		}
		return sum > perDay
	})
	price := math.Exp(high)
	return func(p Page) Due {
		e, near := expectedRate(p, within)
		why := fmt.Sprintf("changes %s, unchanged for %s at the last visit", intervalText(1/p.Rate), daysText(daysUnchanged(p)))
		if near {
			why += ", near a deadline"
		}
		if p.Worth != 1 {
			why += fmt.Sprintf(", worth %.2g", p.Worth)
		}
		due := dueAfter(p, visitInterval(e, price, within), why)
		for _, m := range p.Moments {
			if at := m.Add(24 * time.Hour); p.Row == 0 && at.After(p.Last) && at.Before(due.At) {
				due = Due{at, fmt.Sprintf("a day after the deadline of %s; %s", m.UTC().Format(time.DateOnly), why)}
			}
		}
		return due
	}
}

// visitInterval returns the visit interval of a page in days, from its expected value of changes.
func visitInterval(expected, price, within float64) float64 {
	return min(within/math.Pow(min(expected/price, 1), steepness), max(maxInterval, within))
}

// expectedRate returns the rate of changes, weighted by worth, that a page is expected to show a day at
// its next possible visit. near reports whether a deadline is near then.
func expectedRate(p Page, within float64) (rate float64, near bool) {
	rate = p.Worth / (1/p.Rate + daysUnchanged(p) + within)
	next := p.Last.Add(fromDays(within))
	for _, m := range p.Moments {
		if near = !next.Before(m.Add(-nearBefore)) && !next.After(m.Add(nearAfter)); near {
			return nearFactor * rate, true
		}
	}
	return rate, false
}

// daysUnchanged returns the number of days before its last visit in which a page did not change.
func daysUnchanged(p Page) float64 {
	for i := len(p.Visits) - 1; i >= 0; i-- {
		if p.Visits[i].Fate == Changed {
			return toDays(p.Last.Sub(p.Visits[i].At))
		}
	}
	if len(p.Visits) > 0 {
		return toDays(p.Last.Sub(p.Visits[0].At))
	}
	return 0
}
