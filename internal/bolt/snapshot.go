package bolt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// A Source is an open database that Snap can take a snapshot of.
type Source struct{ db *DB }

// SourceOf returns the source that an open database is. It is closed with the
// database.
func SourceOf(db *DB) Source { return Source{db} }

// Attach opens the file at path for copying only, whatever its contents and version. It cannot be
// written to before Close. A file that a process has open to write is refused with ErrLocked, a
// missing or empty one with ErrMissing.
func Attach(path string) (Source, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return Source{}, fmt.Errorf("open %s: %w", path, ErrMissing)
	}
	if err != nil {
		return Source{}, fmt.Errorf("open: %w", err)
	}
	db, _, err := openChecked(path, Options{Log: slog.New(slog.DiscardHandler)}, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return Source{}, fmt.Errorf("open %s: %w", path, err)
	}
	return Source{db}, nil
}

// Close closes the database.
func (s Source) Close() error { return s.db.Close() }

// Schema returns what the file holds and its version; "" and 0 for a new one.
func (s Source) Schema() (kind string, version int, err error) { return readMeta(s.db) }

// Buckets returns the names of the file's buckets, in order.
func (s Source) Buckets() (names []string, err error) {
	err = s.db.View(func(tx *Tx) error {
		return tx.ForEach(func(name []byte, _ *Bucket) error { names = append(names, string(name)); return nil })
	})
	return names, err
}

// A Snapshot is the state of a database at one moment. The file grows by what is
// written while it is held, so it is to be closed soon.
type Snapshot struct{ tx *Tx }

// Size returns how many bytes WriteTo writes.
func (s *Snapshot) Size() int64 { return s.tx.raw.Size() }

// Contents reads the whole state, and returns what each bucket holds and what is broken.
func (s *Snapshot) Contents() (contents []Contents, problems []error) { return s.tx.readContents() }

// WriteTo writes the database as the file that it was at the moment of the snapshot.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) { return s.tx.raw.WriteTo(w) }

// Close lets the snapshot go.
func (s *Snapshot) Close() error { return s.tx.Rollback() }

// Snap takes the state of several databases at the same moment, with no transaction under way.
// Together they are the state that a kill at that moment would leave. Meanwhile it calls f, if not
// nil, to look at what lies beside them. Their writers wait for it, and for no longer.
//
// It waits for the transactions under way one database after the other. Writing to one from within
// a transaction of another may wait for ever; no code does that.
func Snap(f func() error, sources ...Source) (snapshots []*Snapshot, err error) {
	var writers []*Tx
	defer func() {
		for _, tx := range writers {
			err = errors.Join(err, tx.Rollback())
		}
		if err == nil {
			return
		}
		for _, s := range snapshots {
			err = errors.Join(err, s.Close())
		}
		snapshots = nil
	}()
	for _, s := range sources {
		if s.db.IsReadOnly() {
			continue // it cannot be written to
		}
		tx, err := s.db.Begin(true)
		if err != nil {
			return nil, fmt.Errorf("snapshot of %s: %w", s.db.Path(), err)
		}
		writers = append(writers, tx)
	}
	for _, s := range sources {
		tx, err := s.db.Begin(false)
		if err != nil {
			return snapshots, fmt.Errorf("snapshot of %s: %w", s.db.Path(), err)
		}
		snapshots = append(snapshots, &Snapshot{tx})
	}
	if f != nil {
		err = f()
	}
	return snapshots, err
}
