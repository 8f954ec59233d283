package ingest

import (
	"maps"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/features/tagtree"
)

// ownAddress is the Provenance.Rule of a home page whose address on the page is named after the event.
const ownAddress = "own-address"

// headAddress is the Provenance.Rule of a home page that is the first address in a message, before the text
// of its call.
const headAddress = "head-address"

// messageHead is the number of bytes at the start of a message before the text of its call. Of 72 messages of
// the frozen web whose event's site is known by name, 70 print an address of the site there, before any other
// possible home page.
const messageHead = 600

// withHomepage returns a record with the address of the event's own site. This is the page itself or an
// address on it that is named after the event. A message in an archive is not a page of the event, but its
// first address often is.
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
	rule := ownAddress
	if best == "" {
		best, from = addressAtHead(t, e)
		rule = headAddress
	}
	if best == "" || best == e.SubmissionURL {
		return e
	}
	e.Homepage = best
	e.Sources = maps.Clone(e.Sources)
	if e.Sources == nil {
		e.Sources = map[string]eventseer.Provenance{}
	}
	source := eventseer.Provenance{URL: e.URL, Rule: rule}
	if from >= 0 {
		at := t.LinkText(from)
		source.Offset = [2]int{at.Start, at.End}
	}
	e.Sources["homepage"] = source
	return e
}

// addressAtHead returns the first address at the head of a message that may be the site of its event, and
// the index of its link. It returns "" and -1 if there is none, if t is not a message, or for a special
// issue, whose first address may be the journal's.
func addressAtHead(t *tagtree.Tree, e eventseer.Event) (address string, link int) {
	if !match.IsArchive(e.URL) || e.Kind == eventseer.SpecialIssue {
		return "", -1
	}
	for i, l := range t.Links() {
		at := t.LinkText(i)
		if at.End > at.Start && at.Start < messageHead && match.MayBeHome(l.Target, e) {
			return l.Target, i
		}
	}
	return "", -1
}
