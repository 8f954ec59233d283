package eventseer

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// maxSlug bounds the part of an EventID made from a title, in bytes.
const maxSlug = 60

// MakeID names the edition e is a record of: the folded acronym with the year
// ("icx-2027"), else the title's words with the year, else a hash of the URL.
// The same record always gives the same id, of at most 80 bytes of [a-z0-9-].
// Two editions may share it (two conferences of one acronym): a store that
// holds another event under the id appends a number.
func MakeID(e Event) EventID {
	year := ""
	if e.Year > 0 {
		year = "-" + strconv.Itoa(e.Year)
	}
	name := slug(bareAcronym(e))
	if name == "" {
		name = slug(bareYear(e.Title))
	}
	switch {
	case name == "":
		return EventID("page-" + hash(e.URL))
	case year == "":
		return EventID(name + "-" + hash(e.URL))
	}
	return EventID(name + year)
}

// hash returns 16 hexadecimal digits of a string's SHA-256.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
