package simweb

import (
	"fmt"
	"strings"
	"time"
)

// A dateFormat is one way of the web to print days.
type dateFormat int

// The formats.
const (
	dayMonthYear dateFormat = iota
	monthDayYear
	isoDate
	dottedDate
	weekdayDate
	shortMonth
	ordinalMonth
	weekdayComma
	shortDay
	ordinalDay
	numDateFormat // how many there are
)

// dayLayouts are layouts of package time, in which 2nd is the day as an ordinal.
var dayLayouts = [numDateFormat]string{
	dayMonthYear: "2 January 2006", monthDayYear: "January 2, 2006", isoDate: time.DateOnly, dottedDate: "02.01.2006",
	weekdayDate: "Monday 2nd January 2006", shortMonth: "Jan 2, 2006", ordinalMonth: "January 2nd, 2006",
	weekdayComma: "Monday, January 2, 2006", shortDay: "2 Jan 2006", ordinalDay: "2nd January 2006",
}

// day prints t.
func (f dateFormat) day(t time.Time) string {
	if before, after, ok := strings.Cut(dayLayouts[f], "2nd"); ok {
		return t.Format(before) + ordinal(t.Day()) + t.Format(after)
	}
	return t.Format(dayLayouts[f])
}

// span prints the days from a to b.
func (f dateFormat) span(a, b time.Time) string {
	if a.Equal(b) {
		return f.day(a)
	}
	sameMonth := a.Month() == b.Month() && a.Year() == b.Year()
	sameYear := a.Year() == b.Year()
	switch f {
	case monthDayYear, ordinalMonth, weekdayComma:
		if sameMonth {
			return a.Format("January 2") + "-" + b.Format("2, 2006")
		}
		if sameYear {
			return a.Format("January 2") + " - " + b.Format("January 2, 2006")
		}
	case shortMonth:
		if sameMonth {
			return a.Format("Jan 2") + "-" + b.Format("2, 2006")
		}
	case isoDate:
		return a.Format(time.DateOnly) + " to " + b.Format(time.DateOnly)
	case dottedDate:
		return a.Format("02.01.2006") + " - " + b.Format("02.01.2006")
	case weekdayDate, ordinalDay:
		if sameMonth {
			return ordinal(a.Day()) + " - " + ordinal(b.Day()) + b.Format(" January 2006")
		}
	default:
		if sameMonth {
			return a.Format("2") + "–" + b.Format("2 January 2006")
		}
		if sameYear {
			return a.Format("2 January") + " – " + b.Format("2 January 2006")
		}
	}
	return f.day(a) + " - " + f.day(b)
}

// ordinal prints 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// ordinalWords are the editions that calls print in words.
var ordinalWords = strings.Fields("First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth")
