package views

import (
	"fmt"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

const TimelineRows = 40 // calls on one page

const TimelineWidth = 960

const timelineNames = 150 // where the bars begin

const TimelineTop = 28

const TimelineRow = 22

const TimelineMonths = 12

// A TimelinePage shows calls as bars over a year.
type TimelinePage struct {
	Frame
	ViewForm
	Total, From, To int
	Window          string // "December 2026 to November 2027"
	Width, Height   int
	Months          []timelineMonth
	Rows            []timelineCall
	Today           string // position of the present time, "" if it is outside
	Newer, Older    string
	Earlier, Later  Link
}

type timelineMonth struct{ X, Text string }

// A timelineCall is one row: its drawing and its description in words.
type timelineCall struct {
	Name             Name
	Short            string
	Href             string
	Y, Middle, Low   string
	Bar              *Span
	Deadlines, Notes []string // where they stand
	Held             *Span
	Beyond           bool   // the whole call is after the window
	Due, Notified    string // in words, "" unknown
	Days             string
}

// A Span is a period of time in the drawing.
type Span struct{ X, Width string }

func TimelineLink(query string, from time.Time) Link {
	if from.Year() < FirstShown || from.Year() >= LastShown {
		return Link{}
	}
	return Link{Text: from.Format("January 2006"), Href: ViewHref("/timeline", query, "from", from.Format("2006-01"))}
}

// A TimelineScale converts times to positions in the drawing.
type TimelineScale struct{ From, End time.Time }

// positionOf returns the position of t on the timeline, and whether it is inside.
func (s TimelineScale) positionOf(t time.Time) (float64, bool) {
	share := float64(t.Sub(s.From)) / float64(s.End.Sub(s.From))
	inside := share >= 0 && share <= 1
	return timelineNames + min(max(share, 0), 1)*(TimelineWidth-timelineNames-8), inside
}

func (s TimelineScale) PositionText(t time.Time) (string, bool) {
	x, inside := s.positionOf(t)
	return unitsText(x), inside
}

func unitsText(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func (s TimelineScale) Months() []timelineMonth {
	var months []timelineMonth
	for t := s.From; t.Before(s.End); t = t.AddDate(0, 1, 0) {
		x, _ := s.PositionText(t)
		text := t.Format("Jan")
		if t.Month() == time.January || t.Equal(s.From) {
			text = t.Format("Jan 2006")
		}
		months = append(months, timelineMonth{X: x, Text: text})
	}
	return months
}

// SpanBetween returns the part of the time from a to b that the timeline shows, or nil if it shows none of it.
func (s TimelineScale) SpanBetween(a, b time.Time) *Span {
	if b.Before(s.From) || a.After(s.End) || b.Before(a) {
		return nil
	}
	x, _ := s.positionOf(a)
	to, _ := s.positionOf(b)
	return &Span{X: unitsText(x), Width: unitsText(max(to-x, 2))}
}

// DrawCall draws one call, from its next deadline over its notifications to the days of the event.
func (s TimelineScale) DrawCall(e eventseer.Event, row int, open time.Time) timelineCall {
	y := TimelineTop + row*TimelineRow
	c := timelineCall{
		Name: NameOf(e), Short: Clip(ShortName(e), 20), Href: EventHref(e.ID), Days: DaysText(e.EventStart, e.EventEnd),
		Y: strconv.Itoa(y + 5), Middle: strconv.Itoa(y + TimelineRow/2), Low: strconv.Itoa(y + 15),
	}
	var first, last time.Time
	reach := func(t time.Time) {
		if first.IsZero() || t.Before(first) {
			first = t
		}
		if t.After(last) {
			last = t
		}
	}
	if d, ok := eventseer.NextDeadline(e, open); ok {
		w := newWhen(d, open)
		c.Due = fmt.Sprintf("%s, %s", w.Date, w.What)
	}
	for _, d := range FirstN(e.Deadlines, MaxDeadlines) {
		t := d.Moment()
		if t.IsZero() {
			continue
		}
		x, inside := s.PositionText(t)
		switch {
		case d.Kind.IsSubmission() && !t.Before(open):
			reach(t)
			if inside {
				c.Deadlines = append(c.Deadlines, x)
			}
		case d.Kind == eventseer.Notification:
			reach(t)
			if inside {
				c.Notes = append(c.Notes, x)
			}
			if c.Notified == "" {
				c.Notified = newWhen(d, open).Date
			}
		}
	}
	start, held := parseDay(e.EventStart)
	if held {
		end, ok := parseDay(e.EventEnd)
		if !ok || end.Before(start) || end.Sub(start) > maxHeld {
			end = start
		}
		reach(start)
		reach(end)
		c.Held = s.SpanBetween(start, end.AddDate(0, 0, 1))
	}
	if !first.IsZero() {
		c.Bar = s.SpanBetween(first, last)
		c.Beyond = first.After(s.End)
	}
	return c
}

// maxHeld is the maximum length of an event that is drawn as one bar.
const maxHeld = 60 * 24 * time.Hour
