// Package validate checks whether a record is plausible. Its days must be in order, its year must be the
// one in its name, and its dates must not be copied from the previous edition.
package validate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A validator checks one rule. check returns a description of the failure, or "" if the record passes.
type validator struct {
	rule  string
	check func(eventseer.Event) string
}

var validators = []validator{
	{"no-such-day", checkDaysExist},
	{"end-before-start", checkEndAfterStart},
	{"deadline-order", checkDeadlineOrder},
	{"deadline-after-start", checkDeadlinesBeforeStart},
	{"camera-ready-after-start", checkCameraReadyBeforeStart},
	{"extension", checkExtensionOrder},
	{"stale", checkYearOfDates},
	{"year-in-title", checkYearInTitle},
	{"length", checkLength},
	{"too-early", checkNotTooEarly},
	{"rounds", checkMarkedRounds},
	{"day-and-month", checkDayAndMonth},
}

// Each failed rule multiplies the confidence by failedRuleFactor. The confidence does not fall below leastConfidence.
const (
	failedRuleFactor = 0.8
	leastConfidence  = 0.05
)

// Event checks the consistency of a record and returns it with warnings. Its dates must be in order and its
// year must be the one in its name. The event may last at most MaxLength, and a deadline may be at most
// MaxLead before it. Each failed rule adds a warning and lowers the confidence once; nothing is removed
// from the record. Event has no side effects and is idempotent. An event in the past is not a failure. See
// also Against.
func Event(e eventseer.Event) eventseer.Event {
	known := map[string]bool{}
	for _, w := range e.Warnings {
		known[w.Rule] = true
	}
	e.Warnings = ReadWarnings(e)
	for _, v := range validators {
		text := v.check(e)
		if text == "" {
			continue
		}
		e.Warnings = append(e.Warnings, eventseer.Warning{Rule: v.rule, Text: text})
		if !known[v.rule] && e.Confidence > 0 {
			e.Confidence = max(leastConfidence, e.Confidence*failedRuleFactor)
		}
	}
	return e
}

// ReadWarnings returns the warnings of a record that were not added by Event.
func ReadWarnings(e eventseer.Event) (kept []eventseer.Warning) {
	for _, w := range e.Warnings {
		if !isRule(w.Rule) {
			kept = append(kept, w)
		}
	}
	return kept
}

func isRule(rule string) bool {
	return slices.ContainsFunc(validators, func(v validator) bool { return v.rule == rule })
}

// ReadConfidence returns the confidence that a record had before Event and Against lowered it for failed
// rules.
func ReadConfidence(e eventseer.Event) float64 {
	c := e.Confidence
	for _, w := range e.Warnings {
		if isRule(w.Rule) || w.Rule == CopiedRule {
			c /= failedRuleFactor
		}
	}
	return min(math.Round(c*1e6)/1e6, 1) // rounding removes the error of multiplying and dividing
}

// MaxLength is the maximum duration of an event, except for summer schools and special issues. MaxLead is
// the maximum time from a deadline to the start of the event.
const (
	MaxLength = 15 * 24 * time.Hour
	MaxLead   = 2 * 366 * 24 * time.Hour
)

// allDays returns all days of a record: start, end, deadlines and previous dates of deadlines.
func allDays(e eventseer.Event) []eventseer.Date {
	all := []eventseer.Date{e.EventStart, e.EventEnd}
	for _, d := range e.Deadlines {
		all = append(all, d.Date, d.ExtendedFrom)
	}
	return slices.DeleteFunc(all, func(d eventseer.Date) bool { return d == "" })
}

func checkDaysExist(e eventseer.Event) string {
	for _, d := range allDays(e) {
		if _, ok := d.Time(); !ok {
			return fmt.Sprintf("%q is not a valid date", d)
		}
	}
	return ""
}

func checkEndAfterStart(e eventseer.Event) string {
	if e.EventEnd != "" && e.EventEnd < e.EventStart {
		return fmt.Sprintf("the event ends on %s, before it starts on %s", e.EventEnd, e.EventStart)
	}
	return ""
}

// phases are the deadlines of one track and round in their order.
var phases = []eventseer.DeadlineKind{eventseer.Abstract, eventseer.Submission, eventseer.Notification, eventseer.CameraReady}

