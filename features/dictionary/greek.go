package dictionary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isGreek reports whether a word begins with a Greek letter.
func isGreek(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.Is(unicode.Greek, r)
}

// foldGreek removes accents and breathings and replaces the final sigma.
func foldGreek(word string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(word)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ς':
			b.WriteRune('σ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// greekEndings are the endings of nouns and adjectives, longer ones first.
var greekEndings = [...]string{
	"ματων", "ματοσ", "ματα", "εισ", "εωσ", "εων", "ουσ", "μα", "οσ", "ου", "οι", "ον", "ων", "ασ", "εσ", "ησ", "υσ", "ισ",
	"α", "ε", "η", "ι", "ο", "υ", "ω",
}

const minGreekStem = 3 // letters that stay

// stemGreek removes the ending of a noun or an adjective, and the vowel that some forms have before
// it. Verbs are not supported.
func stemGreek(word string) string {
	s := foldGreek(word)
	for _, e := range greekEndings {
		if stem, ok := strings.CutSuffix(s, e); ok && utf8.RuneCountInString(stem) >= minGreekStem {
			s = stem
			break
		}
	}
	for _, e := range [...]string{"ι", "ε"} {
		if stem, ok := strings.CutSuffix(s, e); ok && utf8.RuneCountInString(stem) >= minGreekStem {
			return stem
		}
	}
	return s
}
