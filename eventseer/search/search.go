// Package search finds events: a Bleve index on disk or in memory, filled from the store's outbox,
// and evaluated with the query language. Bleve finds words; other terms, orders and facets use the
// events' facts, which are stored in the index and in memory while it is open. The index contains
// nothing that the store does not, so it is rebuilt whenever it is missing, damaged or of another
// version.
package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// ErrLocked means that another process has the index open.
var ErrLocked = errors.New("search index locked by another process")

// lockTimeout is the time that Open waits for another process.
const lockTimeout = "2s"

// Options are the settings of an index.
type Options struct {
	// Log records rebuilds and events that cannot be indexed. Nil drops it.
	Log *slog.Logger
	// Now is the reference time of windows in queries without a time. Nil means time.Now.
	Now func() time.Time
	// Synonyms returns additional search terms for a word or phrase without a field, such as
	// dictionary.Dictionary.Synonyms. Nil means none.
	Synonyms func(term string) []string
	// Same returns the equivalent forms of a word or phrase without a field, including itself, such
	// as dictionary.Dictionary.SameNames. All of them find the same. Nil means that there are none.
	Same func(term string) []string
	// People indexes names of committees, for person:. An index with the other setting is rebuilt.
	People bool
}

// An Index is an eventseer.Index. It is safe for concurrent use.
type Index struct {
	path    string // "" in memory
	options Options

	write sync.Mutex // held while changing the index; guards rows
	rows  *rowCache

	mu    sync.RWMutex // guards the fields below: rebuild replaces the index, each change the view
	named func(words string) []string
	index bleve.Index
	view  *view // nil once closed

	closed bool
}

var errClosed = errors.New("search index is closed")

var _ eventseer.Index = (*Index)(nil)

// Open opens or creates the index in the folder path, in memory if path is "". One that is damaged
// or of another version is emptied; Sync fills it again.
func Open(path string, o Options) (*Index, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	x := &Index{path: path, options: o, rows: newRowCache(), named: func(words string) []string { return series.Shipped().Named(words) }}
	var err error
	if x.index, err = openOrMake(path, o); err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, err)
	}
	if x.view, err = newView(x.index, x.rows, x.options.Log); err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, errors.Join(err, x.index.Close()))
	}
	return x, nil
}

// UseSeries sets the function that returns the series named by a text, such as Table.Named; the
// default is the shipped table. Editions of these series are found first.
func (x *Index) UseSeries(named func(words string) []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.named = named
}

func openOrMake(path string, o Options) (bleve.Index, error) {
	version := versionOf(o)
	if path == "" {
		return makeIndex("", version)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	index, err := openIndex(path, version)
	switch {
	case err == nil, errors.Is(err, ErrLocked):
		return index, err
	case errors.Is(err, fs.ErrNotExist):
	case !looksLikeIndex(path):
		return nil, fmt.Errorf("%w; the folder contains something else than a search index; give another --data", err)
	default:
		o.Log.Warn("the search index cannot be used and is rebuilt from the store", "path", path, "cause", err)
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	return makeIndex(path, version)
}

// looksLikeIndex reports whether a folder may be removed as a broken index.
func looksLikeIndex(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return false
	}
	ours := func(e fs.DirEntry) bool { return e.Name() == "index_meta.json" || e.Name() == "store" }
	return len(entries) == 0 || slices.ContainsFunc(entries, ours)
}

// openIndex opens an existing index of this version. Errors and panics of bleve on damaged files
// are returned as errors.
func openIndex(path, version string) (index bleve.Index, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			index, err = nil, fmt.Errorf("damaged: %v", r)
		}
	}()
	index, err = bleve.OpenUsing(path, map[string]any{"bolt_timeout": lockTimeout})
	if err != nil {
		if strings.Contains(err.Error(), "timeout") {
			err = ErrLocked
		}
		return nil, err
	}
	has, err := index.GetInternal(versionKey)
	if err == nil && string(has) != version {
		err = fmt.Errorf("its version is %q, but this program has %q", has, version)
	}
	if err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

func makeIndex(path, version string) (bleve.Index, error) {
	index, err := bleve.NewUsing(path, newMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	if err := index.SetInternal(versionKey, []byte(version)); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

// Internal rows of the index.
var (
	versionKey = []byte("eventseer version")
	markKey    = []byte("eventseer mark") // last change applied, 8 bytes, big endian
)

// versionOf returns the version of an index made with some options.
func versionOf(o Options) string {
	if o.People {
		return schemaVersion + " with people"
	}
	return schemaVersion
}

// Close closes the index; Find and Update then return an error. Repeated calls do nothing.
func (x *Index) Close() error {
	x.write.Lock()
	defer x.write.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return errors.Join(x.dropView(), x.index.Close())
}

// dropView releases the view. mu must be held.
func (x *Index) dropView() error {
	if x.view == nil {
		return nil
	}
	err := x.view.reader.Close()
	x.view = nil
	return err
}

// Update implements eventseer.Index.
func (x *Index) Update(ctx context.Context, documents []eventseer.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.write.Lock()
	defer x.write.Unlock()
	if x.closed { // write is held, so it cannot be closed now
		return errClosed
	}
	if err := applyBatch(x.index, x.options.People, documents, nil, 0); err != nil {
		return err
	}
	return x.refreshView()
}

// refreshView makes changes visible to Find. write must be held. Meanwhile Find uses the previous view.
func (x *Index) refreshView() error {
	fresh, err := newView(x.index, x.rows, x.options.Log)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	err = x.dropView()
	x.view = fresh
	return err
}

// applyBatch puts and removes events and moves the mark in one batch. A mark of 0 does not change it.
func applyBatch(index bleve.Index, people bool, documents []eventseer.Document, gone []eventseer.EventID, mark uint64) error {
	b := index.NewBatch()
	for _, d := range documents {
		if err := b.Index(string(d.Event.ID), newDocument(d, people)); err != nil {
			return fmt.Errorf("index event %q: %w", d.Event.ID, err)
		}
	}
	for _, id := range gone {
		b.Delete(string(id))
	}
	if mark > 0 {
		b.SetInternal(markKey, binary.BigEndian.AppendUint64(nil, mark))
	}
	return index.Batch(b)
}

// lastApplied returns the sequence number of the last change applied, 0 if none. write must be held.
func (x *Index) lastApplied() (uint64, error) {
	v, err := x.index.GetInternal(markKey)
	if err != nil || len(v) != 8 {
		return 0, err
	}
	return binary.BigEndian.Uint64(v), nil
}
