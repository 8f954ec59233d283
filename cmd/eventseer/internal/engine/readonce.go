package engine

import (
	"sync"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// maxReadings is the maximum number of readings stored for Extract. Each includes its page.
const maxReadings = 64

// ReadOnce avoids reading a call twice in a crawl whose strategy uses deadlines. The sink uses the
// strategy's reading; for a page of a mailing list's archive that is its message. It is safe for
// concurrent use.
type ReadOnce struct {
	extractor eventseer.Extractor

	mu      sync.Mutex // guards below
	pending map[*tagtree.Tree]extraction
	shown   map[*tagtree.Tree][]*tagtree.Tree // messagesOf, by the page
	order   []readAheadPage                   // including readings already used, oldest first
}

// A readAheadPage is a page with what was read: the page itself or its message.
type readAheadPage struct{ page, read *tagtree.Tree }

// An extraction is the result of an extractor for a page.
type extraction struct {
	event eventseer.Event
	ok    bool
}

// NewReadOnce returns a reader over an extractor.
func NewReadOnce(x eventseer.Extractor) *ReadOnce {
	return &ReadOnce{extractor: x, pending: map[*tagtree.Tree]extraction{}, shown: map[*tagtree.Tree][]*tagtree.Tree{}}
}

// ReadAhead reads a page, or its message, and stores the reading for Extract, unless too many others
// follow. A digest is read as a page.
func (r *ReadOnce) ReadAhead(t *tagtree.Tree) (eventseer.Event, bool) {
	trees, read := messagesOf(t), t
	if len(trees) == 1 {
		read = trees[0]
	}
	event, ok := r.extractor.Extract(read)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[read], r.shown[t] = extraction{event, ok}, trees
	if r.order = append(r.order, readAheadPage{t, read}); len(r.order) > maxReadings {
		delete(r.pending, r.order[0].read)
		delete(r.shown, r.order[0].page)
		r.order[0] = readAheadPage{}
		r.order = r.order[1:]
	}
	return event, ok
}

// messagesAhead is messagesOf; for a page read ahead it returns the trees parsed then.
func (r *ReadOnce) messagesAhead(t *tagtree.Tree) []*tagtree.Tree {
	r.mu.Lock()
	trees, ok := r.shown[t]
	delete(r.shown, t)
	r.mu.Unlock()
	if ok {
		return trees
	}
	return messagesOf(t)
}

// Extract returns the stored reading, or reads the page; see eventseer.Extractor.
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

// Dates returns the dates on the page; see eventseer.DateReader.
func (r *ReadOnce) Dates(t *tagtree.Tree) []eventseer.PrintedDate {
	if d, ok := r.extractor.(eventseer.DateReader); ok {
		return d.Dates(t)
	}
	return nil
}
