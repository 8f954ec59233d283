package monitor

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var near = cmpopts.EquateApprox(0, 1e-6)

// irregularRate is the estimator without a prior and without dates of change, for visits
// at any intervals.
func irregularRate(accesses []Access) float64 {
	plain := make([]Access, len(accesses))
	for i, a := range accesses {
		plain[i] = Access{Interval: a.Interval, Changed: a.Changed}
	}
	return Prior{}.Rate(plain)
}

// TestIrregularRate: at equal intervals the likelihood is highest at -log(1-X/n) an
// interval; two intervals of different length are solved by hand.
func TestIrregularRate(t *testing.T) {
	regular := func(n, x int, interval float64) (as []Access) {
		for i := range n {
			as = append(as, Access{Interval: interval, Changed: i < x})
		}
		return as
	}
	for _, test := range []struct {
		name string
		in   []Access
		want float64
	}{
		{"none", regular(5, 0, 1), 0},
		{"all", regular(5, 5, 1), maxRate},
		{"equal intervals", regular(10, 4, 2), -math.Log(1-0.4) / 2},
		{"one of two days", []Access{{Interval: 1, Changed: true}, {Interval: 1}}, math.Ln2},
		{"changed in 1, still in 3", []Access{{Interval: 1, Changed: true}, {Interval: 3}}, math.Log(1 + 1.0/3)},
		{"no visit", nil, 0},
	} {
		if diff := cmp.Diff(test.want, irregularRate(test.in), near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// lastModifiedRate is the estimator for pages that report when they changed last (section 5). It
// uses X changes at n visits, with T days known to be without change (all of an interval without a
// change, and the age of a page that changed),
//
//	λ = ((X-1) - X/(n log(1-X/n))) / T
//
// which takes the bias out of X/T. It is 0 where nothing changed.
func lastModifiedRate(accesses []Access) float64 {
	var x, t float64
	for _, a := range accesses {
		if a.Changed {
			x++
			t += a.Age
		} else {
			t += a.Interval
		}
	}
	n := float64(len(accesses))
	if x == 0 {
		return 0
	}
	corrected := x - 1 // the value of the formula if X = n
	if x < n {
		corrected -= x / (n * math.Log(1-x/n))
	}
	return min(corrected/max(t, 1/maxRate), maxRate)
}

// TestLastModifiedRate: where every visit saw a change the formula is (X-1)/T, where
// half did X-1+X/(n log 2).
func TestLastModifiedRate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   []Access
		want float64
	}{
		{"none", []Access{{Interval: 5}}, 0},
		{"all", []Access{{Interval: 5, Changed: true, Age: 2}, {Interval: 5, Changed: true, Age: 3}, {Interval: 5, Changed: true, Age: 1}}, 2.0 / 6},
		{"half", []Access{{Interval: 5, Changed: true, Age: 2}, {Interval: 8}}, (0 + 1/(2*math.Ln2)) / 10},
	} {
		if diff := cmp.Diff(test.want, lastModifiedRate(test.in), near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// simulate watches pages that change at a rate, at random intervals of a mean, and
// returns the mean of an estimator over them.
func simulate(rate, mean float64, visits int, estimate func([]Access) float64) float64 {
	random := rand.New(rand.NewPCG(7, 11))
	const pages = 2000
	var sum float64
	for range pages {
		var as []Access
		for range visits {
			interval := mean * (0.5 + random.Float64())
			a := Access{Interval: interval}
			for at := random.ExpFloat64() / rate; at < interval; at += random.ExpFloat64() / rate {
				a.Changed, a.Age = true, interval-at
			}
			as = append(as, a)
		}
		sum += estimate(as) / pages
	}
	return sum
}

// TestRatesOfSimulatedPages: the estimators come near the rate where the ratio of
// changes to time is far too small, and dates of change make them better.
func TestRatesOfSimulatedPages(t *testing.T) {
	ratio := func(as []Access) float64 {
		x, days := 0.0, 0.0
		for _, a := range as {
			if days += a.Interval; a.Changed {
				x++
			}
		}
		return x / days
	}
	const rate, mean = 1.0, 1.5
	for _, test := range []struct {
		name     string
		estimate func([]Access) float64
		visits   int
		low, up  float64 // of the mean estimate
	}{
		{"ratio of changes", ratio, 50, 0.4, 0.6},
		{"irregular visits", irregularRate, 50, 0.95, 1.1},
		{"dates of change", lastModifiedRate, 50, 0.95, 1.05},
		{"dates of change, few visits", lastModifiedRate, 5, 0.85, 1.1},
		{"prior, few visits", Prior{Shape: 1, Days: 1}.Rate, 5, 0.85, 1.25},
	} {
		if got := simulate(rate, mean, test.visits, test.estimate); got < test.low || got > test.up {
			t.Errorf("%s: mean %.3f, want %.2f to %.2f", test.name, got, test.low, test.up)
		}
	}
}

// TestPrior checks that without visits only the prior counts, and with many visits it has no effect.
func TestPrior(t *testing.T) {
	p := Prior{Shape: 2, Days: 20}
	if got := p.Rate(nil); math.Abs(got-0.1) > 1e-9 {
		t.Errorf("no visits: %v, want 0.1", got)
	}
	var many []Access
	for i := range 2000 {
		many = append(many, Access{Interval: 1, Changed: i%2 == 0})
	}
	if got := p.Rate(many); math.Abs(got-math.Ln2) > 0.02 {
		t.Errorf("many visits: %v, want about %v", got, math.Ln2)
	}
	if got := p.Rate([]Access{{Interval: 30}}); math.Abs(got-2.0/50) > 1e-9 {
		t.Errorf("a still month: %v, want 0.04", got)
	}
}

// TestLearnedPriorHelps checks that the prior learned from other pages improves the estimates of pages with
// few visits.
func TestLearnedPriorHelps(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	visits := func(rate float64, n int) (vs []Visit) {
		at := start
		for i := range n {
			fate := Unchanged
			if i == 0 || random.Float64() < 1-math.Exp(-7*rate) {
				fate = Changed
			}
			vs = append(vs, Visit{At: at, Fate: fate})
			at = at.Add(7 * 24 * time.Hour)
		}
		return vs
	}
	draw := func() float64 { return (random.ExpFloat64() + random.ExpFloat64()) / 2 / 60 } // one change in two months
	var sources []Source
	for range 200 {
		sources = append(sources, Source{Kind: Index, Visits: visits(draw(), 40)})
	}
	learned := LearnPriors(sources)[Index]
	if mean := learned.Shape / learned.Days; mean < 1.0/75 || mean > 1.0/50 {
		t.Errorf("mean rate learned: one change in %.1f days, want about 60", 1/mean)
	}
	var with, without float64
	for range 500 {
		rate := draw()
		as := accessesOf(visits(rate, 5))
		square := func(x float64) float64 { return x * x }
		with += square(learned.Rate(as) - rate)
		without += square(defaultPriors[Index].Rate(as) - rate)
	}
	if with > 0.7*without {
		t.Errorf("squared error %.3g with the learned prior, %.3g with the default", with, without)
	}
}

// TestAccesses checks what counts as an observation. Failures are ignored, the age of the first version
// counts, and a date of change equal to the date of the visit does not.
func TestAccesses(t *testing.T) {
	day := func(n float64) time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Add(fromDays(n)) }
	s := Source{Visits: []Visit{
		{At: day(10), Fate: Changed, Modified: day(4)},
		{At: day(12), Fate: Unchanged, Modified: day(4)},
		{At: day(13), Fate: Failed},
		{At: day(15), Fate: Changed, Modified: day(14)},
		{At: day(16), Fate: Changed, Modified: day(16)},
		{At: day(17), Fate: Gone},
	}}
	want := []Access{{6, true, 6}, {2, false, 0}, {3, true, 1}, {1, true, 0}}
	if diff := cmp.Diff(want, s.accesses(), near); diff != "" {
		t.Errorf("accesses (-want +got):\n%s", diff)
	}
}
