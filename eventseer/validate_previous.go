package eventseer

import (
	"fmt"
	"slices"
	"time"
)

// copiedDates is the least number of dates that make a copy: fewer may well
// fall on the same days two years running.
const copiedDates = 3

// copiedRule is the rule of ValidateAgainst.
const copiedRule = "copied"

// ValidateAgainst checks a record against the edition of the year before, and
// warns where all its dates are the previous ones a year later to the day: a
// page that was copied and given a new year. It keeps the rules of Validate.
func ValidateAgainst(e, previous Event) Event {
	known := false
	e.Warnings = slices.DeleteFunc(slices.Clone(e.Warnings), func(w Warning) bool {
		known = known || w.Rule == copiedRule
		return w.Rule == copiedRule
	})
	if !copied(e, previous) {
		return e
	}
	e.Warnings = append(e.Warnings, Warning{Rule: copiedRule, Text: fmt.Sprintf("all dates are those of %s a year later to the day", previous.ID)})
	if !known && e.Confidence > 0 {
		e.Confidence = max(leastConfidence, e.Confidence*doubt)
	}
	return e
}

// copied reports whether all dates of e are dates of the same kind of the
// edition before, 365 days later or, over 29 February, 366.
func copied(e, previous Event) bool {
	type dated struct {
		kind DeadlineKind
		day  Date
	}
	all := func(e Event) (days []dated) {
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
		back := Date(day.AddDate(-1, 0, 0).Format(time.DateOnly))
		if !ok || !slices.Contains(before, dated{d.kind, back}) {
			return false
		}
	}
	return len(own) >= copiedDates
}
