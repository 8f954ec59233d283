package strategy

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"

	"github.com/zeebo/xxh3"
)

// breadthFirst follows every link in the order it was found.
type breadthFirst struct{ part.Parts }

var _ crawler.Strategy = (*breadthFirst)(nil)

func newBreadthFirst(p part.Parts) (crawler.Strategy, error) {
	return &breadthFirst{p}, nil
}

// Visit proposes all links with one score, so the frontier serves them in order.
func (s *breadthFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.Tree != nil {
		for _, l := range a.Tree.Links() {
			v.Forward = append(v.Forward, part.Candidate(l, 0, "in the order found"))
		}
	}
	return v, nil
}

// randomWalk fetches a random waiting link, all with equal probability: the lower bound of all
// strategies. Each link gets an exponentially distributed waiting time from when it is found, and
// the first to end is fetched next. Because exponential times are memoryless, old links are as
// likely as new ones; with plain random scores only low ones would be left of the old links. The
// score is the negated time; that of the current page gives the present time, so no state is
// needed. The waiting time is drawn from seed and URL.
type randomWalk struct{ part.Parts }

var _ crawler.Strategy = (*randomWalk)(nil)

func newRandom(p part.Parts) (crawler.Strategy, error) {
	return &randomWalk{p}, nil
}

// Visit draws the waiting times of all links. In a crawl on a topic the probability of a link is
// proportional to its share.
func (s *randomWalk) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	now := 0.0
	if a.Lease.How != crawler.Seed {
		now = max(0, -crawler.ClampScore(a.Lease.Score))
	}
	for _, l := range a.Tree.Links() {
		ring := now + exponentialTime(s.Seed, l.Target)/s.LinkTopicFactor(v.TopicScore, l.Anchor)
		v.Forward = append(v.Forward, part.Candidate(l, crawler.ClampScore(-ring), "drawn by lot"))
	}
	return v, nil
}

// exponentialTime returns an exponential time of mean 1.
func exponentialTime(seed uint64, url string) float64 { return -math.Log1p(-uniformDraw(seed, url)) }

// uniformDraw returns a number from 0 to below 1, uniform over names, determined by seed and name.
func uniformDraw(seed uint64, name string) float64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	return float64(xxh3.HashStringSeed(name, xxh3.Hash(b[:]))>>11) / (1 << 53)
}
