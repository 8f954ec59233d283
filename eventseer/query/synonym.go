package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/dictionary"
)

// maxAcronym is the maximum number of letters of an acronym.
const maxAcronym = 5

// IsSearchedInTexts reports whether a synonym of a term is searched in the texts of pages, not only in names and
// topics. A single word for a term of several words is a topic where topics are listed, but in a text it usually
// means something else: "recommendation" for "recommender systems" also finds "it is recommended". Acronyms
// are searched, unless their stem is another word: that of "ids" is "id".
func IsSearchedInTexts(synonym, term string) bool {
	words := slices.Collect(dictionary.Words(synonym, ""))
	if len(words) != 1 {
		return true
	}
	parts := strings.Fields(strings.ToLower(term))
	if len(parts) < 2 {
		return true
	}
	name := strings.ToLower(words[0].Text)
	return isAcronymOf(name, parts) && words[0].Stem == name
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
