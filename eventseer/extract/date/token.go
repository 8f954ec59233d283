package date

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the text read and the dates found in it.
const (
	MaxBytes      = 16_000 // bytes of a text that are read
	maxAroundDate = 400    // bytes beside a date that are searched for a time and a zone
	MaxDates      = 400    // dates read per text
)

// A token is a number, a word, or any other rune of a text. The zero token is a mark without text.
type token struct {
	kind       tokenKind
	text       string // a word in lower case, or the rune of a mark; "" for a number
	num        int    // value of a number, from its first four digits
	digits     int
	ordinal    bool // 1st, 2nd, 3º
	caps       bool // the word is printed in capitals
	glued      bool // no space before the token
	month      bool // the word is one of monthWords
	start, end int
}

type tokenKind uint8

const (
	mark tokenKind = iota
	number
	word
)

var ordinals = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "er": true, "ère": true, "º": true, "ª": true, "°": true, "ro": true, "ème": true, "eme": true, "e": true, "re": true, "de": true, "ste": true, "го": true, "η": true, "ης": true, "ή": true, "ος": true, "inci": true, "nci": true, "ncı": true}

// caseEnds are inflected endings that some languages add to a number with a hyphen: 1-st, 15-го, 15-ig.
var caseEnds = text.WordSet("st nd rd th го е й ое му ig én án jén jei ei ai i től tól ből ra re val vel e go ego tego")

// hyphenatedEnding returns the length in bytes of the hyphen and ending of caseEnds at the start of s, or 0.
func hyphenatedEnding(s string) int {
	if !strings.HasPrefix(s, "-") {
		return 0
	}
	if m := wordLen(s[1:]); m > 0 && caseEnds[strings.ToLower(s[1:1+m])] {
		return 1 + m
	}
	return 0
}

// tokenize splits a text into tokens. Each ideograph or Hangul syllable is a token, since single characters
// mark years, months and days between digits. The tokens are written to the memory of buf if they fit.
func tokenize(s string, buf []token) []token {
	s = text.CutBytes(s, MaxBytes)
	ts, monthWords := slices.Grow(buf[:0], len(s)/bytesPerToken+1), monthWords()
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) || r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) { // Cf: marks of writing direction, joiners without width
			i += n
			continue
		}
		t := token{start: i, glued: len(ts) > 0 && ts[len(ts)-1].end == i}
		switch {
		case digitValue(r) >= 0:
			for i < len(s) {
				r, n = utf8.DecodeRuneInString(s[i:])
				d := digitValue(r)
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
			} else if m := hyphenatedEnding(s[i:]); m > 0 {
				t.ordinal = true
				i += m
			} else if r, n := utf8.DecodeRuneInString(s[i:]); r == 'º' || r == 'ª' || r == '°' {
				t.ordinal = true
				i += n
			}
		case isHanDigit(r) && readHanNumber(&t, s[i:]):
			i += t.end
		case unicode.IsLetter(r) && !IsIdeograph(r):
			i += wordLen(s[i:])
			t.kind, t.text = word, canonicalWord(s[t.start:i])
			t.caps, t.month = isUpper(s[t.start:i]), monthWords[t.text]
		default:
			i += n
			t.text = halfWidthMark(s[t.start:i])
		}
		t.end = i
		ts = append(ts, t)
	}
	return ts
}

// bytesPerToken is the average length of a token with the space after it. It is used to allocate memory.
const bytesPerToken = 5

// isUpper reports whether s contains no lower-case letter.
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

// digitValue returns the value of a decimal digit of any script, or -1 if r is not a digit.
func digitValue(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < unicode.MaxASCII || !unicode.Is(unicode.Nd, r):
		return -1
	}
	// The digits of a script have consecutive code points from zero to nine, and each range of the table
	// consists of complete scripts.
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

// wordLen returns the length in bytes of the word at the start of s. The name of a month is a separate word
// even without a space before it, as in ConferenceMay.
func wordLen(s string) int {
	last := 'A'
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r) && (i == 0 || !unicode.IsMark(r)) || IsIdeograph(r):
			return i
		case unicode.IsUpper(r) && unicode.IsLower(last) && beginsMonth(s[i:]):
			return i
		}
		last = r
	}
	return len(s)
}

// beginsMonth reports whether s begins with the capitalised name of a month.
func beginsMonth(s string) bool {
	n := 1
	for n < len(s) && n <= len("september") && s[n] >= 'a' && s[n] <= 'z' {
		n++
	}
	return months[strings.ToLower(s[:n])] != 0
}

// halfWidthMark returns the ASCII form of a full-width mark, and any other mark unchanged.
func halfWidthMark(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); r >= '！' && r <= '～' {
		return string(r - '！' + '!')
	}
	return s
}

// canonicalWord returns a word in the form of the word lists: lower case, Unicode form NFC.
func canonicalWord(s string) string {
	s = strings.ToLower(s)
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(strings.ReplaceAll(s, "i\u0307", "i")) // lower case of the Turkish İ
		}
	}
	return s
}

// IsIdeograph reports whether r is a Chinese or Japanese character or Hangul.
func IsIdeograph(r rune) bool {
	return r >= '\u1100' && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
}
