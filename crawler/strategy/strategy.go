// Package strategy holds the table of the crawl strategies, and those from the literature, one file
// each. The project's own strategy is in the folder eventseer. A strategy connects crawler and
// classifiers: it judges a page and chooses the next links and their scores.
package strategy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/eventseer"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// The components of strategies; see package part.
type (
	Parts      = part.Parts
	Judge      = part.Judge
	Focus      = part.Focus
	LinkModel  = part.LinkModel
	LayerModel = part.LayerModel
	Truth      = part.Truth
)

// NewFinds returns the memory of a crawl that has found nothing.
func NewFinds() *part.Finds { return part.NewFinds() }

// Names of strategies that other code selects by name.
const (
	ContextGraph = "context-graph"
	Oracle       = "oracle"
	OracleBack   = "oracle-back"
)

// KnowsTruth reports whether a strategy is a bound that needs Parts.Truth.
func KnowsTruth(name string) bool { return name == Oracle || name == OracleBack }

// table names every strategy once.
var table = []struct {
	name  string
	about string
	make  func(Parts) (crawler.Strategy, error)
}{
	{"breadth-first", "links in the order they are found", newBreadthFirst},
	{"random", "links in random order", newRandom},
	{"best-first", "links of on-topic pages with on-topic anchors first (cosine)", newBestFirst},
	{"best-first-16", "as best-first, but the best 16 links at once (best-N-first)", newBestN(16)},
	{"best-first-256", "as best-first, but the best 256 links at once", newBestN(256)},
	{"shark-search", "links scored by the pages before them, their anchors and the text around them (1998)", newSharkSearch},
	{"focused-svm", "links of likely calls first (soft focus of 1999)", newFocusedSVM},
	{"focused-svm-hard", "links of calls only (hard focus of 1999)", newHardFocus},
	{"hub", "links of likely calls and of the best hubs first (distiller of 1999)", newHub},
	{ContextGraph, "links of pages in the layers nearest to calls first (2000)", newContextGraph},
	{"syntax-distance", "links near the words of calls first, nearest page and domain first (paper 003)", newSyntaxDistance},
	{"online", "links scored by a classifier that learns while crawling which links lead to calls; backlinks by another (ACHE, 2007)", newOnline},
	{"online-levels", "as online, with classes by the number of links to a call", newOnlineLevels},
	{"intelligent", "links scored by words, addresses and siblings that made calls likelier while crawling (2001)", newIntelligent},
	{"link-model", "links scored by the trained link model alone", newLinkModelForward},
	{"link-model-back", "as link-model, and back to the pages that link to a call", newLinkModelBack},
	{"online-warm", "as online, starting with the trained link model", newOnlineWarm},
	{"q-learning", "links scored by the discounted reward of the best path from them, learned while crawling (1999)", newQLearning},
	{"bandit", "links in places on pages that led to calls first (sleeping bandit over tag paths, 2026)", newBandit},
	{"sb-classifier", "as bandit, as published: rewarded by the calls that a page links to, without backlinks", newSBClassifier},
	{"back-and-forward", "back to the pages that link to a call, then forward from the good ones, judged by type or samples (paper 002)", newBackAndForward},
	{"back-and-forward-parents", "as back-and-forward, but good pages are judged by type alone", newBackAndForwardParents},
	{"back-and-forward-samples", "as back-and-forward, but a page is good if a sampled link of it leads to a call", newBackAndForwardSamples},
	{"back-and-forward-words", "as back-and-forward-samples, but links with promising words are sampled and followed first", newBackAndForwardWords},
	{"back-and-forward-model", "as back-and-forward-words, but the trained link model finds promising links", newBackAndForwardModel},
	{"eventseer", "learns where calls are while it crawls: from hosts, hubs, words of links and backlinks", eventseer.New},
	{"eventseer-without-link-model", "as eventseer, without the trained link model", eventseer.Without(eventseer.LinkModel)},
	{"eventseer-without-learning", "as eventseer, without learning: links keep the scores of rules and link model", eventseer.Without(eventseer.Learning)},
	{"eventseer-without-words", "as eventseer, but it does not learn which words of links lead to calls", eventseer.Without(eventseer.Words)},
	{"eventseer-without-backlinks", "as eventseer, without backlinks", eventseer.Without(eventseer.Backlinks)},
	{"eventseer-without-host-context", "as eventseer, but each page is judged without the other pages of its host", eventseer.Without(eventseer.HostContext)},
	{"eventseer-without-deadlines", "as eventseer, but calls that are over count like open ones", eventseer.Without(eventseer.Deadlines)},
	{Oracle, "upper bound: knows the links and the targets of a frozen web", newOracle},
	{OracleBack, "as oracle, also back to the pages that link to a page, at the cost of a backlink call", newOracleBack},
}

// Names returns the names of all strategies, in the order of the table.
func Names() []string {
	names := make([]string, len(table))
	for i, row := range table {
		names[i] = row.name
	}
	return names
}

// Descriptions returns one line on each strategy, in the order of Names.
func Descriptions() []string {
	lines := make([]string, len(table))
	for i, row := range table {
		lines[i] = row.about
	}
	return lines
}

// New makes the strategy of that name.
func New(name string, p Parts) (crawler.Strategy, error) {
	for _, row := range table {
		if row.name != name {
			continue
		}
		if p.Judge == nil {
			return nil, errors.New("a strategy needs a classifier that judges pages")
		}
		p.Finds = NewFinds()
		if p.PageTypes != nil {
			p.Hosts = classify.NewHostContext(*p.PageTypes)
		}
		return row.make(p)
	}
	return nil, fmt.Errorf("no strategy %q; there are %s", name, strings.Join(Names(), ", "))
}
