package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/person"
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
func fold(s string) string { return person.Fold(s) }
