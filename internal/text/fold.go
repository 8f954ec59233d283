package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s without case, marks and surplus space, for comparing what
// pages print.
func Fold(s string) string {
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

// Slug returns the ASCII letters and digits of s in words joined by "-".
func Slug(s string) string {
	words := strings.FieldsFunc(Fold(s), func(r rune) bool { return r > unicode.MaxASCII || r == ' ' })
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

// maxName bounds the bytes of a name that are looked at.
const maxName = 1000

// Head returns the part of a name that is looked at.
func Head(name string) string { return name[:min(len(name), maxName)] }

// maxSlug bounds the part of an EventID made from a title, in bytes.
const maxSlug = 60

// Hash returns 16 hexadecimal digits of a string's SHA-256.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
