package date

// A Misprint is an impossible date at the bytes [Start, End) of a text. The calendar has no such day, or
// the year is out of range.
type Misprint struct{ Start, End int }

// MaxMisprints is the maximum number of warnings of one rule per record.
const MaxMisprints = 5

// Misprints returns the impossible dates of the text: 31 February 2027, June 31, May 3, 0026, 31.06.2027.
// The dates in found, which must be sorted, are skipped.
func (r Reader) Misprints(found []Span) []Misprint {
	var ms []Misprint
	for i := 0; i < len(r.ts) && len(ms) < MaxMisprints; i++ {
		for len(found) > 0 && (found[0].End <= r.ts[i].start || found[0].From.Day == 0) {
			found = found[1:]
		}
		if len(found) > 0 && found[0].Start <= r.ts[i].start {
			continue
		}
		if next, ok := r.readMisprint(i); ok {
			ms = append(ms, Misprint{Start: r.ts[i].start, End: r.ts[next-1].end})
			i = next - 1
		}
	}
	return ms
}

// readMisprint reads an impossible date at token i and returns the index of the token after it.
func (r Reader) readMisprint(i int) (int, bool) {
	t := r.tokenAt(i)
	if m, j, ok := r.readMonth(i); ok {
		j = r.skipOneOf(j, ",")
		return r.isImpossible(r.tokenAt(j), m, j+1)
	}
	if t.kind != number || t.digits > 2 {
		return i, false
	}
	if m, j, ok := r.readMonth(r.skipOf(r.skipOneOf(i+1, ".", "-"))); ok {
		return r.isImpossible(t, m, j)
	}
	return i + 5, r.isImpossibleTriple(i)
}

// isImpossibleTriple reports whether an impossible date in three numbers begins at token i: 31.06.2027.
func (r Reader) isImpossibleTriple(i int) bool {
	a, sep, b, y := r.tokenAt(i), r.tokenAt(i+1), r.tokenAt(i+2), r.tokenAt(i+4)
	switch {
	case sep.text != "." && sep.text != "/" || r.tokenAt(i+3).text != sep.text,
		b.kind != number || b.digits > 2 || !b.glued || y.kind != number || y.digits != 4 || !y.glued,
		r.isEndOfWord(i) || r.isOneOf(i+5, sep.text) && r.tokenAt(i+6).kind == number: // a version number
		return false
	}
	valid := Day{Month: b.num, Day: a.num}.IsValid() || Day{Month: a.num, Day: b.num}.IsValid()
	if y.isYear() {
		return !valid && a.isDay() && b.isDay() && min(a.num, b.num) <= 12
	}
	return valid && isOutOfBounds(y)
}

// isImpossible reports whether a day and a month, with the year if one is printed at token j, are an
// impossible date. It returns the index of the token after the date.
func (r Reader) isImpossible(d token, month, j int) (int, bool) {
	if d.kind != number || d.digits > 2 || d.num == 0 {
		return j, false
	}
	y, k := r.readYear(j)
	if k > j && isOutOfBounds(r.tokenAt(k-1)) && r.tokenAt(k-1).digits == 4 {
		return k, true
	}
	if y != 0 && (y < FirstYear || y > lastYear) || y == 0 && !d.isDay() {
		return j, false // a historical date, or a number that is not a day
	}
	return k, !Day{y, month, d.num}.IsValid()
}

// isOutOfBounds reports whether no call can mean the year y: 0026, 2207. Years from 1000 to 1979 may be
// history and are not misprints.
func isOutOfBounds(y token) bool { return y.num < 1000 || y.num > lastYear }

func (t token) isYear() bool {
	return t.kind == number && t.digits == 4 && t.num >= FirstYear && t.num <= lastYear
}
