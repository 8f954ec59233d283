// Package text holds small functions on strings that several packages need.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxShown bounds a text that is shown on a line, in runes.
const MaxShown = 200

// IsASCII reports whether all bytes of s are ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// SharedPrefix returns how many bytes a and b have in common at their start.
func SharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Printable makes a text of a page, or an error that quotes one, safe for a
// terminal: white space is a space, and there are no control characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// OneLine is Printable with white space folded, at most n runes.
func OneLine(s string, n int) string {
	runes := []rune(strings.Join(strings.Fields(Printable(s)), " "))
	if len(runes) > n {
		return strings.TrimSpace(string(runes[:n-1])) + "…"
	}
	return string(runes)
}

func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
