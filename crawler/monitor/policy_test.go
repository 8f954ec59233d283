package monitor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRefreshPaper is the example of "Effective Page Refresh Policies": five
// pages that change 1 to 5 times a day, five visits a day. The best frequencies are
// 1.15, 1.36, 1.35, 1.14 and 0, and the page that changes most gets none.
func TestRefreshPaper(t *testing.T) {
	var pages []Page
	for rate := 1.0; rate <= 5; rate++ {
		pages = append(pages, Page{Rate: rate, Worth: 1})
	}
	price := priceOf(pages, 5)
	var got []string
	for _, p := range pages {
		got = append(got, fmt.Sprintf("%.2f", visitRateAtPrice(p.Rate, p.Worth, price)))
	}
	if diff := cmp.Diff("1.15 1.36 1.35 1.14 0.00", strings.Join(got, " ")); diff != "" {
		t.Errorf("visits a day (-paper +got):\n%s", diff)
	}
}

// TestRefreshIsBest: no shift of visits between two pages makes the sum of freshness
// larger.
func TestRefreshIsBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var pages []Page
	for range 30 {
		pages = append(pages, Page{Rate: math.Exp(4*random.Float64() - 3), Worth: 0.1 + random.Float64()})
	}
	const perDay = 12
	price := priceOf(pages, perDay)
	fresh := func(p Page, visits float64) float64 {
		if visits <= 0 {
			return 0
		}
		r := p.Rate / visits
		return p.Worth * -math.Expm1(-r) / r
	}
	var visits []float64
	var sum float64
	for _, p := range pages {
		f := visitRateAtPrice(p.Rate, p.Worth, price)
		visits, sum = append(visits, f), sum+f
	}
	if math.Abs(sum-perDay) > 1e-6 {
		t.Errorf("%v visits a day are shared out, want %v", sum, float64(perDay))
	}
	const shift = 1e-4
	for i := range pages {
		for j := range pages {
			if i == j || visits[i] < shift || visits[j]+shift > maxVisitsPerDay(pages[j].Rate) {
				continue
			}
			gain := fresh(pages[j], visits[j]+shift) - fresh(pages[j], visits[j]) + fresh(pages[i], visits[i]-shift) - fresh(pages[i], visits[i])
			if gain > 1e-7 {
				t.Fatalf("a shift of visits from page %d to %d gains %g", i, j, gain)
			}
		}
	}
}

func TestFreshness(t *testing.T) {
	day := func(n float64) time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Add(fromDays(n)) }
	usual := Page{URL: "https://a.example/", Rate: 0.1, Worth: 1, Last: day(0)}
	with := func(change func(*Page)) Page {
		p := usual
		change(&p)
		return p
	}
	past := with(func(p *Page) { p.Worth = 0.05 })
	fast := with(func(p *Page) { p.Rate = 50 })
	failing := with(func(p *Page) { p.Row = 4 })
	fresh := with(func(p *Page) { p.Last = time.Time{} })
	soon := with(func(p *Page) { p.Moments = []time.Time{day(3)} })
	over := with(func(p *Page) { p.Moments = []time.Time{day(-3)} })
	pages := []Page{usual, past, fast, failing, fresh, soon, over}
	pace := Freshness{}.Fit(pages, 0.7)
	in := func(p Page) float64 { return toDays(pace(p).At.Sub(day(0))) }
	if !pace(fresh).At.IsZero() {
		t.Errorf("a page never visited is due %v, want at once", pace(fresh).At)
	}
	switch {
	case in(past) <= in(usual):
		t.Errorf("a page that is past is due in %v days, another in %v", in(past), in(usual))
	case in(fast) != maxInterval:
		t.Errorf("a page that changes too fast is due in %v days, want %v", in(fast), float64(maxInterval))
	case math.Abs(in(failing)-8*in(usual)) > 1e-6 && in(failing) != maxInterval:
		t.Errorf("a failing page is due in %v days, another in %v", in(failing), in(usual))
	case math.Abs(in(soon)-2) > 1e-9:
		t.Errorf("a page is due in %v days, its deadline in 3, want the day before", in(soon))
	case in(over) != in(usual):
		t.Errorf("a page whose deadline is over is due in %v days, another in %v", in(over), in(usual))
	}
	if why := pace(soon).Why; !strings.HasPrefix(why, "a day before the deadline of 2027-01-04; ") {
		t.Errorf("why: %s", why)
	}
	if why := pace(fast).Why; !strings.Contains(why, "too often") {
		t.Errorf("why: %s", why)
	}
}

// TestReplay: pages of many rates are played. All policies keep to their visits, and
// freshness sees more than fixed intervals where most pages hardly ever change.
func TestReplay(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	var histories []History
	for i := range 60 {
		h := History{URL: fmt.Sprintf("https://p%02d.example/", i), Kind: Index, Changes: []time.Time{start}}
		rate := 1.0 / 300
		if i%6 == 0 {
			rate = 1.0 / 10
		}
		for at := random.ExpFloat64() / rate; at < 300; at += random.ExpFloat64() / rate {
			h.Changes = append(h.Changes, start.Add(fromDays(at)))
		}
		histories = append(histories, h)
	}
	o := ReplayOptions{From: start, To: start.Add(300 * 24 * time.Hour), PerDay: 2, Step: 24 * time.Hour}
	seen := map[string]float64{}
	for _, p := range Policies() {
		r := Replay(p, histories, o)
		if diff := cmp.Diff(r, Replay(p, histories, o)); diff != "" {
			t.Errorf("%s, the second time:\n%s", p.Name(), diff)
		}
		if r.Visits > 602 || r.Changes == 0 {
			t.Errorf("%s: %+v", p.Name(), r)
		}
		seen[p.Name()] = r.Share
	}
	if seen["freshness"] < 1.5*seen["fixed"] {
		t.Errorf("shares seen within a week: %v", seen)
	}
}
