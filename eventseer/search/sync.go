package search

import (
	"context"
	"errors"
	"fmt"
	"os"

	"eventseer/eventseer"

	"github.com/blevesearch/bleve/v2"
)

// Reader is the name of the index among the readers of the store's outbox.
const Reader = "search"

// batchSize is how many events are indexed at once.
const batchSize = 500

// Sync applies the changes of the store's outbox that the index does not know
// yet, and rebuilds it if it knows none or others. The index remembers its own
// mark, written with each batch, so a crash repeats a batch and loses none; the
// store's mark follows it.
func Sync(ctx context.Context, store eventseer.Store, x *Index) error {
	mark, err := x.mark()
	if err != nil {
		return fmt.Errorf("sync search index: %w", err)
	}
	known, err := hasChange(ctx, store, mark)
	if err != nil {
		return fmt.Errorf("sync search index: %w", err)
	}
	if !known {
		return Rebuild(ctx, store, x)
	}
	b := batch{seen: map[eventseer.EventID]bool{}}
	for change, err := range store.Outbox(ctx, mark) {
		if err != nil && change.Seq == 0 {
			return fmt.Errorf("sync search index: %w", err)
		}
		if err != nil {
			x.log.Warn("a change cannot be read and is left out of the search index", "cause", err)
		}
		b.add(change)
		if len(b.ids) == batchSize {
			if err := b.flush(ctx, store, x); err != nil {
				return err
			}
		}
	}
	return b.flush(ctx, store, x)
}

// hasChange tells whether the store knows the change a mark stands for.
func hasChange(ctx context.Context, store eventseer.Store, seq uint64) (bool, error) {
	if seq == 0 {
		return false, nil
	}
	for change, err := range store.Outbox(ctx, seq-1) {
		if change.Seq == 0 {
			return false, err
		}
		return change.Seq == seq, nil
	}
	return false, nil
}

// A batch gathers the events that changed.
type batch struct {
	ids  []eventseer.EventID
	seen map[eventseer.EventID]bool
	last uint64
}

func (b *batch) add(c eventseer.Change) {
	b.last = c.Seq
	if c.Event != "" && !b.seen[c.Event] {
		b.seen[c.Event] = true
		b.ids = append(b.ids, c.Event)
	}
}

// flush indexes the events as they are now and empties the batch.
func (b *batch) flush(ctx context.Context, store eventseer.Store, x *Index) error {
	if b.last == 0 {
		return nil
	}
	var events []eventseer.Event
	var gone []eventseer.EventID
	for _, id := range b.ids {
		e, err := store.Event(ctx, id)
		switch {
		case err == nil:
			events = append(events, e)
			if e.ID != id { // found to be another
				gone = append(gone, id)
			}
		case errors.Is(err, eventseer.ErrNotFound):
			gone = append(gone, id)
		case ctx.Err() != nil:
			return err
		default:
			x.log.Warn("an event cannot be read and is left out of the search index", "cause", err)
		}
	}
	x.mu.RLock()
	err := apply(x.index, events, gone, b.last)
	x.mu.RUnlock()
	if err != nil {
		return fmt.Errorf("sync search index: %w", err)
	}
	if err := store.Mark(ctx, Reader, b.last); err != nil {
		return fmt.Errorf("sync search index: %w", err)
	}
	*b = batch{seen: map[eventseer.EventID]bool{}}
	return nil
}

// Rebuild makes the index anew from all events of the store. Find goes on with
// the old one until the new one is whole.
func Rebuild(ctx context.Context, store eventseer.Store, x *Index) error {
	fresh := ""
	if x.path != "" {
		fresh = x.path + ".new"
		if err := os.RemoveAll(fresh); err != nil {
			return fmt.Errorf("rebuild search index: %w", err)
		}
	}
	last, err := lastChange(ctx, store)
	if err != nil {
		return fmt.Errorf("rebuild search index: %w", err)
	}
	index, err := makeIndex(fresh)
	if err != nil {
		return fmt.Errorf("rebuild search index: %w", err)
	}
	n, err := fill(ctx, store, x, index, last)
	if err != nil {
		return fmt.Errorf("rebuild search index: %w", errors.Join(err, index.Close()))
	}
	if err := x.replace(index, fresh); err != nil {
		return fmt.Errorf("rebuild search index: %w", err)
	}
	if n > 0 {
		x.log.Info("search index built from the store", "events", n)
	}
	if last == 0 {
		return nil
	}
	return store.Mark(ctx, Reader, last)
}

// lastChange returns the number of the newest change, 0 if there is none.
func lastChange(ctx context.Context, store eventseer.Store) (uint64, error) {
	last, err := store.Marked(ctx, Reader)
	if err != nil {
		return 0, err
	}
	for change, err := range store.Outbox(ctx, last) {
		if change.Seq == 0 {
			return 0, err
		}
		last = change.Seq
	}
	return last, nil
}

// fill indexes all events, and the mark with the last batch.
func fill(ctx context.Context, store eventseer.Store, x *Index, index bleve.Index, last uint64) (n int, err error) {
	var events []eventseer.Event
	for e, err := range store.Events(ctx) {
		if err != nil && e.ID == "" {
			return n, err
		}
		if err != nil {
			x.log.Warn("an event cannot be read and is left out of the search index", "cause", err)
			continue
		}
		if events = append(events, e); len(events) == batchSize {
			if err := apply(index, events, nil, 0); err != nil {
				return n, err
			}
			n += len(events)
			events = events[:0]
		}
	}
	return n + len(events), apply(index, events, nil, last)
}

// replace puts index, made in the folder fresh, in the place of the old one.
func (x *Index) replace(index bleve.Index, fresh string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.index
	if x.path == "" {
		x.index = index
		return old.Close()
	}
	if err := errors.Join(index.Close(), old.Close()); err != nil {
		return err
	}
	if err := os.RemoveAll(x.path); err != nil {
		return err
	}
	if err := os.Rename(fresh, x.path); err != nil {
		return err
	}
	index, err := openIndex(x.path)
	if err != nil {
		return err
	}
	x.index = index
	return nil
}
