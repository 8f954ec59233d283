package ui

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"eventseer/eventseer"
)

// Measures of the timeline, in units of its drawing.
const (
	timelineRows   = 40 // calls on one page
	timelineWidth  = 960
	timelineNames  = 150 // where the bars begin
	timelineTop    = 28
	timelineRow    = 22
	timelineMonths = 12
)

// A timelinePage shows calls as bars over a year.
type timelinePage struct {
	frame
	viewForm
	Total, From, To int
	Window          string // "December 2026 to November 2027"
	Width, Height   int
	Months          []timelineMonth
	Rows            []timelineCall
	Today           string // where now is, "" outside
	Newer, Older    string
	Earlier, Later  link
}

type timelineMonth struct{ X, Text string }

// A timelineCall is one row, drawn and in words.
type timelineCall struct {
	Name             Name
	Short            string
	Href             string
	Y, Middle, Low   string
	Bar              *span
	Deadlines, Notes []string // where they stand
	Held             *span
	Beyond           bool   // all of it comes after the window
	Due, Notified    string // in words, "" unknown
	Days             string
}

// A span is a stretch of time in the drawing.
type span struct{ X, Width string }

func (s *server) timeline(r *http.Request) (view, error) {
	query := viewQuery(r)
	n, err := pageNumber(r)
	if err != nil {
		return view{}, err
	}
	from, err := parseMonth(r.FormValue("from"), s.Now())
	if err != nil {
		return view{}, err
	}
	end := from.AddDate(0, timelineMonths, 0)
	p := timelinePage{frame: s.frame("Timeline", "timeline"), viewForm: s.newViewForm("/timeline", query), Width: timelineWidth}
	asked := ""
	if r.FormValue("from") != "" {
		asked = from.Format("2006-01")
		p.Hidden = map[string]string{"from": asked}
	}
	p.Query, p.Window = query, from.Format("January 2006")+" to "+end.AddDate(0, 0, -1).Format("January 2006")
	// Calls that were open when the window begins, or now if that is later.
	open := s.Now()
	if from.After(open) || asked != "" {
		open = from
	}
	q := eventseer.Query{Text: query, Now: s.Now(), OpenAt: open, ByDeadline: true, From: (n - 1) * timelineRows, Limit: timelineRows}
	found, err := s.findFor(r, q, &p.viewForm)
	if err != nil {
		return view{}, err
	}
	events, err := s.events(r, found.Hits)
	if err != nil {
		return view{}, err
	}
	scale := timelineScale{from, end}
	for i, e := range events {
		p.Rows = append(p.Rows, scale.call(e, i, open))
	}
	p.Months, p.Height = scale.months(), timelineTop+len(p.Rows)*timelineRow+8
	if x, ok := scale.at(s.Now()); ok {
		p.Today = x
	}
	p.Total, p.From, p.To = found.Total, q.From+1, q.From+len(found.Hits)
	if n > 1 {
		p.Newer = viewHref("/timeline", query, "from", asked, "page", strconv.Itoa(n-1))
	}
	if p.To < found.Total && len(found.Hits) > 0 && n < maxPage {
		p.Older = viewHref("/timeline", query, "from", asked, "page", strconv.Itoa(n+1))
	}
	p.Earlier, p.Later = timelineLink(query, from.AddDate(0, -6, 0)), timelineLink(query, from.AddDate(0, 6, 0))
	return view{name: "timeline", data: p, status: p.status()}, nil
}

func timelineLink(query string, from time.Time) link {
	if from.Year() < firstShown || from.Year() >= lastShown {
		return link{}
	}
	return link{from.Format("January 2006"), viewHref("/timeline", query, "from", from.Format("2006-01"))}
}

// A timelineScale places times in the drawing.
type timelineScale struct{ from, end time.Time }

// x is where t stands, and whether it is inside.
func (s timelineScale) x(t time.Time) (float64, bool) {
	share := float64(t.Sub(s.from)) / float64(s.end.Sub(s.from))
	inside := share >= 0 && share <= 1
	return timelineNames + min(max(share, 0), 1)*(timelineWidth-timelineNames-8), inside
}

func (s timelineScale) at(t time.Time) (string, bool) {
	x, inside := s.x(t)
	return units(x), inside
}

func units(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func (s timelineScale) months() []timelineMonth {
	var months []timelineMonth
	for t := s.from; t.Before(s.end); t = t.AddDate(0, 1, 0) {
		x, _ := s.at(t)
		text := t.Format("Jan")
		if t.Month() == time.January || t.Equal(s.from) {
			text = t.Format("Jan 2006")
		}
		months = append(months, timelineMonth{x, text})
	}
	return months
}

// span is the part of a stretch that is inside; nil if none is.
func (s timelineScale) span(a, b time.Time) *span {
	if b.Before(s.from) || a.After(s.end) || b.Before(a) {
		return nil
	}
	x, _ := s.x(a)
	to, _ := s.x(b)
	return &span{units(x), units(max(to-x, 2))}
}

// call draws one call: from its next deadline over notifications to its days.
func (s timelineScale) call(e eventseer.Event, row int, open time.Time) timelineCall {
	y := timelineTop + row*timelineRow
	c := timelineCall{
		Name: nameOf(e), Short: clip(shortName(e), 20), Href: eventHref(e.ID), Days: days(e.EventStart, e.EventEnd),
		Y: strconv.Itoa(y + 5), Middle: strconv.Itoa(y + timelineRow/2), Low: strconv.Itoa(y + 15),
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
	for _, d := range head(e.Deadlines, maxDeadlines) {
		t := d.Moment()
		if t.IsZero() {
			continue
		}
		x, inside := s.at(t)
		switch {
		case d.Kind.Submits() && !t.Before(open):
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
	start, held := day(e.EventStart)
	if held {
		end, ok := day(e.EventEnd)
		if !ok || end.Before(start) || end.Sub(start) > maxHeld {
			end = start
		}
		reach(start)
		reach(end)
		c.Held = s.span(start, end.AddDate(0, 0, 1))
	}
	if !first.IsZero() {
		c.Bar = s.span(first, last)
		c.Beyond = first.After(s.end)
	}
	return c
}

// maxHeld is how long an event may last to be drawn as one.
const maxHeld = 60 * 24 * time.Hour
