package extract

// tok returns token i, or a mark without text where there is none.
func (r dateReader) tok(i int) token {
	if i < 0 || i >= len(r.ts) {
		return token{}
	}
	return r.ts[i]
}

// is reports whether token i is one of the given marks or words.
func (r dateReader) is(i int, texts ...string) bool {
	t := r.tok(i)
	for _, s := range texts {
		if t.kind != number && t.text == s && s != "" {
			return true
		}
	}
	return false
}

// skip steps over one of the given marks, if it is there.
func (r dateReader) skip(i int, marks ...string) int {
	if r.is(i, marks...) {
		return i + 1
	}
	return i
}

func (r dateReader) skipWeekday(i int) int {
	j := i
	for r.tok(j).kind == word && weekdays[r.ts[j].text] {
		j = r.skip(j+1, ".", "-")
	}
	if j > i {
		j = r.skip(j, ",")
	}
	if r.is(j, "the", "den", "dem", "le", "el") {
		j++
	}
	return j
}

// skipAside steps over a weekday in brackets: "(Fri.)", "(金)".
func (r dateReader) skipAside(i int) int {
	if !r.is(i, "(", "（") {
		return i
	}
	for j := i + 1; j <= i+4; j++ {
		if r.is(j, ")", "）") {
			return j + 1
		}
		if t := r.tok(j); t.kind == number || t.kind == word && !weekdays[t.text] {
			break
		}
	}
	return i
}

// rangeMark steps over a mark or word that joins the ends of a range.
func (r dateReader) rangeMark(i int) (int, bool) {
	if r.is(i, "-", "–", "—", "−", "‐", "‑", "~", "〜", "～", "→") {
		i++
		if r.is(i, "-") {
			i++
		}
		return i, true
	}
	if r.tok(i).kind == word && rangeWords[r.ts[i].text] {
		return i + 1, true
	}
	return i, false
}

// dayMark steps over what joins two days of one month, ranges included.
func (r dateReader) dayMark(i int) (int, bool) {
	if j, ok := r.rangeMark(i); ok {
		return j, true
	}
	if r.is(i, "&", "/", "+", ",") {
		if r.is(i, ",") && r.tok(i+1).kind == word && listWords[r.ts[i+1].text] {
			i++
		}
		return i + 1, true
	}
	if r.tok(i).kind == word && listWords[r.ts[i].text] {
		return i + 1, true
	}
	return i, false
}

// month reads a month's name and the full stop of an abbreviation.
func (r dateReader) month(i int) (int, int, bool) {
	t := r.tok(i)
	if t.kind != word {
		return 0, i, false
	}
	m := months[t.text]
	if m == 0 && r.wordy {
		m = wordyMonths[t.text]
	}
	if m == 0 {
		return 0, i, false
	}
	return m, r.skip(i+1, "."), true
}

// tail reports whether token i is the tail of a longer word or number, as the
// 19 of COVID-19 or the 3 of 1.2.3.
func (r dateReader) tail(i int) bool {
	t, p := r.tok(i), r.tok(i-1)
	if !t.glued {
		return false
	}
	q := r.tok(i - 2)
	switch {
	case p.kind == word:
		return months[p.text] == 0
	case p.text == "'" || p.text == "’" || p.text == "#":
		return true
	case p.text == "-" || p.text == "." || p.text == "/":
		return p.glued && (q.kind == number || q.kind == word && months[q.text] == 0 && p.text != ".")
	}
	return false
}
