package ui

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"
)

// Limits of the calendar.
const (
	maxMonthCalls = 1000 // looked at for each of deadlines and days of events
	maxDayEntries = 4    // shown in one day of the month
	maxDayList    = 200  // shown of one day alone
)

// A calendarPage is a month, or one day of it.
type calendarPage struct {
	frame
	viewForm
	Month     string // "March 2027"
	Prev      link
	Next      link
	Weekdays  []weekday
	Weeks     [][]calendarDay
	Alone     *calendarDay // the one day asked for
	Back      string       // from there to the month
	Deadlines int
	Starts    int
	More      bool // there are more than were looked at
	Limit     int
}

type weekday struct{ Short, Long string }

// weekdays begin with Monday, as ISO 8601 has it.
var weekdays = []weekday{
	{"Mon", "Monday"}, {"Tue", "Tuesday"}, {"Wed", "Wednesday"}, {"Thu", "Thursday"}, {"Fri", "Friday"}, {"Sat", "Saturday"}, {"Sun", "Sunday"},
}

// A calendarDay is one day with what falls on it.
type calendarDay struct {
	Machine string // "2027-03-01"
	Day     int
	Long    string // "Monday 1 March"
	Out     bool   // of another month
	Today   bool
	Entries []calendarEntry
	More    int // entries not shown
	Href    string
}

// A calendarEntry is a deadline, or the first day of an event.
type calendarEntry struct {
	Kind string // deadline or event
	Name string
	What string
	Href string
}

func (s *server) calendar(r *http.Request) (view, error) {
	query := viewQuery(r)
	month, day, err := s.askedDay(r)
	if err != nil {
		return view{}, err
	}
	p := calendarPage{
		frame: s.frame("Calendar, "+month.Format("January 2006"), "calendar"), viewForm: s.newViewForm("/calendar", query),
		Month: month.Format("January 2006"), Weekdays: weekdays, Limit: maxMonthCalls,
		Prev: monthLink(query, month.AddDate(0, -1, 0)), Next: monthLink(query, month.AddDate(0, 1, 0)),
	}
	p.Query, p.Hidden = query, map[string]string{"month": month.Format("2006-01")}
	days, err := s.monthEntries(r, &p, query, month)
	if err != nil {
		return view{}, err
	}
	if day != "" {
		p.alone(query, day, days[day])
	} else {
		p.fill(query, month, s.Now(), days)
	}
	return view{name: "calendar", data: p, status: p.status()}, nil
}

// askedDay reads month or day.
func (s *server) askedDay(r *http.Request) (month time.Time, day eventseer.Date, err error) {
	text := r.FormValue("day")
	if text == "" {
		month, err = parseMonth(r.FormValue("month"), s.Now())
		return month, "", err
	}
	t, ok := eventseer.Date(text).Time()
	if !ok {
		return month, "", badRequest("a day is written such as 2027-03-05")
	}
	month, err = parseMonth(t.Format("2006-01"), s.Now())
	return month, eventseer.Date(text), err
}

func monthLink(query string, month time.Time) link {
	if month.Year() < firstShown || month.Year() > lastShown {
		return link{}
	}
	return link{month.Format("January 2006"), viewHref("/calendar", query, "month", month.Format("2006-01"))}
}

// monthEntries finds the deadlines in a month and the events that begin in it, by day.
func (s *server) monthEntries(r *http.Request, p *calendarPage, query string, month time.Time) (map[eventseer.Date][]calendarEntry, error) {
	days := map[eventseer.Date][]calendarEntry{}
	end := month.AddDate(0, 1, 0)
	in := func(d eventseer.Date) bool {
		t, ok := d.Time()
		return ok && !t.Before(month) && t.Before(end)
	}
	// The first deadline after the month's begin stands first.
	due, err := s.findFor(r, eventseer.Query{Text: query, Now: s.Now(), OpenAt: month, ByDeadline: true, Limit: maxMonthCalls}, &p.viewForm)
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
		for _, d := range head(e.Deadlines, maxDeadlines) {
			if d.Kind.Submits() && in(d.Date) {
				days[d.Date] = append(days[d.Date], calendarEntry{"deadline", shortName(e), clip(whatOf(d), 40), eventHref(e.ID)})
				p.Deadlines++
			}
		}
	}
	p.More = !past && due.Total > len(due.Hits)
	starts, err := s.findFor(r, eventseer.Query{Text: strings.TrimSpace(query + " month:" + month.Format("2006-01")), Now: s.Now(), Limit: maxMonthCalls}, &p.viewForm)
	if err != nil {
		return nil, err
	}
	events, err := s.events(r, starts.Hits)
	for _, e := range events {
		if in(e.EventStart) {
			days[e.EventStart] = append(days[e.EventStart], calendarEntry{"event", shortName(e), "begins" + until(e), eventHref(e.ID)})
			p.Starts++
		}
	}
	p.More = p.More || starts.Total > len(starts.Hits)
	for _, entries := range days {
		slices.SortStableFunc(entries, func(a, b calendarEntry) int { return strings.Compare(a.Kind+"\x00"+a.Name, b.Kind+"\x00"+b.Name) })
	}
	return days, err
}

// until says the last day of an event of several.
func until(e eventseer.Event) string {
	end, ok := day(e.EventEnd)
	if start, known := day(e.EventStart); !ok || !known || !end.After(start) {
		return ""
	}
	return ", to " + end.Format("2 Jan")
}

// fill lays the month out in weeks.
func (p *calendarPage) fill(query string, month, now time.Time, days map[eventseer.Date][]calendarEntry) {
	first := month.AddDate(0, 0, -int(month.Weekday()+6)%7)
	today := now.UTC().Format(time.DateOnly)
	for week := first; week.Before(month.AddDate(0, 1, 0)); week = week.AddDate(0, 0, 7) {
		var row []calendarDay
		for n := range 7 {
			t := week.AddDate(0, 0, n)
			d := calendarDay{Machine: t.Format(time.DateOnly), Day: t.Day(), Long: t.Format("Monday 2 January"), Out: t.Month() != month.Month()}
			d.Today = d.Machine == today
			if !d.Out {
				entries := days[eventseer.Date(d.Machine)]
				d.Entries, d.More = head(entries, maxDayEntries), max(0, len(entries)-maxDayEntries)
				d.Href = viewHref("/calendar", query, "day", d.Machine)
			}
			row = append(row, d)
		}
		p.Weeks = append(p.Weeks, row)
	}
}

// alone shows one day.
func (p *calendarPage) alone(query string, day eventseer.Date, entries []calendarEntry) {
	t, _ := day.Time() // read before
	p.Alone = &calendarDay{
		Machine: string(day), Day: t.Day(), Long: t.Format("Monday 2 January 2006"),
		Entries: head(entries, maxDayList), More: max(0, len(entries)-maxDayList),
	}
	p.Back, p.Title = viewHref("/calendar", query, "month", t.Format("2006-01")), "Calendar, "+t.Format("2 January 2006")
	p.Hidden = map[string]string{"day": string(day)}
}
