package engine

import (
	"sync"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// maxReadings is the most readings that wait to be taken. Each holds its page.
const maxReadings = 64

// ReadOnce has a call read once in a crawl whose strategy looks at deadlines. The sink uses what
// was read for the strategy; for a page of a mailing list's archive that is the message it shows.
// It is safe for concurrent use.
type ReadOnce struct {
	extractor eventseer.Extractor

	mu      sync.Mutex // guards below
	pending map[*tagtree.Tree]reading
	shown   map[*tagtree.Tree][]*tagtree.Tree // messagesOf, by the page
	order   []ahead                           // also of readings taken since, oldest first
}

// An ahead is a page and what was read of it: itself or the message that it shows.
type ahead struct{ page, read *tagtree.Tree }

// A reading is what an extractor says of a page.
type reading struct {
	event eventseer.Event
	ok    bool
}

// NewReadOnce returns a reader over an extractor.
func NewReadOnce(x eventseer.Extractor) *ReadOnce {
	return &ReadOnce{extractor: x, pending: map[*tagtree.Tree]reading{}, shown: map[*tagtree.Tree][]*tagtree.Tree{}}
}

// Ahead reads a page, or the message that it shows, and stores the reading for Extract, unless too
// many others come first. A digest is read as a page.
func (r *ReadOnce) Ahead(t *tagtree.Tree) (eventseer.Event, bool) {
	trees, read := messagesOf(t), t
	if len(trees) == 1 {
		read = trees[0]
	}
	event, ok := r.extractor.Extract(read)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[read], r.shown[t] = reading{event, ok}, trees
	if r.order = append(r.order, ahead{t, read}); len(r.order) > maxReadings {
		delete(r.pending, r.order[0].read)
		delete(r.shown, r.order[0].page)
		r.order[0] = ahead{}
		r.order = r.order[1:]
	}
	return event, ok
}

// messages is messagesOf, of a page read ahead the trees that were made then.
func (r *ReadOnce) messages(t *tagtree.Tree) []*tagtree.Tree {
	r.mu.Lock()
	trees, ok := r.shown[t]
	delete(r.shown, t)
	r.mu.Unlock()
	if ok {
		return trees
	}
	return messagesOf(t)
}

// Extract returns what was read ahead, or reads the page; see eventseer.Extractor.
func (r *ReadOnce) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	r.mu.Lock()
	kept, ok := r.pending[t]
	delete(r.pending, t)
	r.mu.Unlock()
	if ok {
		return kept.event, kept.ok
	}
	return r.extractor.Extract(t)
}

// Dates returns the days that the page prints; see eventseer.DateReader.
func (r *ReadOnce) Dates(t *tagtree.Tree) []eventseer.PrintedDate {
	if d, ok := r.extractor.(eventseer.DateReader); ok {
		return d.Dates(t)
	}
	return nil
}
