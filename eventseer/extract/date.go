package extract

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"eventseer/eventseer"
)

// firstYear and lastYear bound the years read; anything else is a typing
// error or no year.
const firstYear, lastYear = 1980, 2099

// A day is a calendar day as printed; a part that is not printed is 0.
type day struct{ year, month, day int }

// A span is a date or a range of dates as printed at [start, end) of a text.
// Of a single day from equals to. Without a day of the month (day 0) it names
// a month only.
type span struct {
	start, end int
	from, to   day
	// either says that day and month may be meant the other way round; from and
	// to hold the day-first reading.
	either  bool
	style   style
	weekday weekday // printed with the first day
}

// A style is the order a date is printed in; a page keeps to one.
type style uint8

const (
	named    style = iota // a month's name, or year first
	dayFirst              // 13/10/2025
	monthFirst
)

// valid reports whether d can be a day of the calendar.
func (d day) valid() bool {
	if d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 {
		return false
	}
	if d.year != 0 && (d.year < firstYear || d.year > lastYear) {
		return false
	}
	y := d.year
	if y == 0 {
		y = 2000 // a leap year: 29 February may be meant
	}
	return time.Date(y, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Day() == d.day
}

// whole reports whether d is a day of a known year.
func (d day) whole() bool { return d.year != 0 && d.valid() }

// before orders days; a missing year counts as the same year.
func (d day) before(o day) bool {
	if d.year != o.year && d.year != 0 && o.year != 0 {
		return d.year < o.year
	}
	return d.month < o.month || d.month == o.month && d.day < o.day
}

func (d day) time() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// date returns d as a record prints it, or "" when it is not whole.
func (d day) date() eventseer.Date {
	if !d.whole() {
		return ""
	}
	return eventseer.Date(fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day))
}

// A dateReader finds dates in the tokens of one text.
type dateReader struct {
	ts       []token
	wordy    bool // the forms of wordyMonths count
	croatian bool // those of croatianMonths do
}

var croatian = compile(`(?i)^(hr|bs|sh)\b`)

// newDateReader returns a reader of a text on a page of language lang, a
// language tag or "".
func newDateReader(s, lang string) dateReader {
	r := dateReader{wordy: lang != "" && !strings.HasPrefix(lang, "en"), croatian: croatian.MatchString(lang)}
	if strings.ContainsFunc(clip(s, maxBlockBytes), unicode.IsDigit) {
		r.ts = tokenize(s)
	}
	return r
}

// dates returns the dates of a text from left to right, none overlapping. lang
// is the page's language tag or "".
func dates(s, lang string) []span { return newDateReader(s, lang).dates() }

func (r dateReader) dates() []span {
	var found []span
	for i := 0; i < len(r.ts) && len(found) < maxDates; {
		sp, next, ok := r.span(i)
		if !ok {
			i++
			continue
		}
		sp.start, sp.end = r.ts[i].start, r.ts[next-1].end
		found = append(found, r.withWeekday(sp, i, next))
		i = next
	}
	return found
}

// span reads a date or range at token i and returns the token after it.
func (r dateReader) span(i int) (span, int, bool) {
	a, next, ok := r.single(i)
	if !ok || a.from.day == 0 || a.from != a.to && a.to.year != 0 {
		return a, next, ok
	}
	// A second date after a range mark: 29 June – 1 July 2015.
	j, found := r.rangeMark(r.skipAside(next))
	if !found {
		return a, next, true
	}
	b, end, ok := r.single(r.skipWeekday(j))
	if !ok || b.from.day == 0 || b.from != b.to {
		return a, next, true
	}
	from, to := a.from, b.to
	if from.year == 0 && to.year != 0 {
		from.year = to.year
		if to.before(from) {
			from.year--
		}
	}
	if to.year == 0 && from.year != 0 {
		to.year = from.year
		if to.before(from) {
			to.year++
		}
	}
	if from.year != 0 && (to.before(from) || to.time().Sub(from.time()) > maxRange) || !from.valid() || !to.valid() {
		return a, next, true
	}
	return span{from: from, to: to, either: a.either && b.either, style: max(a.style, b.style)}, end, true
}

