// Package date reads the dates, times of day and time zones printed in a text, in the languages and formats
// that calls use. It reads one text at a time. Parts of a date that are elsewhere on the page, such as its
// year, are added by the caller.
package date

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// FirstYear and lastYear are the limits of the years read. Any other number is a typing error or not a
// year.
const FirstYear, lastYear = 1980, 2099

// A Day is a calendar day as printed. A part that is not printed is 0.
type Day struct{ Year, Month, Day int }

// A Span is a date or a range of dates printed at the bytes [Start, End) of a text. For a single day From
// equals To. If Day is 0, the span is a whole month.
type Span struct {
	Start, End int
	From, To   Day
	// Either means that day and month may be swapped. From and To then hold the reading with the day first.
	Either  bool
	Style   Style
	Weekday Weekday // printed with the first day; 0 for none
}

// A Style is the order of day and month in a date. A page is expected to use one style.
type Style uint8

const (
	named    Style = iota // the month is a name, or the year is first
	DayFirst              // 13/10/2025
	MonthFirst
)

// IsValid reports whether d can be a day of the calendar.
func (d Day) IsValid() bool {
	if d.Month < 1 || d.Month > 12 || d.Day < 1 || d.Day > 31 {
		return false
	}
	if d.Year != 0 && (d.Year < FirstYear || d.Year > lastYear) {
		return false
	}
	y := d.Year
	if y == 0 {
		y = 2000 // a leap year, since 29 February may be meant
	}
	return time.Date(y, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() == d.Day
}

// HasYear reports whether d is a valid day with a year.
func (d Day) HasYear() bool { return d.Year != 0 && d.IsValid() }

// IsBefore reports whether d is before o. If one of them has no year, both are compared as days of the same
// year.
func (d Day) IsBefore(o Day) bool {
	if d.Year != o.Year && d.Year != 0 && o.Year != 0 {
		return d.Year < o.Year
	}
	return d.Month < o.Month || d.Month == o.Month && d.Day < o.Day
}

// Time returns the start of d in UTC. d must be whole.
func (d Day) Time() time.Time {
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC)
}

// Date returns d in the format of a record, or "" if it is not whole.
func (d Day) Date() eventseer.Date {
	if !d.HasYear() {
		return ""
	}
	return eventseer.Date(fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day))
}

// A Reader finds dates in the tokens of one text. It is read-only after NewReader.
type Reader struct {
	ts             []token
	notEnglish     bool // englishLookalikes are recognised
	croatian       bool // croatianMonths are recognised
	eastern        bool // month first, as in East Asia: 7/31 is 31 July
	germanic       bool // weekdays with two letters are recognised: "Do, 3. Mai"; "do" is "until" in Polish
	afterRangeMark int  // index of the token after a range mark; a date may begin there without a space
}

var (
	croatian = pattern.Compile(`(?i)^(hr|bs|sh)\b`)
	eastern  = pattern.Compile(`(?i)^(zh|ja|ko)\b`)
	germanic = pattern.Compile(`(?i)^(de|nl|lb)\b`)
)

// NewReader returns a reader of the first MaxBytes bytes of s. lang is the language tag of the page or "".
// A text without digits has no tokens.
func NewReader(s, lang string) Reader {
	return newReader(s, lang, nil)
}

// newReader is NewReader that writes the tokens to the memory of buf if they fit.
func newReader(s, lang string, buf []token) Reader {
	var r Reader
	if lang != "" && lang != "en" {
		r = Reader{notEnglish: !strings.HasPrefix(lang, "en"), croatian: croatian.MatchString(lang), eastern: eastern.MatchString(lang), germanic: germanic.MatchString(lang)}
	}
	s = text.CutBytes(s, MaxBytes)
	ascii := isASCII(s)
	if strings.ContainsAny(s, "0123456789") || !ascii && (strings.ContainsFunc(s, unicode.IsDigit) || strings.ContainsFunc(s, isHanDigit) && strings.ContainsAny(s, "日號号")) {
		r.ts = tokenize(s, buf)
		if strings.HasPrefix(lang, "th") || !ascii && strings.ContainsFunc(s, func(c rune) bool { return unicode.Is(unicode.Thai, c) }) {
			convertThaiYears(r.ts)
		}
	}
	for n := 0; n < len(r.ts) && !r.eastern; n++ {
		t := r.ts[n]
		r.eastern = t.kind == mark && t.end-t.start > 2 && IsIdeograph(firstRune(t.text))
	}
	return r
}

