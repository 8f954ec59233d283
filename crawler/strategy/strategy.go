// Package strategy holds the crawl strategies, one file each, named in one
// table. A strategy is where crawler and classifiers meet: it judges a page
// and says which links to try next and how soon.
package strategy

import (
	"errors"
	"fmt"
	"strings"

	"eventseer/classify"
	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/slice"
	"eventseer/webgraph"
)

// A Judge says what a page is. It is safe for concurrent use.
type Judge interface {
	Page(t *tagtree.Tree) classify.Judgement
}

// A Gate is a Judge that also knows the other pages of an event, such as its home,
// dates and committee. Where a judge is none, no page is Verdict.Related.
type Gate interface {
	Judge
	// Related reports whether a page that is no call, judged so, may tell of an event.
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
	// Layers returns the probabilities that a page is so many links before a call:
	// of 0, the call itself, to the outermost layer, and last of none of them. They
	// sum to 1.
	Layers(t *tagtree.Tree) []float64
	// Accuracy is the model's held-out accuracy, by which a crawl decides whether it
	// may be guided by it (paper 002, section 3.3).
	Accuracy() float64
}

// A Truth knows the frozen web and its targets. Only oracle may ask it, which is
// no strategy but the ceiling of all.
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
	Judge  Judge
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
	// Deadlines counts the deadlines of a call that are open and past at the time of
	// the crawl (paper 002, chapter 5). Nil: they are no signal.
	Deadlines func(t *tagtree.Tree) (open, past int)
	// CallCost is what a call for backlinks costs, in pages of budget; 0: nothing.
	CallCost float64
	// Seed draws whatever chance decides.
	Seed uint64
	// MinAccuracy is the least held-out accuracy of a layer model that may guide a
	// crawl.
	MinAccuracy float64
}

// Names of strategies that others ask for by name.
const (
	ContextGraph = "context-graph"
	Oracle       = "oracle"
)

// table names every strategy once.
var table = []struct {
	name  string
	about string
	make  func(Parts) (crawler.Strategy, error)
}{
	{"breadth-first", "links in the order they are found", newBreadthFirst},
	{"random", "links in random order", newRandom},
	{"best-first", "links of on-topic pages with on-topic anchors first (cosine)", newBestFirst},
	{"best-first-16", "the same, the best 16 links at once (best-N-first)", newBestN(16)},
	{"best-first-256", "the same, the best 256 links at once", newBestN(256)},
	{"shark-search", "links inherit from the pages before them, anchors and the text around them count (1998)", newSharkSearch},
	{"focused-svm", "links of likely calls first (soft focus of 1999)", newFocusedSVM},
	{"focused-svm-hard", "links of calls only (hard focus of 1999)", newHardFocus},
	{"hub", "links of likely calls and of the best hubs among the areas crawled (distiller of 1999)", newHub},
	{ContextGraph, "links of pages in the layers nearest to calls first (2000)", newContextGraph},
	{"syntax-distance", "links near the words of calls first, nearest page and domain first (paper 003)", newSyntaxDistance},
	{"online", "links by a classifier trained while crawling on what links led to, backlinks by another (ACHE, 2007)", newOnline},
	{"online-levels", "the same, by how many links it is to a call", newOnlineLevels},
	{"bandit", "links of the places on pages that led to calls (sleeping bandit over tag paths, 2026)", newBandit},
	{"back-and-forward", "back to the pages that link to a call, forward from the good among them, by type or by samples (paper 002)", newBackAndForward},
	{"back-and-forward-parents", "the same, good by its type alone", newBackAndForwardParents},
	{"back-and-forward-samples", "the same, good if a sampled link of it is a call", newBackAndForwardSamples},
	{"eventseer", "learns where calls are while it crawls: from hosts, hubs, words of links and backlinks", newEventSeer},
	{Oracle, "the ceiling: knows the links and the targets of a frozen web", newOracle},
}

// Names returns the names of all strategies, in the order of the table.
func Names() []string {
	names := make([]string, len(table))
	for i, row := range table {
		names[i] = row.name
	}
	return names
}

// About returns one line on each strategy, in the order of Names.
func About() []string {
	lines := make([]string, len(table))
	for i, row := range table {
		lines[i] = row.about
	}
	return lines
}

// New makes the strategy of that name.
func New(name string, p Parts) (crawler.Strategy, error) {
	for _, row := range table {
		if row.name == name {
			return row.make(p)
		}
	}
	return nil, fmt.Errorf("no strategy %q; there are %s", name, strings.Join(Names(), ", "))
}

var errNoJudge = errors.New("a strategy needs a judge of pages")

// list is the page type of lists of calls, and maybeList its probability from
// which a page is not taken for one call, however much its words are those of
// calls: read as one it would mix the events it names.
const (
	list      = "cfp_list"
	maybeList = 0.2
)

// judged starts a verdict with what the judge says of the page, its numbers from 0
// to 1, and whether it is a call. A target is a call, and on the topic of the crawl
// if it has one.
func judged(j Judge, f Focus, a crawler.Arrival) (v crawler.Verdict, call bool) {
	if a.Tree == nil {
		return v, false
	}
	is := j.Page(a.Tree)
	one := is.PageType != list && is.PageTypeScores[list] < maybeList
	call = is.IsCFP && one
	v = crawler.Verdict{Relevance: unit(is.CFPScore), PageType: is.PageType, Target: call}
	if g, ok := j.(Gate); ok && one && !call {
		v.Related = g.Related(is)
	}
	if f != nil {
		p, on := f.PageShare(a.Tree)
		v.TopicScore, v.Target = unit(p), call && on
	}
	return v, call
}

// candidate proposes to follow l.
func candidate(l webgraph.Link, score float64) crawler.Candidate {
	return crawler.Candidate{URL: l.Target, Score: score, Parent: l.Source, Anchor: l.Anchor}
}
