package features

import (
	"unicode"
	"unicode/utf8"

	uax29 "github.com/clipperhouse/uax29/v2/words"
)

// A token is a word or a number of a text.
type token struct {
	word   *word // nil for a number
	number int   // value of a number, -1 beyond four digits
	joined bool  // a number that follows another one after a single / - or .
}

// A tokenizer splits texts at Unicode word boundaries (UAX #29), and those
// words into runs of letters and runs of digits. It is not safe for
// concurrent use.
type tokenizer struct {
	buf         []byte
	afterNumber bool // the last token is a number
	gap         int  // what stands since: 1 for a single / - or .
}

// each calls f for every token of s.
func (z *tokenizer) each(s string, f func(token)) {
	z.afterNumber = false
	it := uax29.FromString(s)
	for it.Next() {
		z.split(it.Value(), f)
	}
}

// split breaks a UAX #29 word into tokens. An apostrophe between letters
// belongs to the word.
func (z *tokenizer) split(s string, f func(token)) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			end := i + 1
			for end < len(s) && s[end] >= '0' && s[end] <= '9' {
				end++
			}
			f(token{number: valueOf(s[i:end]), joined: z.afterNumber && z.gap == 1})
			z.afterNumber, z.gap = true, 0
			i = end
		case c < utf8.RuneSelf && !isASCIILetter(c):
			if c != '/' && c != '-' && c != '.' {
				z.gap++ // anything else parts numbers for good
			}
			z.gap++
			i++
		default:
			n := z.letters(s[i:])
			if n == 0 {
				_, n = utf8.DecodeRuneInString(s[i:])
			} else if len(z.buf) <= maxWord {
				f(token{word: known.look(z.buf)})
			}
			z.afterNumber = false
			i += n
		}
	}
}

// letters puts the run of letters at the start of s into z.buf in lower case
// and returns its length in s.
func (z *tokenizer) letters(s string) int {
	z.buf = z.buf[:0]
	i := 0
	for i < len(s) {
		c := s[i]
		if isASCIILetter(c) {
			z.buf = append(z.buf, c|0x20)
			i++
			continue
		}
		if c == '\'' && i > 0 && i+1 < len(s) && isASCIILetter(s[i+1]) {
			z.buf = append(z.buf, c)
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r):
			z.buf = utf8.AppendRune(z.buf, unicode.ToLower(r))
		case r == '\u2019' && i > 0 && i+n < len(s):
			z.buf = append(z.buf, '\'')
		case !unicode.Is(unicode.M, r) || i == 0:
			return i
		default:
			z.buf = utf8.AppendRune(z.buf, r)
		}
		i += n
	}
	return i
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// valueOf returns the value of up to four digits, else -1.
func valueOf(digits string) int {
	if len(digits) > 4 {
		return -1
	}
	v := 0
	for i := range len(digits) {
		v = 10*v + int(digits[i]-'0')
	}
	return v
}

// isYear reports whether a number is read as a year.
func isYear(n int) bool { return n >= firstYear && n <= lastYear }

// Years that pages of the web speak of.
const (
	firstYear = 1980
	lastYear  = 2043
)
