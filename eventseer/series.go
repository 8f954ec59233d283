package eventseer

import (
	"regexp"
	"strings"
)

// heldWith matches the part of a title that names the event this one is held
// with: "(co-located with ICX 2027)", "@ ICX", "at ICX'27".
var heldWith = regexp.MustCompile(`(\s*[,(–—-]+\s*|\s+)((?i:(held )?(in conjunction|co-?located|jointly) with)|@|at the \d|at [A-Z]\w* ?['’]?\d).*$`)

// MakeSeries names the event e is an edition of, the same for all editions:
// its acronym, else its title, without the year, the number of the edition and
// the place; "icx" of "ICX'27", "conference-on-x" of the "4th Conference on X,
// Trondheim 2027". It is "" of a record without a name, and at most 60 bytes
// of [a-z0-9-]. Two series of one acronym share it.
func MakeSeries(e Event) string {
	if s := slug(bareAcronym(e)); s != "" {
		return s
	}
	place := map[string]bool{"the": true, "annual": true}
	if e.Location != nil {
		for _, name := range []string{e.Location.City, e.Location.Region, e.Location.Country} {
			for _, w := range strings.Fields(fold(name)) {
				place[w] = true
			}
		}
	}
	title := listTag.ReplaceAllString(bareYear(head(e.Title)), "")
	words := strings.Fields(title)
	if len(words) > 2 && romanWord.MatchString(words[0]) {
		title = strings.Join(words[1:], " ")
	}
	var kept []string
	for _, w := range strings.Fields(fold(heldWith.ReplaceAllString(title, ""))) {
		if !place[w] && ordinalOf(w) == 0 && tensWords[w] == 0 {
			kept = append(kept, w)
		}
	}
	return slug(strings.Join(kept, " "))
}
