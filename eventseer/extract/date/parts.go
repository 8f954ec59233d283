package date

// A Part is a day or a month without the other, at the bytes [Start, End) of a text. The missing one is 0.
type Part struct{ Start, End, Day, Month int }

// SeparateParts returns the days and months that a text prints separately. A number after a word that is not a
// month is left out, such as that of "Round 3".
func SeparateParts(s, lang string) []Part {
	r := NewReader(s, lang)
	if r.ts == nil {
		r.ts = tokenize(s, nil) // NewReader skips texts without digits, but a month may be alone
	}
	var out []Part
	for i, t := range r.ts {
		if p := r.tokenAt(i - 1); p.kind == word && months[p.text] == 0 {
			continue
		}
		if r.tokenAt(i+1).glued && r.isOneOf(i+1, "/", ".") && r.tokenAt(i+2).kind == number || t.glued && r.isOneOf(i-1, "/", ".") {
			continue // part of a numeric date
		}
		l := Part{Start: t.start, End: t.end}
		if m, _, ok := r.readMonth(i); ok {
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

// LoneDay returns the day of the month if it is the whole text: 31, 31st. ok is false for any other text.
func LoneDay(s string) (int, bool) {
	const longest = 8 // in bytes
	if len(s) > longest {
		return 0, false
	}
	ts := tokenize(s, nil)
	if len(ts) == 0 || len(ts) > 2 || !ts[0].isDay() || len(ts) == 2 && ts[1].text != "." && ts[1].text != "," && ts[1].text != "日" {
		return 0, false
	}
	return ts[0].num, true
}
