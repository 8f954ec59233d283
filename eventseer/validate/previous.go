package validate

import (
	"fmt"
	"slices"
	"time"

	"eventseer/eventseer"
)

// copiedDates is the least number of dates that make a copy: fewer may well
// fall on the same days two years running.
const copiedDates = 3

// CopiedRule is the rule of Against.
const CopiedRule = "copied"

// Against checks a record against the edition of the year before, and
// warns where all its dates are the previous ones a year later to the day: a
// page that was copied and given a new year. It keeps the warnings of Event.
func Against(e, previous eventseer.Event) eventseer.Event {
	known := false
	e.Warnings = slices.DeleteFunc(slices.Clone(e.Warnings), func(w eventseer.Warning) bool {
		known = known || w.Rule == CopiedRule
		return w.Rule == CopiedRule
	})
	if !copied(e, previous) {
		return e
	}
	e.Warnings = append(e.Warnings, eventseer.Warning{Rule: CopiedRule, Text: fmt.Sprintf("all dates are those of %s a year later to the day", previous.ID)})
	if !known && e.Confidence > 0 {
		e.Confidence = max(leastConfidence, e.Confidence*doubt)
	}
	return e
}

// copied reports whether all dates of e are dates of the same kind of the
// edition before, 365 days later or, over 29 February, 366.
func copied(e, previous eventseer.Event) bool {
	type dated struct {
		kind eventseer.DeadlineKind
		day  eventseer.Date
	}
	all := func(e eventseer.Event) (days []dated) {
		for _, d := range e.Deadlines {
			days = append(days, dated{d.Kind, d.Date})
		}
		if e.EventStart != "" {
			days = append(days, dated{"", e.EventStart})
		}
		return days
	}
	before := all(previous)
	own := all(e)
	for _, d := range own {
		day, ok := d.day.Time()
		back := eventseer.Date(day.AddDate(-1, 0, 0).Format(time.DateOnly))
		if !ok || !slices.Contains(before, dated{d.kind, back}) {
			return false
		}
	}
	return len(own) >= copiedDates
}
