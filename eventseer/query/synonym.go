package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/dictionary"
)

// maxAcronym is the maximum number of letters of an acronym.
const maxAcronym = 5

// IsSearchedInTexts reports whether one of several names of a thing is searched in texts and places for another
// one. Names and topics of events are searched for all names. A single word beside names of several words is a
// topic where topics are listed, but in a text it usually means something else: "recommendation" for
// "recommender systems" also finds "it is recommended". Acronyms are searched, unless their stem is another
// word: that of "ids" is "id". So are other spellings of a word, unless their stem is a shorter word: that of
// "visualization" is "visual". Stop words do not count, because texts are searched without them.
func IsSearchedInTexts(name string, names []string) bool {
	word, stem, ok := onlyWord(name)
	if !ok {
		return true
	}
	long := false
	if word == "www" { // begins addresses
		return false
	}
	for _, other := range names {
		parts := strings.FieldsFunc(strings.ToLower(other), func(r rune) bool { return r == ' ' || r == '-' })
		if len(parts) < 2 {
			if _, longer, ok := onlyWord(other); ok && longer != stem && strings.HasPrefix(longer, stem) {
				return false
			}
			continue
		}
		if long = true; stem == word && isAcronymOf(word, parts) {
			return true
		}
	}
	return !long
}

// onlyWord returns the word of a name in lower case and its stem if the name has no other words except stop words.
func onlyWord(name string) (word, stem string, ok bool) {
	n := 0
	for w := range dictionary.Words(name, "") {
		if !IsStopWord(w.Text) {
			word, stem = strings.ToLower(w.Text), w.Stem
			n++
		}
	}
	return word, stem, n == 1
}

// isAcronymOf reports whether a name is short and has letters of the words in their order, from the first
// letter on. The beginning of a word is not an acronym.
func isAcronymOf(name string, words []string) bool {
	if utf8.RuneCountInString(name) > maxAcronym || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, name) }) {
		return false
	}
	rest := strings.Join(words, "")
	first, _ := utf8.DecodeRuneInString(rest)
	if !strings.HasPrefix(name, string(first)) {
		return false
	}
	for _, letter := range name {
		at := strings.IndexRune(rest, letter)
		if at < 0 {
			return false
		}
		rest = rest[at+utf8.RuneLen(letter):]
	}
	return true
}
