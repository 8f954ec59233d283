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

// calendarOptions are a reader's options for a calendar in its URL.
type calendarOptions struct {
	todo   bool                            // ?as=todo: tasks, for programs that support them
	allDay bool                            // ?style=allday: on the printed day, even if a time is known
	point  bool                            // ?style=instant: at the instant, without length
	dates  bool                            // ?what=deadlines: all of them
	kinds  map[eventseer.DeadlineKind]bool // those of these kinds
	days   bool                            // of the events
	alarms []string
}

// calendarParts are the kinds of dates that ?what= selects, besides "days", "deadlines" (all of
// these) and "all" (these and the days).
var calendarParts = map[string][]eventseer.DeadlineKind{
	"submissions":   {eventseer.Abstract, eventseer.Submission},
	"others":        {eventseer.Poster, eventseer.Demo, eventseer.Doctoral, eventseer.WorkshopProposal, eventseer.TutorialProposal},
	"notifications": {eventseer.Notification, eventseer.Rebuttal, eventseer.CameraReady},
	"registration":  {eventseer.Registration, eventseer.OtherDeadline},
}

// maxWhat bounds the names in ?what=.
const maxWhat = 20

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
		return o, badOptionError("as", v, "event or todo")
	}
	switch v := q.Get("style"); v {
	case "", "hour":
	case "instant":
		o.point = true
	case "allday":
		o.allDay = true
	default:
		return o, badOptionError("style", v, "hour, instant or allday")
	}
	if err := o.readDateKinds(q["what"]); err != nil {
		return o, err
	}
	o.alarms, err = readAlarms(q.Get("alarm"))
	return o, err
}

// readDateKinds reads the requested dates: names separated by commas in any number of parameters. None
// means submissions and abstracts.
func (o *calendarOptions) readDateKinds(values []string) error {
	names := slices.DeleteFunc(strings.Split(strings.Join(values, ","), ","), func(s string) bool { return s == "" })
	if len(names) == 0 {
		names = []string{"submissions"}
	}
	if len(names) > maxWhat {
		return &eventseer.InputError{Field: "what", Msg: fmt.Sprintf("at most %d names", maxWhat)}
	}
	o.kinds = map[eventseer.DeadlineKind]bool{}
	for _, name := range names {
		kinds, known := calendarParts[name]
		o.days = o.days || name == "days" || name == "all"
		o.dates = o.dates || name == "deadlines" || name == "all"
		if !known && name != "days" && name != "deadlines" && name != "all" {
			return badOptionError("what", name, "submissions, others, notifications, registration, deadlines, days or all")
		}
		for _, k := range kinds {
			o.kinds[k] = true
		}
	}
	return nil
}

func badOptionError(field, value, offered string) error {
	return &eventseer.InputError{Field: field, Msg: fmt.Sprintf("%q is not %s", singleLine(value, 40), offered)}
}

// isWanted reports whether a date of a kind is wanted.
func (o *calendarOptions) isWanted(k eventseer.DeadlineKind) bool { return o.dates || o.kinds[k] }

// readAlarms reads "7d,1d" as triggers of alarms.
func readAlarms(s string) (triggers []string, err error) {
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		bad := badOptionError("alarm", part, "a time before the deadline, such as 7d, 1d or 12h, at most a year")
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

// countStartMoves counts how often the days of an event moved.
func countStartMoves(changes []eventseer.Change) (n int) {
	for _, c := range changes {
		for _, f := range c.Fields {
			if (f.Field == "event_start" || f.Field == "event_end") && f.Old != "" {
				n++
			}
		}
	}
	return n
}

// hasFourDigitYear reports whether a time has a year that calendars can write.
func hasFourDigitYear(t time.Time) bool { return t.Year() >= 1000 && t.Year() <= 9999 }

func cancelledPrefix(gone bool) string {
	if gone {
		return "Cancelled: "
	}
	return ""
}

func prefixedText(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// joinParagraphs joins the non-empty texts, each on a line.
func joinParagraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n")
}

// utcText returns the instant of a deadline, for display after the time on its page.
func utcText(d eventseer.Deadline) string {
	if d.Instant.IsZero() {
		return ""
	}
	return " = " + d.Instant.UTC().Format("2 Jan 2006, 15:04:05 UTC")
}

func zoneNote(d eventseer.Deadline) string {
	switch {
	case d.Instant.IsZero():
		return "Time zone not stated: the day is the printed one."
	case d.TZSource == eventseer.TZAssumed:
		return "The time zone is assumed."
	case d.TZSource == eventseer.TZPage:
		return "The time zone is stated once for the whole page."
	}
	return ""
}

func dayText(d eventseer.Date) string {
	if t, ok := d.Time(); ok {
		return t.Format("2 January 2006")
	}
	return ""
}
