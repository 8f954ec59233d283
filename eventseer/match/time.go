package match

import (
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/validate"
)

// sameYear reports whether the years of two records allow one edition. A year from the days of the
// event is reliable. Others may come from a deadline, so the title, the address or the ordinal take
// precedence.
func sameYear(a, b *EventKey) bool {
	y, z := a.e.Year, b.e.Year
	switch {
	case y == 0 || z == 0:
		return true
	case a.dated && b.dated:
		return y == z
	case slices.Contains(a.years, b.years[0]) || slices.Contains(b.years, a.years[0]):
		return true
	}
	return max(y-z, z-y) == 1 && a.ordinal > 0 && a.ordinal == b.ordinal
}

// hasReliableDays reports whether the days of a record are reliable: not if its name and its address agree on
// another year. Several days of an earlier year are reliable, because a page copied from the
// previous edition with only a new name is still about that one.
func hasReliableDays(e eventseer.Event) bool {
	if e.EventStart == "" {
		return false
	}
	y := validate.NamedYear(e)
	if y == 0 || y == e.Year || e.Year < y && e.EventEnd > e.EventStart {
		return true
	}
	of, sure := siteOf(e.URL).editionYear()
	return !sure || of != y
}

// yearsOf returns the possible years of a record, the most probable first, at most three.
func yearsOf(e eventseer.Event) []int {
	if hasReliableDays(e) {
		return []int{e.Year}
	}
	named, sure := siteOf(e.URL).editionYear()
	if e.EventStart != "" {
		return []int{named} // the days are of another edition, see dated
	}
	years := []int{e.Year}
	if y := validate.NamedYear(e); y != 0 {
		years = append(years, y)
	}
	if sure {
		years = append(years, named)
	}
	return years
}

func weighYear(a, b *EventKey) float64 {
	if a.e.Year != 0 && b.e.Year != 0 && a.years[0] == b.years[0] {
		return 2
	}
	return 0
}

// Limits on the difference between the first days in two readings. Up to near, one may be that of a tutorial
// or misread. Beyond apart, the events are different.
const (
	near  = 45 * 24 * time.Hour
	apart = 120 * 24 * time.Hour
)

func weighDays(a, b *EventKey) float64 {
	if !a.hasFrom || !b.hasFrom || !a.dated || !b.dated {
		return 0
	}
	endA, endB := a.e.EventEnd, b.e.EventEnd
	switch gap := a.from.Sub(b.from).Abs(); {
	case gap == 0 && endA == endB && endA > a.e.EventStart:
		return 4
	case gap == 0 && (endA == endB || endA == "" || endB == ""):
		return 3
	case gap == 0 || haveCommonDay(a.e, b.e):
		return 2
	case gap <= near:
		return -1
	case gap <= apart:
		return -3
	}
	return -5
}

// haveCommonDay reports whether two events that have a first day share one.
func haveCommonDay(a, b eventseer.Event) bool {
	endA, endB := max(a.EventStart, a.EventEnd), max(b.EventStart, b.EventEnd)
	return a.EventStart <= endB && b.EventStart <= endA
}
