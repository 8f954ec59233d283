package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"

	"github.com/blevesearch/bleve/v2"
)

// Reader is the name of the index as a reader of the store's outbox.
const Reader = "search"

// batchSize is how many events are indexed at once.
const batchSize = 500

// Sync applies the changes of the store's outbox that the index does not have yet. It rebuilds the
// index if it has no mark, or that of another store. The index stores its own mark, written with
// each batch, so a crash repeats a batch and loses none; the store's mark follows it. Ranks are
// included if the store is an eventseer.SeriesStore.
func Sync(ctx context.Context, store eventseer.Store, x *Index) error {
	x.write.Lock()
	defer x.write.Unlock()
	if err := x.applyChanges(ctx, store); err != nil {
		return fmt.Errorf("sync search index: %w", err)
	}
	return nil
}

func (x *Index) applyChanges(ctx context.Context, store eventseer.Store) error {
	if x.closed {
		return errClosed
	}
	mark, err := x.lastApplied()
	if err != nil {
		return err
	}
	known, err := hasChange(ctx, store, mark)
	if err != nil {
		return err
	}
	if !known {
		return x.rebuildIndex(ctx, store)
	}
	b := batch{x: x, documents: newDocumentReader(store, x.options)}
	for change, err := range store.Outbox(ctx, mark) {
		if err != nil && change.Seq == 0 {
			return err
		}
		if err != nil {
			x.options.Log.Warn("a change cannot be read and is left out of the search index", "cause", err)
		}
		b.addEvent(change)
		if len(b.ids) == batchSize {
			if err := b.indexEvents(ctx); err != nil {
				return err
			}
		}
	}
	if err := b.indexEvents(ctx); err != nil || !b.any {
		return err
	}
	return x.refreshView()
}

// hasChange reports whether the store contains the change of a mark.
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
	x         *Index
	documents *documentReader
	ids       []eventseer.EventID
	last      uint64
	any       bool // a batch was applied
}

func (b *batch) addEvent(c eventseer.Change) {
	b.last = c.Seq
	if c.Event != "" && !slices.Contains(b.ids, c.Event) {
		b.ids = append(b.ids, c.Event)
	}
}

// indexEvents indexes the present state of the events and empties the batch.
func (b *batch) indexEvents(ctx context.Context) error {
	if b.last == 0 {
		return nil
	}
	store := b.documents.store
	var found []eventseer.Document
	var gone []eventseer.EventID
	for _, id := range b.ids {
		e, err := store.Event(ctx, id)
		switch {
		case err == nil:
			found = append(found, b.documents.documentOf(ctx, e))
			if e.ID != id { // found to be another
				gone = append(gone, id)
			}
		case errors.Is(err, eventseer.ErrNotFound):
			gone = append(gone, id)
		case ctx.Err() != nil:
			return err
		default:
			b.x.options.Log.Warn("an event cannot be read and is left out of the search index", "cause", err)
		}
	}
	if err := applyBatch(b.x.index, b.x.options.People, found, gone, b.last); err != nil {
		return err
	}
	if err := store.SetReaderPosition(ctx, Reader, b.last); err != nil {
		return err
	}
	b.ids, b.last, b.any = nil, 0, true
	return nil
}

// rebuildIndex rebuilds the index from all events of the store. Find uses the old one until the new one
// is complete.
func (x *Index) rebuildIndex(ctx context.Context, store eventseer.Store) error {
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
	index, err := makeIndex(fresh, versionOf(x.options))
	if err != nil {
		return fmt.Errorf("rebuild search index: %w", err)
	}
	n, err := x.indexAllEvents(ctx, store, index, last)
	if err != nil {
		return fmt.Errorf("rebuild search index: %w", errors.Join(err, index.Close()))
	}
	if err := x.replaceIndex(index, fresh); err != nil {
		return fmt.Errorf("rebuild search index: %w", err)
	}
	if n > 0 {
		x.options.Log.Info("search index built from the store", "events", n)
	}
	if last == 0 {
		return nil
	}
	return store.SetReaderPosition(ctx, Reader, last)
}

