package crawler

import (
	"cmp"
	"context"
	"fmt"

	"github.com/eventseer/eventseer/webgraph"
)

// A linkSelection collects the links of one page to push into the frontier.
type linkSelection struct {
	*Crawler
	page       Arrival
	directives webgraph.Directives
	pushed     []Candidate
	skips      skippedLinks
	listed     []run // lists to count for their hosts
}

// push returns the links of cs that may be followed, at most MaxForward, with parent, depth and how
// filled in.
func (s *linkSelection) push(cs []Candidate, origin Origin) {
	depth := s.page.Lease.Depth + 1
	deep := s.o.MaxDepth > 0 && depth > s.o.MaxDepth
	var admitted []Candidate
	for _, c := range cs {
		why := s.refusalReason(c.URL, origin)
		if deep {
			why = fmt.Sprintf("more than %d steps from a seed", s.o.MaxDepth)
		}
		if why != "" {
			s.skips.count(why, c.URL)
			continue
		}
		c.Score, c.Parent, c.Depth, c.How = s.page.Lease.clampScore(c.Score), cmp.Or(c.Parent, s.page.URL()), depth, origin
		admitted = append(admitted, c)
	}
	s.pushed = append(s.pushed, s.keepBest(admitted, s.o.MaxForward, "not among the best links of its page")...)
}

// A backlinkResult is the result of a backlink query, the zero value if none was made.
type backlinkResult struct {
	query   *BacklinkQuery
	sources []Candidate
	notes   []Note
}

// cost returns the cost of the request in pages.
func (b backlinkResult) cost() float64 {
	if b.query == nil {
		return 0
	}
	return b.query.Cost
}

// queryBacklinks queries the backlinks of a page in a crawl back and forward. If the budget does not allow
// the query, it is recorded for later.
func (c *Crawler) queryBacklinks(ctx context.Context, a Arrival, v Verdict, held *reservation) (b backlinkResult) {
	if v.Back <= 0 || c.o.Backlinker == nil {
		return b
	}
	if !held.extendTo(a.Outcome.Cost + MaxCalls*c.o.BacklinkCost) {
		b.notes = pendingBacklinksNote(a, v)
		return b
	}
	links, calls, err := c.o.Backlinker.Backlinks(ctx, a.URL(), min(v.Back, MaxBack))
	b.query = &BacklinkQuery{URL: a.URL(), Found: len(links), Cost: float64(calls) * c.o.BacklinkCost, Err: err}
	links = links[:min(len(links), MaxBack)]
	b.sources = sourceCandidates(links, v.Relevance)
	if v.Backward != nil {
		b.sources, b.notes = v.Backward(links)
	}
	return b
}

// sourceCandidates proposes the source of every link at one score.
func sourceCandidates(links []webgraph.Link, score float64) []Candidate {
	cs := make([]Candidate, 0, len(links))
	for _, l := range links {
		cs = append(cs, Candidate{URL: l.Source, Score: score, Anchor: l.Anchor})
	}
	return cs
}
