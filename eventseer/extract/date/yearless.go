package date

import (
	"strings"

	"github.com/eventseer/eventseer/internal/text"
)

// readWithoutYear reads numeric days and months without a year. The language and the tokens around must
// show that they are a date. Examples are 15.03., am 15.3., até 15/03, 7/31前, 5/1（土）.
func (r Reader) readWithoutYear(i int) (Span, int, bool) {
	a, b, sep := r.tokenAt(i), r.tokenAt(i+2), r.tokenAt(i+1).text
	if sep != "." && sep != "/" || !a.isDay() || !b.isDay() || !b.glued && sep == "/" || a.ordinal || b.ordinal {
		return Span{}, i, false
	}
	next := i + 3
	if t := r.tokenAt(next); r.isOneOf(next, sep) && r.tokenAt(next+1).kind == number || t.glued && (t.kind == word || t.kind == number || r.isOneOf(next, "%") || r.isOneOf(next, ":") && r.tokenAt(next+1).kind == number && r.tokenAt(next+1).glued) {
		return Span{}, i, false
	}
	two := a.digits == 2 && b.digits == 2
	introduced := i == 0 || i == r.afterRangeMark || r.isOneOf(i-1, ":", "：") || r.isOneOf(i-1, dashes...) && !r.tokenAt(i).glued || r.tokenAt(i-1).kind == word && (dayWords[r.ts[i-1].text] || rangeWords[r.ts[i-1].text]) || r.weekdayBefore(i) != 0
	sp := Span{From: Day{Month: b.num, Day: a.num}, Style: DayFirst}
	switch {
	case sep == "/" && r.eastern:
		sp.From, sp.Style = Day{Month: a.num, Day: b.num}, MonthFirst
		if !r.hasBracketedWeekdayAt(next) && !r.isOneOf(next, "前", "止", "截", "迄", "ま", "까", "締", "必", "に", "へ") && !r.isOneOf(i-1, "於", "于", "至") && !((introduced || r.followsIdeograph(i)) && r.endsDate(next)) {
			return Span{}, i, false
		}
	case sep == "/" && r.notEnglish:
		if !two || !introduced && !r.endsDate(next) {
			return Span{}, i, false
		}
	case sep == "." && r.notEnglish:
		stop := r.isOneOf(next, ".")
		if !stop && !(two && (introduced || r.endsDate(next))) || stop && !two && !introduced || i == 0 && !two {
			return Span{}, i, false
		}
		if stop && r.tokenAt(next).glued {
			next++
		}
	default:
		return Span{}, i, false
	}
	sp.To = sp.From
	return sp, next, sp.From.IsValid()
}

// endsDate reports whether token i ends a date: the end of the text, a bracket, other punctuation, or a range
// mark.
func (r Reader) endsDate(i int) bool {
	if r.tokenAt(i).text == "" || r.isOneOf(i, "(", ")", "（", "）", "[", "]", ",", "、", ";", ":", "：") {
		return true
	}
	_, joins := r.skipRangeMark(i)
	return joins
}

// followsIdeograph reports whether an ideograph and a space precede token i. Without the space, the
// ideograph must be the last one of a word for deadline, day or previous date.
func (r Reader) followsIdeograph(i int) bool {
	p := r.tokenAt(i - 1)
	return p.kind == mark && IsIdeograph(firstRune(p.text)) && (!r.tokenAt(i).glued || strings.Contains("切限日前初原定旧", p.text))
}

// hasBracketedWeekdayAt reports whether a weekday in brackets begins at token i.
func (r Reader) hasBracketedWeekdayAt(i int) bool { return r.skipBracketedWeekday(i) > i }

// readRepublicanDate reads 116.03.15 and 116/3/15, dates with a year of the Republic of China.
func (r Reader) readRepublicanDate(i int) (Span, int, bool) {
	y, m, d := r.tokenAt(i), r.tokenAt(i+2), r.tokenAt(i+4)
	sep := r.tokenAt(i + 1).text
	if !r.eastern || !y.isRepublicanYear() || sep != "." && sep != "/" && sep != "-" || r.tokenAt(i+3).text != sep || !m.isDay() || !d.isDay() || !m.glued || !d.glued || r.isOneOf(i+5, sep) {
		return Span{}, i, false
	}
	return r.daysOfMonth([2]int{d.num, d.num}, m.num, 1911+y.num, i+5)
}

// readRestOfRange reads the end of a range after a date that begins with its year. sep is the separator of the
// date. Examples are the 05 of 2027/05/03-05 and the 5.3 of 2027.5.1 ~ 5.3. It returns the last day and the
// index of the next token, or from and i if there is no range.
func (r Reader) readRestOfRange(from Day, i int, sep string) (Day, int) {
	j, ok := r.skipRangeMark(r.skipBracketedWeekday(r.skipOneOf(i, ".")))
	if !ok || r.isOneOf(j-1, sep) && r.tokenAt(j).glued {
		return from, i
	}
	a, to := r.tokenAt(j), from
	switch b := r.tokenAt(j + 2); {
	case a.isDay() && r.isOneOf(j+1, sep) && b.isDay() && !(r.isOneOf(j+3, sep) && r.tokenAt(j+4).kind == number):
		to.Month, to.Day, j = a.num, b.num, j+3
	case a.isDay() && r.endsAt(r.skipOneOf(j+1, ".")):
		to.Day, j = a.num, j+1
	default:
		return from, i
	}
	if to.IsBefore(from) && to.Month < from.Month {
		to.Year++
	}
	if !to.IsValid() || !from.IsBefore(to) || to.Time().Sub(from.Time()) > maxRange {
		return from, i
	}
	return to, j
}

// endsAt reports whether token i is neither a word, a number nor a part of a time of day. It is true at the
// end of the text.
func (r Reader) endsAt(i int) bool {
	t := r.tokenAt(i)
	return t.kind == mark && !IsIdeograph(firstRune(t.text)) && !r.isOneOf(i, ":", "：", "%", "/", "-")
}

// dayWords are words before the day of a date.
var dayWords = text.WordSet("am vom zum ab den dem bis dnia dne do od le du au el del al dia día dias días il dal entro em até ate hasta ngày từ pe la până senast d den")
