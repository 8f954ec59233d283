package eventseer

import (
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A DateReader reads the days that a page prints. It is pure and safe for concurrent
// use.
type DateReader interface {
	// Dates returns all days that a page prints, in the order of its text.
	Dates(t *tagtree.Tree) []PrintedDate
}

// A Reading is what one version of a page gives.
type Reading struct {
	// Event is the record; the zero Event where the version gives none.
	Event Event
	// Dates are all days that the page prints, in the order of its text.
	Dates []PrintedDate
}

// ReadingOf returns the reading of a page that gives e: with the days it prints where x
// is a DateReader.
func ReadingOf(x Extractor, t *tagtree.Tree, e Event) Reading {
	r := Reading{Event: e}
	if d, ok := x.(DateReader); ok {
		r.Dates = d.Dates(t)
	}
	return r
}

// A PrintedDate is a day, or a range of days, that a page prints.
type PrintedDate struct {
	// Offset is the range of bytes in the page's text.
	Offset [2]int
	// From and To are the days, the same of a single one; of a day of which nothing tells
	// the year that is 0000.
	From, To Date
	// Label is what is printed for it, Track the other axis of its table.
	Label, Track string
	// Kind is the kind of deadline according to its label, or ""; Event is set for the days of the
	// event.
	Kind  DeadlineKind
	Event bool
	// Struck means that it is struck out, or printed as what was before.
	Struck bool
}

// Yearless begins a day of which nothing tells the year.
const Yearless = "0000"

func (d Date) IsYearless() bool { return strings.HasPrefix(string(d), Yearless) }

// InYearOf returns a day without a year as one of the year of another.
func (d Date) InYearOf(o Date) Date {
	if d.IsYearless() && len(o) > len(Yearless) {
		return o[:len(Yearless)] + d[len(Yearless):]
	}
	return d
}

// Day returns the day that a date is about: the end of a time to hand something in, the
// start of any other.
func (d PrintedDate) Day() Date {
	if d.Kind.Submits() || d.Kind == Registration {
		return d.To
	}
	return d.From
}
