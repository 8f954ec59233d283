package strategy

import (
	"context"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// focusedSVM is the focused crawler of Chakrabarti, van den Berg and Dom (1999,
// section 3.2) with the judge of pages in place of its classifier: a link is
// worth the relevance of the page that holds it.
//
// Soft focus follows all links, those of the likeliest pages first. Hard focus follows the links of
// a page only if the page itself is a call, which is known to stagnate: as soon as no call links to
// another the crawl is drained. The seeds of a hard focus are always followed, because a user chose
// them.
type focusedSVM struct {
	part.Parts
	hard bool
}

var _ crawler.Strategy = (*focusedSVM)(nil)

func newFocusedSVM(p part.Parts) (crawler.Strategy, error) { return &focusedSVM{p, false}, nil }
func newHardFocus(p part.Parts) (crawler.Strategy, error)  { return &focusedSVM{p, true}, nil }

// Visit proposes the links of a page by the page's relevance.
func (s *focusedSVM) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	if a.Tree == nil || s.hard && !call && a.Lease.How != crawler.Seed {
		return v, nil
	}
	why := part.Why("its page is a call with chance %.2f", v.Relevance)
	for _, l := range a.Tree.Links() {
		v.Forward = append(v.Forward, part.Candidate(l, v.Relevance, why))
	}
	s.Steer(&v)
	return v, nil
}
