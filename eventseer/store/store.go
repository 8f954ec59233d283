// Package store stores events, clips and changes in one bbolt file.
package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Buckets. Records are a version byte and JSON (see codec.go); seq is 8 bytes,
// big endian; hash is the first 16 bytes of a SHA-256.
//
//	event    id                          → record of eventseer.Event
//	page     hash(URL) id                → SHA-256 of the record last read there, hash of the page's version or nothing
//	key      kind 0 name 0 year⁴ 0 id    → -     finds the editions a record may belong to
//	alias    id                          → id    of an event that turned out to be another
//	clip     id 0 clip id                → record of eventseer.Clip
//	change   seq                         → record of eventseer.Change: history and outbox
//	history  id 0 seq                    → -     the changes of one event
//	mark     reader                      → seq   how far a reader of the outbox is, or of another log
//	news     class seq                   → -     the changes that people are told, by class (see read.go)
//	series   id                          → record of eventseer.Series: what was put; its sequence counts the changes
//	edition  series 0 9999-year⁴ 0 id    → -     the events of a series by series.IDOf, newest first
//	note     seq                         → record of eventseer.Note that waits for the operator
//	notedone seq                         → record of eventseer.Note that is settled, in that order
//	noteid   id                          → seq of note, or seq of notedone and a byte; its sequence counts those that wait
//	waiting  seq                         → record of eventseer.Event: a page that is no call waits for its event
//	waitpage hash(URL)                   → seq   of waiting
//	waitkey  kind 0 name 0 year⁴ 0 seq   → -     finds what may belong to an edition
//	text     hash(URL) version           → main text of a page, see text.go
//	vote     hash(URL) id                → record of eventseer.Event: what of a page of the event counts in merge.ApplyVotes
var (
	eventBucket   = []byte("event")
	pageBucket    = []byte("page")
	keyBucket     = []byte("key")
	clipBucket    = []byte("clip")
	changeBucket  = []byte("change")
	historyBucket = []byte("history")
	markBucket    = []byte("mark")
	aliasBucket   = []byte("alias")

	newsBucket     = []byte("news")
	seriesBucket   = []byte("series")
	editionBucket  = []byte("edition")
	noteBucket     = []byte("note")
	noteDoneBucket = []byte("notedone")
	noteIDBucket   = []byte("noteid")

	waitingBucket     = []byte("waiting")
	waitingPageBucket = []byte("waitpage")
	waitingKeyBucket  = []byte("waitkey")

	voteBucket = []byte("vote")
)

// migrations is append only; see bolt.Options.
var migrations = []func(*bolt.Tx) error{
	func(tx *bolt.Tx) error {
		return createBuckets(tx, eventBucket, pageBucket, keyBucket, clipBucket, changeBucket, historyBucket, markBucket)
	},
	addAliases,
	func(tx *bolt.Tx) error { return createBuckets(tx, waitingBucket, waitingPageBucket, waitingKeyBucket) },
	addSearched,
	fileUnderShippedSeries,
	addDerivedCalls,
	func(tx *bolt.Tx) error { return createBuckets(tx, voteBucket) },
	func(tx *bolt.Tx) error { return errors.Join(addRemotes(tx), addFields(tx)) },
	func(tx *bolt.Tx) error { return errors.Join(addCorrections(tx), addFields(tx)) },
	bolt.AddChecksums,
	addTexts,
	addRemotePages,
}

