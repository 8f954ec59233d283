package strategy

import (
	"context"

	"eventseer/crawler"
)

// breadthFirst follows every link in the order it was found.
type breadthFirst struct {
	judge Judge
	focus Focus
}

var _ crawler.Strategy = (*breadthFirst)(nil)

func newBreadthFirst(p Parts) (crawler.Strategy, error) {
	if p.Judge == nil {
		return nil, errNoJudge
	}
	return &breadthFirst{p.Judge, p.Focus}, nil
}

// Visit proposes all links at one score: the frontier keeps their order.
func (s *breadthFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := judged(s.judge, s.focus, a)
	if a.Tree != nil {
		for _, l := range a.Tree.Links() {
			c := candidate(l, 0)
			c.Why = "in the order found"
			v.Forward = append(v.Forward, c)
		}
	}
	return v, nil
}