// checkDeadlineOrder checks the order of the phases of each track and round. A phase has several days if a call
// has rounds without numbers. If two phases have equally many days, they are compared pair by pair,
// otherwise the first day of one with the last of the other.
func checkDeadlineOrder(e eventseer.Event) string {
	byPhase := map[eventseer.DeadlineKey][]eventseer.Date{}
	for _, d := range e.Deadlines {
		k := d.Key()
		byPhase[k] = append(byPhase[k], d.Date)
	}
	for _, d := range e.Deadlines { // a fixed order, so that the same failure is always reported first
		at := slices.Index(phases, d.Kind)
		for _, next := range phases[at+1:] {
			k := d.Key()
			if at < 0 {
				break
			}
			if a, b, wrong := findOutOfOrder(byPhase[k], byPhase[eventseer.DeadlineKey{Kind: next, Track: k.Track, Round: k.Round}], d.Kind != eventseer.Abstract); wrong {
				return fmt.Sprintf("%s (%s) is not before %s (%s)", d.Kind, a, next, b)
			}
		}
	}
	return ""
}

// findOutOfOrder returns the first day of a phase that is after the day of the next phase; if strict, also one
// on the same day. wrong is false if there is none.
func findOutOfOrder(phase, next []eventseer.Date, strict bool) (a, b eventseer.Date, wrong bool) {
	if len(phase) == 0 || len(next) == 0 {
		return "", "", false
	}
	phase, next = slices.Sorted(slices.Values(phase)), slices.Sorted(slices.Values(next))
	if len(phase) != len(next) {
		phase, next = phase[:1], next[len(next)-1:]
	}
	for i := range phase {
		if phase[i] > next[i] || strict && phase[i] == next[i] {
			return phase[i], next[i], true
		}
	}
	return "", "", false
}

func checkDeadlinesBeforeStart(e eventseer.Event) string {
	return checkBeforeStart(e, func(k eventseer.DeadlineKind) bool { return k.IsSubmission() || k == eventseer.Notification })
}

func checkCameraReadyBeforeStart(e eventseer.Event) string {
	return checkBeforeStart(e, func(k eventseer.DeadlineKind) bool { return k == eventseer.CameraReady })
}

func checkBeforeStart(e eventseer.Event, of func(eventseer.DeadlineKind) bool) string {
	for _, d := range e.Deadlines {
		if e.EventStart != "" && d.Date > e.EventStart && of(d.Kind) && !isPostProceedings(d) {
			return fmt.Sprintf("%s (%s) is after the start of the event on %s", d.Kind, d.Date, e.EventStart)
		}
	}
	return ""
}

// postProceedings matches words about papers that are submitted after the event.
var postProceedings = regexp.MustCompile(`(?i)\bpost[- ]?(proceedings|conference|workshop|event|symposium|meeting)|\bafter the (conference|workshop|event|symposium|meeting)|\b(special issue|journal|revised (papers?|versions?)|selected papers|extended versions?)\b`)

// isPostProceedings reports whether the text around a deadline says that it is for papers published after the
// event.
func isPostProceedings(d eventseer.Deadline) bool {
	return postProceedings.MatchString(d.Track + " " + d.Text + " " + d.Source.Snippet)
}

func checkExtensionOrder(e eventseer.Event) string {
	for _, d := range e.Deadlines {
		if d.Kind.IsSubmission() && d.ExtendedFrom > d.Date {
			return fmt.Sprintf("%s was moved from %s to %s, an earlier day", d.Kind, d.ExtendedFrom, d.Date)
		}
	}
	return ""
}

// YearIn returns the first year in a name, or 0 if there is none.
func YearIn(name string) int { return eventseer.YearIn(name) }

// NamedYear returns the year in an event's name, or 0 if there is none.
func NamedYear(e eventseer.Event) int { return e.NamedYear() }

// checkYearOfDates returns a warning if all dates are before the year in the name. The page was then
// probably copied from the previous year's and only its title was changed.
func checkYearOfDates(e eventseer.Event) string {
	y, last := NamedYear(e), ""
	for _, d := range allDays(e) {
		last = max(last, string(d))
	}
	ahead := 1 // all deadlines of an event may be in the previous year
	if e.EventStart != "" {
		ahead = 0
	}
	if last != "" && y != 0 && last < fmt.Sprintf("%04d-01-01", y-ahead) {
		return fmt.Sprintf("the year in the name is %d, the last date is %s: the page may be a copy of a previous year's", y, last)
	}
	return ""
}

func checkYearInTitle(e eventseer.Event) string {
	if y := NamedYear(e); y != 0 && e.Year != 0 && y != e.Year && checkYearOfDates(e) == "" {
		return fmt.Sprintf("the year in the name is %d, the dates are in %d", y, e.Year)
	}
	return ""
}