// lastChange returns the number of the newest change, 0 if there is none.
func lastChange(ctx context.Context, store eventseer.Store) (uint64, error) {
	last, err := store.ReaderPosition(ctx, Reader)
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

// indexAllEvents indexes all events, and the mark with the last batch.
func (x *Index) indexAllEvents(ctx context.Context, store eventseer.Store, index bleve.Index, last uint64) (n int, err error) {
	var found []eventseer.Document
	documents := newDocumentReader(store, x.options)
	for e, err := range store.Events(ctx) {
		if err != nil && e.ID == "" {
			return n, err
		}
		if err != nil {
			x.options.Log.Warn("an event cannot be read and is left out of the search index", "cause", err)
			continue
		}
		if found = append(found, documents.documentOf(ctx, e)); len(found) == batchSize {
			if err := applyBatch(index, x.options.People, found, nil, 0); err != nil {
				return n, err
			}
			n += len(found)
			found = found[:0]
		}
	}
	if err := ctx.Err(); err != nil {
		return n, err
	}
	return n + len(found), applyBatch(index, x.options.People, found, nil, last)
}

// replaceIndex replaces the index by one built in the folder fresh.
func (x *Index) replaceIndex(index bleve.Index, fresh string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := errors.Join(x.dropView(), x.index.Close()); err != nil {
		return err
	}
	x.closed = true // until the new one is in place
	x.rows = newRowCache()
	var err error
	if x.path != "" {
		if index, err = x.moveIntoPlace(index, fresh); err != nil {
			return err
		}
	}
	if x.view, err = newView(index, x.rows, x.options.Log); err != nil {
		return errors.Join(err, index.Close())
	}
	x.index, x.closed = index, false
	return nil
}

// moveIntoPlace moves a new index to its path and opens it there.
func (x *Index) moveIntoPlace(index bleve.Index, fresh string) (bleve.Index, error) {
	if err := index.Close(); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(x.path); err != nil {
		return nil, err
	}
	if err := os.Rename(fresh, x.path); err != nil {
		return nil, err
	}
	return openIndex(x.path, versionOf(x.options))
}

// A documentReader reads the indexed data of events from a store.
type documentReader struct {
	store  eventseer.Store
	series eventseer.SeriesStore // nil for a store without series
	texts  eventseer.TextStore   // the same
	people bool                  // index names of committees
	log    *slog.Logger
	known  map[string]eventseer.Series // by id, series read so far
}

func newDocumentReader(store eventseer.Store, o Options) *documentReader {
	series, _ := store.(eventseer.SeriesStore)
	texts, _ := store.(eventseer.TextStore)
	return &documentReader{store: store, series: series, texts: texts, people: o.People, log: o.Log, known: map[string]eventseer.Series{}}
}

// documentOf returns the document of an event. Data that cannot be read is left out and logged.
func (d *documentReader) documentOf(ctx context.Context, e eventseer.Event) eventseer.Document {
	s := d.seriesOf(ctx, e)
	doc := eventseer.Document{Event: e, Ranks: s.Ranks, Acronyms: series.AcronymsOf(s), Changed: d.lastChangeOf(ctx, e.ID)}
	clips, err := d.store.Clips(ctx, e.ID)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		d.log.Warn("the clips of an event cannot be read and are left out of the search index", "event", string(e.ID), "cause", err)
	}
	doc.Clips = clips
	if d.texts != nil {
		texts, err := d.texts.Texts(ctx, e.ID, time.Time{})
		if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
			d.log.Warn("texts of an event's pages cannot be read and are left out of the search index", "event", string(e.ID), "cause", err)
		}
		doc.Texts = eventseer.SearchedTexts(texts, e.Committee, d.people)
	}
	return doc
}

func (d *documentReader) seriesOf(ctx context.Context, e eventseer.Event) eventseer.Series {
	id := series.IDOf(e)
	if d.series == nil || id == "" {
		return eventseer.Series{}
	}
	if s, known := d.known[id]; known {
		return s
	}
	s, err := d.series.Series(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		d.log.Warn("a series cannot be read, and its ranks are left out of the search index", "series", id, "cause", err)
	}
	d.known[id] = s
	return s
}

// lastChangeOf returns when a field of an event last changed after it was new.
func (d *documentReader) lastChangeOf(ctx context.Context, id eventseer.EventID) (at time.Time) {
	history, err := d.store.History(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		d.log.Warn("the history of an event cannot be read and is left out of the search index", "event", string(id), "cause", err)
	}
	for _, c := range history {
		if !c.New && len(c.Fields) > 0 && c.At.After(at) {
			at = c.At
		}
	}
	return at
}
