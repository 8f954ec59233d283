package simweb

import (
	"fmt"
	"strings"
	"time"
)

// A dateFormat is one way of the web to print days.
type dateFormat int

// The formats, by an example.
const (
	dayMonthYear  dateFormat = iota // 12 March 2027
	monthDayYear                    // March 12, 2027
	isoDate                         // 2027-03-12
	dottedDate                      // 12.03.2027
	weekdayDate                     // Friday 12th March 2027
	shortMonth                      // Mar 12, 2027
	ordinalMonth                    // March 12th, 2027
	weekdayComma                    // Friday, March 12, 2027
	shortDay                        // 12 Mar 2027
	ordinalDay                      // 12th March 2027
	numDateFormat                   // how many there are
)

// day prints t.
func (f dateFormat) day(t time.Time) string {
	switch f {
	case monthDayYear:
		return t.Format("January 2, 2006")
	case isoDate:
		return t.Format(time.DateOnly)
	case dottedDate:
		return t.Format("02.01.2006")
	case weekdayDate:
		return t.Format("Monday ") + ordinal(t.Day()) + t.Format(" January 2006")
	case shortMonth:
		return t.Format("Jan 2, 2006")
	case ordinalMonth:
		return t.Format("January ") + ordinal(t.Day()) + t.Format(", 2006")
	case weekdayComma:
		return t.Format("Monday, January 2, 2006")
	case shortDay:
		return t.Format("2 Jan 2006")
	case ordinalDay:
		return ordinal(t.Day()) + t.Format(" January 2006")
	default:
		return t.Format("2 January 2006")
	}
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
