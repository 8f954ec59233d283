package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/dictionary"
)

// maxAcronym is the maximum number of letters of an acronym.
const maxAcronym = 5

// IsSearchedInTexts reports whether one of several names of the same thing is searched in texts and places for
// another of them, not only in names and topics of events. A single word beside names of several words is a
// topic where topics are listed, but in a text it usually means something else: "recommendation" for
// "recommender systems" also finds "it is recommended". Acronyms are searched, unless their stem is another
// word: that of "ids" is "id". So are other spellings of a word, unless their stem is a shorter word: that of
// "visualization" is "visual". Stop words do not count, because texts are searched without them.
func IsSearchedInTexts(name string, names []string) bool {
	words := wordsWithoutStops(name)
	if len(words) != 1 {
		return true
	}
	word, long := strings.ToLower(words[0].Text), false
	if word == "www" { // begins addresses
		return false
	}
	for _, other := range names {
		parts := strings.FieldsFunc(strings.ToLower(other), func(r rune) bool { return r == ' ' || r == '-' })
		if len(parts) < 2 {
			if w := wordsWithoutStops(other); len(w) == 1 && w[0].Stem != words[0].Stem && strings.HasPrefix(w[0].Stem, words[0].Stem) {
				return false
			}
			continue
		}
		if long = true; words[0].Stem == word && isAcronymOf(word, parts) {
			return true
		}
	}
	return !long
}

func wordsWithoutStops(s string) []features.Word {
	return slices.DeleteFunc(slices.Collect(dictionary.Words(s, "")), func(w features.Word) bool { return IsStopWord(w.Text) })
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
