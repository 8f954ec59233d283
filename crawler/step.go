package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	if s.worthVisit() {
		s.visit(ctx, page)
		s.forward()
		s.back(ctx)
		s.revise()
		s.keep(ctx)
	}
	return s.commit(ctx, s)
}

// A step is one page in hand.
type step struct {
	*Crawler
	held      float64 // pages put aside in the purse
	a         Arrival
	v         Verdict
	changes   Changes
	asked     *Asked
	duplicate bool // the answer came under another URL before
	moved     bool // the answer is a redirect to be followed later
	failed    bool
}

// worthVisit reports whether the strategy is to be told.
func (s *step) worthVisit() bool {
	later := s.a.Outcome.Fate == TryLater || s.a.Outcome.Fate == Deferred
	return !s.duplicate && !s.moved && !later
}

// fetch brings the page, which is nil when none came.
func (s *step) fetch(ctx context.Context) (*webgraph.Page, error) {
	start, l, o := s.o.Now(), s.a.Lease, &s.a.Outcome
	page, err := s.o.Fetcher.Fetch(ctx, Request{
		URL: l.URL, ETag: l.ETag, LastModified: l.LastModified,
		Turn: func(h webgraph.Host) bool { return s.o.Frontier.Turn(l, h) },
	})
	if err != nil {
		*o = failure(err)
		o.At = start
	} else {
		*o = answer(page, start)
		if s.o.Free != nil && s.o.Free(page) {
			o.Cost = 0
		}
	}
	o.Took = s.o.Now().Sub(start)
	if p, ok := s.o.Fetcher.(Pacer); ok {
		o.Pause = p.CrawlDelay(l.URL)
	}
	if err != nil {
		return nil, nil
	}
	final, err := webgraph.Canonical(page.URL)
	if err == nil && final != l.URL {
		o.FinalURL = final
	}
	if to := page.LeadsTo(); to != "" {
		s.move(to)
		return page, nil
	}
	if o.FinalURL == "" || o.Fate != Fetched {
		return page, nil
	}
	mine, err := s.o.Frontier.Claim(ctx, l, final)
	if err == nil && !mine {
		s.duplicate = true
		o.Cost, o.Reason = 0, "duplicate of "+final
	}
	return page, err
}

// move makes the target of a redirect a link of its own: its host decides when
// it is asked.
func (s *step) move(to string) {
	s.moved = true
	o, l := &s.a.Outcome, s.a.Lease
	next := l.Candidate
	next.URL, next.Hops = to, l.Hops+len(o.Redirects)
	o.Redirects = o.Redirects[:len(o.Redirects)-1]
	switch {
	case next.Hops > MaxHops:
		o.Fate, o.Reason = Gone, fmt.Sprintf("more than %d redirects, the last to %s", MaxHops, to)
	case !s.scope.admits(to):
		o.Fate, o.Reason = Refused, "redirects out of scope, to "+to
	default:
		o.Reason = "redirects to " + to
		s.changes.Push = append(s.changes.Push, next)
	}
}

// failure is the outcome of a fetch that brought no page.
func failure(err error) Outcome {
	o := Outcome{Fate: TryLater, Reason: reasonOf("fetch", err)}
	var fe *FetchError
	if errors.As(err, &fe) {
		o.Fate, o.NotBefore, o.Status, o.Reason = fe.Fate, fe.After, fe.Status, reasonOf(string(fe.Fate), fe.Err)
		o.HostFailed = fe.HostFailed
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
		Bytes: len(p.Body), Digest: p.Digest(), At: p.FetchedAt, Addr: p.Addr,
		ETag: p.Header.Get("Etag"), LastModified: p.Header.Get("Last-Modified"),
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

// forward takes up the links the verdict names.
func (s *step) forward() {
	s.changes.Push = append(s.changes.Push, s.candidates(s.v.Forward, Forward)...)
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

// back asks who links to the page and takes up the answers: the step back of a
// crawl back and forward.
func (s *step) back(ctx context.Context) {
	if s.v.Back <= 0 || s.o.Backlinker == nil {
		return
	}
	if reserve := MaxCalls * s.o.BacklinkCost; s.purse.extend(reserve) {
		s.held += reserve
	} else {
		return
	}
	links, calls, err := s.o.Backlinker.Backlinks(ctx, s.a.URL(), min(s.v.Back, MaxBack))
	s.asked = &Asked{URL: s.a.URL(), Found: len(links), Cost: float64(calls) * s.o.BacklinkCost, Err: err}
	s.a.Outcome.Cost += s.asked.Cost
	links = links[:min(len(links), MaxBack)]
	cs, notes := sources(links, s.v.Relevance), []Note(nil)
	if s.v.Backward != nil {
		cs, notes = s.v.Backward(links)
	}
	s.a.Outcome.Notes = append(s.a.Outcome.Notes, notes...)
	s.changes.Push = append(s.changes.Push, s.candidates(cs, Back)...)
}

// sources proposes the source of every link at one score.
func sources(links []webgraph.Link, score float64) []Candidate {
	cs := make([]Candidate, 0, len(links))
	for _, l := range links {
		cs = append(cs, Candidate{URL: l.Source, Score: score, Anchor: l.Anchor})
	}
	return cs
}

// revise takes up what the verdict says of waiting links.
func (s *step) revise() {
	s.changes.Rescore = best(s.v.Rescore, s.o.MaxForward)
	s.changes.Drop = s.v.Drop[:min(len(s.v.Drop), s.o.MaxForward)]
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
