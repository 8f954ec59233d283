package strategy

import (
	"context"
	"errors"

	"eventseer/crawler"
	"eventseer/crawler/strategy/internal/part"
)

// bestFirst is naive best-first search (Menczer, Pant and Srinivasan 2004): a
// link is worth half the cosine of its page and half that of its anchor text
// with the centroid of known calls.
type bestFirst struct{ part.Parts }

var _ crawler.Strategy = (*bestFirst)(nil)

func newBestFirst(p part.Parts) (crawler.Strategy, error) {
	if p.Topic == nil {
		return nil, errors.New("best-first needs a topic model")
	}
	return &bestFirst{p}, nil
}

// Visit proposes all links by cosine.
func (s *bestFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	page, cosine := part.Unit(s.Topic.PageCosine(a.Tree)), cosines(s.Topic)
	for _, l := range a.Tree.Links() {
		anchor := cosine(l.Anchor)
		why := part.Why("cosine of the page %.2f, of the anchor %.2f", page, anchor)
		v.Forward = append(v.Forward, part.Candidate(l, 0.5*page+0.5*anchor, why))
	}
	s.Steer(&v)
	return v, nil
}
