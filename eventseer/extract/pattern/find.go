package pattern

import (
	"strings"
	"unicode/utf8"
)

// readsPerByte is the maximum number of bytes read per byte of the text when searching for starts of
// matches. An expression that begins with ".*" reads to the end of the text from every position.
const readsPerByte = 8

// A finder finds the matches of an expression in a text. Package regexp tries every branch of an expression
// at every position. A finder uses an automaton to find where a match begins and another to find where it
// ends, and package regexp only for groups.
type finder struct {
	p         *Pattern
	a         *automaton
	s         string
	at        int // byte at which the search continues
	bytesLeft int // bytes that may still be read
}

// finder returns a finder of matches in s. ok is false if the expression has no starter, see newStarter.
func (p *Pattern) finder(s string) (f finder, ok bool) {
	a := p.starter()
	return finder{p: p, a: a, s: s, bytesLeft: readsPerByte * len(s)}, a != nil
}

// nextStart returns the byte at which the next match begins, or -1 for none, and the byte at which the rune
// before it begins. known is false if the search would exceed the bytes left or the memory of the
// automaton.
func (f *finder) nextStart() (start, before int, known bool) {
	prev := rune(endOfText)
	before = f.at
	if f.at > 0 {
		r, n := utf8.DecodeLastRuneInString(f.s[:f.at])
		prev, before = r, f.at-n
	}
	for i := f.at; i < len(f.s); {
		match, known, read := f.a.matchesFrom(f.a.startAfter(prev), f.s[i:])
		if f.bytesLeft -= read; !known || f.bytesLeft < 0 {
			return 0, 0, false
		}
		if match {
			return i, before, true
		}
		r, n := utf8.DecodeRuneInString(f.s[i:])
		prev, before = r, i
		i += n
	}
	return -1, 0, true
}

// nextMatch returns the offsets of the next match and, if groups is true, of its groups. loc is nil if there is
// no further match. known is false if the finder gave up; the caller then uses package regexp.
func (f *finder) nextMatch(groups bool) (loc []int, known bool) {
	start, from, known := f.nextStart()
	if start < 0 || !known {
		return nil, known
	}
	to := len(f.s)
	if a := f.p.ender(); a != nil {
		prev := rune(endOfText)
		if start > 0 {
			prev, _ = utf8.DecodeRuneInString(f.s[from:])
		}
		end, read, known := a.matchEnd(a.startAfter(prev), f.s[start:])
		if f.bytesLeft -= read; f.bytesLeft < 0 {
			return nil, false
		}
		if known && end >= 0 {
			if to = start + read; !groups {
				f.at = start + end
				return []int{start, f.at}, true
			}
		}
	}
	if groups {
		loc = f.p.regexp().FindStringSubmatchIndex(f.s[from:to])
	} else {
		loc = f.p.regexp().FindStringIndex(f.s[from:to])
	}
	if loc == nil || loc[0] != start-from { // regexp matched from byte from, which is not the start of the text
		return nil, false
	}
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += from
		}
	}
	f.at = loc[1]
	return loc, true
}

// firstMatch returns the first match in s in the form of FindStringSubmatchIndex if groups is true, otherwise of
// FindStringIndex. known is false if the finder gave up.
func (p *Pattern) firstMatch(s string, groups bool) (loc []int, known bool) {
	f, ok := p.finder(s)
	if !ok {
		return nil, false
	}
	return f.nextMatch(groups)
}

// allMatches returns the first n matches in s, or all of them if n is negative. known is false if the finder gave
// up.
func (p *Pattern) allMatches(s string, n int, groups bool) (locs [][]int, known bool) {
	f, ok := p.finder(s)
	for ok && (n < 0 || len(locs) < n) {
		loc, known := f.nextMatch(groups)
		if !known {
			return nil, false
		}
		if loc == nil {
			break
		}
		locs = append(locs, loc)
	}
	return locs, ok
}

// replaceAll returns s with all matches replaced by with, which must not refer to groups. known is false if
// the finder gave up.
func (p *Pattern) replaceAll(s, with string) (out string, known bool) {
	locs, known := p.allMatches(s, -1, false)
	if !known {
		return "", false
	}
	var b strings.Builder
	from := 0
	for _, loc := range locs {
		b.WriteString(s[from:loc[0]])
		b.WriteString(with)
		from = loc[1]
	}
	b.WriteString(s[from:])
	return b.String(), true
}

// submatches returns the submatches of s for pairs of offsets; "" for negative ones.
func submatches(s string, loc []int) []string {
	out := make([]string, len(loc)/2)
	for i := range out {
		if loc[2*i] >= 0 {
			out[i] = s[loc[2*i]:loc[2*i+1]]
		}
	}
	return out
}
