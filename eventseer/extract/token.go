package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what a page controls.
const (
	maxBlocks     = 20_000 // blocks read of a page
	maxBlockBytes = 16_000 // bytes of one block searched for dates
	maxDates      = 400    // dates kept of a page
)

// A token is a number, a word, or one other rune of a text searched for dates.
type token struct {
	kind       tokenKind
	text       string // of a word: lower case; of a mark: the rune
	num        int    // of a number
	digits     int
	ordinal    bool // 1st, 2nd, 3º
	glued      bool // no white space before
	start, end int
}

type tokenKind uint8

const (
	mark tokenKind = iota
	number
	word
)

var ordinals = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "er": true, "ère": true, "º": true, "ª": true, "°": true, "ro": true}

// tokenize splits a text into tokens; ideographs and Hangul are tokens of one
// rune, as date marks stand between digits there.
func tokenize(s string) []token {
	s = clip(s, maxBlockBytes)
	var ts []token
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		t := token{start: i, glued: len(ts) > 0 && ts[len(ts)-1].end == i}
		switch {
		case digit(r) >= 0:
			for i < len(s) {
				r, n = utf8.DecodeRuneInString(s[i:])
				d := digit(r)
				if d < 0 {
					break
				}
				if t.digits++; t.digits <= 4 {
					t.num = t.num*10 + d
				}
				i += n
			}
			t.kind = number
			if m := wordLen(s[i:]); m > 0 && ordinals[strings.ToLower(s[i:i+m])] {
				t.ordinal = true
				i += m
			} else if r, n := utf8.DecodeRuneInString(s[i:]); r == 'º' || r == 'ª' || r == '°' {
				t.ordinal = true
				i += n
			}
		case unicode.IsLetter(r) && !ideograph(r):
			i += wordLen(s[i:])
			t.kind, t.text = word, strings.ToLower(s[t.start:i])
		default:
			i += n
			t.text = s[t.start:i]
		}
		t.end = i
		ts = append(ts, t)
	}
	return ts
}

// digit returns the value of an ASCII or full-width digit, else -1.
func digit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= '０' && r <= '９':
		return int(r - '０')
	}
	return -1
}

func wordLen(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) || ideograph(r) {
			return i
		}
	}
	return len(s)
}

func ideograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
}

// clip cuts s to at most n bytes at a rune boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
