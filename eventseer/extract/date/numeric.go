package date

// numeric reads 13/10/2025, 19.-21.05.2026, 10/13/25 and 16. 9. 2019.
func (r Reader) numeric(i int) (Span, int, bool) {
	if r.tail(i) {
		return Span{}, i, false
	}
	if sp, next, ok := r.triple(i); ok {
		return sp, next, true
	}
	// Days before the first separator: 19.-21.05.2026.
	a := r.tok(i)
	if !a.isDay() {
		return Span{}, i, false
	}
	if j, ok := r.rangeMark(r.skip(i+1, ".")); ok {
		if sp, next, ok := r.triple(j); ok && sp.Style == DayFirst || ok && sp.Either {
			sp.From.Day = a.num
			sp.Either = false
			if sp.From.Valid() && sp.From.Before(sp.To) {
				return sp, next, true
			}
		}
	}
	// A first day without a year: 19.05. – 21.05.2026.
	b := r.tok(i + 2)
	if !r.is(i+1, ".") || !b.isDay() || b.num > 12 || !r.is(i+3, ".") {
		return Span{}, i, false
	}
	j, ok := r.rangeMark(i + 4)
	if !ok {
		return Span{}, i, false
	}
	sp, next, ok := r.triple(j)
	if !ok || sp.Style == MonthFirst {
		return Span{}, i, false
	}
	sp.From = Day{sp.To.Year, b.num, a.num}
	if sp.To.Before(sp.From) {
		sp.From.Year--
	}
	sp.Either = false
	return sp, next, sp.From.Valid() && sp.From.Before(sp.To) && sp.To.Time().Sub(sp.From.Time()) <= maxRange
}

// triple reads three numbers joined by one and the same separator, the last a
// year.
func (r Reader) triple(i int) (Span, int, bool) {
	a, b, c := r.tok(i), r.tok(i+2), r.tok(i+4)
	sep := r.tok(i + 1).text
	if sep != "/" && sep != "." && sep != "-" || r.tok(i+3).text != sep {
		return Span{}, i, false
	}
	if a.kind != number || b.kind != number || c.kind != number || a.digits > 2 || b.digits > 2 {
		return Span{}, i, false
	}
	if sep != "." && (!b.glued || !c.glued) {
		return Span{}, i, false
	}
	if t := r.tok(i + 6); r.is(i+5, ".") && t.kind == number && t.glued {
		return Span{}, i, false // a version
	}
	year := c.num
	switch {
	case c.digits == 2 && c.glued && !r.is(i+5, sep):
		year = century(c.num)
	case c.digits != 4:
		return Span{}, i, false
	}
	d, m := Day{year, b.num, a.num}, Day{year, a.num, b.num}
	sp := Span{From: d, To: d, Style: DayFirst}
	switch {
	case d.Valid() && m.Valid():
		sp.Either, sp.Style = d != m && sep != ".", named
		if sep == "." {
			sp.Style = DayFirst
		}
	case m.Valid():
		sp.From, sp.To, sp.Style = m, m, MonthFirst
	case !d.Valid():
		return Span{}, i, false
	}
	return sp, i + 5, true
}

// Swapped returns the month-first reading of a date printed either way.
func (s Span) Swapped() Span {
	s.From.Day, s.From.Month = s.From.Month, s.From.Day
	s.To.Day, s.To.Month = s.To.Month, s.To.Day
	return s
}

// ideographic reads 2026年8月26日, 5月27日～29日, 8月26-28日, 令和8年8月26日 and 2024년
// 11월 1일.
func (r Reader) ideographic(i int) (Span, int, bool) {
	from, to, next, ok := r.ideographicDays(i, 0)
	if !ok {
		return Span{}, i, false
	}
	sp := Span{From: from, To: to}
	j, found := r.rangeMark(r.skipAside(next))
	if !found || from != to {
		return sp, next, true
	}
	if _, b, end, ok := r.ideographicDays(j, from.Month); ok {
		if b.Year == 0 {
			b.Year = from.Year
		}
		if b.Valid() && from.Before(b) {
			return Span{From: from, To: b}, end, true
		}
	}
	return sp, next, true
}

// ideographicDays reads [year][month]day; month is used where none is printed.
func (r Reader) ideographicDays(i, month int) (from, to Day, next int, ok bool) {
	year, j := 0, i
	if t := r.tok(j); t.kind == number && r.is(j+1, "年", "년") {
		if year = r.eraYear(j); year == 0 {
			return from, to, i, false
		}
		j += 2
	}
	if t := r.tok(j); t.isDay() && r.is(j+1, "月", "월") {
		month, j = t.num, j+2
	} else if month == 0 {
		return from, to, i, false
	}
	days, j, ok := r.days(j)
	if !ok || year == 0 && !r.is(j, "日", "號", "号", "일") {
		return from, to, i, false
	}
	from, to = Day{year, month, days[0]}, Day{year, month, days[1]}
	return from, to, r.skip(j, "日", "號", "号", "일"), from.Valid() && to.Valid()
}

// eraYear returns the year at token i, also of the Japanese era that began in
// 2019 and of the Republic of China, else 0.
func (r Reader) eraYear(i int) int {
	t := r.tok(i)
	switch {
	case t.digits == 4:
		return t.num
	case r.is(i-2, "令") && r.is(i-1, "和"):
		return 2018 + t.num
	case r.is(i-2, "民") && r.is(i-1, "國", "国"):
		return 1911 + t.num
	}
	return 0
}
