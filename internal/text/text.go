// Package text provides small functions on strings that several packages need.
package text

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxShown is the length to which a text shown on one line is cut, in runes.
const MaxShown = 200

// IsASCII reports whether all bytes of s are ASCII.
func IsASCII(s string) bool { return ASCIILength(s) == len(s) }

// ASCIILength returns the number of ASCII characters at the beginning of s. It tests eight bytes at a time.
func ASCIILength(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		all := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		if all&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// SharedPrefix returns the length of the common prefix of a and b in bytes.
func SharedPrefix(a, b string) int {
	n := 0
	for n+8 <= len(a) && n+8 <= len(b) && a[n:n+8] == b[n:n+8] { // compares eight bytes as one number
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Printable makes a text from a page, or an error that quotes one, safe for a terminal. White space
// becomes a space, and control characters are removed.
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

// DisarmFormula prefixes an apostrophe to a text that a spreadsheet would read as a formula, so that the
// cell is read as text. Other texts are returned unchanged.
func DisarmFormula(s string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unicode.IsSpace))
	if strings.ContainsRune("=+-@|%＝＋－＠", first) {
		return "'" + s
	}
	return s
}

// OneLine is like Printable, folds white space and cuts the result to n runes.
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

// CutBytes returns s cut to at most n bytes, never inside a rune.
func CutBytes(s string, n int) string {
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
	if first := s[:max(0, n)]; IsASCII(first) {
		return first
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// CutValid returns s cut to at most n bytes, without bytes that are not valid UTF-8. A string that is
// short enough is returned unchanged.
func CutValid(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// FoldForComparison returns s without case, diacritics and surplus space, for comparing texts from pages.
func FoldForComparison(s string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(unicode.ToLower(r))
		default:
			space = true
		}
	}
	return b.String()
}

// Slug returns the ASCII letters and digits of s as words joined by "-".
func Slug(s string) string {
	words := strings.FieldsFunc(FoldForComparison(s), func(r rune) bool { return r > unicode.MaxASCII || r == ' ' })
	out := strings.Join(words, "-")
	if len(out) > maxSlug {
		out = out[:maxSlug]
		if i := strings.LastIndexByte(out, '-'); i > 0 {
			out = out[:i]
		}
	}
	return out
}

// WordSet returns the words of a text as a set.
func WordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// maxName is the number of bytes of a name that Head returns at most.
const maxName = 1000

// CutName returns the beginning of a name, at most maxName bytes, so that comparing names takes bounded
// time.
func CutName(name string) string { return name[:min(len(name), maxName)] }

// maxSlug is the largest length of the part of an EventID that is made from a title, in bytes.
const maxSlug = 60

// Hash returns the first 16 hexadecimal digits of a string's SHA-256.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// CompareNatural compares names, with the numbers in them by value.
func CompareNatural(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		a, b = a[len(x):], b[len(y):]
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// leadingDigits returns the digits at the beginning of s.
func leadingDigits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}
