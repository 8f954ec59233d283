package series

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// An Estimate is a day that was not announced but is expected from the previous editions of a
// series. It is always marked as an estimate and is never part of an event, an alert or a calendar.
type Estimate struct {
	// Kind is the kind of a deadline, or EventStarts or EventEnds.
	Kind eventseer.DeadlineKind `json:"kind"`
	// Year is the year of the edition, extrapolated from the previous editions.
	Year int            `json:"year"`
	Date eventseer.Date `json:"date"`
	// Spread is the expected error in days, at least MinSpread. It is the standard deviation of the
	// day of the year over the editions.
	Spread int `json:"spread"`
	// From are the editions on which the estimate is based, newest first, at least two.
	From []eventseer.EventID `json:"from"`
}

// The kinds of estimates that are not deadlines.
const (
	EventStarts eventseer.DeadlineKind = "event_start"
	EventEnds   eventseer.DeadlineKind = "event_end"
)

// Bounds of estimates.
const (
	// MinSpread is the least spread that is claimed, in days.
	MinSpread = 7
	// MaxSpread is the maximum spread of an estimate, in days.
	MaxSpread = 45
	// estimateOver is the number of newest editions used by an estimate.
	estimateOver = 8
	// dormant is the number of usual intervals without an edition after which a series has no
	// estimates.
	dormant = 3
)

// estimated are the kinds that are estimated, in this order.
var estimated = []eventseer.DeadlineKind{eventseer.Abstract, eventseer.Submission, eventseer.Notification, eventseer.CameraReady, EventStarts, EventEnds}

// EstimateNext returns the days after now that are expected from the editions of a series in order
// of time. There is at most one of each kind, and none that is already announced. A kind is
// estimated if at least two editions have it and agree to within MaxSpread days. There are no
// estimates for a dormant series.
//
// The day is the mean of the days of the year over the newest editions, weighted towards the newest
// and computed on a circle, because some are in December and some in January. It is moved to the
// nearest weekday that most of them share.
func EstimateNext(editions []eventseer.Event, now time.Time) (all []Estimate) {
	now = now.UTC().Truncate(24 * time.Hour)
	for _, kind := range estimated {
		if e, ok := estimateDay(kind, editionDays(editions, kind), now); ok {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Estimate) int { return cmp.Compare(a.Date, b.Date) })
	return all
}

// An editionDay is the day of one kind in one edition.
type editionDay struct {
	edition eventseer.EventID
	year    int
	day     time.Time
}

// editionDays returns the days of a kind, newest first, one per year. Two series may share an
// acronym; then the edition with more fields is used.
func editionDays(editions []eventseer.Event, kind eventseer.DeadlineKind) (all []editionDay) {
	editions = slices.Clone(editions)
	slices.SortStableFunc(editions, func(a, b eventseer.Event) int {
		return cmp.Or(cmp.Compare(b.Year, a.Year), cmp.Compare(len(b.Deadlines), len(a.Deadlines)), cmp.Compare(a.ID, b.ID))
	})
	for _, e := range editions {
		day, ok := dayOf(e, kind)
		if !ok || e.Year == 0 || len(all) > 0 && all[len(all)-1].year == e.Year {
			continue
		}
		all = append(all, editionDay{e.ID, e.Year, day})
	}
	return all
}

// dayOf returns the day of a kind; of several deadlines the earliest of the main track and the
// first round.
func dayOf(e eventseer.Event, kind eventseer.DeadlineKind) (day time.Time, ok bool) {
	switch kind {
	case EventStarts:
		return e.EventStart.Time()
	case EventEnds:
		return max(e.EventStart, e.EventEnd).Time()
	}
	best := eventseer.Deadline{Date: "9999"}
	for _, d := range e.Deadlines {
		if d.Kind == kind && compareDeadlines(d, best) {
			best = d
		}
	}
	return best.Date.Time()
}

