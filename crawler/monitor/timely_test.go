package monitor

import (
	"strings"
	"testing"
	"time"
)

// TestTimely: pages that changed lately are visited each week, quiet ones more rarely. A deadline
// brings a visit forward, and the number of visits is the one allowed.
func TestTimely(t *testing.T) {
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	day := func(n float64) time.Time { return start.Add(fromDays(n)) }
	page := func(changed float64) Page {
		return Page{Rate: 0.1, Worth: 1, Last: day(100), Visits: []Visit{{At: day(changed), Fate: Changed}, {At: day(100)}}}
	}
	pages := []Page{page(100), page(99), page(95), page(60), page(30), page(0)}
	for _, perDay := range []float64{0.3, 0.6} {
		pace := Timely{}.Fit(pages, perDay)
		var sum, last float64
		for _, p := range pages {
			wait := toDays(pace(p).At.Sub(p.Last))
			if wait < last {
				t.Errorf("%.1f a day: quieter page after %.1f days, livelier one after %.1f", perDay, wait, last)
			}
			last, sum = wait, sum+1/wait
		}
		if sum > perDay*1.01 || sum < perDay*0.95 {
			t.Errorf("%.1f visits a day, want %.1f", sum, perDay)
		}
	}
	pace := Timely{}.Fit(pages, 0.3)
	quietPage := page(0)
	without := pace(quietPage).At
	quietPage.Moments = []time.Time{day(110)}
	if due := pace(quietPage); !due.At.Equal(day(111)) || !due.At.Before(without) || !strings.Contains(due.Why, "a day after the deadline of 2027-04-21") {
		t.Errorf("%+v", due)
	}
	quietPage.Moments, quietPage.Worth = nil, 0.05
	if dead := pace(quietPage).At; dead.Before(without) {
		t.Errorf("a page that is past is due %v, before %v", dead, without)
	}
	if due := pace(Page{Rate: 1, Worth: 1}); !due.At.IsZero() {
		t.Errorf("never visited: %+v", due)
	}
}
