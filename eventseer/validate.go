package eventseer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// A validator checks one rule of a record and says what is wrong, or "".
type validator struct {
	rule  string
	check func(Event) string
}

var validators = []validator{
	{"impossible-date", impossibleDate},
	{"end-before-start", endBeforeStart},
	{"deadline-order", deadlineOrder},
	{"deadline-after-start", deadlineAfterStart},
	{"year-in-title", yearInTitle},
	{"length", tooLong},
	{"too-early", tooEarly},
	{"rounds", farApart},
}

// Each failed rule multiplies the confidence by doubt, down to leastConfidence.
const (
	doubt           = 0.8
	leastConfidence = 0.05
)

// Validate checks that a record can be true: its dates in order, its year the
// one in its title, no event longer than MaxLength or called for more than
// MaxLead before. A failed rule is a warning and lowers the confidence once;
// it hides nothing. Validate is pure, and validating twice changes nothing.
func Validate(e Event) Event {
	known := map[string]bool{}
	var kept []Warning
	for _, w := range e.Warnings {
		own := slices.ContainsFunc(validators, func(v validator) bool { return v.rule == w.Rule })
		if known[w.Rule] = true; !own {
			kept = append(kept, w)
		}
	}
	for _, v := range validators {
		text := v.check(e)
		if text == "" {
			continue
		}
		kept = append(kept, Warning{Rule: v.rule, Text: text})
		if !known[v.rule] && e.Confidence > 0 {
			e.Confidence = max(leastConfidence, e.Confidence*doubt)
		}
	}
	e.Warnings = kept
	return e
}

// MaxLength is the longest an event lasts, schools and special issues aside;
// MaxLead the longest from a deadline to the event.
const (
	MaxLength = 15 * 24 * time.Hour
	MaxLead   = 2 * 366 * 24 * time.Hour
)

func impossibleDate(e Event) string {
	all := []Date{e.EventStart, e.EventEnd}
	for _, d := range e.Deadlines {
		all = append(all, d.Date, d.ExtendedFrom)
	}
	for _, d := range all {
		if _, ok := d.Time(); d != "" && !ok {
			return fmt.Sprintf("%q is no day of the calendar", d)
		}
	}
	return ""
}

func endBeforeStart(e Event) string {
	if e.EventEnd != "" && e.EventEnd < e.EventStart {
		return fmt.Sprintf("the event ends on %s, before it starts on %s", e.EventEnd, e.EventStart)
	}
	return ""
}

// phases is the order of the deadlines of one track and round.
var phases = map[DeadlineKind]int{Abstract: 1, Submission: 2, Notification: 3, CameraReady: 4}

func deadlineOrder(e Event) string {
	for _, a := range e.Deadlines {
		for _, b := range e.Deadlines {
			pa, pb := phases[a.Kind], phases[b.Kind]
			if pa == 0 || pb == 0 || pa >= pb || a.Track != b.Track || a.Round != b.Round {
				continue
			}
			if a.Date > b.Date {
				return fmt.Sprintf("%s (%s) lies after %s (%s)", a.Kind, a.Date, b.Kind, b.Date)
			}
		}
	}
	return ""
}

func deadlineAfterStart(e Event) string {
	for _, d := range e.Deadlines {
		if e.EventStart != "" && d.Date > e.EventStart && (d.Kind.Submits() || d.Kind == Notification) {
			return fmt.Sprintf("%s (%s) lies after the event starts on %s", d.Kind, d.Date, e.EventStart)
		}
	}
	return ""
}

var titleYear = regexp.MustCompile(`\b(19[89]\d|20\d\d)\b`)

func yearInTitle(e Event) string {
	y := titleYear.FindString(e.Title)
	if y != "" && e.Year != 0 && y != strconv.Itoa(e.Year) {
		return fmt.Sprintf("the title says %s, the dates %d", y, e.Year)
	}
	return ""
}

func tooLong(e Event) string {
	from, ok := e.EventStart.Time()
	to, ok2 := e.EventEnd.Time()
	if ok && ok2 && to.Sub(from) > MaxLength && e.Kind != SummerSchool && e.Kind != SpecialIssue {
		return fmt.Sprintf("the event lasts from %s to %s", e.EventStart, e.EventEnd)
	}
	return ""
}

func tooEarly(e Event) string {
	start, ok := e.EventStart.Time()
	if !ok {
		return ""
	}
	for _, d := range e.Deadlines {
		if day, ok := d.Date.Time(); ok && start.Sub(day) > MaxLead {
			return fmt.Sprintf("%s (%s) lies more than two years before the event", d.Kind, d.Date)
		}
	}
	return ""
}

// farApart: two submission deadlines of one track months apart are rounds, and
// should say so.
func farApart(e Event) string {
	const apart = 75 * 24 * time.Hour
	for i, a := range e.Deadlines {
		for _, b := range e.Deadlines[:i] {
			if a.Kind != Submission || b.Kind != Submission || a.Track != b.Track || a.Round != b.Round {
				continue
			}
			ta, ok := a.Date.Time()
			tb, ok2 := b.Date.Time()
			if gap := ta.Sub(tb); ok && ok2 && (gap > apart || -gap > apart) {
				return fmt.Sprintf("submissions are due on %s and %s without rounds", b.Date, a.Date)
			}
		}
	}
	return ""
}