// compareDeadlines orders deadlines of one kind: those without a track first, then by round, then
// by day.
func compareDeadlines(a, b eventseer.Deadline) bool {
	if (a.Track == "") != (b.Track == "") && b.Kind != "" {
		return a.Track == ""
	}
	if r, s := max(a.Round, 1), max(b.Round, 1); r != s && b.Kind != "" {
		return r < s
	}
	return a.Date < b.Date
}

// estimateDay returns the next day after now that is expected from the previous days.
func estimateDay(kind eventseer.DeadlineKind, days []editionDay, now time.Time) (Estimate, bool) {
	days = days[:min(len(days), estimateOver)]
	if len(days) < 2 || days[0].day.After(now) {
		return Estimate{}, false // the newest is in the future: it is announced
	}
	gap := usualGap(days)
	mean, spread := meanDay(days)
	if spread > MaxSpread {
		return Estimate{}, false
	}
	for n := 1; n <= dormant; n++ {
		year := days[0].year + n*gap
		day := toWeekday(nearestDay(mean, days[0].day.AddDate(n*gap, 0, 0)), days)
		if day.Before(now) {
			continue // an edition that was not found, or is late
		}
		e := Estimate{Kind: kind, Year: year, Date: eventseer.Date(day.Format(time.DateOnly)), Spread: max(MinSpread, int(math.Ceil(spread)))}
		for _, o := range days {
			e.From = append(e.From, o.edition)
		}
		return e, true
	}
	return Estimate{}, false
}

// usualGap returns the most frequent number of years between editions, of equals the smaller.
func usualGap(days []editionDay) int {
	count := map[int]int{}
	best := 0
	for i := range days[1:] {
		gap := days[i].year - days[i+1].year
		if count[gap]++; best == 0 || count[gap] > count[best] || count[gap] == count[best] && gap < best {
			best = gap
		}
	}
	return best
}

// yearDays is the length of the cyclic year.
const yearDays = 365.2425

// meanDay returns the mean day of the year as an angle, and the standard deviation in days. The
// deviation is that of the length of the mean vector for a sample of that size (Mardia and Jupp
// 2000, section 2.3). The newest edition has the highest weight.
func meanDay(days []editionDay) (angle, spread float64) {
	var x, y, weights float64
	for i, o := range days {
		w := math.Pow(weightBefore, float64(i))
		a := angleOf(o.day)
		x += float64(w * math.Cos(a))
		y += float64(w * math.Sin(a))
		weights += w
	}
	length := min(1, math.Hypot(x, y)/weights)
	sd := math.Sqrt(-2*math.Log(max(length, 1e-9))) * yearDays / (2 * math.Pi)
	n := float64(len(days))
	return math.Atan2(y, x), sd * math.Sqrt(n/(n-1))
}

// weightBefore is the weight of an edition relative to the following one: dates drift, and the
// newest predict the next best. Of ¼, ⅖, ½, ⅔ and 1 it was among the best for deadlines on left-out
// editions; see TestEstimateLeaveLastOut.
const weightBefore = 0.5

func angleOf(day time.Time) float64 { return 2 * math.Pi * float64(day.YearDay()-1) / yearDays }

// nearestDay returns the day of that angle that is nearest to another day.
func nearestDay(angle float64, to time.Time) time.Time {
	turn := math.Remainder(angle-angleOf(to), 2*math.Pi)
	return to.AddDate(0, 0, int(math.Round(turn*yearDays/(2*math.Pi))))
}

// toWeekday moves a day by at most three days to the weekday that more than half of the days share,
// if there is one.
func toWeekday(day time.Time, days []editionDay) time.Time {
	var count [7]int
	for _, o := range days {
		count[o.day.Weekday()]++
	}
	for weekday, n := range count {
		if 2*n > len(days) {
			by := (weekday - int(day.Weekday()) + 7) % 7
			if by > 3 {
				by -= 7
			}
			return day.AddDate(0, 0, by)
		}
	}
	return day
}
