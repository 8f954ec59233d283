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
	skips      skips
	listed     []run // lists to count for their hosts
}

// push returns the links of cs that may be followed, at most MaxForward, with parent, depth and how
// filled in.
func (s *linkSelection) push(cs []Candidate, how How) {
	depth := s.page.Lease.Depth + 1
	deep := s.o.MaxDepth > 0 && depth > s.o.MaxDepth
	var admitted []Candidate
	for _, c := range cs {
		why := s.refusal(c.URL, how)
		if deep {
			why = fmt.Sprintf("more than %d steps from a seed", s.o.MaxDepth)
		}
		if why != "" {
			s.skips.add(why, c.URL)
			continue
		}
		c.Score, c.Parent, c.Depth, c.How = s.page.Lease.clamp(c.Score), cmp.Or(c.Parent, s.page.URL()), depth, how
		admitted = append(admitted, c)
	}
	s.pushed = append(s.pushed, s.cut(admitted, s.o.MaxForward, "not among the best links of its page")...)
}

// A backStep is the result of a backlink query, the zero value if none was made.
type backStep struct {
	asked   *Asked
	sources []Candidate
	notes   []Note
}

// cost returns the cost of the request in pages.
func (b backStep) cost() float64 {
	if b.asked == nil {
		return 0
	}
	return b.asked.Cost
}

// back queries the backlinks of a page in a crawl back and forward. If the budget does not allow
// the query, it is recorded for later.
func (c *Crawler) back(ctx context.Context, a Arrival, v Verdict, held *reservation) (b backStep) {
	if v.Back <= 0 || c.o.Backlinker == nil {
		return b
	}
	if !held.extendTo(a.Outcome.Cost + MaxCalls*c.o.BacklinkCost) {
		b.notes = debtNotes(a, v)
		return b
	}
	links, calls, err := c.o.Backlinker.Backlinks(ctx, a.URL(), min(v.Back, MaxBack))
	b.asked = &Asked{URL: a.URL(), Found: len(links), Cost: float64(calls) * c.o.BacklinkCost, Err: err}
	links = links[:min(len(links), MaxBack)]
	b.sources = sources(links, v.Relevance)
	if v.Backward != nil {
		b.sources, b.notes = v.Backward(links)
	}
	return b
}

// sources proposes the source of every link at one score.
func sources(links []webgraph.Link, score float64) []Candidate {
	cs := make([]Candidate, 0, len(links))
	for _, l := range links {
		cs = append(cs, Candidate{URL: l.Source, Score: score, Anchor: l.Anchor})
	}
	return cs
}
