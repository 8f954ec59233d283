package ui

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of the calendar.
const ()

func (s *server) calendar(r *http.Request) (web.View, error) {
	query := views.ViewQuery(r)
	month, day, err := s.askedDay(r)
	if err != nil {
		return web.View{}, err
	}
	p := views.CalendarPage{
		Frame: s.Frame("Calendar, "+month.Format("January 2006"), "calendar"), ViewForm: s.newViewForm("/calendar", query),
		Month: month.Format("January 2006"), Weekdays: views.Weekdays, Limit: views.MaxMonthCalls,
		Prev: views.MonthLink(query, month.AddDate(0, -1, 0)), Next: views.MonthLink(query, month.AddDate(0, 1, 0)),
	}
	p.Query, p.Hidden = query, map[string]string{"month": month.Format("2006-01")}
	days, err := s.monthEntries(r, &p, query, month)
	if err != nil {
		return web.View{}, err
	}
	if day != "" {
		p.ShowDay(query, day, days[day])
	} else {
		p.Fill(query, month, s.Now(), days)
	}
	return web.View{Name: "calendar", Data: p, Status: p.Status()}, nil
}

// askedDay reads month or day.
func (s *server) askedDay(r *http.Request) (month time.Time, day eventseer.Date, err error) {
	text := r.FormValue("day")
	if text == "" {
		month, err = web.ParseMonth(r.FormValue("month"), s.Now())
		return month, "", err
	}
	t, ok := eventseer.Date(text).Time()
	if !ok {
		return month, "", web.BadRequest("a day is written such as 2027-03-05")
	}
	month, err = web.ParseMonth(t.Format("2006-01"), s.Now())
	return month, eventseer.Date(text), err
}

// monthEntries finds the deadlines in a month and the events that begin in it, by day.
func (s *server) monthEntries(r *http.Request, p *views.CalendarPage, query string, month time.Time) (map[eventseer.Date][]views.CalendarEntry, error) {
	days := map[eventseer.Date][]views.CalendarEntry{}
	end := month.AddDate(0, 1, 0)
	in := func(d eventseer.Date) bool {
		t, ok := d.Time()
		return ok && !t.Before(month) && t.Before(end)
	}
	// The first deadline after the month's begin stands first.
	due, err := s.findFor(r, eventseer.Query{Text: query, Now: s.Now(), OpenAt: month, ByDeadline: true, Limit: views.MaxMonthCalls}, &p.ViewForm)
	if err != nil {
		return nil, err
	}
	past := false
	for _, h := range due.Hits {
		events, err := s.events(r, []eventseer.Hit{h})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			continue
		}
		e := events[0]
		if d, open := eventseer.NextDeadline(e, month); open && d.Moment().After(end.Add(48*time.Hour)) {
			past = true
			break
		}
		for _, d := range views.Head(e.Deadlines, views.MaxDeadlines) {
			if d.Kind.Submits() && in(d.Date) {
				days[d.Date] = append(days[d.Date], views.CalendarEntry{Kind: "deadline", Name: views.ShortName(e), What: views.Clip(views.WhatOf(d), 40), Href: views.EventHref(e.ID)})
				p.Deadlines++
			}
		}
	}
	p.More = !past && due.Total > len(due.Hits)
	starts, err := s.findFor(r, eventseer.Query{Text: strings.TrimSpace(query + " month:" + month.Format("2006-01")), Now: s.Now(), Limit: views.MaxMonthCalls}, &p.ViewForm)
	if err != nil {
		return nil, err
	}
	events, err := s.events(r, starts.Hits)
	for _, e := range events {
		if in(e.EventStart) {
			days[e.EventStart] = append(days[e.EventStart], views.CalendarEntry{Kind: "event", Name: views.ShortName(e), What: "begins" + views.Until(e), Href: views.EventHref(e.ID)})
			p.Starts++
		}
	}
	p.More = p.More || starts.Total > len(starts.Hits)
	for _, entries := range days {
		slices.SortStableFunc(entries, func(a, b views.CalendarEntry) int { return strings.Compare(a.Kind+"\x00"+a.Name, b.Kind+"\x00"+b.Name) })
	}
	return days, err
}
