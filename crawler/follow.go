package crawler

import (
	"cmp"
	"context"
	"fmt"

	"eventseer/webgraph"
)

// forward takes up the links the verdict names.
func (s *step) forward() { s.push(s.permitted(s.v.Forward), Forward) }

// push takes up those of cs that may be followed, with the facts of their way
// filled in, at most MaxForward.
func (s *step) push(cs []Candidate, how How) {
	depth := s.a.Lease.Depth + 1
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
		c.Score, c.Parent, c.Depth, c.How = s.a.Lease.clamp(c.Score), cmp.Or(c.Parent, s.a.URL()), depth, how
		admitted = append(admitted, c)
	}
	s.changes.Push = append(s.changes.Push, s.cut(admitted, s.o.MaxForward, "beyond the best links of a page")...)
}

// back asks who links to the page and takes up the answers: the step back of a
// crawl back and forward.
func (s *step) back(ctx context.Context) {
	if s.v.Back <= 0 || s.o.Backlinker == nil {
		return
	}
	if !s.afford(MaxCalls * s.o.BacklinkCost) {
		s.owe()
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
	s.push(cs, Back)
}

// afford puts so many pages more aside, or reports that the budget has not as
// much left.
func (s *step) afford(pages float64) bool {
	more := s.a.Outcome.Cost + pages - s.held
	if more <= 0 {
		return true
	}
	if !s.purse.extend(more) {
		return false
	}
	s.held += more
	return true
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
