package main

import (
	"testing"

	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// counted is an extractor that counts its readings.
type counted int

func (c *counted) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	*c++
	return eventseer.Event{Title: t.Title()}, true
}

func TestReadOnce(t *testing.T) {
	var n counted
	r := engine.NewReadOnce(&n)
	first := benchTree(t, 1)
	if e, ok := r.Ahead(first); !ok || e.Title == "" {
		t.Fatalf("%+v, %v", e, ok)
	}
	if e, ok := r.Extract(first); !ok || e.Title != first.Title() || n != 1 {
		t.Errorf("%+v, %v after %d readings", e, ok, n)
	}
	if r.Extract(first); n != 2 {
		t.Errorf("%d readings; a reading is given away once", n)
	}
	trees := make([]*tagtree.Tree, engine.MaxReadings+1)
	for i := range trees {
		trees[i] = benchTree(t, i)
		r.Ahead(trees[i])
	}
	if len(r.Pending) != engine.MaxReadings || len(r.Order) != engine.MaxReadings {
		t.Errorf("%d readings in an order of %d are kept", len(r.Pending), len(r.Order))
	}
}
