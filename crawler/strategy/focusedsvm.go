package strategy

import (
	"context"

	"eventseer/crawler"
	"eventseer/crawler/strategy/internal/part"
)

// focusedSVM is the focused crawler of Chakrabarti, van den Berg and Dom (1999,
// section 3.2) with the judge of pages in place of its classifier: a link is
// worth the relevance of the page that holds it.
//
// Soft focus follows all links, those of the likeliest pages first. Hard focus
// follows the links of a page only if the page itself is a call, which is known
// to stagnate: as soon as no call links to another the crawl is drained. The
// seeds of a hard focus are followed whatever they are: somebody chose them.
type focusedSVM struct {
	judge part.Judge
	focus part.Focus
	hard  bool
}

var _ crawler.Strategy = (*focusedSVM)(nil)

func newFocusedSVM(p part.Parts) (crawler.Strategy, error) { return makeFocused(p, false) }
func newHardFocus(p part.Parts) (crawler.Strategy, error)  { return makeFocused(p, true) }

func makeFocused(p part.Parts, hard bool) (crawler.Strategy, error) {
	if p.Judge == nil {
		return nil, part.ErrNoJudge
	}
	return &focusedSVM{p.Judge, p.Focus, hard}, nil
}

// Visit proposes the links of a page by the page's relevance.
func (s *focusedSVM) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := part.Judged(s.judge, s.focus, a)
	if a.Tree == nil || s.hard && !call && a.Lease.How != crawler.Seed {
		return v, nil
	}
	why := part.Why("its page is a call with chance %.2f", v.Relevance)
	for _, l := range a.Tree.Links() {
		c := part.Candidate(l, v.Relevance)
		c.Why = why
		v.Forward = append(v.Forward, c)
	}
	part.Steer(s.focus, &v)
	return v, nil
}
