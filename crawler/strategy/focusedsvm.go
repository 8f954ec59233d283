package strategy

import (
	"context"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// focusedSVM is the focused crawler of Chakrabarti, van den Berg and Dom (1999, section 3.2). The
// judge of pages replaces its classifier: the score of a link is the relevance of its page.
//
// Soft focus follows all links, those of the likeliest pages first. Hard focus follows the links of
// a page only if the page itself is a call, which is known to stagnate: the crawl ends when no call
// links to another. The seeds of a hard focus are always followed, because a user chose them.
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
	why := part.FormatWhy("its page is a call, with probability %.2f", v.Relevance)
	for _, l := range a.Tree.Links() {
		v.Forward = append(v.Forward, part.Candidate(l, v.Relevance, why))
	}
	s.WeightByTopic(&v)
	return v, nil
}
