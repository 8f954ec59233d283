package query

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/series"
)

// Facts are the data for the terms of a query that are not about words. Both the index and the
// matching of events against lists use them, so that they agree.
type Facts struct {
	ID     eventseer.EventID
	Series string
	Kind   eventseer.Kind
	Year   int
	// Due are the submission deadlines in order of Moment: all of the main call, and those of other
	// calls after its last.
	Due   []Due
	Start time.Time // first day of the event, zero if not known
	// Seen is when the event was first seen, Changed when its record last changed.
	Seen, Changed time.Time
	Ranks         []eventseer.Rank // newest rank in each system
	Place         *PlaceKeys
	Has           []string
	Fields        []string // ids as in package field
}

// A Due is a deadline: the last moment, and the day as printed.
type Due struct{ Moment, Day time.Time }

// FactsOf returns the facts of a document.
func FactsOf(d eventseer.Document) Facts {
	e := d.Event
	place := MakePlaceKeys(e.Location)
	f := Facts{
		ID: e.ID, Series: series.IDOf(e), Kind: e.Kind, Year: e.Year, Due: sortedDeadlines(e), Seen: e.FirstSeen, Changed: d.Changed,
		Ranks: LatestRanks(d.Ranks), Place: &place, Fields: e.Fields,
	}
	f.Start, _ = e.EventStart.Time()
	for _, name := range hasFacts {
		if hasFact(name, e, f) {
			f.Has = append(f.Has, name)
		}
	}
	return f
}

func hasFact(name string, e eventseer.Event, f Facts) bool {
	switch name {
	case "extension":
		return slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.ExtendedFrom != "" })
	case "rank":
		return len(f.Ranks) > 0
	case "deadline":
		return len(f.Due) > 0
	case "place":
		return len(f.Place.Where) > 0
	case "parent":
		return e.Parent != ""
	case "doubt":
		return e.ExclusionReason() != ""
	}
	return len(e.Warnings) > 0 // has:warning
}

// sortedDeadlines returns, in order of time, the deadlines that eventseer.NextDeadline would return at some
// time. Those of other calls come after the last one of the main call.
func sortedDeadlines(e eventseer.Event) (out []Due) {
	due := e.SubmissionDeadlines()
	slices.SortStableFunc(due, func(a, b eventseer.Deadline) int { return a.Moment().Compare(b.Moment()) })
	var lastOfMain time.Time
	for _, d := range slices.Backward(due) {
		at := d.Moment()
		switch ofMain := d.Call() == eventseer.MainCall; {
		case ofMain && lastOfMain.IsZero():
			lastOfMain = at
		case !ofMain && !at.After(lastOfMain):
			continue
		}
		day, ok := d.Date.Time()
		if !ok {
			day = at.Truncate(24 * time.Hour)
		}
		out = append(out, Due{at, day})
	}
	slices.Reverse(out)
	return out
}

// Next returns the first deadline at or after now.
func (f *Facts) Next(now time.Time) (Due, bool) {
	for _, d := range f.Due {
		if !d.Moment.Before(now) {
			return d, true
		}
	}
	return Due{}, false
}

// FactTest returns a function that reports whether the facts of an event match the term at the time
// now. It is nil if the term is about words. The function is safe for concurrent use.
func (t Term) FactTest(now time.Time) func(*Facts) bool {
	switch t.Field {
	case "id":
		return func(f *Facts) bool { return string(f.ID) == t.Text }
	case "series":
		return func(f *Facts) bool { return f.Series == t.Text }
	case "kind":
		return func(f *Facts) bool { return string(f.Kind) == t.Text }
	case "has":
		return func(f *Facts) bool { return slices.Contains(f.Has, t.Text) }
	case "field":
		return t.fieldTest()
	case "city", "country", "where", "mode":
		return t.placeTest()
	case "rank":
		r, err := parseRank(":", t.Text)
		return func(f *Facts) bool { return err == nil && r.matchesAny(f.Ranks) }
	case "year":
		year, err := strconv.Atoi(t.Text)
		return func(f *Facts) bool { return err == nil && f.Year != 0 && satisfies(t.Op, cmp.Compare(f.Year, year)) }
	case "month":
		month, err := time.Parse("2006-01", t.Text)
		return func(f *Facts) bool { return err == nil && isWithin(f.Start, month, month.AddDate(0, 1, 0)) }
	}
	return t.timeTest(now)
}

// timeTest is FactTest for fields that are compared with time.
func (t Term) timeTest(now time.Time) func(*Facts) bool {
	from, to := t.Window(now)
	switch t.Field {
	case "due":
		return t.dueTest(now, from, to)
	case "start":
		// In a query for days in the future, a past date does not count as before the day.
		if today := now.UTC().Truncate(24 * time.Hour); t.isDate() && from.IsZero() && to.After(today) {
			from = today
		}
		return func(f *Facts) bool { return isWithin(f.Start, from, to) }
	case "new":
		return func(f *Facts) bool { return isWithin(f.Seen, from, to) }
	case "changed":
		return func(f *Facts) bool { return isWithin(f.Changed, from, to) }
	}
	return nil
}

// dueTest tests the next deadline if the window is in the future, so that two windows of a query
// concern one deadline. Windows that begin in the past test any deadline.
func (t Term) dueTest(now, from, to time.Time) func(*Facts) bool {
	if !t.isDate() {
		return func(f *Facts) bool {
			next, ok := f.Next(now)
			return ok && isWithin(next.Moment, from, to)
		}
	}
	ahead := from.IsZero() && to.After(now) || !from.Before(now)
	return func(f *Facts) bool {
		if ahead {
			next, ok := f.Next(now)
			return ok && isWithin(next.Day, from, to)
		}
		return slices.ContainsFunc(f.Due, func(d Due) bool { return isWithin(d.Day, from, to) })
	}
}

// fieldTest tests for a field, or for any field of a discipline if it is a general one.
func (t Term) fieldTest() func(*Facts) bool {
	ids := field.Within(t.Text)
	return func(f *Facts) bool { return hasAny(f.Fields, ids) }
}

func (t Term) placeTest() func(*Facts) bool {
	keys := placeTest(t.Field, t.Text)
	return func(f *Facts) bool {
		switch {
		case f.Place == nil:
			return false
		case t.Field == "city":
			return hasAny(f.Place.City, keys)
		case t.Field == "country":
			return hasAny(f.Place.Country, keys)
		}
		return hasAny(f.Place.Where, keys)
	}
}

// satisfies reports whether the result of cmp.Compare satisfies an operator.
func satisfies(op string, compared int) bool {
	switch op {
	case "<":
		return compared < 0
	case "<=":
		return compared <= 0
	case ">":
		return compared > 0
	case ">=":
		return compared >= 0
	}
	return compared == 0
}
