package text

import (
	"strings"
	"unicode/utf8"
)

// Cut returns s cut to at most n bytes, never inside a rune.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// CutRunes returns the first n runes of s.
func CutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// CutValid returns s cut to at most n bytes, without bytes that are not valid
// UTF-8. A string that is short enough is returned as it is.
func CutValid(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
