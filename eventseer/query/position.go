package query

import (
	"iter"
	"slices"
)

// A tokenRange is a range of tokens where a term was found, including the last one.
type tokenRange struct{ first, last int32 }

// positions yields the positions of a variant of the term in a text.
func (p *Pattern) positions(y *WordSequence, t *Words) iter.Seq[tokenRange] {
	switch {
	case p.Near > 0 && len(y.words) > 1:
		return p.nearPositions(y, t)
	case y.loose:
		return p.scatteredWords(y, t)
	}
	return p.adjacentWords(y, t)
}

// adjacentWords yields the positions where the words of y follow each other.
func (p *Pattern) adjacentWords(y *WordSequence, t *Words) iter.Seq[tokenRange] {
	return func(yield func(tokenRange) bool) {
		for _, i := range p.startTokens(y, t) {
			if last, ok := p.matchFrom(y, t, i); ok && !yield(tokenRange{i, last}) {
				return
			}
		}
	}
}

// startTokens returns the tokens at which a variant may begin: its first word, in text its first that is
// not a stop word.
func (p *Pattern) startTokens(y *WordSequence, t *Words) []int32 {
	keys := y.stems
	if p.exact {
		keys = y.words
	}
	first := t.at[keys[0]]
	if p.exact || y.from == 0 {
		return first
	}
	all := slices.Concat(first, t.at[keys[y.from]])
	slices.Sort(all)
	return slices.Compact(all)
}

// matchFrom reports whether the words of y follow each other from token i on. In text stop words are
// not compared, only counted.
func (p *Pattern) matchFrom(y *WordSequence, t *Words, i int32) (last int32, ok bool) {
	first := t.tokens[i]
	from, to := 0, len(y.words)
	if p.ignoresStopWords(first.field) {
		from, to = y.from, y.to
	}
	n := to - from
	if n <= 0 || int(i)+n > len(t.tokens) || !p.fields.has(first.field) || y.notInText && texts.has(first.field) {
		return 0, false
	}
	for k := range n {
		tk := t.tokens[int(i)+k]
		if tk.field != first.field || tk.part != first.part || !p.isSameWord(tk, y, from+k) {
			return 0, false
		}
	}
	return i + int32(n) - 1, true
}

// ignoresStopWords reports whether stop words are not compared in a field.
func (p *Pattern) ignoresStopWords(f Field) bool { return !p.exact && !names.has(f) }

// isSameWord reports whether a token is the k-th word of y.
func (p *Pattern) isSameWord(tk token, y *WordSequence, k int) bool {
	if !p.ignoresStopWords(tk.field) {
		return tk.word == y.words[k]
	}
	return y.stops[k] || tk.stem == y.stems[k]
}

// scatteredWords yields the words of y if a field contains them all, in texts if they follow each other.
func (p *Pattern) scatteredWords(y *WordSequence, t *Words) iter.Seq[tokenRange] {
	return func(yield func(tokenRange) bool) {
		for f := range NumFields {
			if !p.fields.has(f) || f == InText {
				continue
			}
			for _, i := range p.allPositions(f, y, t) {
				if !yield(tokenRange{i, i}) {
					return
				}
			}
		}
		for r := range p.adjacentWords(y, t) {
			if t.tokens[r.first].field == InText && !yield(r) {
				return
			}
		}
	}
}

// allPositions returns the positions of the words of y in a field, nil if it does not contain them all.
func (p *Pattern) allPositions(f Field, y *WordSequence, t *Words) (at []int32) {
	keys, compared := y.stems, 0
	if p.exact || names.has(f) {
		keys = y.words
	}
	for k, key := range keys {
		if p.ignoresStopWords(f) && y.stops[k] {
			continue
		}
		compared++
		found := false
		for _, i := range t.at[key] {
			if tk := t.tokens[i]; tk.field == f && p.isSameWord(tk, y, k) {
				at, found = append(at, i), true
			}
		}
		if !found {
			return nil
		}
	}
	if compared == 0 {
		return nil
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// nearPositions yields the positions where all words of y occur within Near words, in any order.
func (p *Pattern) nearPositions(y *WordSequence, t *Words) iter.Seq[tokenRange] {
	return func(yield func(tokenRange) bool) {
		var starts []int32
		for _, key := range p.wordsOf(y) {
			starts = append(starts, t.at[key]...)
		}
		slices.Sort(starts)
		for _, i := range slices.Compact(starts) {
			if last, ok := p.matchWithinWindow(y, t, i); ok && !yield(tokenRange{i, last}) {
				return
			}
		}
	}
}

// matchWithinWindow searches the words of y in the window that begins with token i, which must be one of them.
// It returns the last token needed.
func (p *Pattern) matchWithinWindow(y *WordSequence, t *Words, i int32) (last int32, ok bool) {
	first := t.tokens[i]
	if !p.fields.has(first.field) {
		return 0, false
	}
	seen, missing := make([]bool, len(y.words)), 0
	for k := range y.words {
		seen[k] = p.ignoresStopWords(first.field) && y.stops[k]
		if !seen[k] {
			missing++
		}
	}
	for n := i; n <= i+int32(p.Near) && int(n) < len(t.tokens) && missing > 0; n++ {
		tk := t.tokens[n]
		if tk.field != first.field || tk.part != first.part {
			break
		}
		was := missing
		for k := range y.words {
			if !seen[k] && p.isSameWord(tk, y, k) { // several words with the same stem may equal one token
				seen[k] = true
				missing--
			}
		}
		if n == i && missing == was {
			return 0, false
		}
		if missing == 0 {
			return n, true
		}
	}
	return 0, false
}
