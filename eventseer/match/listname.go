package match

import (
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
)

// MinListed is the number of other events of one year that an archive must announce under one name.
// Then the name is that of the list.
const MinListed = 2

// NamedByList reports whether two records may share the name of their mailing list. They are
// messages of one archive that announce different events of one year under one acronym, which
// neither title confirms. It is pure and symmetric.
func NamedByList(a, b *EventKey) bool {
	if !a.archived || !b.archived || a.squeezed == "" || a.squeezed != b.squeezed || a.bearsOut || b.bearsOut || a.ownsHome || b.ownsHome || !areOnOneHost(a, b) {
		return false
	}
	if a.e.Year == 0 || a.e.Year != b.e.Year {
		return false // editions of a series share its name
	}
	like, _ := series.TitleSimilarity(a.words, b.words)
	bare := IsBareTitle(a.words, a.acronym) || IsBareTitle(b.words, b.acronym)
	return weighDays(a, b) < -1 || weighPlace(a, b) < 0 || !bare && like < otherTitle
}

// areOnOneHost reports whether two records have pages on one host.
func areOnOneHost(a, b *EventKey) bool {
	for _, s := range a.sites {
		for _, t := range b.sites {
			if s.host != "" && s.host == t.host {
				return true
			}
		}
	}
	return false
}

// OwnsName reports whether the name of a record is known to be of the event. It is not if all its
// pages are messages of archives, its title does not confirm its acronym and its home page is not
// named after it.
func OwnsName(e eventseer.Event) bool {
	k := NewEventKey(e)
	return !k.archived || k.bearsOut || k.ownsHome || k.acronym == ""
}
