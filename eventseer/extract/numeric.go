package extract

// numeric reads 13/10/2025, 19.-21.05.2026, 10/13/25 and 16. 9. 2019.
func (r dateReader) numeric(i int) (span, int, bool) {
	if r.tail(i) {
		return span{}, i, false
	}
	if sp, next, ok := r.triple(i); ok {
		return sp, next, true
	}
	// Days before the first separator: 19.-21.05.2026.
	a := r.tok(i)
	if !a.isDay() {
		return span{}, i, false
	}
	if j, ok := r.rangeMark(r.skip(i+1, ".")); ok {
		if sp, next, ok := r.triple(j); ok && sp.style == dayFirst || ok && sp.either {
			sp.from.day = a.num
			sp.either = false
			if sp.from.valid() && sp.from.before(sp.to) {
				return sp, next, true
			}
		}
	}
	// A first day without a year: 19.05. – 21.05.2026.
	b := r.tok(i + 2)
	if !r.is(i+1, ".") || !b.isDay() || b.num > 12 || !r.is(i+3, ".") {
		return span{}, i, false
	}
	j, ok := r.rangeMark(i + 4)
	if !ok {
		return span{}, i, false
	}
	sp, next, ok := r.triple(j)
	if !ok || sp.style == monthFirst {
		return span{}, i, false
	}
	sp.from = day{sp.to.year, b.num, a.num}
	if sp.to.before(sp.from) {
		sp.from.year--
	}
	sp.either = false
	return sp, next, sp.from.valid() && sp.from.before(sp.to) && sp.to.time().Sub(sp.from.time()) <= maxRange
}

// triple reads three numbers joined by one and the same separator, the last a
// year.
func (r dateReader) triple(i int) (span, int, bool) {
	a, b, c := r.tok(i), r.tok(i+2), r.tok(i+4)
	sep := r.tok(i + 1).text
	if sep != "/" && sep != "." && sep != "-" || r.tok(i+3).text != sep {
		return span{}, i, false
	}
	if a.kind != number || b.kind != number || c.kind != number || a.digits > 2 || b.digits > 2 {
		return span{}, i, false
	}
	if sep != "." && (!b.glued || !c.glued) {
		return span{}, i, false
	}
	if t := r.tok(i + 6); r.is(i+5, ".") && t.kind == number && t.glued {
		return span{}, i, false // a version
	}
	year := c.num
	switch {
	case c.digits == 2 && c.glued && !r.is(i+5, sep):
		year = century(c.num)
	case c.digits != 4:
		return span{}, i, false
	}
	d, m := day{year, b.num, a.num}, day{year, a.num, b.num}
	sp := span{from: d, to: d, style: dayFirst}
	switch {
	case d.valid() && m.valid():
		sp.either, sp.style = d != m && sep != ".", named
		if sep == "." {
			sp.style = dayFirst
		}
	case m.valid():
		sp.from, sp.to, sp.style = m, m, monthFirst
	case !d.valid():
		return span{}, i, false
	}
	return sp, i + 5, true
}

// swapped returns the month-first reading of a date printed either way.
func (s span) swapped() span {
	s.from.day, s.from.month = s.from.month, s.from.day
	s.to.day, s.to.month = s.to.month, s.to.day
	return s
}

// ideographic reads 2026年8月26日, 5月27日～29日, 8月26-28日, 令和8年8月26日 and 2024년
// 11월 1일.
func (r dateReader) ideographic(i int) (span, int, bool) {
	from, to, next, ok := r.ideographicDays(i, 0)
	if !ok {
		return span{}, i, false
	}
	sp := span{from: from, to: to}
	j, found := r.rangeMark(r.skipAside(next))
	if !found || from != to {
		return sp, next, true
	}
	if _, b, end, ok := r.ideographicDays(j, from.month); ok {
		if b.year == 0 {
			b.year = from.year
		}
		if b.valid() && from.before(b) {
			return span{from: from, to: b}, end, true
		}
	}
	return sp, next, true
}

// ideographicDays reads [year][month]day; month is used where none is printed.
func (r dateReader) ideographicDays(i, month int) (from, to day, next int, ok bool) {
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
	from, to = day{year, month, days[0]}, day{year, month, days[1]}
	return from, to, r.skip(j, "日", "號", "号", "일"), from.valid() && to.valid()
}

// eraYear returns the year at token i, also of the Japanese era that began in
// 2019 and of the Republic of China, else 0.
func (r dateReader) eraYear(i int) int {
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
