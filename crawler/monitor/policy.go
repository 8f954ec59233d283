package monitor

import (
	"fmt"
	"math"
	"time"
)

// A Page is a policy's input for a source.
type Page struct {
	URL  string
	Kind Kind
	// Rate is the number of changes per day; it is positive.
	Rate float64
	// Worth is the value of a change, 1 for a usual page.
	Worth float64
	// Last is the last visit; zero if there was none. Row is the number of consecutive visits
	// without a page.
	Last time.Time
	Row  int
	// Visits are the last ones, oldest first. They must not be changed.
	Visits []Visit
	// Moments are times around which a change is probable, such as deadlines.
	Moments []time.Time
}

// A Due is when a page must be visited again, and why.
type Due struct {
	At  time.Time
	Why string
}

// A Policy distributes the available visits over the pages. It is pure and deterministic.
type Policy interface {
	Name() string
	// Fit computes the visit rate of each page from all pages and the number of visits per day,
	// which is positive.
	Fit(pages []Page, perDay float64) Pace
}

// A Pace returns when a visited page is due. It may be called for any page, even one unknown to
// Fit.
type Pace func(Page) Due

// Policies lists the policies, the default first.
func Policies() []Policy { return []Policy{Timely{}, Freshness{}, ByRate{}, Fixed{}} }

// Bounds of the time between two visits, in days.
const (
	minInterval = 0.25
	maxInterval = 60
	// maxBackoff bounds how often in a row the interval of a failing page doubles.
	maxBackoff = 4
)

// Fixed visits all pages equally often.
type Fixed struct{}

// Name implements Policy.
func (Fixed) Name() string { return "fixed" }

// Fit implements Policy.
func (Fixed) Fit(pages []Page, perDay float64) Pace {
	interval := float64(len(pages)) / perDay
	return func(p Page) Due { return dueAfter(p, interval, "all pages have the same interval") }
}

// ByRate visits pages in proportion to their change rate only.
type ByRate struct{}

// Name implements Policy.
func (ByRate) Name() string { return "rate" }

// Fit implements Policy.
func (ByRate) Fit(pages []Page, perDay float64) Pace {
	var all float64
	for _, p := range pages {
		all += p.Rate
	}
	return func(p Page) Due {
		return dueAfter(p, all/(perDay*p.Rate), "in proportion to its changes, "+intervalText(1/p.Rate))
	}
}

// Freshness distributes visits so that the most pages are current, weighted by value. The method is
// that of Cho and Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS
// 28(4), 2003; see refresh. Besides, pages are visited around the moments of probable changes, and
// failing ones at growing intervals.
type Freshness struct{}

// Name implements Policy.
func (Freshness) Name() string { return "freshness" }

// Fit implements Policy.
func (Freshness) Fit(pages []Page, perDay float64) Pace {
	price := priceOf(pages, perDay)
	return func(p Page) Due {
		visits := visitRateAtPrice(p.Rate, p.Worth, price)
		why := fmt.Sprintf("changes %s, worth %.2g", intervalText(1/p.Rate), p.Worth)
		if visits == 0 {
			why += ", too often for the available visits"
		}
		due := dueAfter(p, 1/visits, why)
		if at, near, ok := nextMoment(p); ok && at.Before(due.At) && p.Row == 0 {
			return Due{at, fmt.Sprintf("%s of %s; %s", near, momentDate(p, at), why)}
		}
		return due
	}
}

// A page is visited at these times around a moment: before it, when most of its news is out, and
// after it.
var around = []struct {
	shift time.Duration
	name  string
}{
	{-7 * 24 * time.Hour, "a week before the deadline"},
	{-24 * time.Hour, "a day before the deadline"},
	{24 * time.Hour, "a day after the deadline"},
}

// nextMoment returns the first time around a moment of a page after its last visit.
func nextMoment(p Page) (at time.Time, near string, ok bool) {
	for _, m := range p.Moments {
		for _, a := range around {
			if t := m.Add(a.shift); t.After(p.Last) && (!ok || t.Before(at)) {
				at, near, ok = t, a.name, true
			}
		}
	}
	return at, near, ok
}

// momentDate returns the day of the moment for which a visit at a time is made.
func momentDate(p Page, at time.Time) string {
	for _, m := range p.Moments {
		for _, a := range around {
			if m.Add(a.shift).Equal(at) {
				return m.UTC().Format(time.DateOnly)
			}
		}
	}
	return ""
}

// dueAfter returns when a page with a visit interval in days is due. Failures in a row lengthen the
// interval.
func dueAfter(p Page, interval float64, why string) Due {
	if p.Last.IsZero() {
		return Due{time.Time{}, "never visited"}
	}
	interval = min(max(interval, minInterval), maxInterval)
	if p.Row > 0 {
		interval = min(interval*math.Exp2(float64(min(p.Row-1, maxBackoff))), maxInterval)
		why += fmt.Sprintf(", no page at each of the last %d visits", p.Row)
	}
	return Due{p.Last.Add(fromDays(interval)), fmt.Sprintf("visited every %s: %s", daysText(interval), why)}
}

func intervalText(days float64) string { return "every " + daysText(days) }

// How a limited number of visits is divided among pages. A page that changes λ times a day and is visited f
// times a day, at regular intervals, is fresh for
//
//	F(λ, f) = (1 - exp(-λ/f)) / (λ/f)
//
// of the time (Cho and Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", the freshness of a
// page visited in fixed order). Let w be the value of a page. For a given number of visits, the sum of w·F
// over all pages is largest if all pages that are visited have the same w·∂F/∂f, called the price (by the
// method of Lagrange multipliers, in the same paper):
//
//	∂F/∂f = (1 - (1+r) exp(-r)) / λ   with r = λ/f
//
// This grows with r from 0 to 1/λ. So a page with w/λ below the price is not visited: it changes so fast that
// a visit would keep it fresh only for a short time. No page is visited more than maxPerChange times between
// two changes. It is then fresh for 95 % of the time, and further visits would burden its host with hardly
// any gain.

// maxPerChange is the maximum number of visits of a page for each change.
const maxPerChange = 10

// maxVisitsPerDay returns how often a day a page is visited at most.
func maxVisitsPerDay(rate float64) float64 { return min(maxPerChange*rate, 1/minInterval) }

// visitRateAtPrice returns the number of visits per day of a page at a price, 0 if none.
func visitRateAtPrice(rate, worth, price float64) float64 {
	share := price * rate / worth
	if share >= 1 {
		return 0
	}
	return min(rate/ratioOfShare(share), maxVisitsPerDay(rate))
}

// ratioOfShare returns the r with 1 - (1+r) exp(-r) = share, for a share between 0 and 1.
func ratioOfShare(share float64) float64 {
	low, high := 0.0, 1.0
	value := func(r float64) float64 { return 1 - (1+r)*math.Exp(-r) }
	for value(high) < share && high < 1e3 {
		low, high = high, 2*high
	}
	// Bisection ends at 10⁻¹² of the range.
	low, high = bisectRange(low, high, 40, func(r float64) bool { return value(r) < share })
	return (low + high) / 2
}

// priceOf returns the price at which the pages get perDay visits a day.
func priceOf(pages []Page, perDay float64) float64 {
	low, high := bisectRange(-60, 60, 50, func(logarithm float64) bool {
		price, sum := math.Exp(logarithm), 0.0
		for _, p := range pages {
			sum += visitRateAtPrice(p.Rate, p.Worth, price)
		}
		return sum > perDay
	})
	return math.Exp((low + high) / 2)
}
