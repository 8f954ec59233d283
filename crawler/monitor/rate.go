package monitor

import (
	"math"
	"time"
)

// The estimator of this file is that of Cho and Garcia-Molina, "Estimating Frequency of Change",
// ACM TOIT 3(3), 2003. Pages change by a Poisson process and are visited only now and then: several
// changes between two visits are seen as one, which makes the ratio of changes to time too small.
// Rates are changes a day, times are days.

// An Access is the information of one visit on the changes of a page since the previous visit.
type Access struct {
	Interval float64 // days since the previous visit
	Changed  bool
	// Age is the number of days before this visit of the last change, as stated by the page. It is
	// used only for a changed page; 0 if not stated.
	Age float64
}

// Bounds of rates, in changes a day. Pages that change more often than each quarter of an hour, or
// less often than once in ten years, are treated alike.
const (
	maxRate = 96
	minRate = 1.0 / 3650
)

// A Prior is the prior of a page's change rate: a gamma distribution, equivalent to Shape changes
// in Days days. The zero value is no information.
type Prior struct {
	Shape float64 `json:"shape"`
	Days  float64 `json:"days"`
}

// Rate returns the mode, on the scale of log λ, of what the prior and the visits say together. It
// solves
//
//	Σ t/(exp(λt)-1) + (Shape+m)/λ = Σ u + Σ age + Days
//
// where t are the intervals that ended in a change of unknown time, m changes have a known time and that age,
// and u are the intervals without a change: the equation of section 4.3, with a change at a known time as a
// likelihood of λ exp(-λ age), as in section 5. With many visits the prior hardly matters; without visits the
// rate is Shape/Days.
func (p Prior) Rate(accesses []Access) float64 {
	still, known := p.Days, p.Shape
	var changed []float64
	for _, a := range accesses {
		switch {
		case a.Changed && a.Age > 0:
			still += a.Age
			known++
		case a.Changed:
			changed = append(changed, a.Interval)
		default:
			still += a.Interval
		}
	}
	switch {
	case len(changed) == 0 && known == 0:
		return 0
	case len(changed) == 0:
		return min(max(known/still, minRate), maxRate)
	case still == 0:
		return maxRate
	}
	// What is left of zero falls as the rate grows.
	excess := func(rate float64) float64 {
		sum := known/rate - still
		for _, t := range changed {
			sum += t / math.Expm1(rate*t)
		}
		return sum
	}
	// To a part in 10¹³ of the range.
	low, high := bisectRange(math.Log(minRate), math.Log(maxRate), 50, func(x float64) bool { return excess(math.Exp(x)) > 0 })
	return math.Exp((low + high) / 2)
}

// accesses returns the information in the stored visits of a source. Visits without a page have
// none. The age at the first visit is an access too: seen backwards, the time to the last change
// has the same distribution as that to the next.
func (s *Source) accesses() []Access { return accessesOf(s.Visits) }

func accessesOf(visits []Visit) (all []Access) {
	var before Visit
	for _, v := range visits {
		if !v.Fate.hasPage() {
			continue
		}
		age := 0.0
		if !v.Modified.IsZero() {
			age = toDays(v.At.Sub(v.Modified))
		}
		if age < minAge {
			age = 0 // generated for the visit, or a wrong clock
		}
		switch interval := toDays(v.At.Sub(before.At)); {
		case before.At.IsZero() && age > 0:
			all = append(all, Access{Interval: age, Changed: true, Age: age})
		case before.At.IsZero():
		case v.Fate == Changed && age < interval:
			all = append(all, Access{Interval: interval, Changed: true, Age: age})
		default:
			all = append(all, Access{Interval: interval, Changed: v.Fate == Changed})
		}
		before = v
	}
	return all
}

// minAge is the minimum credible age of a page, in days. Many servers state the present time for
// generated pages.
const minAge = 5.0 / (24 * 60)

// defaultPriors are the priors of each kind of source before visits: one change in the given number
// of days.
var defaultPriors = map[Kind]Prior{
	Index:   {Shape: 1, Days: 7},
	Event:   {Shape: 1, Days: 21},
	Feed:    {Shape: 1, Days: 3},
	Sitemap: {Shape: 1, Days: 7},
}

// Limits for learning from a population.
const (
	minPopulation      = 8 // sources with different rates
	minAccesses        = 4 // visits of a source whose rate is used
	minShape, maxShape = 0.5, 4
)

// LearnPriors estimates the prior change rate of each kind of page from the visited sources. It
// uses the mean and variance of their rates (empirical Bayes by the method of moments for a gamma
// distribution). With few visits the default is used.
func LearnPriors(sources []Source) map[Kind]Prior {
	priors := make(map[Kind]Prior, len(defaultPriors))
	for _, kind := range Kinds() {
		prior := defaultPriors[kind]
		var pooled []Access
		var rates, exposures []float64
		for _, s := range sources {
			accesses := s.accesses()
			if s.Kind != kind || len(accesses) == 0 {
				continue
			}
			pooled = append(pooled, accesses...)
			if len(accesses) >= minAccesses {
				rates = append(rates, prior.Rate(accesses))
				exposures = append(exposures, daysWatched(accesses))
			}
		}
		mean := prior.Rate(pooled)
		shape := prior.Shape
		if len(rates) >= minPopulation {
			shape = gammaShape(rates, exposures)
		}
		priors[kind] = Prior{Shape: shape, Days: shape / mean}
	}
	return priors
}

// gammaShape returns the shape of the gamma distribution that rates were drawn from. It is the square
// of their mean over their variance, minus the variance that counting for a finite time causes.
func gammaShape(rates, exposures []float64) float64 {
	n := float64(len(rates))
	var mean, variance, noise float64
	for i, r := range rates {
		mean += r / n
		noise += r / (exposures[i] * n)
	}
	for _, r := range rates {
		variance += (r - mean) * (r - mean) / (n - 1)
	}
	if variance <= noise {
		return maxShape
	}
	return min(max(mean*mean/(variance-noise), minShape), maxShape)
}

// daysWatched returns how long a page was watched, in days.
func daysWatched(accesses []Access) (sum float64) {
	for _, a := range accesses {
		sum += a.Interval
	}
	return max(sum, 1.0/24)
}

// bisectRange halves a range the given number of times. The searched value is above x if below(x) is
// true.
func bisectRange(low, high float64, times int, below func(x float64) bool) (float64, float64) {
	for range times {
		if middle := (low + high) / 2; below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low, high
}

func toDays(d time.Duration) float64 { return d.Hours() / 24 }

func fromDays(days float64) time.Duration { return time.Duration(days * 24 * float64(time.Hour)) }
