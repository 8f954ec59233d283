package strategy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// examples are followed links with their results, the latest maxExamples.
type examples struct {
	first  int // number of all[0]
	all    []example
	number map[string]int // index by the URLs of the pages
}

const maxExamples = 10_000 // ACHE uses 5,000 per class

// An example is a link that was followed.
type example struct {
	N        int
	URLs     []string // URLs of the page: that of the link, and the final one
	Words    []uint32 // sorted, distinct
	Hub      bool     // it was a backlink
	Level    int      // links from its page to the nearest call, 0 for a call; noLevel if there is none
	Parent   int      // index of the example whose page contains the link, -1 if none
	Children int      // links of its page that were followed
	Calls    int      // number of those that are calls
}

// The classes of ACHE's LEVELS, the nearest last. The link leads to a call, to a page with a link
// to one, or to a page two links before one. The class "none" is added: without it every link would
// belong to one of the three.
var levelClasses = []string{"none", "2", "1", "0"}

const noLevel = 3

func newExamples() *examples { return &examples{number: map[string]int{}} }

func (e *examples) nextIndex() int { return e.first + len(e.all) }

// exampleAt returns example n, nil if it was removed.
func (e *examples) exampleAt(n int) *example {
	if n < e.first || n >= e.nextIndex() {
		return nil
	}
	return &e.all[n-e.first]
}

// containsPage reports whether a page is among the stored examples.
func (e *examples) containsPage(url string) bool {
	_, ok := e.number[url]
	return ok
}

// addExample adds the link that led to a, and updates the pages before it.
func (e *examples) addExample(a crawler.Arrival, l waitingLink, call bool, notes *[]crawler.Note) {
	x := example{N: e.nextIndex(), URLs: slices.Compact([]string{a.Lease.URL, a.URL()}), Words: l.Words, Hub: l.Hub, Level: noLevel, Parent: -1}
	parent, ok := e.number[a.Lease.Parent]
	if p := e.exampleAt(parent); ok && p != nil && a.Lease.How == crawler.Forward {
		x.Parent = parent
		p.Children++
		if call {
			p.Calls++
		}
		*notes = append(*notes, p.encodeNote())
	}
	if call {
		x.Level = 0
		e.propagateLevels(x.Parent, notes)
	}
	for _, url := range x.URLs {
		e.number[url] = x.N
	}
	e.all = append(e.all, x)
	*notes = append(*notes, x.encodeNote())
	if len(e.all) > maxExamples {
		e.removeOldest(notes)
	}
}

// propagateLevels sets the levels of the pages before a call, beginning with its parent.
func (e *examples) propagateLevels(n int, notes *[]crawler.Note) {
	for level := 1; level < noLevel; level++ {
		p := e.exampleAt(n)
		if p == nil {
			return
		}
		if level < p.Level {
			p.Level = level
			*notes = append(*notes, p.encodeNote())
		}
		n = p.Parent
	}
}

// removeOldest removes the oldest example.
func (e *examples) removeOldest(notes *[]crawler.Note) {
	for _, url := range e.all[0].URLs {
		if e.number[url] == e.first {
			delete(e.number, url)
		}
	}
	*notes = append(*notes, crawler.Note{Key: e.all[0].encodeNote().Key})
	e.all = e.all[1:]
	e.first++
}

func (x *example) encodeNote() crawler.Note { return part.NoteOf(fmt.Sprintf("example/%d", x.N), x) }

// restoreExample restores an example of an earlier part of the crawl; sort must be called after the last.
func (e *examples) restoreExample(note []byte) error {
	var x example
	if err := json.Unmarshal(note, &x); err != nil {
		return err
	}
	if x.Level < 0 || x.Level > noLevel {
		return fmt.Errorf("an example has the level %d, out of range", x.Level)
	}
	e.all = append(e.all, x)
	return checkWords(x.Words)
}

// sortRestored sorts the restored examples.
func (e *examples) sortRestored() {
	slices.SortFunc(e.all, func(x, y example) int { return x.N - y.N })
	for _, x := range e.all {
		for _, url := range x.URLs {
			e.number[url] = x.N
		}
	}
	if len(e.all) > 0 {
		e.first = e.all[0].N
	}
}

// trainClassifiers trains the classifiers of links and of hubs. One is nil if its examples have only one
// class. A hub is a page with at least one link that led to a call; pages without followed links
// are not used.
func (e *examples) trainClassifiers(ctx context.Context, t classify.Trainer, levels bool) (links, hubs *linkClassifier, err error) {
	var ofLinks, ofHubs []classify.Example
	for i := range e.all {
		x := &e.all[i]
		vector := linkVector(x.Words)
		switch {
		case len(x.Words) == 0:
		case x.Hub && x.Children > 0:
			ofHubs = append(ofHubs, classify.Example{X: vector, Class: min(x.Calls, 1)})
		case x.Hub:
		case levels:
			ofLinks = append(ofLinks, classify.Example{X: vector, Class: noLevel - x.Level})
		case x.Level == 0:
			ofLinks = append(ofLinks, classify.Example{X: vector, Class: 1})
		default:
			ofLinks = append(ofLinks, classify.Example{X: vector})
		}
	}
	classes := []string{"other", "call"}
	if levels {
		classes = levelClasses
	}
	if links, err = trainLinks(ctx, t, classes, ofLinks); err != nil {
		return nil, nil, err
	}
	hubs, err = trainLinks(ctx, t, []string{"other", "hub"}, ofHubs)
	return links, hubs, err
}
