package ingest

import (
	"maps"

	"eventseer/eventseer"
	"eventseer/eventseer/match"
	"eventseer/features/tagtree"
)

// ownAddress is the Provenance.Rule of a home page: an address on the page is called after
// the event.
const ownAddress = "own-address"

// withHomepage returns a record with the address of the event's own site, if that of the
// page, or one that it links or prints, is called after the event. A message of an archive is no page of the
// event; its site often stands in the text.
func withHomepage(t *tagtree.Tree, e eventseer.Event) eventseer.Event {
	if e.Homepage != "" {
		return e
	}
	best, from := match.BetterHome(e.URL, "", e), -1
	for i, l := range t.Links() {
		if better := match.BetterHome(best, l.Target, e); better != best {
			best, from = better, i
		}
	}
	if best == "" || best == e.SubmissionURL {
		return e
	}
	e.Homepage = best
	e.Sources = maps.Clone(e.Sources)
	if e.Sources == nil {
		e.Sources = map[string]eventseer.Provenance{}
	}
	source := eventseer.Provenance{URL: e.URL, Rule: ownAddress}
	if from >= 0 {
		at := t.LinkText(from)
		source.Offset = [2]int{at.Start, at.End}
	}
	e.Sources["homepage"] = source
	return e
}
