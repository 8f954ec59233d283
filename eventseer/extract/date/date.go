// Package date reads the dates, times of day and time zones that texts print, in the
// languages and orders that calls are written in. It knows a text alone: what of a date
// stands elsewhere on a page, as its year, is for the caller to find.
package date

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// FirstYear and lastYear bound the years read; anything else is a typing
// error or no year.
const FirstYear, lastYear = 1980, 2099

// A Day is a calendar day as printed; a part that is not printed is 0.
type Day struct{ Year, Month, Day int }

// A Span is a date or a range of dates as printed at [Start, End) of a text.
// Of a single day From equals To. Without a day of the month (Day 0) it names
// a month only.
type Span struct {
	Start, End int
	From, To   Day
	// Either means that day and month may be meant the other way round; From and To hold the
	// day-first reading.
	Either  bool
	Style   Style
	Weekday Weekday // printed with the first day
}

// A Style is the order a date is printed in; a page keeps to one.
type Style uint8

const (
	named    Style = iota // a month's name, or year first
	DayFirst              // 13/10/2025
	MonthFirst
)

// Valid reports whether d can be a day of the calendar.
func (d Day) Valid() bool {
	if d.Month < 1 || d.Month > 12 || d.Day < 1 || d.Day > 31 {
		return false
	}
	if d.Year != 0 && (d.Year < FirstYear || d.Year > lastYear) {
		return false
	}
	y := d.Year
	if y == 0 {
		y = 2000 // a leap year: 29 February may be meant
	}
	return time.Date(y, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() == d.Day
}

// Whole reports whether d is a day of a known year.
func (d Day) Whole() bool { return d.Year != 0 && d.Valid() }

// Before orders days; a missing year counts as the same year.
func (d Day) Before(o Day) bool {
	if d.Year != o.Year && d.Year != 0 && o.Year != 0 {
		return d.Year < o.Year
	}
	return d.Month < o.Month || d.Month == o.Month && d.Day < o.Day
}

// Time returns the start of d in UTC.
func (d Day) Time() time.Time {
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC)
}

// Date returns d as a record prints it, or "" when it is not whole.
func (d Day) Date() eventseer.Date {
	if !d.Whole() {
		return ""
	}
	return eventseer.Date(fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day))
}

// A Reader finds dates in the tokens of one text.
type Reader struct {
	ts       []token
	wordy    bool // the forms of wordyMonths count
	croatian bool // those of croatianMonths do
	eastern  bool // of East Asia: 7/31 is a day of July
	germanic bool // weekdays have names of two letters: "Do, 3. Mai"; "do" is "until" in Polish
	joined   int  // index after a range mark, where a number begins though it is glued
}

var (
	croatian = pattern.Compile(`(?i)^(hr|bs|sh)\b`)
	eastern  = pattern.Compile(`(?i)^(zh|ja|ko)\b`)
	germanic = pattern.Compile(`(?i)^(de|nl|lb)\b`)
)

// NewReader returns a reader of a text on a page of language lang, a
// language tag or "".
func NewReader(s, lang string) Reader {
	r := Reader{wordy: lang != "" && !strings.HasPrefix(lang, "en"), croatian: croatian.MatchString(lang), eastern: eastern.MatchString(lang), germanic: germanic.MatchString(lang)}
	s = text.Cut(s, MaxBytes)
	if strings.ContainsFunc(s, unicode.IsDigit) || strings.ContainsFunc(s, hanDigit) && strings.ContainsAny(s, "日號号") {
		r.ts = tokenize(s)
		if strings.HasPrefix(lang, "th") || strings.ContainsFunc(s, func(c rune) bool { return unicode.Is(unicode.Thai, c) }) {
			westernYears(r.ts)
		}
	}
	for n := 0; n < len(r.ts) && !r.eastern; n++ {
		t := r.ts[n]
		r.eastern = t.kind == mark && t.end-t.start > 2 && Ideograph(firstRune(t.text))
	}
	return r
}

// Read returns the dates of a text from left to right, none overlapping. lang
// is the page's language tag or "".
func Read(s, lang string) []Span { return NewReader(s, lang).Dates() }

// Dates returns the dates of the text from left to right, none overlapping.
func (r Reader) Dates() []Span {
	var found []Span
	for i := 0; i < len(r.ts) && len(found) < MaxDates; {
		if !r.mayBegin(i) {
			i++
			continue
		}
		sp, next, ok := r.span(i)
		if !ok {
			i++
			continue
		}
		sp.Start, sp.End = r.ts[r.eraStart(i)].start, r.ts[next-1].end
		found = append(found, r.withWeekday(sp, i, next))
		i = next
	}
	return found
}

// mayBegin reports whether a date can begin with token i: a number, the name of a month,
// or the sign of an era's first year.
func (r Reader) mayBegin(i int) bool {
	switch t := r.ts[i]; t.kind {
	case number:
		return true
	case mark:
		return t.text == "元"
	}
	_, _, ok := r.month(i)
	return ok
}

