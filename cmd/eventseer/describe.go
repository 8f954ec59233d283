package main

import (
	"strings"
	"time"
	"unicode"

	"eventseer/eventseer"
)

// describeNext is the next submission deadline in a few words, "-" if there is
// none to come.
func describeNext(e eventseer.Event, now time.Time) string {
	d, ok := eventseer.NextDeadline(e, now)
	if !ok {
		return "-"
	}
	return deadlineTime(d) + " " + string(d.Kind)
}

// deadlineTime is the instant where one is known, else the day.
func deadlineTime(d eventseer.Deadline) string {
	if d.Instant.IsZero() {
		return oneLine(string(d.Date), 20)
	}
	return timeText(d.Instant)
}

// compareByDeadline puts the event with the earlier deadline to come first,
// those without one last, and orders the rest by id.
func compareByDeadline(x, y eventseer.Event, now time.Time) int {
	dx, okX := eventseer.NextDeadline(x, now)
	dy, okY := eventseer.NextDeadline(y, now)
	switch {
	case okX && !okY:
		return -1
	case okY && !okX:
		return 1
	case !dx.Moment().Equal(dy.Moment()):
		return dx.Moment().Compare(dy.Moment())
	}
	return strings.Compare(string(x.ID), string(y.ID))
}

// describeDays is "2027-06-01/2027-06-04", one day, or "".
func describeDays(e eventseer.Event) string {
	start, end := oneLine(string(e.EventStart), 20), oneLine(string(e.EventEnd), 20)
	if end == "" || end == start {
		return start
	}
	return start + "/" + end
}

// describePlace is city and country, or the place as printed.
func describePlace(e eventseer.Event) string {
	text := e.Location.String()
	if text == "" && e.Location != nil {
		text = e.Location.Text
	}
	return oneLine(text, 40)
}

// timeText is t in UTC as RFC 3339, or "".
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// printable makes a text of a page, or an error that quotes one, safe for a
// terminal: white space is a space, and there are no control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// oneLine is printable with white space folded, at most n runes.
func oneLine(s string, n int) string {
	runes := []rune(strings.Join(strings.Fields(printable(s)), " "))
	if len(runes) > n {
		return strings.TrimSpace(string(runes[:n-1])) + "…"
	}
	return string(runes)
}
