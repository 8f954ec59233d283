package eventseer

import "slices"

// MaxRelated bounds Event.Related.
const MaxRelated = 100

// IsRelated reports whether a record was read from a page that is no call, but its
// event's home, dates or committee: it stands in Related. Such a record adds to an
// event that a call founded, and founds none.
//
// It fills what no call says, and adds deadlines and people. Where both speak the
// call is right, whichever comes first, unless a deadline is extended.
func IsRelated(e Event) bool { return e.URL != "" && slices.Contains(e.Related, e.URL) }

// relatedOf joins the pages of two states of an event that are no calls. One that
// turned out to be a call is none of them.
func relatedOf(calls []string, old, new Event) []string {
	all := unite(old.Related, new.Related, MaxRelated+len(calls), func(s string) string { return s })
	all = slices.DeleteFunc(all, func(url string) bool { return slices.Contains(calls, url) })
	return all[:min(len(all), MaxRelated)]
}
