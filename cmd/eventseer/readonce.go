package main

import (
	"sync"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// maxReadings is the most readings that wait to be taken. Each holds its page.
const maxReadings = 64

// readOnce has a call read once in a crawl whose strategy looks at deadlines: what
// is read ahead for it is what the sink takes of the page. It is safe for concurrent
// use.
type readOnce struct {
	extractor eventseer.Extractor

	mu    sync.Mutex // guards below
	ahead map[*tagtree.Tree]reading
	order []*tagtree.Tree // of ahead, and of readings taken since, oldest first
}

// A reading is what an extractor says of a page.
type reading struct {
	event eventseer.Event
	ok    bool
}

func newReadOnce(x eventseer.Extractor) *readOnce {
	return &readOnce{extractor: x, ahead: map[*tagtree.Tree]reading{}}
}

// Ahead reads a page and keeps the reading for Extract, unless too many follow
// before it is asked for.
func (r *readOnce) Ahead(t *tagtree.Tree) (eventseer.Event, bool) {
	event, ok := r.extractor.Extract(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead[t] = reading{event, ok}
	if r.order = append(r.order, t); len(r.order) > maxReadings {
		delete(r.ahead, r.order[0])
		r.order[0] = nil
		r.order = r.order[1:]
	}
	return event, ok
}

// Extract returns what was read ahead, or reads the page; see eventseer.Extractor.
func (r *readOnce) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	r.mu.Lock()
	kept, ok := r.ahead[t]
	delete(r.ahead, t)
	r.mu.Unlock()
	if ok {
		return kept.event, kept.ok
	}
	return r.extractor.Extract(t)
}

// Dates returns the days that the page prints; see eventseer.DateReader.
func (r *readOnce) Dates(t *tagtree.Tree) []eventseer.PrintedDate {
	if d, ok := r.extractor.(eventseer.DateReader); ok {
		return d.Dates(t)
	}
	return nil
}
