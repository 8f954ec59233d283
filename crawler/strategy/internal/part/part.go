// Package part holds the common parts of strategies: the models, the verdict of a judge, the words
// of links. Others use it by the names of package strategy.
package part

import (
	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
)

// A Judge says what a page is. It is safe for concurrent use.
type Judge interface {
	Page(t *tagtree.Tree) classify.Judgement
}

// A Gate is a Judge that also knows the other pages of an event, such as its home,
// dates and committee. Where a judge is none, no page is Verdict.Related.
type Gate interface {
	Judge
	// Related reports whether a page that is not a call, by this judgement, may be about an event.
	Related(classify.Judgement) bool
}

// A Topic says how near a text is to the topic, as a cosine from 0 to 1. It is
// safe for concurrent use.
type Topic interface {
	PageCosine(t *tagtree.Tree) float64
	TextCosine(s string) float64
}

// A LinkModel says where the links of a page lead. It is safe for concurrent use.
type LinkModel interface {
	// Links returns, for each of t.Links(), the probability that it leads to a call.
	Links(t *tagtree.Tree) []float64
}

// A LayerModel says how far pages are from a call. It is safe for concurrent use.
type LayerModel interface {
	// Layers returns the probabilities of a page's distances to a call, in links. The first is for
	// 0, the call itself, then up to the outermost layer, and the last for none of them. They sum
	// to 1.
	Layers(t *tagtree.Tree) []float64
	// Accuracy is the model's held-out accuracy, by which a crawl decides whether it
	// may be guided by it (paper 002, section 3.3).
	Accuracy() float64
}

// A Truth knows the frozen web and its targets. Only oracle, which is not a strategy but the upper
// bound of all, may use it.
type Truth interface {
	// Links returns the pages that url links to, where redirects end.
	Links(url string) []string
	// Targets returns the pages to be found, sorted.
	Targets() []string
	// Sources returns the pages that link to url.
	Sources(url string) []string
}

// Parts are what strategies are made of. What is nil, those strategies that need
// it refuse, unless its comment says otherwise.
type Parts struct {
	Judge Judge
	// PageTypes are the types that the judge knows, and their frequency. With them the gate judges
	// pages in the context of their hosts, see Judged. Nil: each is judged alone.
	PageTypes *classify.Meta
	// Hosts is the context of a crawl. strategy.New makes it.
	Hosts  *classify.HostContext
	Topic  Topic
	Focus  Focus // nil: calls of every topic are wanted
	Links  LinkModel
	Layers LayerModel
	Truth  Truth
	// Learner trains the link classifiers of online strategies while they crawl. Its
	// classifiers must be *classify.Linear.
	Learner classify.Trainer
	// Query is what syntax-distance looks for; nil means CallWords.
	Query *slice.Query
	// Deadlines counts the deadlines of a call that are open and past at the time of the crawl
	// (paper 002, chapter 5). Nil: deadlines are not used.
	Deadlines func(t *tagtree.Tree) (open, past int)
	// Schedule reports whether a page that its judgement does not relate to an event prints the days
	// of one with its deadlines. Nil: such pages are not read.
	Schedule func(t *tagtree.Tree) bool
	// CallCost is the cost of a call for backlinks, in pages of budget; 0: nothing.
	CallCost float64
	// Seed draws whatever chance decides.
	Seed uint64
	// MinAccuracy is the least held-out accuracy of a layer model that may guide a
	// crawl.
	MinAccuracy float64
}
