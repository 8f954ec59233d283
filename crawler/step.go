package crawler

import (
	"cmp"
	"context"
	"math"
	"slices"

	"eventseer/webgraph"
)

// step is the one page of the package comment's drawing. Everything before
// Frontier.Done may happen again after a crash, so every call in it is
// idempotent.
func (c *Crawler) step(ctx context.Context, l Lease) error {
	s := &step{Crawler: c, held: 1, a: Arrival{Lease: l}}
	defer func() { c.purse.settle(s.held, s.a.Outcome.Cost) }()
	defer func() { c.scale.give(s.heft) }()
	c.committer.begin()
	if d, ok := c.debts.take(l.URL); ok && c.o.Backlinker != nil {
		s.pay(ctx, d)
	} else if err := s.take(ctx); err != nil {
		return err
	}
	s.a.Outcome.Skipped = s.skips.lines()
	return s.commit(ctx, s)
}

// take fetches the page and does all that comes of it. Its error is the
// frontier's; what is wrong with the page is recorded.
func (s *step) take(ctx context.Context) error {
	page, err := s.fetch(ctx)
	if err != nil || !s.worthVisit() {
		return err
	}
	if err := s.read(ctx, page); err != nil {
		return err
	}
	s.visit(ctx)
	s.unlist()
	s.forward()
	s.canonical()
	s.lists()
	s.back(ctx)
	s.revise()
	s.keep(ctx)
	return nil
}

// A step is one page in hand.
type step struct {
	*Crawler
	held      float64 // pages put aside in the purse
	heft      int64   // taken from the scale
	a         Arrival
	v         Verdict
	changes   Changes
	asked     *Asked
	duplicate bool // the answer came under another URL before
	moved     bool // the answer is a redirect to be followed later
	failed    bool
	asks      webgraph.Directives
	skips     skips
	compared  bool // gist and missing are set
	gist      gist
	missing   bool  // the page says that there is no such page
	listed    []run // lists to be counted for their hosts
}

// worthVisit reports whether the strategy is to be told.
func (s *step) worthVisit() bool {
	later := s.a.Outcome.Fate == TryLater || s.a.Outcome.Fate == Deferred
	return !s.duplicate && !s.moved && !later
}

// read parses the page, if one came, and finds out whether it is worth reading.
func (s *step) read(ctx context.Context, page *webgraph.Page) error {
	o := &s.a.Outcome
	if page == nil || o.Fate != Fetched || o.Status < 200 || o.Status > 299 {
		return nil
	}
	heft, err := s.scale.take(ctx, page)
	if err != nil {
		return err
	}
	s.heft = heft
	tree, err := s.o.Parse(page)
	if err != nil {
		o.Reason = reasonOf("unreadable", err)
		return nil
	}
	s.a.Tree = tree
	if err := s.compare(ctx); err != nil {
		return err
	}
	s.asks = s.directives()
	return nil
}

// visit asks the strategy. What goes wrong is recorded.
func (s *step) visit(ctx context.Context) {
	v, err := s.o.Strategy.Visit(ctx, s.a)
	if err != nil {
		s.failed = true
		s.a.Outcome.Reason = reasonOf("strategy", err)
		return
	}
	v.Relevance, v.TopicScore = chance(v.Relevance), chance(v.TopicScore)
	s.v = v
	s.a.Outcome.Notes = slices.Clone(v.Notes)
}

// chance brings a number into the range of a chance: NaN becomes 0. What is no
// number no record of the run could hold.
func chance(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, 1))
}

// keep hands a target or what is related to one to the sink, unless the page asks not
// to be shown. A target is counted all the same.
func (s *step) keep(ctx context.Context) {
	if !s.v.Target && !s.v.Related || s.a.Tree == nil {
		return
	}
	o := &s.a.Outcome
	if s.asks.Unavailable(o.At) {
		if s.v.Target {
			o.Reason = cmp.Or(o.Reason, "noindex: the page asks not to be shown")
		}
		return
	}
	if s.o.Sink == nil {
		return
	}
	var err error
	if s.v.Target {
		o.Clips, err = s.o.Sink.Take(ctx, s.a.Tree, s.v.Relevance)
	} else {
		err = s.o.Sink.TakeRelated(ctx, s.a.Tree, s.v.Relevance)
	}
	if err != nil {
		s.failed = true
		o.Reason = reasonOf("sink", err)
	}
}
