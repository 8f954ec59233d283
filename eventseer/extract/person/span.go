package person

import (
	"strings"
	"unicode/utf8"
)

// Limits on what is read of a block.
const (
	maxWords  = 4_000 // words per block
	maxLength = 6     // words per name
	maxHan    = 4     // characters of a Chinese or Korean name without spaces
	maxBytes  = 60    // bytes per name
	maxTitles = 4     // titles that are skipped on either side of a name
)

// A nameSpan is a part of a block that may be a person's name.
type nameSpan struct {
	first, last int // indexes of its first and last word
	from, to    int // bytes [from, to) of the block's text
	givenFirst  int // for "Surname, Given": index of the first word of the given name; 0 for other names
}

// printedName returns the printed name of a span of s, with the given name first.
func (sp nameSpan) printedName(s string, ws []word) string {
	if sp.givenFirst == 0 {
		return s[sp.from:sp.to]
	}
	return s[ws[sp.givenFirst].from:sp.to] + " " + s[sp.from:ws[sp.givenFirst-1].to]
}

func hasCapital(s shape) bool { return s >= initial && s <= mixed }

// nameSpans returns the parts of a text that may be names. They have one to maxLength words with only white
// space between them. They begin and end with a capital, or are of a script without capitals. Their number
// is linear in the number of words.
func nameSpans(s string, ws []word) []nameSpan {
	var out []nameSpan
	add := func(i, k, comma int) {
		if ws[k].to-ws[i].from <= maxBytes && !ws[i].title && !ws[k].title {
			out = append(out, nameSpan{first: i, last: k, from: ws[i].from, to: ws[k].to, givenFirst: comma})
		}
	}
	for i := range ws {
		switch w := &ws[i]; {
		case w.title && w.shape >= han:
		case w.shape == han:
			out = appendHan(out, s, ws, i)
		case w.shape == hangul:
			out = appendHan(out, s, ws, i)
			for k := i + 1; k < len(ws) && k <= i+2 && isJoinedBySpace(ws, k) && ws[k].shape == hangul; k++ {
				add(i, k, 0)
			}
		case w.shape == uncased:
			if isSeparate(ws, i, i) {
				add(i, i, 0)
			}
			for k := i + 1; k < len(ws) && k < i+maxLength && isJoinedBySpace(ws, k) && ws[k].shape == uncased; k++ {
				add(i, k, 0)
			}
		case hasCapital(w.shape):
			if before, after := marksAround(ws, i, i); (before != space || w.begins) && (after != space || w.ends) && w.shape != initial || w.shape == mixed {
				add(i, i, 0)
			}
			small := 0
			for k := i + 1; k < len(ws) && k < i+maxLength; k++ {
				if k+1 < len(ws) && isAloneInBrackets(s, ws, k) && hasCapital(ws[k+1].shape) {
					k++
				} else if !isJoinedBySpace(ws, k) {
					break
				}
				if hasCapital(ws[k].shape) {
					add(i, k, 0)
					small = 0
				} else if small++; small > 2 || ws[k].shape != lower || ws[k].runes > 4 {
					break
				}
			}
			out = appendReversedNames(out, ws, i)
		case w.shape == lower && w.runes <= 3 && i+1 < len(ws) && isJoinedBySpace(ws, i+1) && hasCapital(ws[i+1].shape) && w.before != space:
			for k := i + 2; k < min(len(ws), i+4) && isJoinedBySpace(ws, k) && hasCapital(ws[k].shape); k++ {
				add(i, k, 0)
			}
		}
	}
	return out
}

// isJoinedBySpace reports whether only white space separates word k from the previous word.
func isJoinedBySpace(ws []word, k int) bool { return ws[k].before == space && ws[k-1].after == space }

// isAloneInBrackets reports whether word k is alone in brackets, as a second given name may be.
func isAloneInBrackets(s string, ws []word, k int) bool {
	return ws[k].before == opened && ws[k].after == closed && hasCapital(ws[k].shape) && ws[k+1].before == closed &&
		ws[k].from-ws[k-1].to == 2 && ws[k+1].from-ws[k].to == 2 && s[ws[k].from-2] == ' ' && s[ws[k].to+1] == ' '
}

func isSeparate(ws []word, i, k int) bool { return ws[i].before != space && ws[k].after != space }

// marksAround returns the marks before and after words i to k without their titles. A word such as "and" counts
// as a comma.
func marksAround(ws []word, i, k int) (before, after markKind) {
	before, after = ws[i].before, ws[k].after
	n := 0
	for n < maxTitles && i > 0 && ws[i-1].title && (before == space || before == stop) {
		i--
		before = ws[i].before
		n++
	}
	if i > 0 && before == space && links[ws[i-1].folded] {
		before = comma
	}
	n = 0
	for n < maxTitles && k+1 < len(ws) && ws[k+1].title && (after == space || after == comma || after == stop || after == none) {
		k++
		after = ws[k].after
		n++
	}
	if k+1 < len(ws) && after == space && links[ws[k+1].folded] {
		after = comma
	}
	return before, after
}

// appendReversedNames appends the possible names "Surname, Given" that begin with word i.
func appendReversedNames(out []nameSpan, ws []word, i int) []nameSpan {
	if b := ws[i].before; b == space || b == comma || b == none {
		return out
	}
	k := i
	for k+1 < len(ws) && k < i+2 && isJoinedBySpace(ws, k+1) && hasCapital(ws[k+1].shape) {
		k++
	}
	given := k + 1
	if given >= len(ws) || ws[k].after != comma || ws[given].before != comma || !hasCapital(ws[given].shape) || ws[given].shape == upper {
		return out
	}
	for end := given; end < min(len(ws), given+3) && (end == given || isJoinedBySpace(ws, end)) && hasCapital(ws[end].shape); end++ {
		if ws[end].after != space && ws[end].to-ws[i].from <= maxBytes && !ws[i].title && !ws[given].title && !ws[end].title {
			out = append(out, nameSpan{first: i, last: end, from: ws[i].from, to: ws[end].to, givenFirst: given})
		}
	}
	return out
}

// appendHan appends the possible names in word i, a run of Chinese characters or Hangul. They are the whole
// word, its first or last two to maxHan characters, or the word with the next one.
func appendHan(out []nameSpan, s string, ws []word, i int) []nameSpan {
	w := &ws[i]
	text := s[w.from:w.to]
	if w.runes <= maxHan+2 && w.runes >= 2 {
		out = append(out, nameSpan{first: i, last: i, from: w.from, to: w.to})
	}
	if w.runes > 2 {
		at := 0
		for n := 1; n <= maxHan && n < w.runes; n++ {
			_, size := utf8.DecodeRuneInString(text[at:])
			if at += size; n >= 2 {
				out = append(out, nameSpan{first: i, last: i, from: w.from, to: w.from + at})
			}
		}
		at = len(text)
		for n := 1; n <= maxHan && n < w.runes; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:at])
			if at -= size; n >= 2 {
				out = append(out, nameSpan{first: i, last: i, from: w.from + at, to: w.to})
			}
		}
	}
	if i+1 < len(ws) && isJoinedBySpace(ws, i+1) && ws[i+1].shape == w.shape && w.runes <= maxHan && ws[i+1].runes <= maxHan && w.shape == han {
		out = append(out, nameSpan{first: i, last: i + 1, from: w.from, to: ws[i+1].to})
	}
	return out
}

// singleSpaced returns a name with single spaces between its words.
func singleSpaced(name string) string { return strings.Join(strings.Fields(name), " ") }
