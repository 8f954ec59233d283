package views

import (
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

const MaxMonthCalls = 1000 // maximum number of deadlines, and of days of events, examined

const maxDayEntries = 4 // shown in one day of a month

const maxDayList = 200 // shown on the page of one day

// A CalendarPage is a month, or one day of it.
type CalendarPage struct {
	Frame
	ViewForm
	Month     string // "March 2027"
	Prev      Link
	Next      Link
	Weekdays  []weekday
	Weeks     [][]calendarDay
	Alone     *calendarDay // the day, if one was requested
	Back      string       // URL of the month
	Deadlines int
	Starts    int
	More      bool // there are more than were examined
	Limit     int
}

type weekday struct{ Short, Long string }

// Weekdays are the days of the week beginning with Monday, as in ISO 8601.
var Weekdays = []weekday{
	{"Mon", "Monday"}, {"Tue", "Tuesday"}, {"Wed", "Wednesday"}, {"Thu", "Thursday"}, {"Fri", "Friday"}, {"Sat", "Saturday"}, {"Sun", "Sunday"},
}

// A calendarDay is one day with its entries.
type calendarDay struct {
	Machine string // "2027-03-01"
	Day     int
	Long    string // "Monday 1 March"
	Out     bool   // of another month
	Today   bool
	Entries []CalendarEntry
	More    int // entries not shown
	Href    string
}

// A CalendarEntry is a deadline, or the first day of an event.
type CalendarEntry struct {
	Kind string // deadline or event
	Name string
	What string
	Href string
}

func MonthLink(query string, month time.Time) Link {
	if month.Year() < FirstShown || month.Year() > LastShown {
		return Link{}
	}
	return Link{Text: month.Format("January 2006"), Href: ViewHref("/calendar", query, "month", month.Format("2006-01"))}
}

// LastDayText describes the last day of an event of several days.
func LastDayText(e eventseer.Event) string {
	end, ok := parseDay(e.EventEnd)
	if start, known := parseDay(e.EventStart); !ok || !known || !end.After(start) {
		return ""
	}
	return ", to " + end.Format("2 Jan")
}

// FillMonth lays the month out in weeks.
func (p *CalendarPage) FillMonth(query string, month, now time.Time, days map[eventseer.Date][]CalendarEntry) {
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
				d.Entries, d.More = FirstN(entries, maxDayEntries), max(0, len(entries)-maxDayEntries)
				d.Href = ViewHref("/calendar", query, "day", d.Machine)
			}
			row = append(row, d)
		}
		p.Weeks = append(p.Weeks, row)
	}
}

// ShowDay shows one day.
func (p *CalendarPage) ShowDay(query string, day eventseer.Date, entries []CalendarEntry) {
	t, _ := day.Time() // read before
	p.Alone = &calendarDay{
		Machine: string(day), Day: t.Day(), Long: t.Format("Monday 2 January 2006"),
		Entries: FirstN(entries, maxDayList), More: max(0, len(entries)-maxDayList),
	}
	p.Back, p.Title = ViewHref("/calendar", query, "month", t.Format("2006-01")), "Calendar, "+t.Format("2 January 2006")
	p.Hidden = map[string]string{"day": string(day)}
}
