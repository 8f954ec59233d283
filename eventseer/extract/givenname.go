package extract

import (
	"strings"

	"eventseer/eventseer/extract/person"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// hasGivenName reports whether the first word of a name, or of a hyphenated
// first word the first part, is a known given name.
func hasGivenName(name string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	if person.IsGiven(first) {
		return true
	}
	first, _, hyphen := strings.Cut(first, "-")
	return hyphen && person.IsGiven(first)
}

// fold lower-cases a word and takes its accents away.
func fold(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < 0x80
	}
	if plain {
		return strings.ToLower(s)
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ø' || r == 'Ø':
			return 'o'
		case r == 'ł' || r == 'Ł':
			return 'l'
		case r == 'ı':
			return 'i'
		}
		return r
	}, norm.NFD.String(s)))
}
