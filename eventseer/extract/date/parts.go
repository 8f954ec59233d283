package date

// A Part is a day or a month that is alone, at [Start, End) of a text; of day and month one is 0.
type Part struct{ Start, End, Day, Month int }

// Parts returns the days and months of a text. A number that follows a word other than a month, as
// in "Round 3", is not one.
func Parts(s, lang string) []Part {
	r := NewReader(s, lang)
	if r.ts == nil {
		r.ts = tokenize(s) // a month alone
	}
	var out []Part
	for i, t := range r.ts {
		if p := r.tok(i - 1); p.kind == word && months[p.text] == 0 {
			continue
		}
		if r.tok(i+1).glued && r.is(i+1, "/", ".") && r.tok(i+2).kind == number || t.glued && r.is(i-1, "/", ".") {
			continue // of a date in numbers
		}
		l := Part{Start: t.start, End: t.end}
		if m, _, ok := r.month(i); ok {
			l.Month = m
		} else if t.isDay() {
			l.Day = t.num
		} else {
			continue
		}
		out = append(out, l)
	}
	return out
}

// LoneDay reads a text that is a day of a month and nothing else: 31, 31st.
func LoneDay(s string) (int, bool) {
	const longest = 8 // bytes
	if len(s) > longest {
		return 0, false
	}
	ts := tokenize(s)
	if len(ts) == 0 || len(ts) > 2 || !ts[0].isDay() || len(ts) == 2 && ts[1].text != "." && ts[1].text != "," && ts[1].text != "日" {
		return 0, false
	}
	return ts[0].num, true
}
