package strategy

import (
	"context"
	"errors"
	"math"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"
)

// contextGraph is the context focused crawler (Diligenti, Coetzee, Lawrence, Giles and Gori 2000,
// section 3). A layer model estimates the number of links from a page to a call, and the links of
// each layer have a separate queue. The innermost non-empty queue comes first, and in it the most
// probable link. Pages of no layer come last. A model with a low accuracy on held-out pages is not
// used (paper 002, section 3.3): then links are followed in the order they are found. Deadlines are
// a signal (paper 002, chapter 5): the neighbours of an open call come before its layer, those of a
// past call after it.
type contextGraph struct {
	part.Parts
	unguided string // reason why the model is not used; "" if it is
}

var _ crawler.Strategy = (*contextGraph)(nil)

func newContextGraph(p part.Parts) (crawler.Strategy, error) {
	if p.Layers == nil {
		return nil, errors.New("context-graph needs a layer model; `eventseer train --task layer` makes one")
	}
	return &contextGraph{p, UnguidedReason(p)}, nil
}

// UnguidedReason returns the reason why the layer model of p may not be used, "" if it may: its held-out
// accuracy must reach MinAccuracy.
func UnguidedReason(p part.Parts) string {
	if p.Layers == nil {
		return "no layer model is loaded"
	}
	if accuracy := p.Layers.Accuracy(); !(accuracy >= p.MinAccuracy) {
		return part.FormatWhy("the layer model is right on %.2f of the held-out pages, less than the required %.2f", accuracy, p.MinAccuracy)
	}
	return ""
}

// Visit puts the links of a page into the queue of its layer.
func (s *contextGraph) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	score, why := 0.0, "in the order found: "+s.unguided
	if s.unguided == "" {
		score, why = s.scoreByLayer(a.Tree)
	}
	why = part.FormatWhy("%s", why)
	for _, l := range a.Tree.Links() {
		v.Forward = append(v.Forward, part.Candidate(l, score, why))
	}
	if s.unguided == "" {
		s.WeightByTopic(&v)
	}
	return v, nil
}

const (
	// outermost is the maximum number of layers distinguished; further ones of a model count as
	// this one.
	outermost = 100
	// after is the number of queues by which neighbours of a past call are put back.
	behind = 1
)

// scoreByLayer returns the score of a page's links. It is the number of the layer's queue, higher for
// nearer layers, plus a fraction given by the probability of that layer.
func (s *contextGraph) scoreByLayer(t *tagtree.Tree) (score float64, why string) {
	layer, p, other := likeliestLayer(s.Layers.Layers(t))
	if other {
		return p / 2, part.FormatWhy("its page fits no layer, with probability %.2f", p)
	}
	queue := float64(outermost - min(layer, outermost-1))
	score, why = queue+p/2, part.FormatWhy("its page is %d links away from a call, with probability %.2f", layer, p)
	if layer > 0 || s.Deadlines == nil {
		return score, why
	}
	switch open, past := s.Deadlines(t); {
	case open > 0:
		return score + 0.5, part.FormatWhy("%s, and %d of its deadlines are open", why, open)
	case past > 0:
		return score - behind, part.FormatWhy("%s, but its deadlines are past", why)
	}
	return score, why
}

// likeliestLayer returns the layer with the highest probability, the nearer one if several are equal. If other
// is true, it is the class of pages in no layer, which is also the result without probabilities.
func likeliestLayer(probabilities []float64) (layer int, p float64, other bool) {
	p = math.Inf(-1)
	for i, x := range probabilities {
		if x = part.ClampUnit(x); x > p {
			layer, p = i, x
		}
	}
	return layer, max(0, p), layer >= len(probabilities)-1
}
