package eventseer

import (
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A DateReader reads the dates that a page prints. It is pure and safe for concurrent use.
type DateReader interface {
	// Dates returns all dates that a page prints, in the order of its text.
	Dates(t *tagtree.Tree) []PrintedDate
}

// A Reading is what was extracted from one version of a page.
type Reading struct {
	// Event is the record; the zero Event if the version has none.
	Event Event
	// Dates are all dates that the page prints, in the order of its text.
	Dates []PrintedDate
}

// ReadingOf returns a Reading with the event e. It contains the dates of the page if x is a DateReader.
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
	// From and To are the first and the last day. They are equal for a single day. An unknown year is 0000.
	From, To Date
	// Label is the text printed for the date. Track is the heading of the other axis of its table.
	Label, Track string
	// Kind is the kind of deadline according to its label, or ""; Event means that they are the
	// days of the event.
	Kind  DeadlineKind
	Event bool
	// Struck means that the date is struck out or printed as a former date.
	Struck bool
}

// Yearless is the year in a Date whose year is unknown.
const Yearless = "0000"

func (d Date) IsYearless() bool { return strings.HasPrefix(string(d), Yearless) }

// InYearOf returns d with the year of o if d has no year.
func (d Date) InYearOf(o Date) Date {
	if d.IsYearless() && len(o) > len(Yearless) {
		return o[:len(Yearless)] + d[len(Yearless):]
	}
	return d
}

// Day returns the day that counts as the date: the end of a submission or registration period, otherwise the
// start.
func (d PrintedDate) Day() Date {
	if d.Kind.IsSubmission() || d.Kind == Registration {
		return d.To
	}
	return d.From
}
