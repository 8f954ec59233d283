package strategy

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// A neighborhood is a link with the words that are its features.
type neighborhood struct {
	link  webgraph.Link
	words []linkWord
	model float64 // the link model's probability of a call, 0 if not used
}

// A linkWord is a word in the neighbourhood of a link: in its address, in its
// anchor, or around it.
type linkWord struct {
	index       uint32 // component of the vectors of links
	block, word string
}

const (
	linkDims     = 1 << 18 // components: words are hashed, so no vocabulary is stored
	maxLinkWords = 256     // words stored of a link
)

func newLinkWord(block, word string) linkWord {
	h := fnv.New32a()
	h.Write([]byte(block))
	h.Write([]byte{':'})
	h.Write([]byte(word))
	return linkWord{h.Sum32() % linkDims, block, word}
}

// neighborhoods returns the neighborhoods of t.Links(), in order.
func neighborhoods(t *tagtree.Tree) []neighborhood {
	links := t.Links()
	found := make([]neighborhood, 0, len(links))
	for i, d := range features.ReadLinks(t, nil) {
		n := neighborhood{link: links[i]}
		for _, b := range [...]struct{ name, of string }{{"anchor", features.Anchors}, {"url", features.URL}, {"around", features.Body}} {
			for _, w := range d.Terms(b.of) {
				n.words = append(n.words, newLinkWord(b.name, w))
			}
		}
		n.words = n.words[:min(len(n.words), maxLinkWords)]
		found = append(found, n)
	}
	return found
}

// hubWords returns the features of a page of which only its link to a call is known.
func hubWords(l webgraph.Link) []linkWord {
	var words []linkWord
	for _, w := range part.SplitWords(l.Anchor) {
		words = append(words, newLinkWord("hub anchor", w))
	}
	for _, w := range part.SplitWords(l.Source) {
		words = append(words, newLinkWord("hub url", w))
	}
	return words[:min(len(words), maxLinkWords)]
}

// componentIndexes returns the components of words, sorted, each once.
func componentIndexes(words []linkWord) []uint32 {
	x := make([]uint32, len(words))
	for i, w := range words {
		x[i] = w.index
	}
	slices.Sort(x)
	return slices.Compact(x)
}

// waitingLinks are the links waiting in the frontier, in the order they were found, at most
// maxRemembered. Older ones keep their scores.
type waitingLinks struct {
	number map[string]int
	first  int            // number of links[0]
	links  []waitingEntry // entries of fetched links have no URL
}

const (
	maxRemembered = 100_000           // the limit of ACHE's scheduler
	maxSpan       = 4 * maxRemembered // maximum distance between the oldest and newest number
)

type waitingEntry struct {
	url string
	waitingLink
}

// A waitingLink is the state of a waiting link.
type waitingLink struct {
	N     int      // orders links by age
	Words []uint32 // sorted, distinct
	Hub   bool     // it is a backlink
	Share float64  // factor on its score for the topic of the crawl
	Model float64  `json:",omitempty"` // the link model's probability of a call; the maximum over its pages
}

func newWaitingLinks() *waitingLinks { return &waitingLinks{number: map[string]int{}} }

func (w *waitingLinks) nextIndex() int { return w.first + len(w.links) }

// addLink queues a link and returns its merged state. A link queued before gets the words of both and
// the larger share.
func (w *waitingLinks) addLink(url string, l waitingLink, notes *[]crawler.Note) waitingLink {
	if n, ok := w.number[url]; ok {
		known := &w.links[n-w.first].waitingLink
		words := slices.Clone(known.Words)
		if known.Hub == l.Hub {
			words = append(words, l.Words...)
			slices.Sort(words)
			words = slices.Compact(words)
		}
		more := len(words) > len(known.Words) && len(words) <= maxLinkWords
		if more {
			known.Words = words
		}
		if more || l.Share > known.Share || l.Model > known.Model {
			known.Share, known.Model = max(known.Share, l.Share), max(known.Model, l.Model)
			*notes = append(*notes, part.NoteOf("waiting/"+url, known))
		}
		return *known
	}
	l.N = w.nextIndex()
	w.number[url] = l.N
	w.links = append(w.links, waitingEntry{url, l})
	*notes = append(*notes, part.NoteOf("waiting/"+url, l))
	for len(w.number) > maxRemembered || len(w.links) > maxSpan || w.links[0].url == "" {
		w.takeLink(w.links[0].url, notes)
		w.links = w.links[1:]
		w.first++
	}
	return l
}

// takeLink removes a link.
func (w *waitingLinks) takeLink(url string, notes *[]crawler.Note) (waitingLink, bool) {
	n, ok := w.number[url]
	if !ok {
		return waitingLink{}, false
	}
	delete(w.number, url)
	l := w.links[n-w.first].waitingLink
	w.links[n-w.first] = waitingEntry{}
	*notes = append(*notes, crawler.Note{Key: "waiting/" + url})
	return l, true
}

// restoreLink restores a link of an earlier part of the crawl; sort must be called after the last.
func (w *waitingLinks) restoreLink(url string, note []byte) error {
	var l waitingLink
	if err := json.Unmarshal(note, &l); err != nil {
		return err
	}
	w.links = append(w.links, waitingEntry{url, l})
	return checkWords(l.Words)
}

// checkWords returns an error for words that no stored link can have.
func checkWords(words []uint32) error {
	if len(words) > maxLinkWords || !slices.IsSorted(words) || len(words) > 0 && words[len(words)-1] >= linkDims {
		return fmt.Errorf("a link has %d words with numbers up to %d, too many or out of order", len(words), slices.Max(words))
	}
	return nil
}

// sortRestored puts the restored links in order; next is the number of the next link.
func (w *waitingLinks) sortRestored(next int) {
	recalled := w.links
	w.first = next
	for _, e := range recalled {
		w.first = min(w.first, e.N)
	}
	w.first = max(w.first, next-maxSpan)
	w.links = make([]waitingEntry, next-w.first)
	for _, e := range recalled {
		if n := e.N - w.first; n >= 0 && n < len(w.links) {
			w.links[n] = e
			w.number[e.url] = e.N
		}
	}
}

// linkAt returns link n, if it is still waiting.
func (w *waitingLinks) linkAt(n int) (string, waitingLink, bool) {
	if n < w.first || n >= w.nextIndex() || w.links[n-w.first].url == "" {
		return "", waitingLink{}, false
	}
	e := w.links[n-w.first]
	return e.url, e.waitingLink, true
}
