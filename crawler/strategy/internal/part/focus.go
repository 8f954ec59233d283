package part

import (
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Focus estimates whether a text is on the topic of a crawl. It is safe for concurrent use.
type Focus interface {
	// PageShare returns the probability that a page is on the topic, and whether it is high enough
	// for a target.
	PageShare(t *tagtree.Tree) (p float64, on bool)
	// TextShare returns the probability that a short text is on the topic, 0 for a text without
	// evidence.
	TextShare(s string) float64
}

// OffTopic is the factor on the score of a link that is certainly off the topic. It is not 0,
// because a hub of other topics may link to calls on the topic.
const OffTopic = 0.1

// WeightByTopic multiplies the scores of a page's links by their probability of being on the topic. Links
// of a hub of other topics can still be followed.
func (p *Parts) WeightByTopic(v *crawler.Verdict) {
	if p.Focus == nil {
		return
	}
	for i := range v.Forward {
		v.Forward[i].Score *= p.LinkTopicFactor(v.TopicScore, v.Forward[i].Anchor)
	}
}

// TopicFactor returns the factor on the score of a link that is on the topic with probability chance.
func (p *Parts) TopicFactor(chance float64) float64 {
	if p.Focus == nil {
		return 1
	}
	return OffTopic + (1-OffTopic)*chance
}

// LinkTopicFactor returns the factor on the score of a link for the topic. It uses the probability of its
// page or of its anchor text, whichever is higher.
func (p *Parts) LinkTopicFactor(page float64, anchor string) float64 {
	if p.Focus == nil {
		return 1
	}
	return p.TopicFactor(max(page, ClampUnit(p.Focus.TextShare(anchor))))
}