// span reads a date or range at token i and returns the token after it.
func (r Reader) span(i int) (Span, int, bool) {
	a, next, ok := r.single(i)
	if !ok || a.From.Day == 0 || a.From != a.To && a.To.Year != 0 {
		return a, next, ok
	}
	// A second date after a range mark: 29 June – 1 July 2015.
	j, found := r.rangeMark(r.skip(r.skipAside(r.skipYearWord(next)), "."))
	if k := r.skipWeekday(r.skip(next, ",")); !found && r.is(next, ",") && k > next+1 {
		j, found = r.rangeMark(k) // 9 May 2027, Sunday –
	}
	listed := false
	if !found {
		if j, listed = r.dayMark(next); !listed {
			return a, next, true
		}
	}
	r.joined = r.skipDayWord(r.skipWeekday(j))
	b, end, ok := r.single(r.joined)
	if !ok || b.From.Day == 0 || b.From != b.To || listed && !r.between(i) && !nextDay(a.From, b.From, r.is(next, "/")) {
		return a, next, true
	}
	from, to := a.From, b.To
	if from.Year == 0 && to.Year != 0 {
		from.Year = to.Year
		if to.Before(from) {
			from.Year--
		}
	}
	if to.Year == 0 && from.Year != 0 {
		to.Year = from.Year
		if to.Before(from) {
			to.Year++
		}
	}
	if from.Year != 0 && (to.Before(from) || to.Time().Sub(from.Time()) > maxRange) || !from.Valid() || !to.Valid() {
		return a, next, true
	}
	sp := Span{From: from, To: to, Style: max(a.Style, b.Style)}
	sp.Either = (a.Either || from.Day == from.Month) && (b.Either || to.Day == to.Month) && a.Either != b.Either || a.Either && b.Either
	return sp, end, true
}

// nextDay reports whether b, after a slash, is the day after a: 30 Sept/1 Oct.
func nextDay(a, b Day, slash bool) bool {
	if a.Year == 0 {
		a.Year = b.Year
	}
	return slash && a.Whole() && b.Whole() && a.Time().AddDate(0, 0, 1).Equal(b.Time())
}

// between reports whether the date at token i is the first of two that a word such as "between"
// announces. An "and" between them is then not a list.
func (r Reader) between(i int) bool {
	for n := 0; n < 4; n++ {
		i--
		if t := r.tok(i); t.kind == word && betweenWords[t.text] {
			return true
		} else if !r.is(i, "the", "le", "el", "den", "dem", ",", ".") && r.weekdayAt(i) == 0 {
			return false
		}
	}
	return false
}

// maxRange is the longest range read as one: longer ones are two dates.
const maxRange = 200 * 24 * time.Hour

// single reads one date, or days of one month, in any of the printed orders.
func (r Reader) single(i int) (Span, int, bool) {
	for _, read := range []func(int) (Span, int, bool){r.numeric, r.ideographic, r.yearFirst, r.yearNamed, r.monthDay, r.dayMonth, r.monthYear} {
		if sp, next, ok := read(i); ok {
			return sp, next, true
		}
	}
	return Span{}, i, false
}

// days reads a day or a list or range of days and returns the first and last.
func (r Reader) days(i int) ([2]int, int, bool) {
	first := r.tok(i)
	if !first.isDay() || r.is(i+1, ":") && r.tok(i+2).glued {
		return [2]int{}, i, false
	}
	last, j := first.num, i+1
	for n := 0; n < maxDayList; n++ {
		k := r.skipAside(r.skip(j, "."))
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

// listGoesOn reports whether after "24, 25" comes another day or a month. The comma then joins days
// and is not the one before a year or a time.
func (r Reader) listGoesOn(i int) bool {
	if r.tok(i).isYear() && !r.counted(i) {
		return true
	}
	if _, _, ok := r.month(r.skip(i, ".")); ok {
		return true
	}
	j, ok := r.dayMark(i)
	return ok && r.tok(j).isDay()
}

func (t token) isDay() bool { return t.kind == number && t.digits <= 2 && t.num >= 1 && t.num <= 31 }

// year reads an optional year after a date: ", 2017", " de 2018", "’24". It
// returns 0 and i when there is none, and a misprint such as 0026 as it is.
func (r Reader) year(i int) (int, int) {
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
	if r.counted(j) {
		return 0, i
	}
	if y.kind == number && y.digits == 4 && y.num >= FirstYear && y.num <= lastYear {
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
func (r Reader) build(days [2]int, month, year, next int) (Span, int, bool) {
	sp := Span{From: Day{year, month, days[0]}, To: Day{year, month, days[1]}}
	return sp, next, sp.From.Valid() && sp.To.Valid()
}