// Read returns the dates of a text from left to right, without overlaps. lang is the language tag of the
// page or "".
func Read(s, lang string) []Span {
	buf := tokenBuffers.Get().(*[]token)
	r := newReader(s, lang, *buf)
	found := r.Dates()
	r.reuse(buf)
	return found
}

// ReadWithMisprints returns the dates of a text as Read does, and its impossible dates.
func ReadWithMisprints(s, lang string) ([]Span, []Misprint) {
	buf := tokenBuffers.Get().(*[]token)
	r := newReader(s, lang, *buf)
	found := r.Dates()
	misprints := r.Misprints(found)
	r.reuse(buf)
	return found, misprints
}

// tokenBuffers holds the memory of tokens between texts. Spans and misprints do not refer to it.
var tokenBuffers = sync.Pool{New: func() any { return new([]token) }}

// reuse returns the memory of the tokens, and otherwise that of buf, to tokenBuffers. r must not be used any more.
func (r Reader) reuse(buf *[]token) {
	if cap(r.ts) > cap(*buf) {
		*buf = r.ts[:0]
	}
	tokenBuffers.Put(buf)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Dates returns the dates of the text from left to right, without overlaps, at most MaxDates.
func (r Reader) Dates() []Span {
	var found []Span
	for i := 0; i < len(r.ts) && len(found) < MaxDates; {
		if !r.mayBegin(i) {
			i++
			continue
		}
		sp, next, ok := r.readSpan(i)
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

// mayBegin reports whether a date can begin with token i. It can if the token is a number, the name of a
// month, or the character for the first year of an era.
func (r Reader) mayBegin(i int) bool {
	switch t := r.ts[i]; t.kind {
	case number:
		return true
	case mark:
		return t.text == "元"
	}
	_, _, ok := r.readMonth(i)
	return ok
}

// readSpan reads a date or range that begins at token i. It returns the index of the token after the date; ok
// is false if there is none.
func (r Reader) readSpan(i int) (Span, int, bool) {
	a, next, ok := r.readDate(i)
	if !ok || a.From.Day == 0 || a.From != a.To && a.To.Year != 0 {
		return a, next, ok
	}
	// A range has a second date after its mark: 29 June – 1 July 2015.
	j, found := r.skipRangeMark(r.skipOneOf(r.skipBracketedWeekday(r.skipYearWord(next)), "."))
	if k := r.skipWeekday(r.skipOneOf(next, ",")); !found && r.isOneOf(next, ",") && k > next+1 {
		j, found = r.skipRangeMark(k) // 9 May 2027, Sunday –
	}
	listed := false
	if !found {
		if j, listed = r.skipDayMark(next); !listed {
			return a, next, true
		}
	}
	r.afterRangeMark = r.skipDayWord(r.skipWeekday(j))
	b, end, ok := r.readDate(r.afterRangeMark)
	if !ok || b.From.Day == 0 || b.From != b.To || listed && !r.followsBetween(i) && !isNextDay(a.From, b.From, r.isOneOf(next, "/")) {
		return a, next, true
	}
	from, to := a.From, b.To
	if from.Year == 0 && to.Year != 0 {
		from.Year = to.Year
		if to.IsBefore(from) {
			from.Year--
		}
	}
	if to.Year == 0 && from.Year != 0 {
		to.Year = from.Year
		if to.IsBefore(from) {
			to.Year++
		}
	}
	if from.Year != 0 && (to.IsBefore(from) || to.Time().Sub(from.Time()) > maxRange) || !from.IsValid() || !to.IsValid() {
		return a, next, true
	}
	sp := Span{From: from, To: to, Style: max(a.Style, b.Style)}
	sp.Either = (a.Either || from.Day == from.Month) && (b.Either || to.Day == to.Month) && a.Either != b.Either || a.Either && b.Either
	return sp, end, true
}

// isNextDay reports whether b is the day after a and a slash separates them: 30 Sept/1 Oct. A missing year of
// a is b's.
func isNextDay(a, b Day, slash bool) bool {
	if a.Year == 0 {
		a.Year = b.Year
	}
	return slash && a.HasYear() && b.HasYear() && a.Time().AddDate(0, 0, 1).Equal(b.Time())
}

// followsBetween reports whether a word such as "between" precedes the date at token i. "and" then joins
// the ends of a range, not the items of a list.
func (r Reader) followsBetween(i int) bool {
	for n := 0; n < 4; n++ {
		i--
		if t := r.tokenAt(i); t.kind == word && betweenWords[t.text] {
			return true
		} else if !r.isOneOf(i, "the", "le", "el", "den", "dem", ",", ".") && r.weekdayAt(i) == 0 {
			return false
		}
	}
	return false
}

// maxRange is the maximum length of a range. Two days further apart are two dates.
const maxRange = 200 * 24 * time.Hour

// readDate reads one date, or several days of one month, in any of the supported formats.
func (r Reader) readDate(i int) (Span, int, bool) {
	for _, read := range []func(int) (Span, int, bool){r.readNumeric, r.readIdeographic, r.readYearFirst, r.readYearMonthDay, r.readMonthDay, r.readDayMonth, r.readMonthYear} {
		if sp, next, ok := read(i); ok {
			return sp, next, true
		}
	}
	return Span{}, i, false
}

// readDays reads a day, or a list or range of days. It returns the first and the last day and the index of the
// next token.
func (r Reader) readDays(i int) ([2]int, int, bool) {
	first := r.tokenAt(i)
	if !first.isDay() || r.isOneOf(i+1, ":") && r.tokenAt(i+2).glued {
		return [2]int{}, i, false
	}
	last, j := first.num, i+1
	for n := 0; n < maxDayList; n++ {
		k := r.skipBracketedWeekday(r.skipOneOf(j, "."))
		next, ok := r.skipDayMark(k)
		if !ok {
			break
		}
		next = r.skipWeekday(next)
		d := r.tokenAt(next)
		if !d.isDay() || d.num <= last || r.isOneOf(next+1, ":") && r.tokenAt(next+2).glued {
			break
		}
		if r.isOneOf(k, ",") && !r.continuesList(next+1) {
			break
		}
		last, j = d.num, next+1
	}
	return [2]int{first.num, last}, j, true
}

const maxDayList = 8

// continuesList reports whether another day, a month or a year follows at token i, after "24, 25". The comma
// before it then joins days. Otherwise it precedes a year or a time.
func (r Reader) continuesList(i int) bool {
	if r.tokenAt(i).isYear() && !r.isAmount(i) {
		return true
	}
	if _, _, ok := r.readMonth(r.skipOneOf(i, ".")); ok {
		return true
	}
	j, ok := r.skipDayMark(i)
	return ok && r.tokenAt(j).isDay()
}

func (t token) isDay() bool { return t.kind == number && t.digits <= 2 && t.num >= 1 && t.num <= 31 }

// readYear reads an optional year after a date: ", 2017", " de 2018", "’24". It returns the year and the index
// of the next token, or 0 and i if there is none. A misprint such as 0026 is returned as it is printed.
func (r Reader) readYear(i int) (int, int) {
	j := r.skipBracketedWeekday(i)
	j = r.skipOneOf(j, ".")
	j = r.skipOneOf(j, ",", "-", "/")
	j = r.skipWeekday(j)
	j = r.skipOneOf(j, ",")
	j = r.skipOf(j)
	if t := r.tokenAt(j); t.kind == number && t.digits == 2 && t.num >= 80 && !t.glued && !r.isOneOf(j+1, ":", ".", "%") {
		return expandYear(t.num), j + 1 // 9 Oct 96
	}
	if t := r.tokenAt(j); t.text == "'" || t.text == "’" || t.text == "‘" {
		if y := r.tokenAt(j + 1); y.kind == number && y.digits == 2 && y.glued {
			return expandYear(y.num), j + 2
		}
		return 0, i
	}
	y := r.tokenAt(j)
	if r.isAmount(j) {
		return 0, i
	}
	if y.kind == number && y.digits == 4 && y.num >= FirstYear && y.num <= lastYear {
		return y.num, j + 1
	}
	if y.kind == number && y.digits == 4 && !y.glued && !r.isTimeOfDay(j) {
		return y.num, j + 1 // not a plausible year: build rejects it
	}
	// 17-May-19
	if y.kind == number && y.digits == 2 && y.glued && r.isOneOf(j-1, "-") && r.tokenAt(j-1).glued {
		return expandYear(y.num), j + 1
	}
	return 0, i
}

func expandYear(n int) int {
	if n >= 80 {
		return 1900 + n
	}
	return 2000 + n
}

// daysOfMonth returns the span of days of one month. ok is false if the calendar has no such days.
func (r Reader) daysOfMonth(days [2]int, month, year, next int) (Span, int, bool) {
	sp := Span{From: Day{year, month, days[0]}, To: Day{year, month, days[1]}}
	return sp, next, sp.From.IsValid() && sp.To.IsValid()
}
