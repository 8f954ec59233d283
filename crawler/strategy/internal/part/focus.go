package part

import (
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Focus says how likely a text is on the topic a crawl is for. It is safe for
// concurrent use.
type Focus interface {
	// PageShare returns the probability that a page is on the topic, and
	// whether that is enough for a target.
	PageShare(t *tagtree.Tree) (p float64, on bool)
	// TextShare returns the probability that a short text is on the topic, 0
	// for a text that says nothing of any.
	TextShare(s string) float64
}

// OffTopic is what the score of a link keeps that is surely off the topic: a
// hub of all topics links to calls of ours too.
const OffTopic = 0.1

// Steer has the links of a page follow the topic: each keeps a share of its
// score. So a hub of other topics can still point at ours.
func (p *Parts) Steer(v *crawler.Verdict) {
	if p.Focus == nil {
		return
	}
	for i := range v.Forward {
		v.Forward[i].Score *= p.LinkShare(v.TopicScore, v.Forward[i].Anchor)
	}
}

// Share is what the score of a link keeps that is on the topic with that chance.
func (p *Parts) Share(chance float64) float64 {
	if p.Focus == nil {
		return 1
	}
	return OffTopic + (1-OffTopic)*chance
}

// LinkShare returns the factor on the score of a link for the topic. It is the probability of its
// page or of its anchor text to be on the topic, whichever is higher.
func (p *Parts) LinkShare(page float64, anchor string) float64 {
	if p.Focus == nil {
		return 1
	}
	return p.Share(max(page, Unit(p.Focus.TextShare(anchor))))
}
