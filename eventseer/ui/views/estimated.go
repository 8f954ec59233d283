package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
)

// An EstimateShown is the estimate of a next edition that no page has announced.
type EstimateShown struct {
	Year  string
	Rows  []estimateRow
	Basis string
}

// An estimateRow is one date that may be expected.
type estimateRow struct {
	What, About, Between string
}

// estimateNames are the kinds that are not deadlines.
var estimateNames = map[eventseer.DeadlineKind]string{series.EventStarts: "First day", series.EventEnds: "Last day"}

// EstimateOf returns the estimate from the editions of a series, nil if there is none.
func EstimateOf(editions []eventseer.Event, now time.Time) *EstimateShown {
	estimates := series.EstimateNext(editions, now)
	var shown EstimateShown
	for _, e := range estimates {
		day, ok := e.Date.Time()
		if !ok {
			continue
		}
		name := cmp.Or(estimateNames[e.Kind], DeadlineName(eventseer.Deadline{Kind: e.Kind}))
		shown.Rows = append(shown.Rows, estimateRow{
			What: name, About: day.Format("2 January 2006"),
			Between: fmt.Sprintf("%s to %s", day.AddDate(0, 0, -e.Spread).Format("2 Jan"), day.AddDate(0, 0, e.Spread).Format("2 Jan 2006")),
		})
		if shown.Year == "" || e.Kind == eventseer.Submission {
			shown.Year = YearText(e.Year)
			shown.Basis = fmt.Sprintf("Estimated from %s. No page has announced these dates, so they are not in calendars and alerts.", CountText(len(e.From), "edition"))
		}
	}
	if len(shown.Rows) == 0 {
		return nil
	}
	return &shown
}

// Paper returns the row of papers, or the first.
func (e *EstimateShown) Paper() estimateRow {
	i := slices.IndexFunc(e.Rows, func(r estimateRow) bool { return r.What == deadlineNames[eventseer.Submission] })
	return e.Rows[max(i, 0)]
}

// ExpectedAfter returns the estimate of the edition after e, if e is the newest one and closed.
func ExpectedAfter(editions []eventseer.Event, e eventseer.Event, now time.Time) *EstimateShown {
	if _, open := eventseer.NextDeadline(e, now); open {
		return nil
	}
	if slices.ContainsFunc(editions, func(other eventseer.Event) bool { return other.Year > e.Year }) {
		return nil
	}
	return EstimateOf(editions, now)
}

// MaxExpected bounds the series whose editions are read for one list.
const MaxExpected = 10

// SpreadOf describes between which days of the year papers were due, "" for fewer than three
// editions. It is the shortest interval of the cyclic year that contains all.
func SpreadOf(editions []eventseer.Event) string {
	var days []time.Time
	for _, e := range editions {
		if d, ok := LastSubmission(e); ok {
			if day, ok := d.Date.Time(); ok {
				// 2001 has no 29 February: that day becomes 1 March.
				days = append(days, time.Date(2001, day.Month(), day.Day(), 0, 0, 0, 0, time.UTC))
			}
		}
	}
	if len(days) < 3 {
		return ""
	}
	slices.SortFunc(days, time.Time.Compare)
	const year = 365 * 24 * time.Hour
	first, gap := 0, year-days[len(days)-1].Sub(days[0])
	for i := 1; i < len(days); i++ {
		if d := days[i].Sub(days[i-1]); d > gap {
			first, gap = i, d
		}
	}
	from, to := days[first].Format("2 January"), days[(first+len(days)-1)%len(days)].Format("2 January")
	if from == to {
		return fmt.Sprintf("In %d editions papers were due on %s.", len(days), from)
	}
	return strings.TrimSpace(fmt.Sprintf("In %d editions papers were due between %s and %s.", len(days), from, to))
}
