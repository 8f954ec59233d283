package eventseer

import (
	"slices"
	"time"
)

// sameYear reports whether the years two records speak of allow one edition.
// A year that rests on the days of the event stands; another may be that of a
// deadline, and the title, the address or the number of the edition may know
// better.
func sameYear(a, b Event) bool {
	if a.Year == 0 || b.Year == 0 {
		return true
	}
	if dated(a) && dated(b) {
		return a.Year == b.Year
	}
	yearsA, yearsB := yearsOf(a), yearsOf(b)
	if slices.Contains(yearsA, yearsB[0]) || slices.Contains(yearsB, yearsA[0]) {
		return true
	}
	n := ordinal(a.Title)
	return max(a.Year-b.Year, b.Year-a.Year) == 1 && n > 0 && n == ordinal(b.Title)
}

// dated reports whether the days of a record can be relied on: not where its
// name and its address agree on another year. Several days of an earlier year
// can: a page copied from the edition before that was renewed in its name only
// still speaks of that one.
func dated(e Event) bool {
	if e.EventStart == "" {
		return false
	}
	y := namedYear(e)
	if y == 0 || y == e.Year || e.Year < y && e.EventEnd > e.EventStart {
		return true
	}
	of, sure := siteOf(e.URL).year()
	return !sure || of != y
}

// yearsOf returns the years a record may be of, the likeliest first, at most
// three.
func yearsOf(e Event) []int {
	if dated(e) {
		return []int{e.Year}
	}
	named, sure := siteOf(e.URL).year()
	if e.EventStart != "" {
		return []int{named} // days of another edition, see dated
	}
	years := []int{e.Year}
	if y := namedYear(e); y != 0 {
		years = append(years, y)
	}
	if sure {
		years = append(years, named)
	}
	return years
}

func weighYear(a, b Event) float64 {
	if a.Year != 0 && b.Year != 0 && yearsOf(a)[0] == yearsOf(b)[0] {
		return 2
	}
	return 0
}

// Gaps between the first days of two readings: within near one may be that of
// a tutorial or misread, beyond apart they are of different events.
const (
	near  = 45 * 24 * time.Hour
	apart = 120 * 24 * time.Hour
)

func weighDays(a, b Event) float64 {
	fromA, okA := a.EventStart.Time()
	fromB, okB := b.EventStart.Time()
	if !okA || !okB || !dated(a) || !dated(b) {
		return 0
	}
	switch gap := fromA.Sub(fromB).Abs(); {
	case gap == 0 && a.EventEnd == b.EventEnd && a.EventEnd > a.EventStart:
		return 4
	case gap == 0 && (a.EventEnd == b.EventEnd || a.EventEnd == "" || b.EventEnd == ""):
		return 3
	case gap == 0 || overlap(a, b):
		return 2
	case gap <= near:
		return -1
	case gap <= apart:
		return -3
	}
	return -5
}

// overlap reports whether two events that have a first day share one.
func overlap(a, b Event) bool {
	endA, endB := max(a.EventStart, a.EventEnd), max(b.EventStart, b.EventEnd)
	return a.EventStart <= endB && b.EventStart <= endA
}
