package date

import (
	"strings"

	"github.com/eventseer/eventseer/internal/text"
)

// readMonthDay reads a date with the month first: October 22-25, 2017; Nov. 29th; May 3 (Friday), 2026.
func (r Reader) readMonthDay(i int) (Span, int, bool) {
	m, j, ok := r.readMonth(i)
	if !ok {
		return Span{}, i, false
	}
	j = r.skipOneOf(j, ".", ",", "-")
	if r.isOneOf(j, "the") {
		j++
	}
	days, j, ok := r.readDays(j)
	if !ok {
		return Span{}, i, false
	}
	y, j := r.readYear(j)
	return r.daysOfMonth(days, m, y, j)
}

// readDayMonth reads a date with the day first: 7–9 May 2027; 24, 25 e 26 de outubro; 02. bis 06. März 2020.
func (r Reader) readDayMonth(i int) (Span, int, bool) {
	if r.isEndOfWord(i) {
		return Span{}, i, false
	}
	days, j, ok := r.readDays(i)
	if !ok {
		return Span{}, i, false
	}
	j = r.skipOneOf(j, "»", "”", "\"")
	j = r.skipOneOf(j, ".", "-", "/", ",")
	j = r.skipOf(j)
	m, j, ok := r.readMonth(j)
	if !ok {
		return Span{}, i, false
	}
	// "Round 3 March 5, 2026" is the fifth of March.
	if _, k, ok := r.readDays(r.skipOneOf(j, ".")); ok && r.tokenAt(j).digits <= 2 {
		if y, _ := r.readYear(k); days[0] == days[1] && (y != 0 || r.tokenAt(i+1).glued) {
			return Span{}, i, false // "3March 5" also gets here, but its 3 belongs to another element
		}
	}
	y, j := r.readYear(j)
	return r.daysOfMonth(days, m, y, j)
}

// readMonthYear reads a month and a year without a day: October 2024.
func (r Reader) readMonthYear(i int) (Span, int, bool) {
	m, j, ok := r.readMonth(i)
	if !ok {
		return Span{}, i, false
	}
	y, j := r.readYear(j)
	d := Day{Year: y, Month: m}
	return Span{From: d, To: d}, j, y >= FirstYear && y <= lastYear
}

// readYearMonthDay reads dates that begin with the year: 2027. május 12–14., 2027 m. gegužės 12 d. and
// 2027, May 3. ok is false if another year follows.
func (r Reader) readYearMonthDay(i int) (Span, int, bool) {
	y := r.tokenAt(i)
	if y.kind != number || y.digits != 4 || y.num < FirstYear || y.num > lastYear || r.isEndOfWord(i) {
		return Span{}, i, false
	}
	j := r.skipOneOf(i+1, ",")
	if r.notEnglish { // in English a full stop ends a sentence: "up to 2000. May 3"
		j = r.skipOneOf(i+1, ".", ",")
	}
	if r.isOneOf(j, "m", "gada", "年", "년") {
		j = r.skipOneOf(j+1, ".")
	}
	sp, next, ok := r.readMonthDay(j)
	if !ok {
		sp, next, ok = r.readDayMonth(j)
	}
	if !ok || sp.From.Year != 0 || r.isRangeWithYear(next) {
		return Span{}, i, false
	}
	sp.From.Year, sp.To.Year = y.num, y.num
	return sp, next, sp.From.IsValid() && sp.To.IsValid()
}

// isRangeWithYear reports whether a range mark and a day with a year follow at token i. A year before the
// range then belongs to another date.
func (r Reader) isRangeWithYear(i int) bool {
	j, ok := r.skipRangeMark(i)
	if !ok {
		return false
	}
	j = r.skipWeekday(j)
	sp, _, ok := r.readMonthDay(j)
	if !ok {
		sp, _, _ = r.readDayMonth(j)
	}
	return sp.To.Year != 0
}

// isTimeOfDay reports whether the four digits at token i are a time of day: 2359 UTC, 1330-1715.
func (r Reader) isTimeOfDay(i int) bool {
	next := r.tokenAt(i + 1)
	j, ranged := r.skipRangeMark(i + 1)
	return r.ts[i].num <= 2400 && (next.kind == word && (timeWords[next.text] || zoneCodes[strings.ToUpper(next.text)] != "") ||
		ranged && r.tokenAt(j).digits == 4 && r.tokenAt(j).num <= 2400)
}

var timeWords = text.WordSet("h hrs hours uhr hr local")

// readYearFirst reads dates that begin with the year, and a range that ends after them: 2026-05-03, 2026/5/3,
// 2026.5.3 and 2026-May-03.
func (r Reader) readYearFirst(i int) (Span, int, bool) {
	y := r.tokenAt(i)
	sep := r.tokenAt(i + 1).text
	if y.kind != number || y.digits != 4 || sep != "-" && sep != "/" && sep != "." || r.isEndOfWord(i) {
		return Span{}, i, false
	}
	m, j, ok := r.readMonth(i + 2)
	if !ok && r.tokenAt(i+2).kind == number && r.tokenAt(i+2).digits <= 2 && (r.tokenAt(i+2).glued || sep == ".") {
		m, j = r.tokenAt(i+2).num, i+3
	}
	d := r.tokenAt(j + 1)
	if m == 0 || r.tokenAt(j).text != sep || d.kind != number || d.digits > 2 || d.glued != r.tokenAt(i+2).glued {
		return Span{}, i, false
	}
	sp, next, ok := r.daysOfMonth([2]int{d.num, d.num}, m, y.num, j+2)
	if ok && sp.From.HasYear() {
		sp.To, next = r.readRestOfRange(sp.From, next, sep)
	}
	return sp, next, ok
}
