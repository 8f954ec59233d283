package date

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/eventseer/eventseer/internal/text"
)

// Bounds on what a text controls.
const (
	MaxBytes  = 16_000 // bytes of a text that are searched
	maxBeside = 400    // bytes beside a date that are searched for times and zones
	MaxDates  = 400    // dates read of a text
)

// A token is a number, a word, or one other rune of a text searched for dates.
type token struct {
	kind       tokenKind
	text       string // of a word: lower case; of a mark: the rune
	num        int    // of a number
	digits     int
	ordinal    bool // 1st, 2nd, 3º
	caps       bool // of a word: all capitals
	glued      bool // no white space before
	start, end int
}

type tokenKind uint8

const (
	mark tokenKind = iota
	number
	word
)

var ordinals = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "er": true, "ère": true, "º": true, "ª": true, "°": true, "ro": true, "ème": true, "eme": true, "e": true, "re": true, "de": true, "ste": true, "го": true, "η": true, "ης": true, "ή": true, "ος": true, "inci": true, "nci": true, "ncı": true}

// caseEnds are what languages join to a number by a hyphen where they inflect it:
// 1-st, 15-го, 15-ig.
var caseEnds = text.WordSet("st nd rd th го е й ое му ig én án jén jei ei ai i től tól ből ra re val vel e go ego tego")

// hyphenated returns the length of the ending that s begins with.
func hyphenated(s string) int {
	if !strings.HasPrefix(s, "-") {
		return 0
	}
	if m := wordLen(s[1:]); m > 0 && caseEnds[strings.ToLower(s[1:1+m])] {
		return 1 + m
	}
	return 0
}

// tokenize splits a text into tokens; ideographs and Hangul are tokens of one rune, as date marks
// are between digits there.
func tokenize(s string) []token {
	s = text.Cut(s, MaxBytes)
	ts := make([]token, 0, len(s)/bytesPerToken+1)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) || r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) { // Cf: marks of direction, joints of no width
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
			} else if m := hyphenated(s[i:]); m > 0 {
				t.ordinal = true
				i += m
			} else if r, n := utf8.DecodeRuneInString(s[i:]); r == 'º' || r == 'ª' || r == '°' {
				t.ordinal = true
				i += n
			}
		case hanDigit(r) && hanNumber(&t, s[i:]):
			i += t.end
		case unicode.IsLetter(r) && !Ideograph(r):
			i += wordLen(s[i:])
			t.kind, t.text = word, canonical(s[t.start:i])
			t.caps = isUpper(s[t.start:i])
		default:
			i += n
			t.text = halfWidth(s[t.start:i])
		}
		t.end = i
		ts = append(ts, t)
	}
	return ts
}

// bytesPerToken is about how long a token is, with the space after it.
const bytesPerToken = 5

// isUpper reports whether s is the same in capitals.
func isUpper(s string) bool {
	ascii := true
	for i := range len(s) {
		if s[i] >= 'a' && s[i] <= 'z' {
			return false
		}
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	return ascii || s == strings.ToUpper(s)
}

// digit returns the value of a decimal digit of any script, else -1.
func digit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < unicode.MaxASCII || !unicode.Is(unicode.Nd, r):
		return -1
	}
	// The digits of a script follow each other from zero on, and a range of the
	// table holds whole scripts.
	for _, g := range unicode.Nd.R16 {
		if uint32(r) >= uint32(g.Lo) && uint32(r) <= uint32(g.Hi) {
			return int(uint16(r)-g.Lo) % 10
		}
	}
	for _, g := range unicode.Nd.R32 {
		if uint32(r) >= g.Lo && uint32(r) <= g.Hi {
			return int(uint32(r)-g.Lo) % 10
		}
	}
	return -1
}

// wordLen returns the length of the word s begins with. A month's name is a
// word of its own also where the page prints it on the heels of another, as in
// ConferenceMay.
func wordLen(s string) int {
	last := 'A'
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r) && (i == 0 || !unicode.IsMark(r)) || Ideograph(r):
			return i
		case unicode.IsUpper(r) && unicode.IsLower(last) && beginsMonth(s[i:]):
			return i
		}
		last = r
	}
	return len(s)
}

// beginsMonth reports whether s begins with a capitalised name of a month.
func beginsMonth(s string) bool {
	n := 1
	for n < len(s) && n <= len("september") && s[n] >= 'a' && s[n] <= 'z' {
		n++
	}
	return months[strings.ToLower(s[:n])] != 0
}

// halfWidth returns a mark in the width of Latin script.
func halfWidth(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); r >= '！' && r <= '～' {
		return string(r - '！' + '!')
	}
	return s
}

// canonical returns a word as the lexicons have it: lower case, composed.
func canonical(s string) string {
	s = strings.ToLower(s)
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(strings.ReplaceAll(s, "i\u0307", "i")) // the İ of Turkish
		}
	}
	return s
}

// Ideograph reports whether r is of a script written without spaces, or Hangul.
func Ideograph(r rune) bool {
	return r >= '\u1100' && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
}
