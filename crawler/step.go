package crawler

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// step is the one page of the package comment's drawing. Everything before
// Frontier.Done may happen again after a crash, so every call in it is
// idempotent.
func (c *Crawler) step(ctx context.Context, l Lease) error {
	s := &step{Crawler: c, held: 1, a: Arrival{Lease: l}}
	defer func() { c.purse.settle(s.held, s.a.Outcome.Cost) }()
	page, err := s.fetch(ctx)
	if err != nil {
		return err
	}
	if !s.duplicate && s.a.Outcome.Fate != TryLater {
		s.visit(ctx, page)
		if err := s.forward(ctx); err != nil {
			return err
		}
		if err := s.back(ctx); err != nil {
			return err
		}
		if err := s.revise(ctx); err != nil {
			return err
		}
		s.keep(ctx)
	}
	return s.commit(ctx)
}

// A step is one page in hand.
type step struct {
	*Crawler
	held      float64 // pages put aside in the purse
	a         Arrival
	v         Verdict
	asked     *Asked
	duplicate bool // the answer came under another URL before
	failed    bool
}

// fetch brings the page, which is nil when none came.
func (s *step) fetch(ctx context.Context) (*webgraph.Page, error) {
	start := s.o.Now()
	page, err := s.o.Fetcher.Fetch(ctx, s.a.Lease.URL)
	o := &s.a.Outcome
	if err != nil {
		*o = failure(err)
		o.At, o.Took = start, s.o.Now().Sub(start)
		return nil, nil
	}
	*o = answer(page, start)
	if s.o.Free != nil && s.o.Free(page) {
		o.Cost = 0
	}
	o.Took = s.o.Now().Sub(start)
	final, err := webgraph.Canonical(page.URL)
	if err != nil || final == s.a.Lease.URL {
		return page, nil
	}
	o.FinalURL = final
	if o.Fate != Fetched {
		return page, nil
	}
	mine, err := s.o.Frontier.Claim(ctx, s.a.Lease, final)
	if err == nil && !mine {
		s.duplicate = true
		o.Cost, o.Reason = 0, "duplicate of "+final
	}
	return page, err
}

// failure is the outcome of a fetch that brought no page.
func failure(err error) Outcome {
	o := Outcome{Fate: TryLater, Reason: reasonOf("fetch", err)}
	var fe *FetchError
	if errors.As(err, &fe) {
		o.Fate, o.NotBefore, o.Status, o.Reason = fe.Fate, fe.After, fe.Status, reasonOf(string(fe.Fate), fe.Err)
	}
	if costs(o.Status) {
		o.Cost = 1
	}
	return o
}

// answer is the outcome of a page that came.
func answer(p *webgraph.Page, now time.Time) Outcome {
	o := Outcome{
		Fate: Fetched, Status: p.Status, Redirects: p.Redirects,
		Bytes: len(p.Body), Digest: p.Digest(), At: p.FetchedAt,
	}
	if o.At.IsZero() {
		o.At = now
	}
	if p.Status != http.StatusOK {
		o.Reason = "status " + strconv.Itoa(p.Status)
	}
	if p.Status == http.StatusNotModified {
		o.Fate = Unchanged
	}
	if costs(p.Status) {
		o.Cost = 1
	}
	return o
}

// costs reports whether an answer of this status is a page of budget.
func costs(status int) bool {
	return status == http.StatusOK || status == http.StatusNotFound || status == http.StatusGone || status >= 500 && status <= 599
}

// visit parses the page and asks the strategy. What goes wrong is recorded.
func (s *step) visit(ctx context.Context, page *webgraph.Page) {
	o := &s.a.Outcome
	if page != nil && o.Fate == Fetched && o.Status >= 200 && o.Status <= 299 {
		tree, err := tagtree.Parse(page)
		if err != nil {
			o.Reason = reasonOf("unreadable", err)
		} else {
			s.a.Tree = tree
		}
	}
	v, err := s.o.Strategy.Visit(ctx, s.a)
	if err != nil {
		s.failed = true
		o.Reason = reasonOf("strategy", err)
		return
	}
	if math.IsNaN(v.Relevance) {
		v.Relevance = 0
	}
	v.Relevance = max(0, min(v.Relevance, 1))
	s.v = v
	o.Notes = slices.Clone(v.Notes)
}

