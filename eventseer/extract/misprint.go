package extract

import (
	"fmt"
	"time"

	"eventseer/eventseer"
)

// A misprint is something printed as a date that no calendar has, or that
// lies out of all bounds, at [start, end) of a block.
type misprint struct{ block, start, end int }

// maxMisprints bounds the warnings of one rule on one record.
const maxMisprints = 5

// misprints returns what a text prints as dates that are none: 31 February
// 2027, June 31, May 3, 0026, 31.06.2027. It looks where no day was found.
func (r dateReader) misprints(found []span) []misprint {
	var ms []misprint
	for i := 0; i < len(r.ts) && len(ms) < maxMisprints; i++ {
		for len(found) > 0 && (found[0].end <= r.ts[i].start || found[0].from.day == 0) {
			found = found[1:]
		}
		if len(found) > 0 && found[0].start <= r.ts[i].start {
			continue
		}
		if next, ok := r.misprint(i); ok {
			ms = append(ms, misprint{start: r.ts[i].start, end: r.ts[next-1].end})
			i = next - 1
		}
	}
	return ms
}

// misprint reads an impossible date at token i and returns the token after it.
func (r dateReader) misprint(i int) (int, bool) {
	t := r.tok(i)
	if m, j, ok := r.month(i); ok {
		j = r.skip(j, ",")
		return r.impossible(r.tok(j), m, j+1)
	}
	if t.kind != number || t.digits > 2 {
		return i, false
	}
	if m, j, ok := r.month(r.skipOf(r.skip(i+1, ".", "-"))); ok {
		return r.impossible(t, m, j)
	}
	return i + 5, r.impossibleTriple(i)
}

// impossibleTriple reports whether token i begins three numbers that are
// printed as a date but are none: 31.06.2027.
func (r dateReader) impossibleTriple(i int) bool {
	a, sep, b, y := r.tok(i), r.tok(i+1), r.tok(i+2), r.tok(i+4)
	switch {
	case sep.text != "." && sep.text != "/" || r.tok(i+3).text != sep.text,
		b.kind != number || b.digits > 2 || !b.glued || y.kind != number || y.digits != 4 || !y.glued,
		r.tail(i) || r.is(i+5, sep.text) && r.tok(i+6).kind == number: // a version
		return false
	}
	valid := day{month: b.num, day: a.num}.valid() || day{month: a.num, day: b.num}.valid()
	if y.isYear() {
		return !valid && a.isDay() && b.isDay() && min(a.num, b.num) <= 12
	}
	return valid && outOfBounds(y)
}

// impossible reports whether a day and a month with the year that may stand at
// token j are no date.
func (r dateReader) impossible(d token, month, j int) (int, bool) {
	if d.kind != number || d.digits > 2 || d.num == 0 {
		return j, false
	}
	y, k := r.year(j)
	if k > j && outOfBounds(r.tok(k-1)) && r.tok(k-1).digits == 4 {
		return k, true
	}
	if y != 0 && (y < firstYear || y > lastYear) || y == 0 && !d.isDay() {
		return j, false // a day of history, or a number that is no day
	}
	return k, !day{y, month, d.num}.valid()
}

// outOfBounds reports whether a number stands for a year that no call can
// mean: 0026, 2207. Earlier years are history, not misprinted.
func outOfBounds(y token) bool { return y.num < 1000 || y.num > lastYear }

// dateWarnings says what of the page is printed as a date but is none, and
// which dates of a record are printed with a weekday they do not fall on. Such
// a date is kept, but is less sure.
func (p *page) dateWarnings(e *eventseer.Event) []eventseer.Warning {
	var ws []eventseer.Warning
	for _, m := range p.misprints {
		ws = append(ws, eventseer.Warning{Rule: "no-such-date", Text: fmt.Sprintf("%q is no date that can be meant", p.blocks[m.block].Text[m.start:m.end])})
	}
	at := map[int]*eventseer.Deadline{}
	for i := range e.Deadlines {
		at[e.Deadlines[i].Source.Offset[0]] = &e.Deadlines[i]
	}
	n := 0
	for _, f := range p.dates {
		d := at[p.blocks[f.block].Start+f.start]
		if d == nil || n == maxMisprints {
			continue
		}
		on, _ := d.Date.Time()
		if day := dayOf(on); day.month == f.from.month && day.day == f.from.day && !f.weekday.fits(day) {
			d.Source.Confidence *= weekdayOff
			n++
			ws = append(ws, eventseer.Warning{Rule: "weekday", Text: fmt.Sprintf("%s %q falls on a %s", time.Weekday(f.weekday-1), p.printed(f), on.Weekday())})
		}
	}
	return ws
}

// weekdayOff is the share of confidence that is left to a date printed with a
// weekday it does not fall on: one of the two is wrong. The gold pages hold too
// few to measure it.
const weekdayOff = 0.5

func (p *page) noteMisprints(block int, ms []misprint) {
	for _, m := range ms {
		if len(p.misprints) < maxMisprints {
			m.block = block
			p.misprints = append(p.misprints, m)
		}
	}
}

func (t token) isYear() bool {
	return t.kind == number && t.digits == 4 && t.num >= firstYear && t.num <= lastYear
}
