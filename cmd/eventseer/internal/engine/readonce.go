package engine

import (
	"sync"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// MaxReadings is the most readings that wait to be taken. Each holds its page.
const MaxReadings = 64

// ReadOnce has a call read once in a crawl whose strategy looks at deadlines: what
// is read ahead for it is what the sink takes of the page. It is safe for concurrent
// use.
type ReadOnce struct {
	extractor eventseer.Extractor

	mu      sync.Mutex // guards below
	Pending map[*tagtree.Tree]reading
	Order   []*tagtree.Tree // of ahead, and of readings taken since, oldest first
}

// A reading is what an extractor says of a page.
type reading struct {
	event eventseer.Event
	ok    bool
}

// NewReadOnce returns a reader over an extractor.
func NewReadOnce(x eventseer.Extractor) *ReadOnce {
	return &ReadOnce{extractor: x, Pending: map[*tagtree.Tree]reading{}}
}

// Ahead reads a page and keeps the reading for Extract, unless too many follow
// before it is asked for.
func (r *ReadOnce) Ahead(t *tagtree.Tree) (eventseer.Event, bool) {
	event, ok := r.extractor.Extract(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Pending[t] = reading{event, ok}
	if r.Order = append(r.Order, t); len(r.Order) > MaxReadings {
		delete(r.Pending, r.Order[0])
		r.Order[0] = nil
		r.Order = r.Order[1:]
	}
	return event, ok
}

// Extract returns what was read ahead, or reads the page; see eventseer.Extractor.
func (r *ReadOnce) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	r.mu.Lock()
	kept, ok := r.Pending[t]
	delete(r.Pending, t)
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
