package monitor

import "time"

// defaultPriors are what is believed of sources of a kind before any has been visited
// often: one change in so many days.
var defaultPriors = map[Kind]Prior{
	Index:   {Shape: 1, Days: 7},
	Event:   {Shape: 1, Days: 21},
	Feed:    {Shape: 1, Days: 3},
	Sitemap: {Shape: 1, Days: 7},
}

// Bounds of what a population may teach.
const (
	minPopulation      = 8 // sources whose rates are spread out
	minAccesses        = 4 // of a source whose rate is one of them
	minShape, maxShape = 0.5, 4
)

// LearnPriors learns what is known of a page by its kind from the sources that were
// visited: their mean rate, and how far the rates lie apart (empirical Bayes by the
// method of moments for a gamma distribution). Where few were visited the default
// holds.
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
				exposures = append(exposures, exposure(accesses))
			}
		}
		mean := prior.Rate(pooled)
		shape := prior.Shape
		if len(rates) >= minPopulation {
			shape = spread(rates, exposures)
		}
		priors[kind] = Prior{Shape: shape, Days: shape / mean}
	}
	return priors
}

// spread returns the shape of the gamma distribution that rates were drawn from: the
// square of their mean over their variance, from which the variance is taken that
// counting for a finite time makes.
func spread(rates, exposures []float64) float64 {
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

// exposure is how long a page was watched, in days.
func exposure(accesses []Access) (sum float64) {
	for _, a := range accesses {
		sum += a.Interval
	}
	return max(sum, 1.0/24)
}

// bisect halves a range so many times. The value that is looked for lies above x where
// below holds of x.
func bisect(low, high float64, times int, below func(x float64) bool) (float64, float64) {
	for range times {
		if middle := (low + high) / 2; below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low, high
}

func days(d time.Duration) float64 { return d.Hours() / 24 }

func duration(days float64) time.Duration { return time.Duration(days * 24 * float64(time.Hour)) }
