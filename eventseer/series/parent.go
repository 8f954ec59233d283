package series

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

// yearIn matches the year in the name of an event.
var yearIn = pattern.Compile(`\b(19|20)\d\d\b`)

// maxParent bounds the names of events that are examined, in bytes.
const maxParent = 300

// IDsByName returns the ids of the series that the name of an edition may denote, as in Event.Parent.
// "ICX 2027" is an acronym or a title.
func IDsByName(name string) (ids []string) {
	if len(name) > maxParent {
		return nil
	}
	short := strings.TrimSpace(yearIn.ReplaceAllString(name, ""))
	for _, id := range []string{Of(eventseer.Event{Acronym: short}), Of(eventseer.Event{Title: name})} {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// IsNameOf reports whether a text, such as the parent of a workshop, is a name of e.
func IsNameOf(text string, e eventseer.Event) bool {
	if year := yearIn.FindString(text); text == "" || year != "" && e.Year > 0 && year != strconv.Itoa(e.Year) {
		return false
	}
	return slices.Contains(IDsByName(text), Of(e))
}

// IsParent reports whether parent is the edition named as the parent of e. An edition that has a
// parent itself is never one, so that there are no cycles.
func IsParent(parent, e eventseer.Event) bool {
	return parent.ID != e.ID && parent.Parent == "" && IsNameOf(e.Parent, parent) && (e.Year == 0 || e.Year == cmp.Or(parent.Year, e.Year))
}
