package strategy

import (
	"context"
	"errors"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/webgraph"
)

// errNoLinkModel is returned for strategies that require the link model.
var errNoLinkModel = errors.New("the strategy needs a link model")

// followModel follows the links with the highest probability of leading to a call by the trained link
// model, wherever they were found. It learns nothing during a crawl and so measures the model alone. If
// back is set it also requests the backlinks of calls, once per site. It scores them like the call
// itself, because the model cannot score links whose page is unknown.
type followModel struct {
	part.Parts
	back bool

	mu    sync.Mutex // guards below
	asked askedSites
}

var (
	_ crawler.Rememberer = (*followModel)(nil)
	_ crawler.Ranker     = (*followModel)(nil)
)

func newLinkModelForward(p part.Parts) (crawler.Strategy, error) { return newFollowModel(p, false) }
func newLinkModelBack(p part.Parts) (crawler.Strategy, error)    { return newFollowModel(p, true) }

func newFollowModel(p part.Parts, back bool) (crawler.Strategy, error) {
	if p.Links == nil {
		return nil, errNoLinkModel
	}
	return &followModel{Parts: p, back: back, asked: askedSites{}}, nil
}

// Visit scores the links of a page and requests the backlinks of a call.
func (s *followModel) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	scores := s.Links.LinkProbabilities(a.Tree)
	for i, l := range a.Tree.Links() {
		p := 0.0
		if i < len(scores) {
			p = part.ClampUnit(scores[i])
		}
		v.Forward = append(v.Forward, part.Candidate(l, p, part.FormatWhy("the link model: a call with probability %.2f", p)))
	}
	s.WeightByTopic(&v)
	if !s.back || !call {
		return v, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked.askSiteOnce(&v, part.Site(a.URL())) {
		of := v
		v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) { return s.Rank("", of, links) }
	}
	return v, nil
}

// Rank ranks backlinks by the relevance of the call they lead to.
func (s *followModel) Rank(_ string, v crawler.Verdict, links []webgraph.Link) (cs []crawler.Candidate, _ []crawler.Note) {
	for _, l := range links {
		cs = append(cs, crawler.Candidate{URL: l.Source, Anchor: l.Anchor, Score: v.Relevance * s.TopicFactor(v.TopicScore), Why: "back: it links to a call"})
	}
	return cs, nil
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *followModel) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.RecallNotes(notes, func(kind, name string, _ []byte) error {
		if kind == "asked" {
			s.asked[name] = true
		}
		return nil
	})
}
