package part

import (
	"eventseer/crawler"
	"eventseer/features/tagtree"
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
// score, that of its page or of its anchor text, whichever is likelier on the
// topic. So a hub of other topics can still point at ours.
func Steer(f Focus, v *crawler.Verdict) {
	if f == nil {
		return
	}
	for i := range v.Forward {
		v.Forward[i].Score *= Share(f, max(v.TopicScore, TextShare(f, v.Forward[i].Anchor)))
	}
}

// TextShare is the probability that a short text is on the topic, 0 without one.
func TextShare(f Focus, s string) float64 {
	if f == nil {
		return 0
	}
	return Unit(f.TextShare(s))
}

// Share is what the score of a link keeps that is on the topic with chance p.
func Share(f Focus, p float64) float64 {
	if f == nil {
		return 1
	}
	return OffTopic + (1-OffTopic)*p
}
