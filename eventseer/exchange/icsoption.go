package exchange

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// calendarOptions are what a reader asks of a calendar in its URL.
type calendarOptions struct {
	todo            bool // ?as=todo: tasks, for programs that show them
	allDay          bool // ?style=allday: on the day that is printed
	deadlines, days bool // ?what=deadlines, days or all
	alarms          []string
}

// Bounds of ?alarm=.
const (
	maxAlarms   = 5
	maxAlarmFor = 365 * 24 * time.Hour
)

func readCalendarOptions(q url.Values) (o calendarOptions, err error) {
	switch v := q.Get("as"); v {
	case "", "event":
	case "todo":
		o.todo = true
	default:
		return o, badOption("as", v, "event or todo")
	}
	switch v := q.Get("style"); v {
	case "", "instant":
	case "allday":
		o.allDay = true
	default:
		return o, badOption("style", v, "instant or allday")
	}
	switch v := q.Get("what"); v {
	case "", "deadlines":
		o.deadlines = true
	case "days":
		o.days = true
	case "all":
		o.deadlines, o.days = true, true
	default:
		return o, badOption("what", v, "deadlines, days or all")
	}
	o.alarms, err = readAlarms(q.Get("alarm"))
	return o, err
}

func badOption(field, value, offered string) error {
	return &eventseer.InputError{Field: field, Msg: fmt.Sprintf("%q is not %s", line(value, 40), offered)}
}

// readAlarms reads "7d,1d" as triggers of alarms.
func readAlarms(s string) (triggers []string, err error) {
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		bad := badOption("alarm", part, "a time before, such as 7d, 1d or 12h, of at most a year")
		if len(part) < 2 {
			return nil, bad
		}
		n, convErr := strconv.Atoi(part[:len(part)-1])
		unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[part[len(part)-1]]
		if convErr != nil || n < 0 || unit == 0 || n > int(maxAlarmFor/unit) {
			return nil, bad
		}
		trigger := fmt.Sprintf("-PT%dM", time.Duration(n)*unit/time.Minute)
		if days := time.Duration(n) * unit / (24 * time.Hour); days > 0 && time.Duration(n)*unit%(24*time.Hour) == 0 {
			trigger = fmt.Sprintf("-P%dD", days)
		}
		if slices.Contains(triggers, trigger) {
			continue
		}
		if triggers = append(triggers, trigger); len(triggers) > maxAlarms {
			return nil, &eventseer.InputError{Field: "alarm", Msg: fmt.Sprintf("at most %d alarms", maxAlarms)}
		}
	}
	return triggers, nil
}

// startMoves counts how often the days of an event moved.
func startMoves(changes []eventseer.Change) (n int) {
	for _, c := range changes {
		for _, f := range c.Fields {
			if (f.Field == "event_start" || f.Field == "event_end") && f.Old != "" {
				n++
			}
		}
	}
	return n
}

// fourDigits reports whether a time has a year that calendars can write.
func fourDigits(t time.Time) bool { return t.Year() >= 1000 && t.Year() <= 9999 }

func gonePrefix(gone bool) string {
	if gone {
		return "Cancelled: "
	}
	return ""
}

func prefixed(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// paragraphs joins the texts that are not empty, each on a line.
func paragraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n")
}

// inUTC says the instant of a deadline beside the time of its page.
func inUTC(d eventseer.Deadline) string {
	if d.Instant.IsZero() {
		return ""
	}
	return " = " + d.Instant.UTC().Format("2 Jan 2006, 15:04:05 UTC")
}

func zoneNote(d eventseer.Deadline) string {
	switch {
	case d.Instant.IsZero():
		return "No time zone is printed; the date is taken to end anywhere on Earth (UTC-12)."
	case d.TZSource == eventseer.TZAssumed:
		return "The time zone is assumed."
	case d.TZSource == eventseer.TZPage:
		return "The time zone is said once for the whole page."
	}
	return ""
}

func dayText(d eventseer.Date) string {
	if t, ok := d.Time(); ok {
		return t.Format("2 January 2006")
	}
	return ""
}