// maxRange is the longest range read as one: longer ones are two dates.
const maxRange = 200 * 24 * time.Hour

// single reads one date, or days of one month, in any of the printed orders.
func (r dateReader) single(i int) (span, int, bool) {
	for _, read := range []func(int) (span, int, bool){r.numeric, r.ideographic, r.yearFirst, r.yearNamed, r.monthDay, r.dayMonth, r.monthYear} {
		if sp, next, ok := read(i); ok {
			return sp, next, true
		}
	}
	return span{}, i, false
}

// days reads a day or a list or range of days and returns the first and last.
func (r dateReader) days(i int) ([2]int, int, bool) {
	first := r.tok(i)
	if !first.isDay() || r.is(i+1, ":") && r.tok(i+2).glued {
		return [2]int{}, i, false
	}
	last, j := first.num, i+1
	for n := 0; n < maxDayList; n++ {
		k := r.skip(j, ".")
		next, ok := r.dayMark(k)
		if !ok {
			break
		}
		next = r.skipWeekday(next)
		d := r.tok(next)
		if !d.isDay() || d.num <= last || r.is(next+1, ":") && r.tok(next+2).glued {
			break
		}
		if r.is(k, ",") && !r.listGoesOn(next+1) {
			break
		}
		last, j = d.num, next+1
	}
	return [2]int{first.num, last}, j, true
}

const maxDayList = 8

// listGoesOn reports whether after "24, 25" comes another day or a month, so
// that the comma joins days and is not the one before a year or a time.
func (r dateReader) listGoesOn(i int) bool {
	if _, _, ok := r.month(r.skip(i, ".")); ok {
		return true
	}
	j, ok := r.dayMark(i)
	return ok && r.tok(j).isDay()
}

func (t token) isDay() bool { return t.kind == number && t.digits <= 2 && t.num >= 1 && t.num <= 31 }

// year reads an optional year after a date: ", 2017", " de 2018", "’24". It
// returns 0 and i when there is none, and a misprint such as 0026 as it is.
func (r dateReader) year(i int) (int, int) {
	j := r.skipAside(i)
	j = r.skip(j, ".")
	j = r.skip(j, ",", "-", "/")
	j = r.skipWeekday(j)
	j = r.skip(j, ",")
	j = r.skipOf(j)
	if t := r.tok(j); t.kind == number && t.digits == 2 && t.num >= 80 && !t.glued && !r.is(j+1, ":", ".", "%") {
		return century(t.num), j + 1 // 9 Oct 96
	}
	if t := r.tok(j); t.text == "'" || t.text == "’" || t.text == "‘" {
		if y := r.tok(j + 1); y.kind == number && y.digits == 2 && y.glued {
			return century(y.num), j + 2
		}
		return 0, i
	}
	y := r.tok(j)
	if y.kind == number && y.digits == 4 && y.num >= firstYear && y.num <= lastYear {
		return y.num, j + 1
	}
	if y.kind == number && y.digits == 4 && !y.glued && !r.timeOfDay(j) {
		return y.num, j + 1 // no year of a call: build refuses it
	}
	// 17-May-19
	if y.kind == number && y.digits == 2 && y.glued && r.is(j-1, "-") && r.tok(j-1).glued {
		return century(y.num), j + 1
	}
	return 0, i
}

func century(n int) int {
	if n >= 80 {
		return 1900 + n
	}
	return 2000 + n
}

// build makes a span of days of one month, or nothing when the calendar has no
// such days.
func (r dateReader) build(days [2]int, month, year, next int) (span, int, bool) {
	sp := span{from: day{year, month, days[0]}, to: day{year, month, days[1]}}
	return sp, next, sp.from.valid() && sp.to.valid()
}