func checkLength(e eventseer.Event) string {
	from, ok := e.EventStart.Time()
	to, ok2 := e.EventEnd.Time()
	if ok && ok2 && to.Sub(from) > MaxLength && e.Kind != eventseer.SummerSchool && e.Kind != eventseer.SpecialIssue {
		return fmt.Sprintf("the event lasts from %s to %s", e.EventStart, e.EventEnd)
	}
	return ""
}

func checkNotTooEarly(e eventseer.Event) string {
	start, ok := e.EventStart.Time()
	if !ok {
		return ""
	}
	for _, d := range e.Deadlines {
		if day, ok := d.Date.Time(); ok && start.Sub(day) > MaxLead {
			return fmt.Sprintf("%s (%s) is more than two years before the event", d.Kind, d.Date)
		}
	}
	return ""
}

// checkMarkedRounds returns a warning if two submission deadlines of one track are months apart without being
// marked as rounds.
func checkMarkedRounds(e eventseer.Event) string {
	const apart = 75 * 24 * time.Hour
	for i, a := range e.Deadlines {
		for _, b := range e.Deadlines[:i] {
			if a.Kind != eventseer.Submission || b.Kind != eventseer.Submission || a.Track != b.Track || a.Round != b.Round {
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

// copiedDates is the minimum number of dates for calling a record a copy. Fewer dates may be on the same
// days in two years by chance.
const copiedDates = 3

// CopiedRule is the name of the rule checked by Against.
const CopiedRule = "copied"

// CompareWithPrevious compares a record with the previous year's edition. It adds a warning if all dates are those of
// the previous edition exactly one year later: the page was then copied and only the year was changed.
// Warnings of Event are kept.
func CompareWithPrevious(e, previous eventseer.Event) eventseer.Event {
	known := false
	e.Warnings = slices.DeleteFunc(slices.Clone(e.Warnings), func(w eventseer.Warning) bool {
		known = known || w.Rule == CopiedRule
		return w.Rule == CopiedRule
	})
	if !isCopied(e, previous) {
		return e
	}
	e.Warnings = append(e.Warnings, eventseer.Warning{Rule: CopiedRule, Text: fmt.Sprintf("all dates are exactly one year after those of %s", previous.ID)})
	if !known && e.Confidence > 0 {
		e.Confidence = max(leastConfidence, e.Confidence*failedRuleFactor)
	}
	return e
}

// isCopied reports whether every date of e is a date of the same kind of the previous edition, one calendar
// year later. It reports false for fewer than copiedDates dates.
func isCopied(e, previous eventseer.Event) bool {
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

// numericDate matches a date that is printed in numbers only.
var numericDate = regexp.MustCompile(`\b\d{1,2}\s*[/.-]\s*\d{1,2}\s*[/.-]\s*(?:\d{4}|\d{2})\b`)

// checkDayAndMonth checks whether swapping day and month of numeric dates would put the dates of a record in
// order. If so, they were probably misread. It only returns a warning, since the order of dates does not
// prove which reading is right.
func checkDayAndMonth(e eventseer.Event) string {
	if countOrderFaults(e) == 0 {
		return ""
	}
	turned := e
	turned.Deadlines = slices.Clone(e.Deadlines)
	n := 0
	turn := func(day *eventseer.Date, printed string) {
		if t, ok := day.Time(); ok && t.Day() <= 12 && t.Day() != int(t.Month()) && numericDate.MatchString(printed) {
			*day = eventseer.Date(fmt.Sprintf("%04d-%02d-%02d", t.Year(), t.Day(), int(t.Month())))
			n++
		}
	}
	for i := range turned.Deadlines {
		turn(&turned.Deadlines[i].Date, turned.Deadlines[i].Text)
	}
	turn(&turned.EventStart, e.Sources["event_start"].Snippet)
	turn(&turned.EventEnd, e.Sources["event_end"].Snippet)
	if n == 0 || countOrderFaults(turned) > 0 {
		return ""
	}
	return "the dates would be in order if day and month were swapped"
}

// countOrderFaults returns the number of rules about the order of dates that a record fails.
func countOrderFaults(e eventseer.Event) int {
	n := 0
	for _, check := range []func(eventseer.Event) string{checkEndAfterStart, checkDeadlineOrder, checkDeadlinesBeforeStart, checkCameraReadyBeforeStart, checkNotTooEarly, checkLength} {
		if check(e) != "" {
			n++
		}
	}
	return n
}
