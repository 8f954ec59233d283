package date

// readNumeric reads dates in numbers: 13/10/2025, 19.-21.05.2026, 10/13/25 and 16. 9. 2019.
func (r Reader) readNumeric(i int) (Span, int, bool) {
	if r.isEndOfWord(i) {
		return Span{}, i, false
	}
	if sp, next, ok := r.readThreeNumbers(i); ok {
		return sp, next, true
	}
	if sp, next, ok := r.readRepublicanDate(i); ok {
		return sp, next, true
	}
	// A range may begin with a day alone: 19.-21.05.2026.
	a := r.tokenAt(i)
	if !a.isDay() {
		return Span{}, i, false
	}
	if j, ok := r.skipRangeMark(r.skipOneOf(i+1, ".")); ok {
		if sp, next, ok := r.readThreeNumbers(j); ok && sp.Style == DayFirst || ok && sp.Either {
			sp.From.Day = a.num
			sp.Either = false
			if sp.From.IsValid() && sp.From.IsBefore(sp.To) {
				return sp, next, true
			}
		}
	}
	if sp, next, ok := r.readRangeWithOneYear(i); ok {
		return sp, next, true
	}
	return r.readWithoutYear(i)
}

// readRangeWithOneYear reads a range whose first date has no year: 19.05. – 21.05.2026, 19/05 a 21/05/2026.
func (r Reader) readRangeWithOneYear(i int) (Span, int, bool) {
	a, b, sep := r.tokenAt(i), r.tokenAt(i+2), r.tokenAt(i+1).text
	if sep != "." && sep != "/" || !b.isDay() || b.num > 12 {
		return Span{}, i, false
	}
	k := i + 3
	if sep == "." {
		if k = r.skipOneOf(k, "."); k == i+3 {
			return Span{}, i, false
		}
	}
	j, ok := r.skipRangeMark(k)
	if !ok && sep == "." && r.isOneOf(k, "/") {
		j, ok = k+1, true
	}
	if !ok {
		return Span{}, i, false
	}
	sp, next, ok := r.readThreeNumbers(j)
	if !ok || sp.Style == MonthFirst || r.tokenAt(j+1).text != sep {
		return Span{}, i, false
	}
	sp.From = Day{sp.To.Year, b.num, a.num}
	if sp.To.IsBefore(sp.From) {
		sp.From.Year--
	}
	sp.Either = false
	return sp, next, sp.From.IsValid() && sp.From.IsBefore(sp.To) && sp.To.Time().Sub(sp.From.Time()) <= maxRange
}

// readThreeNumbers reads three numbers with the same separator between them, of which the last is a year.
func (r Reader) readThreeNumbers(i int) (Span, int, bool) {
	a, b, c := r.tokenAt(i), r.tokenAt(i+2), r.tokenAt(i+4)
	sep := r.tokenAt(i + 1).text
	if sep != "/" && sep != "." && sep != "-" || r.tokenAt(i+3).text != sep {
		return Span{}, i, false
	}
	if a.kind != number || b.kind != number || c.kind != number || a.digits > 2 || b.digits > 2 {
		return Span{}, i, false
	}
	if sep != "." && (!b.glued || !c.glued) {
		return Span{}, i, false
	}
	if t := r.tokenAt(i + 6); r.isOneOf(i+5, ".") && t.kind == number && t.glued {
		return Span{}, i, false // a version number
	}
	year := c.num
	switch {
	case c.digits == 2 && c.glued && !r.isOneOf(i+5, sep):
		year = expandYear(c.num)
	case c.digits != 4:
		return Span{}, i, false
	}
	d, m := Day{year, b.num, a.num}, Day{year, a.num, b.num}
	sp := Span{From: d, To: d, Style: DayFirst}
	switch {
	case d.IsValid() && m.IsValid():
		sp.Either, sp.Style = d != m && sep != ".", named
		if sep == "." {
			sp.Style = DayFirst
		}
	case m.IsValid():
		sp.From, sp.To, sp.Style = m, m, MonthFirst
	case !d.IsValid():
		return Span{}, i, false
	}
	return sp, i + 5, true
}

// Swapped returns s with day and month swapped. It is the month-first reading if s.Either is set.
func (s Span) Swapped() Span {
	s.From.Day, s.From.Month = s.From.Month, s.From.Day
	s.To.Day, s.To.Month = s.To.Month, s.To.Day
	return s
}
