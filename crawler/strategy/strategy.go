// Package strategy holds the table of the crawl strategies, and those known from
// the literature, one file each; the project's own is in its folder eventseer. A
// strategy is where crawler and classifiers meet: it judges a page and says which
// links to try next and how soon.
package strategy

import (
	"errors"
	"fmt"
	"strings"

	"eventseer/classify"
	"eventseer/crawler"
	"eventseer/crawler/strategy/eventseer"
	"eventseer/crawler/strategy/internal/part"
)

// What strategies are made of; see package part.
type (
	Parts      = part.Parts
	Judge      = part.Judge
	Focus      = part.Focus
	LinkModel  = part.LinkModel
	LayerModel = part.LayerModel
	Truth      = part.Truth
)

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
	{"eventseer", "learns where calls are while it crawls: from hosts, hubs, words of links and backlinks", eventseer.New},
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
		if row.name != name {
			continue
		}
		if p.Judge == nil {
			return nil, errors.New("a strategy needs a judge of pages")
		}
		if p.PageTypes != nil {
			p.Hosts = classify.NewHostContext(*p.PageTypes)
		}
		return row.make(p)
	}
	return nil, fmt.Errorf("no strategy %q; there are %s", name, strings.Join(Names(), ", "))
}
