package date

import "strings"

// tokenAt returns token i, or a mark without text if i is out of range.
func (r Reader) tokenAt(i int) token {
	if i < 0 || i >= len(r.ts) {
		return token{}
	}
	return r.ts[i]
}

// isOneOf reports whether token i is one of the given marks or words. It is false for numbers.
func (r Reader) isOneOf(i int, texts ...string) bool {
	t := r.tokenAt(i)
	for _, s := range texts {
		if t.kind != number && t.text == s && s != "" {
			return true
		}
	}
	return false
}

// skipOneOf returns i+1 if token i is one of the given marks, otherwise i.
func (r Reader) skipOneOf(i int, marks ...string) int {
	if r.isOneOf(i, marks...) {
		return i + 1
	}
	return i
}

func (r Reader) skipWeekday(i int) int {
	j := i
	for r.tokenAt(j).kind == word && weekdays[r.ts[j].text] {
		j = r.skipOneOf(j+1, ".", "-")
	}
	if j > i {
		j = r.skipOneOf(j, ",")
	}
	if r.isOneOf(j, "the", "den", "dem", "le", "el") {
		j++
	}
	return j
}

// skipOf returns the index after up to three words such as "of the", "de", "d’" at token i.
func (r Reader) skipOf(i int) int {
	for n := 0; n < 3 && r.tokenAt(i).kind == word && ofWords[r.ts[i].text]; n++ {
		i++
		if elided[r.ts[i-1].text] {
			i = r.skipOneOf(i, "'", "’")
		}
	}
	return i
}

// skipYearWord returns the index after a word for year at token i, as in "2027 г." or "2027 року".
func (r Reader) skipYearWord(i int) int {
	if r.isOneOf(i, "г", "гг", "года", "год", "р", "рр", "року", "r", "roku", "yılı") {
		return r.skipOneOf(i+1, ".")
	}
	return i
}

// skipDayWord returns the index after a word for day at token i, as in "ngày 9" or "วันที่ 9".
func (r Reader) skipDayWord(i int) int {
	return r.skipOneOf(i, "ngày", "วันที่", "tanggal", "dia", "dzień", "dne", "dňa")
}

// skipBracketedWeekday returns the index after a weekday in brackets at token i: "(Fri.)", "(金)". It
// returns i if there is none.
func (r Reader) skipBracketedWeekday(i int) int {
	if !r.isOneOf(i, "(", "（") {
		return i
	}
	for j := i + 1; j <= i+4; j++ {
		if r.isOneOf(j, ")", "）") {
			return j + 1
		}
		if t := r.tokenAt(j); t.kind == number || t.kind == word && !weekdays[t.text] {
			break
		}
	}
	return i
}

// skipRangeMark returns the index after a mark or word that joins the ends of a range at token i, and whether
// there is one.
func (r Reader) skipRangeMark(i int) (int, bool) {
	if j := r.skipOneOf(i, dashes...); j > i {
		for n := 0; n < 2; n++ {
			j = r.skipOneOf(j, "-", ">")
		}
		return j, true
	}
	if (r.isOneOf(i, "=") || r.isOneOf(i, ">")) && r.isOneOf(i+1, ">") && r.tokenAt(i+1).glued {
		return i + 2, true
	}
	for _, phrase := range rangePhrases {
		if r.isPhrase(i, phrase) {
			return i + len(phrase), true
		}
	}
	switch {
	case r.isOneOf(i, "か") && r.isOneOf(i+1, "ら"), r.isOneOf(i, "부") && r.isOneOf(i+1, "터"):
		return i + 2, true
	case r.tokenAt(i).kind == word && (rangeWords[r.ts[i].text] || r.notEnglish && r.ts[i].text == "do"):
		return i + 1, true
	}
	return i, false
}

var dashes = []string{"-", "–", "—", "−", "‐", "‑", "~", "〜", "～", "→", "⇒", "➔", "➜", "»", "至", "到"}

// rangePhrases are sequences of tokens that join the ends of a range.
var rangePhrases = [][]string{{"t", "/", "m"}, {"tot", "en", "met"}, {"bis", "zum"}, {"bis", "einschließlich"}, {"up", "to"}, {"s", "/", "d"}, {"s", ".", "d", "."}, {"s", ".", "d"}, {"s", "/", "d", "."}, {"até", "o", "dia"}, {"až", "do"}, {"za", "do"}}

