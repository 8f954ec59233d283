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
type bestFirst struct {
	judge part.Judge
	topic part.Topic
	focus part.Focus
}

var _ crawler.Strategy = (*bestFirst)(nil)

func newBestFirst(p part.Parts) (crawler.Strategy, error) {
	if p.Judge == nil {
		return nil, part.ErrNoJudge
	}
	if p.Topic == nil {
		return nil, errors.New("best-first needs a topic model")
	}
	return &bestFirst{p.Judge, p.Topic, p.Focus}, nil
}

// Visit proposes all links by cosine.
func (s *bestFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := part.Judged(s.judge, s.focus, a)
	if a.Tree == nil {
		return v, nil
	}
	page, cosine := part.Unit(s.topic.PageCosine(a.Tree)), cosines(s.topic)
	for _, l := range a.Tree.Links() {
		anchor := cosine(l.Anchor)
		c := part.Candidate(l, 0.5*page+0.5*anchor)
		c.Why = part.Why("cosine of the page %.2f, of the anchor %.2f", page, anchor)
		v.Forward = append(v.Forward, c)
	}
	part.Steer(s.focus, &v)
	return v, nil
}
