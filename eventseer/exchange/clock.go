package exchange

import (
	"fmt"
	"strings"

	"eventseer/eventseer"
)

// clock writes the time of day of a deadline as its page means it, "23:59 AoE";
// "" where no zone is known.
func clock(d eventseer.Deadline) string {
	zone := eventseer.Zone(d.TZ)
	if d.Instant.IsZero() || zone == nil {
		return ""
	}
	s := d.Instant.In(zone).Format("15:04 ") + line(d.TZ, 30)
	if d.TZSource == eventseer.TZAssumed {
		s += " (assumed)"
	}
	return s
}

// dayAndClock writes a deadline as its page means it, "15 Jan 2027, 23:59 AoE".
func dayAndClock(d eventseer.Deadline) string {
	day, ok := d.Date.Time()
	if zone := eventseer.Zone(d.TZ); !d.Instant.IsZero() && zone != nil {
		day, ok = d.Instant.In(zone), true
	}
	if !ok {
		return line(string(d.Date), 20)
	}
	if c := clock(d); c != "" {
		return day.Format("2 Jan 2006, ") + c
	}
	return day.Format("2 Jan 2006")
}

// what names a deadline: its kind, track and round.
func what(d eventseer.Deadline) string {
	s := line(strings.ReplaceAll(string(d.Kind), "_", " "), 40)
	switch {
	case s == "":
		s = "date"
	case d.Kind == eventseer.OtherDeadline:
		s = "other date"
	}
	if t := line(d.Track, 80); t != "" {
		s += ", " + t
	}
	if d.Round > 0 {
		s += fmt.Sprintf(", round %d", d.Round)
	}
	return s
}

// estimated reports whether a date is no page's, but follows from earlier editions.
func estimated(p eventseer.Provenance) bool { return strings.HasPrefix(p.Rule, "estimate") }
