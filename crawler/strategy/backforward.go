package strategy

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"eventseer/crawler"
	"eventseer/crawler/strategy/internal/part"
	"eventseer/webgraph"
)

// backAndForward is back-and-forward crawling as paper 002, section 3.4, has it:
// search for the pages that link to a page, determine how good each of them is,
// go on with the good ones and discard the others. What is good a plan says: by
// the class of the parent, by sampling its children, or by both, which the paper
// concludes is best.
//
//   - Back: for the parents of a call, or of a conference, once a site.
//   - Forward: all links of a good parent.
//   - Sampled: a few links of the page, drawn at random, are fetched. If one of
//     them is a call all its links are taken, else the page is discarded.
//
// It has what the paper has and no more: no words of links, no learned scores.
// Links of good parents go first, then parents, then samples; within each what
// was found first. Links of discarded pages are never handed to the frontier, so
// that another page may still name them.
//
// The paper ends the loop when the harvest reaches a low, or at a limit of time
// or of harvest; those are crawler.Options.MinHarvest, MaxTime and UntilFound.
type backAndForward struct {
	part.Parts
	plan plan

	mu      sync.Mutex          // guards below
	asked   map[string]bool     // sites whose backlinks were asked for
	known   map[string]bool     // pages fetched → they were calls
	pages   map[string]*sampled // pages being sampled, by URL
	sampler map[string][]string // sampled link → the pages it is a sample of
	born    int                 // of the next page to be sampled
}

var (
	_ crawler.Rememberer = (*backAndForward)(nil)
	_ crawler.Ranker     = (*backAndForward)(nil)
)

// The ranks of links, which are their scores: one class of links goes before the
// other. They lie close together, so that in a crawl on a topic the topic says
// more than they.
const (
	rankSample = 0.8 // of a page of which it is to be found out whether it is good
	rankParent = 0.9 // it links to a call or conference
	rankGood   = 1   // of a good parent
)

const (
	backlinkLimit = 20      // backlinks asked for a site
	sampleSize    = 5       // links sampled of a page
	maxChildren   = 200     // links remembered of such a page
	maxSampling   = 10_000  // pages being sampled; the oldest are given up
	maxKnown      = 1 << 20 // pages remembered as fetched
)

// A move says what becomes of a page.
type move struct{ back, forward, sample bool }

// A plan says which moves a page asks for by its type. Whether it is a call does
// not depend on its type alone.
type plan func(pageType string, call bool) move

// byParent goes by the class of a page alone (paper 002, section 3.4).
func byParent(pageType string, call bool) move {
	switch {
	case call || pageType == "cfp" || pageType == "conference":
		return move{back: true}
	case pageType == part.ListPage || pageType == "institution_topic" || pageType == "mail_announcement":
		return move{forward: true}
	}
	return move{}
}

// bySample goes by the children of a page alone.
func bySample(_ string, call bool) move { return move{back: call, sample: true} }

// combined goes by the class of a page where that decides, else by its children.
func combined(pageType string, call bool) move {
	switch {
	case pageType == part.ListPage || pageType == "mail_announcement":
		return move{forward: true}
	case call || pageType == "cfp" || pageType == "conference":
		return move{back: true, sample: true}
	}
	return move{sample: true}
}

func newBackAndForward(p part.Parts) (crawler.Strategy, error)        { return goBack(p, combined) }
func newBackAndForwardParents(p part.Parts) (crawler.Strategy, error) { return goBack(p, byParent) }
func newBackAndForwardSamples(p part.Parts) (crawler.Strategy, error) { return goBack(p, bySample) }

func goBack(p part.Parts, plan plan) (crawler.Strategy, error) {
	return &backAndForward{
		Parts: p, plan: plan, asked: map[string]bool{}, known: map[string]bool{},
		pages: map[string]*sampled{}, sampler: map[string][]string{},
	}, nil
}

// Visit judges the page, draws the conclusion for the pages it was a sample
// of, and goes back, forward or no further.
func (s *backAndForward) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	s.decide(a, &v, call)
	s.Steer(&v)
	return v, nil
}

// decide fills the verdict on a page that has been judged.
func (s *backAndForward) decide(a crawler.Arrival, v *crawler.Verdict, call bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conclude(a, v, call)
	if a.Tree == nil {
		return
	}
	s.know(a, v, call)
	m := s.plan(v.PageType, call)
	if m.back {
		s.back(v, part.Site(a.Tree.Page.URL))
	}
	links := a.Tree.Links()
	switch {
	case m.forward:
		for _, l := range links {
			v.Forward = append(v.Forward, part.Candidate(l, rankGood, part.Why("forward: its page is a %s", v.PageType)))
		}
	case m.sample:
		s.sample(a, v, links)
	}
}

// know remembers the page, so that it is not drawn as a sample again.
func (s *backAndForward) know(a crawler.Arrival, v *crawler.Verdict, call bool) {
	for _, url := range []string{a.Lease.URL, a.Outcome.FinalURL} {
		if _, ok := s.known[url]; ok || url == "" || len(s.known) >= maxKnown {
			continue
		}
		s.known[url] = call
		v.Notes = append(v.Notes, crawler.Note{Key: "known/" + url, Value: fmt.Append(nil, call)})
	}
}

// back asks for the backlinks of a page, once a site.
func (s *backAndForward) back(v *crawler.Verdict, here string) {
	if s.asked[here] {
		return
	}
	s.asked[here] = true
	v.Notes = append(v.Notes, crawler.Note{Key: "asked/" + here, Value: []byte{1}})
	v.Back = backlinkLimit
	worth := s.Share(v.TopicScore)
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) { return parents(links, worth), nil }
}

// Rank ranks backlinks that an earlier part of the crawl could not pay for.
func (s *backAndForward) Rank(_ string, v crawler.Verdict, links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
	return parents(links, s.Share(v.TopicScore)), nil
}

// parents proposes the sources of backlinks. worth is what a link of the page
// that asked keeps of its score.
func parents(links []webgraph.Link, worth float64) []crawler.Candidate {
	candidates := make([]crawler.Candidate, 0, len(links))
	for _, l := range links {
		candidates = append(candidates, crawler.Candidate{
			URL: l.Source, Score: worth * rankParent, Anchor: l.Anchor, Why: "back: it links to a call or conference",
		})
	}
	return candidates
}

// note keeps what is known of a page being sampled, or forgets the page.
func (s *backAndForward) note(page string) crawler.Note {
	if p := s.pages[page]; p != nil {
		return part.NoteOf("sampled/"+page, p)
	}
	return crawler.Note{Key: "sampled/" + page}
}

// Recall takes up where an interrupted crawl left off.
func (s *backAndForward) Recall(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return part.Recall(notes, func(kind, name string, value []byte) error {
		switch kind {
		case "asked":
			s.asked[name] = true
		case "known":
			s.known[name] = string(value) == "true"
		case "sampled":
			var p sampled
			if err := json.Unmarshal(value, &p); err != nil {
				return err
			}
			s.remember(name, &p)
		}
		return nil
	})
}
