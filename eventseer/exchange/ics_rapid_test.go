package exchange

import (
	"fmt"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	goical "github.com/emersion/go-ical"
	"pgregory.net/rapid"
)

// dayZones are time zones for hard cases. They have offsets of quarters of an hour, changes of the
// clock by half an hour, at midnight, and of the calendar day, on both sides of the date line.
var dayZones = []string{
	"UTC", "AoE", "Europe/Oslo", "Europe/Lisbon", "Africa/Cairo", "Africa/Casablanca", "Asia/Kathmandu", "Asia/Tehran", "Asia/Gaza", "Asia/Kolkata",
	"Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns", "America/Sao_Paulo",
	"America/Santiago", "America/Havana", "America/New_York", "America/Los_Angeles", "Antarctica/Troll", "UTC-5", "+05:45",
}

// TestCalendarDays draws deadlines in any zone, at any time of any day, also around changes of clocks. A
// deadline without a zone is on the printed day for readers in every zone. A deadline with a zone ends its
// entry at its time, which is on the printed day in the zone that was printed.
func TestCalendarDays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		day := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 365*40).Draw(rt, "day"))
		minute := rapid.OneOf(rapid.Just(24*60-1), rapid.Just(0), rapid.IntRange(0, 24*60-1)).Draw(rt, "minute")
		d := eventseer.Deadline{Kind: eventseer.Submission, Date: eventseer.Date(day.Format(time.DateOnly))}
		printed := rapid.SampledFrom(append([]string{"", "assumed"}, dayZones...)).Draw(rt, "zone")
		zone := eventseer.Zone(printed)
		switch printed {
		case "":
		case "assumed":
			d.TZ, d.TZSource, d.Instant = "AoE", eventseer.TZAssumed, day.Add(36*time.Hour-time.Second)
		default:
			d.TZ, d.TZSource, d.Instant = printed, eventseer.TZPrinted, time.Date(day.Year(), day.Month(), day.Day(), 0, minute, 0, 0, zone).UTC()
			if d.Instant.In(zone).Format(time.DateOnly) != string(d.Date) {
				rt.Skip("there is no such time on that day") // a clock that is put forward, or a day left out
			}
		}
		e := eventseer.Event{ID: "icx-2027", Title: "Conference on Crawling", Acronym: "ICX", Year: 2027, Deadlines: []eventseer.Deadline{d}}
		cal := parsedCalendar(t, written(t, "ics", publication(eventseer.Entry{Event: e}), ""))
		if len(cal.Children) != 1 {
			rt.Fatalf("%d entries", len(cal.Children))
		}
		start, end := cal.Children[0].Props.Get("DTSTART"), cal.Children[0].Props.Get("DTEND")
		reader := eventseer.Zone(rapid.SampledFrom(dayZones).Draw(rt, "reader"))
		if zone == nil {
			at, err := start.DateTime(reader)
			if shown := fmt.Sprint(at.Format(time.DateOnly), err); start.ValueType() != goical.ValueDate || end != nil || shown != string(d.Date)+"<nil>" {
				rt.Fatalf("%s without a zone is shown on %s in %s", d.Date, shown, reader)
			}
			return
		}
		at, err := end.DateTime(reader)
		if err != nil || !at.Equal(d.Instant) || at.In(zone).Format(time.DateOnly) != string(d.Date) {
			rt.Fatalf("%s %s ends at %s, want %s: %v", d.Date, printed, at, d.Instant, err)
		}
		if begin, err := start.DateTime(reader); err != nil || !begin.Before(at) {
			rt.Fatalf("%s %s is from %s to %s: %v", d.Date, printed, begin, at, err)
		}
	})
}
