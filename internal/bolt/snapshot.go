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

// SourceOf returns the source for an open database. It is closed together with the database.
func SourceOf(db *DB) Source { return Source{db} }

// OpenForCopying opens the file at path for copying only, whatever its contents and version. No process can write
// to it before Close. Attach returns ErrLocked if a process has the file open for writing, and ErrMissing
// if it is missing or empty.
func OpenForCopying(path string) (Source, error) {
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

// Schema returns the kind and the version of the file; "" and 0 for a new one.
func (s Source) Schema() (kind string, version int, err error) { return readMeta(s.db) }

// Buckets returns the names of the file's buckets, sorted.
func (s Source) Buckets() (names []string, err error) {
	err = s.db.View(func(tx *Tx) error {
		return tx.ForEach(func(name []byte, _ *Bucket) error { names = append(names, string(name)); return nil })
	})
	return names, err
}

// A Snapshot is the state of a database at one moment. Close it soon: until then, the file grows with
// everything that is written.
type Snapshot struct{ tx *Tx }

// Size returns the number of bytes that WriteTo writes.
func (s *Snapshot) Size() int64 { return s.tx.raw.Size() }

// Contents reads the whole state, and returns the contents of each bucket and the damage.
func (s *Snapshot) Contents() (contents []Contents, problems []error) { return s.tx.readContents() }

// WriteTo writes the database file as it was at the moment of the snapshot.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) { return s.tx.raw.WriteTo(w) }

// Close releases the snapshot.
func (s *Snapshot) Close() error { return s.tx.Rollback() }

// TakeSnapshots takes snapshots of several databases at the same moment, when no write transaction is running.
// Together they are the state that a kill at that moment would leave. At that moment it also calls f, if
// not nil, which can read files beside the databases. Writers wait only until f returns.
//
// Snap waits for the running transactions of one database after the other. Code that wrote to one
// database within a transaction of another could deadlock with it; there is none.
func TakeSnapshots(f func() error, sources ...Source) (snapshots []*Snapshot, err error) {
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
			continue // nothing can write to it
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
