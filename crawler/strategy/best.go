package strategy

import (
	"context"
	"errors"

	"eventseer/crawler"
)

// bestFirst is naive best-first search (Menczer, Pant and Srinivasan 2004): a
// link is worth half the cosine of its page and half that of its anchor text
// with the centroid of known calls.
type bestFirst struct {
	judge Judge
	topic Topic
	focus Focus
}

var _ crawler.Strategy = (*bestFirst)(nil)

func newBestFirst(p Parts) (crawler.Strategy, error) {
	if p.Judge == nil {
		return nil, errNoJudge
	}
	if p.Topic == nil {
		return nil, errors.New("best-first needs a topic model")
	}
	return &bestFirst{p.Judge, p.Topic, p.Focus}, nil
}

// Visit proposes all links by cosine.
func (s *bestFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := judged(s.judge, s.focus, a)
	if a.Tree == nil {
		return v, nil
	}
	page, cosine := unit(s.topic.PageCosine(a.Tree)), cosines(s.topic)
	for _, l := range a.Tree.Links() {
		anchor := cosine(l.Anchor)
		c := candidate(l, 0.5*page+0.5*anchor)
		c.Why = because("cosine of the page %.2f, of the anchor %.2f", page, anchor)
		v.Forward = append(v.Forward, c)
	}
	steer(s.focus, &v)
	return v, nil
}