// forward pushes the links the verdict names and keeps all of the page's links
// for the reversed index.
func (s *step) forward(ctx context.Context) error {
	if err := push(ctx, s.o.Frontier.Push, s.candidates(s.v.Forward, Forward)); err != nil {
		return err
	}
	if s.o.Links == nil || s.a.Tree == nil {
		return nil
	}
	return s.o.Links.Add(ctx, s.a.Tree.Links())
}

func push(ctx context.Context, to func(context.Context, []Candidate) error, cs []Candidate) error {
	if len(cs) == 0 {
		return nil
	}
	return to(ctx, cs)
}

// candidates returns those of cs that may be followed, with the facts of their
// way filled in, at most MaxForward.
func (s *step) candidates(cs []Candidate, how How) []Candidate {
	depth := s.a.Lease.Depth + 1
	if s.o.MaxDepth > 0 && depth > s.o.MaxDepth {
		return nil
	}
	var admitted []Candidate
	for _, c := range cs {
		if !s.scope.admits(c.URL) {
			continue
		}
		c.Score, c.Parent, c.Depth, c.How = ClampScore(c.Score), cmp.Or(c.Parent, s.a.URL()), depth, how
		admitted = append(admitted, c)
	}
	return best(admitted, s.o.MaxForward)
}

// back asks who links to the page and pushes the answers: the step back of a
// crawl back and forward.
func (s *step) back(ctx context.Context) error {
	if s.v.Back <= 0 || s.o.Backlinker == nil {
		return nil
	}
	if reserve := MaxCalls * s.o.BacklinkCost; s.purse.extend(reserve) {
		s.held += reserve
	} else {
		return nil
	}
	links, calls, err := s.o.Backlinker.Backlinks(ctx, s.a.URL(), min(s.v.Back, MaxBack))
	s.asked = &Asked{URL: s.a.URL(), Found: len(links), Cost: float64(calls) * s.o.BacklinkCost, Err: err}
	s.a.Outcome.Cost += s.asked.Cost
	links = links[:min(len(links), MaxBack)]
	if s.v.Backward == nil {
		return push(ctx, s.o.Frontier.Push, s.candidates(sources(links, s.v.Relevance), Back))
	}
	cs, notes := s.v.Backward(links)
	s.a.Outcome.Notes = append(s.a.Outcome.Notes, notes...)
	return push(ctx, s.o.Frontier.Push, s.candidates(cs, Back))
}

// sources proposes the source of every link at one score.
func sources(links []webgraph.Link, score float64) []Candidate {
	cs := make([]Candidate, 0, len(links))
	for _, l := range links {
		cs = append(cs, Candidate{URL: l.Source, Score: score, Anchor: l.Anchor})
	}
	return cs
}

// revise changes waiting links as the verdict says. It comes after all pushes,
// so that a step that is repeated after a crash ends with the same scores.
func (s *step) revise(ctx context.Context) error {
	if err := push(ctx, s.o.Frontier.Rescore, best(s.v.Rescore, s.o.MaxForward)); err != nil {
		return err
	}
	if len(s.v.Drop) == 0 {
		return nil
	}
	return s.o.Frontier.Drop(ctx, s.v.Drop[:min(len(s.v.Drop), s.o.MaxForward)])
}

// keep hands a target to the sink.
func (s *step) keep(ctx context.Context) {
	if !s.v.Target || s.a.Tree == nil || s.o.Sink == nil {
		return
	}
	clips, err := s.o.Sink.Take(ctx, s.a.Tree, s.v.Relevance)
	if err != nil {
		s.failed = true
		s.a.Outcome.Reason = reasonOf("sink", err)
	}
	s.a.Outcome.Clips = clips
}

// commit tells the observer and ends the lease, one page at a time, so that
// the observer's n is the order of commits.
func (s *step) commit(ctx context.Context) error {
	s.committing.Lock()
	defer s.committing.Unlock()
	n := s.tally.counts().next(s.a, s.v, s.asked, s.failed, s.o.MinHarvest.Window)
	if s.o.Observer != nil {
		if err := s.o.Observer.Arrived(n.Steps, s.a, s.v, s.asked); err != nil {
			return err
		}
	}
	note, err := n.note()
	if err != nil {
		return err
	}
	o := s.a.Outcome
	o.Notes = append(o.Notes, note)
	if err := s.o.Frontier.Done(ctx, s.a.Lease, o); err != nil {
		return err
	}
	progress, err := s.o.Frontier.Progress(ctx)
	if err != nil {
		return err
	}
	s.tally.set(n, progress)
	return nil
}
