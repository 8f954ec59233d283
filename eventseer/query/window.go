package query

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// A timeBound is a value compared with time: a number of units from now, or a year, month or day.
type timeBound struct {
	n    int
	unit byte // h, d, w, m or y; 0 for a date
	// first is the first day of the period; after is the day after its last.
	first, after time.Time
}

var (
	relative = regexp.MustCompile(`^([0-9]{1,4}) ?(h|hours?|d|days?|w|weeks?|m|months?|y|years?)$`)
	absolute = regexp.MustCompile(`^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$`)
)

func parseBound(text string) (b timeBound, ok bool) {
	if m := relative.FindStringSubmatch(text); m != nil {
		b.n, _ = strconv.Atoi(m[1]) // at most four digits, so no error
		b.unit = m[2][0]
		return b, true
	}
	if !absolute.MatchString(text) {
		return b, false
	}
	var err error
	switch len(text) {
	case len("2006"):
		b.first, err = time.Parse("2006", text)
		b.after = b.first.AddDate(1, 0, 0)
	case len("2006-01"):
		b.first, err = time.Parse("2006-01", text)
		b.after = b.first.AddDate(0, 1, 0)
	default:
		b.first, err = time.Parse(time.DateOnly, text)
		b.after = b.first.AddDate(0, 0, 1)
	}
	return b, err == nil
}

func isBound(text string) bool {
	_, ok := parseBound(text)
	return ok
}

// readAhead reads a value compared with time. due:60d means due<60d.
func readAhead(op, text string) (string, string, error) {
	b, ok := parseBound(text)
	switch {
	case !ok:
		return "", "", fmt.Errorf("needs a time such as 60d, 8w, 3m, 2027-03-01 or 2027-03")
	case b.unit == 0:
		return op, text, nil
	case op == ":":
		op = "<"
	}
	return op, strconv.Itoa(b.n) + string(b.unit), nil
}

// addTo returns the time n units after t, before it if back.
func (b timeBound) addTo(t time.Time, back bool) time.Time {
	n := b.n
	if back {
		n = -n
	}
	switch b.unit {
	case 'h':
		return t.Add(time.Duration(n) * time.Hour)
	case 'd':
		return t.AddDate(0, 0, n)
	case 'w':
		return t.AddDate(0, 0, 7*n)
	case 'm':
		return t.AddDate(0, n, 0)
	}
	return t.AddDate(n, 0, 0)
}

// Window returns the half-open span [from, to) in UTC of a term of due, start, new or changed at
// the time now. A zero time is an open end. Units count from now: forward for due and start,
// backward for new and changed, so that due<7d are the next seven days and new<7d the last seven.
// Dates are whole days: for a deadline those printed on the page.
func (t Term) Window(now time.Time) (from, to time.Time) {
	b, ok := parseBound(t.Text)
	if !ok {
		return from, to
	}
	now = now.UTC()
	if b.unit == 0 {
		return b.dateWindow(t.Op)
	}
	back := t.Field == "new" || t.Field == "changed"
	edge := b.addTo(now, back)
	near := t.Op == "<" || t.Op == "<="
	if t.Op == "<=" && !back || t.Op == ">" && !back || t.Op == ">=" && back {
		edge = edge.Add(1) // just after the end of the period
	}
	switch {
	case near && back:
		return edge, to
	case near && t.Field == "start": // an event that began today still counts as future
		return now.Truncate(24 * time.Hour), edge
	case near:
		return now, edge
	case back:
		return from, edge
	}
	return edge, to
}

// dateWindow returns the window of a date.
func (b timeBound) dateWindow(op string) (from, to time.Time) {
	switch op {
	case "<":
		return from, b.first
	case "<=":
		return from, b.after
	case ">":
		return b.after, to
	case ">=":
		return b.first, to
	}
	return b.first, b.after
}

// isDate reports whether the term compares with a date and not with a number of units from now.
func (t Term) isDate() bool { return absolute.MatchString(t.Text) }

// isWithin reports whether a time, if known, lies in [from, to).
func isWithin(t, from, to time.Time) bool {
	return !t.IsZero() && !t.Before(from) && (to.IsZero() || t.Before(to))
}