func createBuckets(tx *bolt.Tx, names ...[]byte) error {
	for _, name := range names {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// addAliases creates the bucket of aliases and files all events under the present keys.
func addAliases(tx *bolt.Tx) error {
	if err := createBuckets(tx, aliasBucket); err != nil {
		return err
	}
	return fileUnderKeys(tx)
}

func fileUnderKeys(tx *bolt.Tx) error {
	return tx.Bucket(eventBucket).ForEach(func(id, value []byte) error {
		e, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it; the others count
		}
		return putKeys(tx, e.ID, e)
	})
}

// Options are the settings of a store. The zero value opens or creates it for writing.
type Options struct {
	// MustExist makes Open return bolt.ErrMissing instead of creating a store.
	MustExist bool
	// ReadOnly opens an existing store for reading, concurrently with other readers.
	ReadOnly bool
	// Timeout is the time to wait for another process's lock. Zero means 2s.
	Timeout time.Duration
	// Now is the clock, used only for records without a time. Nil means time.Now.
	Now func() time.Time
	// IsEdition reports whether pages of one site that are not calls together announce an edition;
	// records are their records. If it returns true for some pages, it must also do so for more.
	// Nil: only a call creates an event.
	IsEdition func(records []eventseer.Event) bool
	// Pairs predicts the probability that two records belong to one edition. Nil means the shipped
	// model.
	Pairs *match.PairModel
	// Score decides which records are merged. Nil means that of Pairs.
	Score match.Scorer
	// Log records migrations and the copies made before them. Nil logs nothing.
	Log *slog.Logger
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// keptBackups is the number of copies from before migrations that are retained.
const keptBackups = 2

// A Store is an eventseer.Store on disk. It is safe for concurrent use by one
// process.
type Store struct {
	db  *bolt.DB
	now func() time.Time
	// isEdition, score and pairs are the functions of Options.
	isEdition func([]eventseer.Event) bool
	score     match.Scorer
	pairs     *match.PairModel
	events    atomic.Int64 // how many there are
	cache     recordCache
	table     atomic.Pointer[tableVersion] // nil until needed
}

var (
	_ eventseer.Store       = (*Store)(nil)
	_ eventseer.SeriesStore = (*Store)(nil)
	_ eventseer.NoteStore   = (*Store)(nil)
	_ eventseer.TextStore   = (*Store)(nil)
)

// Open opens the store at path. Its errors are those of bolt.Open, among them
// bolt.ErrLocked, bolt.ErrMissing and bolt.ErrIncompatible.
func Open(path string, o Options) (*Store, error) {
	db, err := bolt.Open(path, bolt.Options{
		Kind: "store", Migrations: migrations, MustExist: o.MustExist, ReadOnly: o.ReadOnly,
		Timeout: o.Timeout, OpenFile: o.OpenFile, Keep: keptBackups, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pairs == nil {
		o.Pairs = match.ShippedPairs()
	}
	s := &Store{db: db, now: o.Now, isEdition: o.IsEdition, score: o.Score, pairs: o.Pairs}
	if s.score == nil {
		s.score = s.pairs.Score
	}
	err = db.View(func(tx *bolt.Tx) error {
		s.events.Store(int64(tx.Bucket(eventBucket).Len()))
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// OpenOrRead is Open, but opens a store read-only if its file, folder or file system is not
// writable.
func OpenOrRead(path string, o Options) (*Store, error) {
	s, err := Open(path, o)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		o.ReadOnly = true
		return Open(path, o)
	}
	return s, err
}

// Database returns the open file, for snapshots.
func (s *Store) Database() bolt.Source { return bolt.SourceOf(s.db) }

// Len returns the number of events that readers see.
func (s *Store) Len() int {
	n := int(s.events.Load())
	_ = s.db.View(func(tx *bolt.Tx) error { // for a closed store it is the number of stored events
		n += int(tx.Bucket(curatedBucket).Sequence()) - curatedOffset // #nosec G115 -- it is near curatedOffset
		return nil
	})
	return n
}

// Close closes the file after the reads and writes in progress.
func (s *Store) Close() error { return s.db.Close() }

// Put implements eventseer.Store. A record seen before at the same URL only changes the time the
// event was last seen. If the page has a new version, its other changes are reported once.
func (s *Store) Put(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds ...eventseer.ChangeKind) (eventseer.EventID, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if e.URL == "" {
		return "", errors.New("store event: it has no URL")
	}
	var change eventseer.Change
	var gone int
	err := s.db.Update(func(tx *bolt.Tx) error {
		since := tx.Bucket(changeBucket).Sequence()
		changed, err := putText(tx, e.URL, e.Text, s.readTime(e))
		if err != nil {
			return fmt.Errorf("its text: %w", err)
		}
		change, gone, err = s.putEvent(tx, e, clips, kinds)
		if err == nil && changed {
			err = reportChangedTexts(tx, since, change)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store event read at %s: %w", e.URL, err)
	}
	if change.New {
		s.events.Add(1)
	}
	s.events.Add(-int64(gone))
	return change.Event, nil
}

// putEvent returns the change, and how many events were merged into another.
func (s *Store) putEvent(tx *bolt.Tx, e eventseer.Event, clips []eventseer.Clip, kinds []eventseer.ChangeKind) (change eventseer.Change, gone int, err error) {
	e = e.WithinLimits()
	e.Text = "" // it is stored by page
	change = eventseer.Change{At: s.readTime(e), Page: e.URL, Kinds: kinds}
	reading, err := readingOf(e, clips)
	if err != nil {
		return change, 0, err
	}
	if isReadBefore(tx, e) {
		change.Kinds = nil
	}
	if old, key, ok := findUnchanged(tx, e.URL, reading); ok {
		change.Event = old.ID
		return change, 0, errors.Join(s.updateLastSeen(tx, old, change.At), recordReread(tx, key, reading, change), putMissingVote(tx, old.ID, e))
	}
	old, known := s.findEvent(tx, e, "")
	if !known && eventseer.IsRelated(e) {
		if err := storeWaiting(tx, e); err != nil {
			return change, 0, err
		}
		if change, known, err = s.createFromSite(tx, e, change); err != nil || !known {
			return change, 0, err
		}
		gone, err = s.mergeWaiting(tx, change)
		return change, gone, err
	}
	if err := removeWaitingOfPage(tx, e.URL); err != nil {
		return change, 0, err
	}
	if known {
		change, gone, err = s.mergeRecord(tx, old, e, clips, change, false)
	} else {
		change, err = s.createEvent(tx, e, clips, change)
	}
	if err != nil {
		return change, gone, err
	}
	more, err := s.mergeWaiting(tx, change)
	if err == nil {
		err = s.warnOfListName(tx, change.Event, e)
	}
	return change, gone + more, err
}

// createEvent creates an event from a record of an unknown edition.
func (s *Store) createEvent(tx *bolt.Tx, e eventseer.Event, clips []eventseer.Clip, change eventseer.Change) (eventseer.Change, error) {
	change.New = true
	made, err := s.storeMerged(tx, eventseer.Event{}, newEvent(tx, e, change.At), e, clips, change.At)
	change.Event = made.ID
	return change, errors.Join(err, putVote(tx, made.ID, e), putChange(tx, change))
}

// mergeRecord merges a record into its event, and merges events that turn out to be one. quiet means that
// the event's change is reported elsewhere.
func (s *Store) mergeRecord(tx *bolt.Tx, old, e eventseer.Event, clips []eventseer.Clip, change eventseer.Change, quiet bool) (eventseer.Change, int, error) {
	merged, _ := merge.Merge(old, e)
	merged.ID = old.ID
	seen, seenErr := publicEvent(tx, old.ID)
	err := putVote(tx, old.ID, e)
	if err == nil {
		change.Event = old.ID
		merged, change.Fields = applyVotes(tx, old, merged, "")
		err = putOwnRecord(tx, old.ID, e)
	}
	if err == nil {
		merged, err = s.storeMerged(tx, old, merged, e, clips, change.At)
	}
	if now, nowErr := publicEvent(tx, old.ID); err == nil && seenErr == nil && nowErr == nil && isCorrected(tx, old.ID) {
		change.Fields = curate.Diff(seen, now)
	}
	if err == nil && !quiet {
		err = putChange(tx, change)
	}
	if err != nil {
		return change, 0, err
	}
	merged, gone, err := s.mergeDuplicates(tx, merged, change)
	change.Event = merged.ID
	return change, gone, err
}

// storeMerged stores and indexes an event after the record e was merged into it; before is its
// former state.
func (s *Store) storeMerged(tx *bolt.Tx, before, merged, e eventseer.Event, clips []eventseer.Clip, at time.Time) (eventseer.Event, error) {
	if merged.LastSeen.Before(at) {
		merged.LastSeen = at
	}
	merged = s.withPresentSeries(tx, checkAgainstPrevious(tx, merged))
	reading, err := readingOf(e, clips)
	err = errors.Join(
		err,
		putRecord(tx.Bucket(eventBucket), []byte(merged.ID), merged),
		putKeys(tx, merged.ID, e, merged),
		putEdition(tx, before, merged),
		tx.Bucket(pageBucket).Put(pageKey(e.URL, merged.ID), reading),
		putClips(tx, merged.ID, clips),
	)
	_, err2 := s.rebuildCurated(tx, merged.ID)
	return merged, errors.Join(err, err2, s.bindWaiting(tx, e.URL, merged.ID))
}

// readTime returns the time the record was read.
func (s *Store) readTime(e eventseer.Event) time.Time {
	for _, t := range []time.Time{e.LastSeen, e.FirstSeen} {
		if !t.IsZero() {
			return t.UTC()
		}
	}
	return s.now().UTC()
}

// newEvent returns the event created by a record of an unknown edition.
func newEvent(tx *bolt.Tx, e eventseer.Event, seen time.Time) eventseer.Event {
	e.ID = freeID(tx, e)
	if len(e.Pages) == 0 && !eventseer.IsRelated(e) {
		e.Pages = []string{e.URL}
	}
	if e.FirstSeen.IsZero() {
		e.FirstSeen = seen
	}
	return e
}

// updateLastSeen updates the time an event was last seen.
func (s *Store) updateLastSeen(tx *bolt.Tx, e eventseer.Event, seen time.Time) error {
	if !e.LastSeen.Before(seen) {
		return nil
	}
	e.LastSeen = seen
	err := putRecord(tx.Bucket(eventBucket), []byte(e.ID), e)
	_, err2 := s.rebuildCurated(tx, e.ID)
	return errors.Join(err, err2)
}

// putClips stores the clips that are new; the first version of a clip is retained.
func putClips(tx *bolt.Tx, id eventseer.EventID, clips []eventseer.Clip) error {
	b := tx.Bucket(clipBucket)
	for _, c := range clips {
		key := joinKey(string(id), c.ID)
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

// recordReread records that a page was read again with the same record. If the page has another version,
// it reports the other changes.
func recordReread(tx *bolt.Tx, key, reading []byte, change eventseer.Change) error {
	b := tx.Bucket(pageBucket)
	if len(reading) == sha256.Size || bytes.Equal(b.Get(key), reading) {
		return nil
	}
	return errors.Join(b.Put(key, reading), putChange(tx, change))
}

// putChange appends to outbox and history, unless the change is irrelevant for readers.
func putChange(tx *bolt.Tx, c eventseer.Change) error {
	if !notifiesPeople(c) {
		return nil
	}
	if err := putOutbox(tx, &c); err != nil {
		return err
	}
	return errors.Join(
		putNews(tx, c),
		tx.Bucket(historyBucket).Put(joinKey(followAliases(tx, string(c.Event)), string(seqBytes(c.Seq))), []byte{}),
	)
}

// followAliases returns the event that an id leads to now. After a merge the older id remains, and the
// other leads to it forever.
func followAliases(tx *bolt.Tx, id string) string {
	b := tx.Bucket(aliasBucket)
	for next := b.Get([]byte(id)); next != nil; next = b.Get([]byte(id)) {
		id = string(next)
	}
	return id
}

// maxUnions bounds the merges of events caused by one record.
const maxUnions = 8

// mergeDuplicates merges into e the other events that turn out to be the same edition. It returns the
// remaining event and how many were merged.
func (s *Store) mergeDuplicates(tx *bolt.Tx, e eventseer.Event, change eventseer.Change) (eventseer.Event, int, error) {
	for n := range maxUnions {
		other, found := s.findEvent(tx, e, e.ID)
		if !found {
			return e, n, nil
		}
		kept, lost := e, other
		if isOlder(other, e) {
			kept, lost = other, e
		}
		merged, _ := merge.UniteEditions(kept, lost)
		change.Event, change.New = merged.ID, false
		merged, change.Fields = applyVotes(tx, kept, merged, lost.ID)
		merged = s.withPresentSeries(tx, checkAgainstPrevious(tx, merged))
		if err := s.mergeEvents(tx, merged, kept, lost, change); err != nil {
			return e, n, fmt.Errorf("merge %s into %s: %w", lost.ID, kept.ID, err)
		}
		e = merged
	}
	return e, maxUnions, nil
}

// mergeEvents stores merged and makes lost an alias of it: history and clips move; keys and pages lead
// there through the alias. The outbox gets a row for each.
func (s *Store) mergeEvents(tx *bolt.Tx, merged, kept, other eventseer.Event, change eventseer.Change) error {
	lost := other.ID
	gone := eventseer.Change{Event: lost, Into: merged.ID, At: change.At, Page: change.Page}
	err := errors.Join(
		tx.Bucket(eventBucket).Delete([]byte(lost)),
		tx.Bucket(aliasBucket).Put([]byte(lost), []byte(merged.ID)),
		putRecord(tx.Bucket(eventBucket), []byte(merged.ID), merged),
		putKeys(tx, merged.ID, merged),
		putEdition(tx, kept, merged),
		dropEdition(tx, other),
		moveClips(tx, lost, merged.ID),
		moveHistory(tx, lost, merged.ID),
		moveRemotes(tx, kept, other),
		s.moveCorrections(tx, lost, merged.ID),
	)
	_, err2 := s.rebuildCurated(tx, merged.ID)
	return errors.Join(err, err2, putChange(tx, gone), putChange(tx, change))
}

// copiesOfEvent returns copies of the keys of a bucket that belong to an event, and of their values, so that
// the bucket can be changed.
func copiesOfEvent(tx *bolt.Tx, bucket []byte, id eventseer.EventID) (records []record) {
	prefix := joinKey(string(id), "")
	for k, v := range keysWithPrefix(tx, bucket, prefix) {
		records = append(records, record{bytes.Clone(k[len(prefix):]), bytes.Clone(v)})
	}
	return records
}

func moveClips(tx *bolt.Tx, from, to eventseer.EventID) error {
	b := tx.Bucket(clipBucket)
	for _, r := range copiesOfEvent(tx, clipBucket, from) {
		if err := b.Delete(joinKey(string(from), string(r.key))); err != nil {
			return err
		}
		clip, err := decodeRecord[eventseer.Clip](r.value)
		if err != nil {
			continue // a damaged clip belongs to no event
		}
		if err := putClips(tx, to, []eventseer.Clip{clip}); err != nil {
			return err
		}
	}
	return nil
}

func moveHistory(tx *bolt.Tx, from, to eventseer.EventID) error {
	b := tx.Bucket(historyBucket)
	for _, r := range copiesOfEvent(tx, historyBucket, from) {
		err := errors.Join(b.Delete(joinKey(string(from), string(r.key))), b.Put(joinKey(string(to), string(r.key)), []byte{}))
		if err != nil {
			return err
		}
	}
	return nil
}

// Schema returns the version of the files that this program writes.
func Schema() int { return len(migrations) }

// addSearched creates the buckets of series and notes, and files the events under their series and
// the changes under their classes of news.
func addSearched(tx *bolt.Tx) error {
	if err := createBuckets(tx, newsBucket, seriesBucket, editionBucket, noteBucket, noteDoneBucket, noteIDBucket); err != nil {
		return err
	}
	err := tx.Bucket(eventBucket).ForEach(func(id, value []byte) error {
		e, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it; the others count
		}
		return putEdition(tx, eventseer.Event{}, e)
	})
	if err != nil {
		return err
	}
	return tx.Bucket(changeBucket).ForEach(func(seq, value []byte) error {
		c, err := decodeChange(seq, value)
		if err != nil {
			return nil // the same
		}
		return putNews(tx, c)
	})
}

// putEdition files an event under its series, and removes it from its former one.
func putEdition(tx *bolt.Tx, before, e eventseer.Event) error {
	key := editionKey(e)
	if !bytes.Equal(editionKey(before), key) {
		if err := dropEdition(tx, before); err != nil {
			return err
		}
	}
	if b := tx.Bucket(editionBucket); key != nil && b.Get(key) == nil {
		return b.Put(key, []byte{})
	}
	return nil
}

func dropEdition(tx *bolt.Tx, e eventseer.Event) error {
	if key := editionKey(e); key != nil {
		return tx.Bucket(editionBucket).Delete(key)
	}
	return nil
}

// editionKey returns the key of an event under its series; nil for an event without a name.
func editionKey(e eventseer.Event) []byte {
	series := series.IDOf(e)
	if series == "" || e.ID == "" {
		return nil
	}
	return joinKey(series, yearText(9999-e.Year), string(e.ID))
}
