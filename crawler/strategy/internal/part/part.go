// Package part holds the components shared by strategies: the models, the verdict of a judge, the words
// of links. Other packages use it through package strategy.
package part

import (
	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
)

// A Judge classifies pages. It is safe for concurrent use.
type Judge interface {
	JudgePage(t *tagtree.Tree) classify.Judgement
}

// A Gate is a Judge that also recognises the other pages of an event, such as its home, dates and
// committee. With another judge no page is Verdict.Related.
type Gate interface {
	Judge
	// IsRelated reports whether a page with this judgement that is not a call may be about an event.
	IsRelated(classify.Judgement) bool
}

// A Topic measures how similar a text is to the topic, as a cosine from 0 to 1. It is safe for concurrent
// use.
type Topic interface {
	PageCosine(t *tagtree.Tree) float64
	TextCosine(s string) float64
}

// A LinkModel predicts where the links of a page lead. It is safe for concurrent use.
type LinkModel interface {
	// LinkProbabilities returns, for each of t.Links(), the probability that it leads to a call.
	LinkProbabilities(t *tagtree.Tree) []float64
}

// A LayerModel predicts the distance from a page to a call. It is safe for concurrent use.
type LayerModel interface {
	// Layers returns the probabilities of a page's distances to a call, in links. The first is for
	// 0, the call itself, then up to the outermost layer; the last is for no layer. They sum to 1.
	Layers(t *tagtree.Tree) []float64
	// Accuracy is the model's held-out accuracy. A crawl uses the model only if it is high enough
	// (paper 002, section 3.3).
	Accuracy() float64
}

// A Truth contains the links and targets of the frozen web. Only oracle, which is not a strategy
// but an upper bound, may use it.
type Truth interface {
	// Links returns the pages to which url links, after redirects.
	Links(url string) []string
	// Targets returns the pages to be found, sorted.
	Targets() []string
	// Sources returns the pages that link to url.
	Sources(url string) []string
}

// Parts are the components of strategies. A strategy that needs a part returns an error if it is
// nil, unless its comment says otherwise.
type Parts struct {
	Judge Judge
	// PageTypes are the types that the judge distinguishes, and their frequency. With them the gate
	// judges pages in the context of their hosts, see Judged. If it is nil, each page is judged
	// alone.
	PageTypes *classify.Meta
	// Hosts is the host context of a crawl, created by strategy.New.
	Hosts  *classify.HostContext
	Topic  Topic
	Focus  Focus // nil: calls of every topic are wanted
	Links  LinkModel
	Layers LayerModel
	Truth  Truth
	// Values are the values of finds by kind; see Value. The zero value means crawler.DefaultValues.
	Values crawler.Values
	// Finds is the memory of Value, created by strategy.New. If it is nil, only the kind of a find
	// gives its value.
	Finds *Finds
	// Learner trains the link classifiers of online strategies while they crawl. Its
	// classifiers must be *classify.Linear.
	Learner classify.Trainer
	// Query is the query of syntax-distance; nil means CallWords.
	Query *slice.Query
	// Deadlines counts the open and past deadlines of a call at the time of the crawl (paper 002,
	// chapter 5). If it is nil, deadlines are not used.
	Deadlines func(t *tagtree.Tree) (open, past int)
	// OfEvent reports whether a page belongs to an event by what it says, such as days and deadlines.
	// It is called with the judgement in the context of its host, for pages that the judge does not
	// relate to an event. If it is nil, such pages are not read.
	OfEvent func(t *tagtree.Tree, said classify.Judgement) bool
	// CallCost is the cost of a backlink call in pages of the budget; 0 means free.
	CallCost float64
	// Seed is the random seed of the strategy.
	Seed uint64
	// MinAccuracy is the minimum held-out accuracy of a layer model to be used.
	MinAccuracy float64
}
