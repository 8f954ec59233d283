package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/person"
)

// hasGivenName reports whether the first word of a name, or its part before a hyphen, is a common given
// name.
func hasGivenName(name string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	if person.IsGiven(first) {
		return true
	}
	first, _, hyphen := strings.Cut(first, "-")
	return hyphen && person.IsGiven(first)
}

// foldAccents returns a word in lower case without accents.
func foldAccents(s string) string { return person.Fold(s) }
