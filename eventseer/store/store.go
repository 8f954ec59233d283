// Package store keeps events, clips and changes in one bbolt file.
package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"eventseer/eventseer"
	"eventseer/internal/bolt"

	"go.etcd.io/bbolt"
)

// Buckets. Records are a version byte and JSON (see codec.go); seq is 8 bytes,
// big endian; hash is the first 16 bytes of a SHA-256.
//
//	event    id                          → record of eventseer.Event
//	page     hash(URL) id                → SHA-256 of the record last read there
//	key      kind 0 name 0 year⁴ 0 id    → -     finds the editions a record may belong to
//	alias    id                          → id    of an event that turned out to be another
//	clip     id 0 clip id                → record of eventseer.Clip
//	change   seq                         → record of eventseer.Change: history and outbox
//	history  id 0 seq                    → -     the changes of one event
//	mark     reader                      → seq   how far a reader of the outbox is
var (
	eventBucket   = []byte("event")
	pageBucket    = []byte("page")
	keyBucket     = []byte("key")
	clipBucket    = []byte("clip")
	changeBucket  = []byte("change")
	historyBucket = []byte("history")
	markBucket    = []byte("mark")
	aliasBucket   = []byte("alias")
)

// migrations is append only; see bolt.Options.
var migrations = []func(*bbolt.Tx) error{
	func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{eventBucket, pageBucket, keyBucket, clipBucket, changeBucket, historyBucket, markBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	},
	addAliases,
}

// addAliases makes room for aliases and files all events under the keys of
// today.
func addAliases(tx *bbolt.Tx) error {
	if _, err := tx.CreateBucket(aliasBucket); err != nil {
		return err
	}
	return tx.Bucket(eventBucket).ForEach(func(id, value []byte) error {
		e, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it; the others count
		}
		return putKeys(tx, e.ID, e)
	})
}

// Options say how a store is opened. The zero value opens or makes it for
// writing.
type Options struct {
	// MustExist makes Open fail with bolt.ErrMissing instead of making a store.
	MustExist bool
	// ReadOnly opens an existing store for reading, beside other readers.
	ReadOnly bool
	// Timeout is how long to wait for another process's lock. Zero means 2s.
	Timeout time.Duration
	// Now is the clock, asked only for records that carry no time of their
	// own. Nil means time.Now.
	Now func() time.Time
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// A Store is an eventseer.Store on disk. It is safe for concurrent use by one
// process.
type Store struct {
	db     *bbolt.DB
	now    func() time.Time
	events atomic.Int64 // how many there are
}

var _ eventseer.Store = (*Store)(nil)

// Open opens the store at path. Its errors are those of bolt.Open, among them
// bolt.ErrLocked, bolt.ErrMissing and bolt.ErrIncompatible.
func Open(path string, o Options) (*Store, error) {
	db, err := bolt.Open(path, bolt.Options{
		Kind: "store", Migrations: migrations, MustExist: o.MustExist, ReadOnly: o.ReadOnly,
		Timeout: o.Timeout, OpenFile: o.OpenFile,
	})
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{db: db, now: o.Now}
	if err := s.count(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *Store) count() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(eventBucket).ForEach(func(_, _ []byte) error {
			s.events.Add(1)
			return nil
		})
	})
}

// Len returns the number of events, at no cost.
func (s *Store) Len() int { return int(s.events.Load()) }

// Close releases the file. Reads and writes under way are waited for.
func (s *Store) Close() error { return s.db.Close() }

// Put implements eventseer.Store. A record seen before at the same URL changes
// nothing but the time the event was last seen.
func (s *Store) Put(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds ...eventseer.ChangeKind) (eventseer.EventID, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if e.URL == "" {
		return "", errors.New("put event: it has no URL")
	}
	var change eventseer.Change
	var gone int
	err := s.db.Update(func(tx *bbolt.Tx) error {
		var err error
		change, gone, err = s.put(tx, e, clips, kinds)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("put event read at %s: %w", e.URL, err)
	}
	if change.New {
		s.events.Add(1)
	}
	s.events.Add(-int64(gone))
	return change.Event, nil
}

// put returns what changed and how many events it united into another.
func (s *Store) put(tx *bbolt.Tx, e eventseer.Event, clips []eventseer.Clip, kinds []eventseer.ChangeKind) (change eventseer.Change, gone int, err error) {
	change = eventseer.Change{At: s.seenAt(e), Page: e.URL, Kinds: kinds}
	digest, err := digestOf(e, clips)
	if err != nil {
		return change, 0, err
	}
	if old, ok := unchanged(tx, e.URL, digest); ok {
		change.Event = old.ID
		return change, 0, touch(tx, old, change.At)
	}
	old, known := find(tx, e, "")
	change.New = !known
	merged := e
	if known {
		merged, change.Fields = eventseer.Merge(old, e)
		merged.ID = old.ID
	} else {
		merged = first(tx, e, change.At)
	}
	if merged.LastSeen.Before(change.At) {
		merged.LastSeen = change.At
	}
	merged = againstPrevious(tx, merged)
	change.Event = merged.ID
	err = errors.Join(
		putRecord(tx.Bucket(eventBucket), []byte(merged.ID), merged),
		putKeys(tx, merged.ID, e, merged),
		tx.Bucket(pageBucket).Put(pageKey(e.URL, merged.ID), digest),
		putClips(tx, merged.ID, clips),
		putChange(tx, change),
	)
	if err != nil || !known {
		return change, 0, err
	}
	merged, gone, err = s.uniteAll(tx, merged, change)
	change.Event = merged.ID
	return change, gone, err
}

// seenAt is the time the record was read.
func (s *Store) seenAt(e eventseer.Event) time.Time {
	for _, t := range []time.Time{e.LastSeen, e.FirstSeen} {
		if !t.IsZero() {
			return t.UTC()
		}
	}
	return s.now().UTC()
}

// first makes the event that a record of an unknown edition founds.
func first(tx *bbolt.Tx, e eventseer.Event, seen time.Time) eventseer.Event {
	e.ID = freeID(tx, e)
	if len(e.Pages) == 0 {
		e.Pages = []string{e.URL}
	}
	if e.FirstSeen.IsZero() {
		e.FirstSeen = seen
	}
	return e
}

// touch moves the time an event was last seen.
func touch(tx *bbolt.Tx, e eventseer.Event, seen time.Time) error {
	if !e.LastSeen.Before(seen) {
		return nil
	}
	e.LastSeen = seen
	return putRecord(tx.Bucket(eventBucket), []byte(e.ID), e)
}

// putClips keeps the clips not yet known: the first sight of a clip stays.
func putClips(tx *bbolt.Tx, id eventseer.EventID, clips []eventseer.Clip) error {
	b := tx.Bucket(clipBucket)
	for _, c := range clips {
		key := join(string(id), c.ID)
		if b.Get(key) != nil {
			continue
		}
		c.Event = id
		if err := putRecord(b, key, c); err != nil {
			return fmt.Errorf("clip %s: %w", c.ID, err)
		}
	}
	return nil
}

// putChange appends to outbox and history, unless nothing changed.
func putChange(tx *bbolt.Tx, c eventseer.Change) error {
	if !c.New && len(c.Fields) == 0 && len(c.Kinds) == 0 && c.Into == "" {
		return nil
	}
	b := tx.Bucket(changeBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	c.Seq = seq
	return errors.Join(
		putRecord(b, seqBytes(seq), c),
		tx.Bucket(historyBucket).Put(join(resolve(tx, string(c.Event)), string(seqBytes(seq))), []byte{}),
	)
}
