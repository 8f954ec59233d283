package date

// readIdeographic reads dates with characters for year, month and day: 2026年8月26日, 5月27日～29日, 8月26-28日,
// 令和8年8月26日, 2026年8月 and 2024년 11월 1일.
func (r Reader) readIdeographic(i int) (Span, int, bool) {
	from, to, next, ok := r.readIdeographicDays(i, 0)
	if !ok {
		return r.readIdeographicMonth(i)
	}
	sp := Span{From: from, To: to}
	j, found := r.skipRangeMark(r.skipBracketedWeekday(next))
	if !found || from != to {
		return sp, next, true
	}
	if _, b, end, ok := r.readIdeographicDays(r.skipEra(j), from.Month); ok {
		if b.Year == 0 {
			b.Year = from.Year
		}
		if b.IsValid() && from.IsBefore(b) {
			return Span{From: from, To: b}, end, true
		}
	}
	return sp, next, true
}

// readIdeographicDays reads days with an optional year and month. If no month is printed, month is used; 0
// means that one is required.
func (r Reader) readIdeographicDays(i, month int) (from, to Day, next int, ok bool) {
	year, j, ok := r.readIdeographicYear(i)
	if !ok {
		return from, to, i, false
	}
	if t := r.tokenAt(j); t.isDay() && r.isOneOf(j+1, "月", "월") {
		month, j = t.num, j+2
	} else if month == 0 {
		return from, to, i, false
	}
	days, j, ok := r.readDays(j)
	if !ok || year == 0 && !r.isOneOf(j, "日", "號", "号", "일") {
		return from, to, i, false
	}
	from, to = Day{year, month, days[0]}, Day{year, month, days[1]}
	return from, to, r.skipOneOf(j, "日", "號", "号", "일"), from.IsValid() && to.IsValid()
}

// readIdeographicYear reads an optional year with its character. It returns 0, i and true if there is no year,
// and false if the number is a count of years. A year of another era may follow in brackets and is skipped.
func (r Reader) readIdeographicYear(i int) (year, next int, ok bool) {
	switch t := r.tokenAt(i); {
	case r.isFirstYearSign(i) && r.isOneOf(i+1, "年"):
		year = r.yearOfEra(i) + 1
	case t.kind != number || !r.isOneOf(i+1, "年", "년"):
		return 0, i, true
	default:
		if year = r.yearOfEra(i); year == 0 {
			return 0, i, false
		}
	}
	next = i + 2
	if r.isOneOf(next, "(", "（") {
		for j := next + 1; j < next+7; j++ {
			if r.isOneOf(j, ")", "）") && r.isOneOf(j-1, "年") {
				return year, j + 1, true
			}
		}
	}
	return year, next, true
}

// readIdeographicMonth reads a month of a year without a day.
func (r Reader) readIdeographicMonth(i int) (Span, int, bool) {
	year, j, ok := r.readIdeographicYear(i)
	t := r.tokenAt(j)
	if !ok || year < FirstYear || year > lastYear || !t.isDay() || t.num > 12 || !r.isOneOf(j+1, "月", "월") {
		return Span{}, i, false
	}
	d := Day{Year: year, Month: t.num}
	return Span{From: d, To: d}, j + 2, true
}

// yearOfEra returns the year at token i in the western calendar. It may be a year of the Japanese eras Reiwa
// and Heisei or of the Republic of China. It is 0 if the token is not a year.
func (r Reader) yearOfEra(i int) int {
	t := r.tokenAt(i)
	switch {
	case t.digits == 4:
		return t.num
	case r.isOneOf(i-2, "令") && r.isOneOf(i-1, "和"):
		return 2018 + t.num // 元 (first year) is not a number and counts as 0
	case r.isOneOf(i-2, "平") && r.isOneOf(i-1, "成"):
		return 1988 + t.num
	case r.isOneOf(i-2, "民") && r.isOneOf(i-1, "國", "国"), t.isRepublicanYear():
		return 1911 + t.num
	}
	return 0
}

// eraStart returns the index of the first token of the era's name before the year at token i, or i if there
// is none.
func (r Reader) eraStart(i int) int {
	if r.tokenAt(i).digits == 4 || !r.isOneOf(i-1, "和", "成", "國", "国") || !r.isOneOf(i-2, "令", "平", "民") {
		return i
	}
	if r.isOneOf(i-4, "中") && r.isOneOf(i-3, "華", "华") {
		return i - 4
	}
	return i - 2
}

// skipEra returns the index after the name of an era at token i, or i if there is none.
func (r Reader) skipEra(i int) int {
	if r.isOneOf(i, "中") && r.isOneOf(i+1, "華", "华") {
		i += 2
	}
	if r.isOneOf(i, "令", "平", "民") && r.isOneOf(i+1, "和", "成", "國", "国") {
		i += 2
	}
	return i
}

// isRepublicanYear reports whether a number may be a year of the Republic of China. These have three digits
// since 2011.
func (t token) isRepublicanYear() bool {
	return t.kind == number && t.digits == 3 && t.num >= 100 && t.num < 160
}

// isFirstYearSign reports whether token i is the 元 of 令和元年, which means the first year of an era.
func (r Reader) isFirstYearSign(i int) bool {
	return r.isOneOf(i, "元") && (r.isOneOf(i-2, "令") && r.isOneOf(i-1, "和") || r.isOneOf(i-2, "平") && r.isOneOf(i-1, "成"))
}
