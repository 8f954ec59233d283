// Package search finds events: a Bleve index on disk or in memory, filled from
// the store's outbox, and the query language people type. Bleve finds words; what
// else a query asks for, the order and the facets are read from the events' facts,
// which are stored in the index and kept in memory while it is open. The index
// holds nothing that the store does not, so it is rebuilt whenever it is missing,
// damaged or of another version.
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

// lockTimeout is how long Open waits for another process.
const lockTimeout = "2s"

// Options say how an index is opened.
type Options struct {
	// Log hears of rebuilds and of events that cannot be indexed. Nil drops it.
	Log *slog.Logger
	// Now is what windows of a query that names no time count from. Nil means
	// time.Now.
	Now func() time.Time
	// Synonyms returns what is looked for besides a word or phrase of no field, such
	// as dictionary.Dictionary.Synonyms. Nil means nothing.
	Synonyms func(term string) []string
	// Same returns the synonyms of a word or phrase without a field, itself included, such as
	// dictionary.Dictionary.Same. All of them find the same. Nil means that there are none.
	Same func(term string) []string
	// People means that names of committees are indexed, for person:. An index made with the other
	// choice is rebuilt.
	People bool
}

// An Index is an eventseer.Index. It is safe for concurrent use.
type Index struct {
	path    string // "" in memory
	options Options

	write sync.Mutex // held while changing the index; guards rows
	rows  *rowCache

	mu    sync.RWMutex // guards below: rebuild replaces the index, each change the view
	named func(words string) []string
	index bleve.Index
	view  *view // nil once closed

	closed bool
}

var errClosed = errors.New("search index is closed")

var _ eventseer.Index = (*Index)(nil)

// Open opens or makes the index in the folder path, in memory if path is "".
// One that is damaged or of another version is emptied; Sync fills it again.
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

// UseSeries reports which series a text is an acronym or the name of, as Table.Named does; without
// it those of the shipped table count. Their editions are found first.
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
		return nil, fmt.Errorf("%w; the folder holds something else, give another --data", err)
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

// openIndex opens an existing index of this version. Whatever bleve does on
// damaged files, panic included, comes back as an error.
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
		err = fmt.Errorf("its version is %q, this program's %q", has, version)
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

// Close releases the index; Find and Update then give an error. Once more does
// nothing.
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

// dropView lets go of the view, under mu.
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
	if x.closed { // write is held, so none closes it now
		return errClosed
	}
	if err := apply(x.index, x.options.People, documents, nil, 0); err != nil {
		return err
	}
	return x.refresh()
}

// refresh lets Find see what was changed, under write. Meanwhile Find goes on with
// what was before.
func (x *Index) refresh() error {
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

// apply puts and removes events and moves the mark, all at once. A mark of 0
// is left as it is.
func apply(index bleve.Index, people bool, documents []eventseer.Document, gone []eventseer.EventID, mark uint64) error {
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

// mark returns the sequence number of the last change applied, 0 if none, under
// write.
func (x *Index) mark() (uint64, error) {
	v, err := x.index.GetInternal(markKey)
	if err != nil || len(v) != 8 {
		return 0, err
	}
	return binary.BigEndian.Uint64(v), nil
}