// isPhrase reports whether the tokens from i on are the given words and marks.
func (r Reader) isPhrase(i int, phrase []string) bool {
	for n, s := range phrase {
		if !r.isOneOf(i+n, s) {
			return false
		}
	}
	return true
}

// skipDayMark returns the index after a mark or word that joins two days of one month at token i, and whether
// there is one. Range marks are included.
func (r Reader) skipDayMark(i int) (int, bool) {
	if j, ok := r.skipRangeMark(i); ok {
		return j, true
	}
	if r.isOneOf(i, "&", "/", "+", ",", "、", "・", "及", "和") {
		if r.isOneOf(i, ",") && r.tokenAt(i+1).kind == word && listWords[r.ts[i+1].text] {
			i++
		}
		return i + 1, true
	}
	if r.tokenAt(i).kind == word && listWords[r.ts[i].text] {
		return i + 1, true
	}
	return i, false
}

// readMonth reads the name of a month and the full stop of an abbreviation. It returns the month, the index of
// the next token and whether there is a month.
func (r Reader) readMonth(i int) (int, int, bool) {
	t := r.tokenAt(i)
	if !t.month || r.isOneOf(i-2, "rio") && r.isOneOf(i-1, "de") { // the city
		return 0, i, false
	}
	if t.text == "tháng" { // Vietnamese numbers the months
		return r.readNumberedMonth(i + 1)
	}
	m := months[t.text]
	if r.croatian && croatianMonths[t.text] != 0 {
		m = croatianMonths[t.text]
	}
	if m == 0 && (r.notEnglish || r.isBetweenDayAndYear(i)) {
		m = englishLookalikes[t.text]
	}
	if m == 0 && r.isBetweenDayAndYear(i) {
		if m = shortMonths[t.text]; m == 0 && t.caps && r.notEnglish {
			m = romanMonths[t.text]
		}
	}
	if m == 0 {
		m = misspelt()[t.text]
	}
	if m == 0 {
		return 0, i, false
	}
	return m, r.skipOneOf(i+1, "."), true
}

// readNumberedMonth reads the number or name of a Vietnamese month at token i. Its results are those of
// readMonth.
func (r Reader) readNumberedMonth(i int) (int, int, bool) {
	if n := r.tokenAt(i); n.kind == number {
		return n.num, i + 1, n.isDay() && n.num <= 12
	}
	if m := vietnameseMonths[r.tokenAt(i).text]; m == 10 && r.isOneOf(i+1, "một", "hai") {
		return m + vietnameseMonths[r.ts[i+1].text], i + 2, true
	} else if m != 0 {
		return m, i + 1, true
	}
	return 0, i, false
}

// isAmount reports whether the number at token i is an amount, as in 2000 words, and not a year.
func (r Reader) isAmount(i int) bool {
	t, next := r.tokenAt(i), r.tokenAt(i+1)
	if t.kind != number || t.digits < 3 {
		return false
	}
	if next.kind == number || r.isOneOf(i+1, "-", "–") && r.tokenAt(i+2).digits == 4 && r.tokenAt(i+3).kind == word { // 2000-2500 words
		next = r.tokenAt(i + 3)
	}
	if next.kind == mark && next.text != "" {
		return strings.Contains(countSigns, next.text)
	}
	return next.kind == word && !t.ordinal && countedThings[next.text]
}

// isBetweenDayAndYear reports whether token i is between a day and a year, as "set" in 12 set 2027.
func (r Reader) isBetweenDayAndYear(i int) bool {
	y := r.tokenAt(r.skipOneOf(i+1, "."))
	return r.tokenAt(i-1).isDay() && y.digits == 4 && y.num >= FirstYear && y.num <= lastYear
}

// isEndOfWord reports whether token i is the end of a longer word or number: the 19 of COVID-19 or the 3
// of 1.2.3.
func (r Reader) isEndOfWord(i int) bool {
	t, p := r.tokenAt(i), r.tokenAt(i-1)
	if !t.glued || i > 0 && i == r.afterRangeMark {
		return false
	}
	q := r.tokenAt(i - 2)
	switch {
	case p.kind == word:
		return months[p.text] == 0
	case p.text == "'" || p.text == "’":
		return q.kind != word || !elided[q.text] // an article before a day: l’8 marzo
	case p.text == "#":
		return true
	case p.text == "-" || p.text == "." || p.text == "/":
		return p.glued && (q.kind == number || q.kind == word && months[q.text] == 0 && p.text != ".")
	}
	return false
}
