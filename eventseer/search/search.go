// Package search finds events: a Bleve index on disk or in memory, filled from
// the store's outbox, and the query language people type. The index holds
// nothing that the store does not, so it is rebuilt whenever it is missing,
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
	"strings"
	"sync"

	"eventseer/eventseer"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// ErrLocked says that another process has the index open.
var ErrLocked = errors.New("search index locked by another process")

// lockTimeout is how long Open waits for another process.
const lockTimeout = "2s"

// Options say how an index is opened.
type Options struct {
	// Log hears of rebuilds and of events that cannot be indexed. Nil drops it.
	Log *slog.Logger
}

// An Index is an eventseer.Index. It is safe for concurrent use.
type Index struct {
	path string // "" in memory
	log  *slog.Logger

	mu    sync.RWMutex // guards below: Rebuild replaces the index
	index bleve.Index
}

var _ eventseer.Index = (*Index)(nil)

// Open opens or makes the index in the folder path, in memory if path is "".
// One that is damaged or of another version is emptied; Sync fills it again.
func Open(path string, o Options) (*Index, error) {
	x := &Index{path: path, log: o.Log}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	index, err := openOrMake(path, x.log)
	if err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, err)
	}
	x.index = index
	return x, nil
}

func openOrMake(path string, log *slog.Logger) (bleve.Index, error) {
	if path == "" {
		return makeIndex("")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	index, err := openIndex(path)
	switch {
	case err == nil, errors.Is(err, ErrLocked):
		return index, err
	case errors.Is(err, fs.ErrNotExist):
	case !looksLikeIndex(path):
		return nil, fmt.Errorf("%w; the folder holds something else, give another --data", err)
	default:
		log.Warn("the search index cannot be used and is rebuilt from the store", "path", path, "cause", err)
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	return makeIndex(path)
}

// looksLikeIndex tells whether a folder may be removed as a broken index.
func looksLikeIndex(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() == "index_meta.json" || e.Name() == "store" {
			return true
		}
	}
	return len(entries) == 0
}

// openIndex opens an existing index of this version. Whatever bleve does on
// damaged files, panic included, comes back as an error.
func openIndex(path string) (index bleve.Index, err error) {
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
	version, err := index.GetInternal(versionKey)
	if err == nil && string(version) != schemaVersion {
		err = fmt.Errorf("its version is %q, this program's %q", version, schemaVersion)
	}
	if err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

func makeIndex(path string) (bleve.Index, error) {
	m, err := newMapping()
	if err != nil {
		return nil, err
	}
	index, err := bleve.NewUsing(path, m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	if err := index.SetInternal(versionKey, []byte(schemaVersion)); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

// Internal rows of the index.
var (
	versionKey = []byte("eventseer version")
	markKey    = []byte("eventseer mark") // last change applied, 8 bytes, big endian
)

// Close releases the index.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.index.Close()
}

// Update implements eventseer.Index.
func (x *Index) Update(ctx context.Context, events []eventseer.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return apply(x.index, events, nil, 0)
}

// apply puts and removes events and moves the mark, all at once. A mark of 0
// is left as it is.
func apply(index bleve.Index, events []eventseer.Event, gone []eventseer.EventID, mark uint64) error {
	b := index.NewBatch()
	for _, e := range events {
		if err := b.Index(string(e.ID), newDocument(e)); err != nil {
			return fmt.Errorf("index event %q: %w", e.ID, err)
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

// mark returns the sequence number of the last change applied, 0 if none.
func (x *Index) mark() (uint64, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v, err := x.index.GetInternal(markKey)
	if err != nil || len(v) != 8 {
		return 0, err
	}
	return binary.BigEndian.Uint64(v), nil
}
