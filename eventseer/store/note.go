package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on a note besides its text.
const (
	maxNoteURL    = 2000 // bytes
	maxNoteField  = 100  // bytes
	maxNoteAnswer = 500  // runes
)

// StoreNote implements eventseer.NoteStore. A note without a time gets that of the clock. E-mail addresses
// and telephone numbers are removed from the text, which is cut to MaxNote.
func (s *Store) StoreNote(ctx context.Context, n eventseer.Note) error {
	n, err := s.prepareNote(n)
	if err != nil {
		return err
	}
	return s.writeTx(ctx, func(tx *bolt.Tx) error { return putNote(tx, n) })
}

// putNote adds an open note, unless it exists already.
func putNote(tx *bolt.Tx, n eventseer.Note) error {
	ids, notes := tx.Bucket(noteIDBucket), tx.Bucket(noteBucket)
	if ids.Get([]byte(n.ID)) != nil {
		return nil
	}
	if ids.Sequence() >= eventseer.MaxNotes {
		return eventseer.ErrDeskFull
	}
	seq, err := notes.NextSequence()
	if err != nil {
		return err
	}
	return errors.Join(
		putRecord(notes, seqBytes(seq), n),
		ids.Put([]byte(n.ID), seqBytes(seq)),
		ids.SetSequence(ids.Sequence()+1),
	)
}

// prepareNote returns the stored form of a note, with an id from its content and day.
func (s *Store) prepareNote(n eventseer.Note) (eventseer.Note, error) {
	if n.At.IsZero() {
		n.At = s.now()
	}
	if n.Kind == "" || len(n.Kind) > maxNoteField || len(n.Event) > maxID || len(n.URL) > maxNoteURL || len(n.Field) > maxNoteField {
		return n, fmt.Errorf("store a note of the kind %.60q: its kind is empty, or its event, URL or field is too long", n.Kind)
	}
	n.At, n.Done, n.Answer = n.At.UTC(), time.Time{}, ""
	n.Text = text.CutRunes(eventseer.Redact(strings.ToValidUTF8(n.Text, "\uFFFD")), eventseer.MaxNote)
	sum := sha256.Sum256(joinKey(string(n.Kind), string(n.Event), n.URL, n.Field, n.Text))
	n.ID = fmt.Sprintf("%s-%x", n.At.Format("20060102"), sum[:8])
	return n, nil
}

// Notes implements eventseer.NoteStore. A note that cannot be read is left out; Check reports it.
func (s *Store) Notes(ctx context.Context, done bool, limit int) (notes []eventseer.Note, err error) {
	bucket := noteBucket
	if done {
		bucket = noteDoneBucket
	}
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.First(); k != nil && len(notes) < limit; k, v = c.Next() {
			if n, err := decodeRecord[eventseer.Note](v); err == nil {
				notes = append(notes, n)
			}
		}
		return nil
	})
	return notes, err
}

// CountOpenNotes returns the number of open notes, in constant time.
func (s *Store) CountOpenNotes() (n int, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		n = int(tx.Bucket(noteIDBucket).Sequence())
		return nil
	})
	return n, err
}

// CloseNote implements eventseer.NoteStore. A closed note keeps its first answer.
func (s *Store) CloseNote(ctx context.Context, id, answer string, at time.Time) error {
	return s.writeTx(ctx, func(tx *bolt.Tx) error { return closeNote(tx, id, answer, at) })
}

func closeNote(tx *bolt.Tx, id, answer string, at time.Time) error {
	ids, notes := tx.Bucket(noteIDBucket), tx.Bucket(noteBucket)
	seq := bytes.Clone(ids.Get([]byte(id)))
	switch len(seq) {
	case 0:
		return fmt.Errorf("%w: note %s", eventseer.ErrNotFound, id)
	case settledLen:
		return nil
	}
	n, err := decodeRecord[eventseer.Note](notes.Get(seq))
	if err != nil {
		n = eventseer.Note{ID: id} // its text is lost, but not that it was closed
	}
	n.Done, n.Answer = at.UTC(), text.CutRunes(strings.ToValidUTF8(answer, "\uFFFD"), maxNoteAnswer)
	return errors.Join(
		notes.Delete(seq),
		ids.SetSequence(max(ids.Sequence(), 1)-1),
		storeNote(tx, n),
	)
}

// settledLen is the length of the value of noteid for a closed note.
const settledLen = 9

func closedNoteValue(seq uint64) []byte { return append(seqBytes(seq), 0) }

// storeNote stores a closed note and removes the oldest if there are too many.
func storeNote(tx *bolt.Tx, n eventseer.Note) error {
	ids, done := tx.Bucket(noteIDBucket), tx.Bucket(noteDoneBucket)
	seq, err := done.NextSequence()
	if err != nil {
		return err
	}
	if err := errors.Join(putRecord(done, seqBytes(seq), n), ids.Put([]byte(n.ID), closedNoteValue(seq))); err != nil {
		return err
	}
	k, v := done.Cursor().First()
	if seq-seqOf(k) < eventseer.MaxNoteDone {
		return nil
	}
	if old, err := decodeRecord[eventseer.Note](v); err == nil {
		if err := ids.Delete([]byte(old.ID)); err != nil {
			return err
		}
	}
	return done.Delete(bytes.Clone(k))
}

// The waiting room contains records of pages that are not calls (eventseer.IsRelated) whose event
// has no call yet. They are indexed like events. They are merged by a call that creates their event
// or shows that they belong to it, or they create it together (createFromSite).

// Limits on the waiting room. Beyond them the oldest records are removed: most belong to events of
// other fields, and a page is read again at its next visit.
const (
	maxWaiting       = 10_000   // records
	maxWaitingRecord = 64 << 10 // bytes of one; longer ones are not stored
	maxTakenIn       = 64       // records merged by one Put
)

// storeWaiting stores a record that waits for its event, replacing an earlier one of its page.
func storeWaiting(tx *bolt.Tx, e eventseer.Event) error {
	pages, hash := tx.Bucket(waitingPageBucket), pageHash(e.URL)
	if seq := bytes.Clone(pages.Get(hash)); seq != nil {
		old, err := decodeRecord[eventseer.Event](tx.Bucket(waitingBucket).Get(seq))
		if err == nil && sameRecord(old, e) {
			return nil
		}
		if err := removeWaiting(tx, seq); err != nil {
			return err
		}
	}
	record, err := encodeRecord(e)
	if errors.Is(err, ErrTooLarge) || len(record) > maxWaitingRecord {
		return nil
	}
	b := tx.Bucket(waitingBucket)
	n, err2 := b.NextSequence()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	seq := seqBytes(n)
	if err := errors.Join(b.Put(seq, record), pages.Put(hash, seq)); err != nil {
		return err
	}
	for _, k := range indexKeys(eventseer.EventID(seq), e) {
		if err := tx.Bucket(waitingKeyBucket).Put(k, []byte{}); err != nil {
			return err
		}
	}
	return removeOldestWaiting(tx)
}

// sameRecord reports whether two records are equal except for the time of reading.
func sameRecord(a, b eventseer.Event) bool {
	digestA, errA := digestOf(a, nil)
	digestB, errB := digestOf(b, nil)
	return errA == nil && errB == nil && bytes.Equal(digestA, digestB)
}

// removeOldestWaiting removes the oldest record if there are too many. Records have consecutive numbers, so
// the newest gives an upper bound of their count.
func removeOldestWaiting(tx *bolt.Tx) error {
	c := tx.Bucket(waitingBucket).Cursor()
	oldest, _ := c.First()
	if oldest == nil || tx.Bucket(waitingBucket).Sequence()-seqOf(oldest) < maxWaiting {
		return nil
	}
	return removeWaiting(tx, bytes.Clone(oldest))
}

// removeWaiting removes a waiting record.
func removeWaiting(tx *bolt.Tx, seq []byte) error {
	b := tx.Bucket(waitingBucket)
	e, err := decodeRecord[eventseer.Event](b.Get(seq))
	if err != nil {
		return b.Delete(seq) // Check reports keys without a target
	}
	errs := []error{b.Delete(seq), tx.Bucket(waitingPageBucket).Delete(pageHash(e.URL))}
	for _, k := range indexKeys(eventseer.EventID(seq), e) {
		errs = append(errs, tx.Bucket(waitingKeyBucket).Delete(k))
	}
	return errors.Join(errs...)
}

// removeWaitingOfPage removes the waiting records of a page, since they have been merged.
func removeWaitingOfPage(tx *bolt.Tx, url string) error {
	if seq := tx.Bucket(waitingPageBucket).Get(pageHash(url)); seq != nil {
		return removeWaiting(tx, bytes.Clone(seq))
	}
	return nil
}

// mergeWaiting merges the waiting records of the event that change is about, and returns how many events
// were thereby merged into others. A new event has one change, including the records that waited
// for it.
func (s *Store) mergeWaiting(tx *bolt.Tx, change eventseer.Change) (gone int, err error) {
	e, err := readEvent(tx, change.Event)
	if err != nil {
		return 0, err
	}
	of := match.NewEventKey(e)
	for _, seq := range waitingFor(tx, e) {
		record := tx.Bucket(waitingBucket).Get([]byte(seq))
		c, err := s.cache.cachedEventKey(waitingMemo+seq, record)
		if err != nil || s.score(c.EventKey, of) < 0 && !match.AreOnOneSite(c.EventKey, of) {
			continue // Check reports the one that cannot be read
		}
		w, err := decodeRecord[eventseer.Event](record)
		if err != nil {
			return gone, err // it was read before
		}
		best, known := s.findEvent(tx, w, "")
		if !known {
			continue
		}
		if err := removeWaiting(tx, []byte(seq)); err != nil {
			return gone, err
		}
		quiet := change.New && best.ID == e.ID
		_, n, err := s.mergeRecord(tx, best, w, nil, eventseer.Change{At: change.At, Page: w.URL}, quiet)
		if gone += n; err != nil {
			return gone, err
		}
		if e, err = readEvent(tx, eventseer.EventID(followAliases(tx, string(e.ID)))); err != nil {
			return gone, err
		}
		of = match.NewEventKey(e)
	}
	return gone, nil
}

// waitingFor returns the numbers of the waiting records that share a key with an event, at most
// maxTakenIn, in the order of its keys.
func waitingFor(tx *bolt.Tx, e eventseer.Event) (seqs []string) {
	seqOf := func(key []byte) string { return string(key[max(0, len(key)-8):]) }
	for _, prefix := range candidatePrefixes(e) {
		for _, seq := range idsUnder(tx, waitingKeyBucket, prefix, maxPerKey, seqOf) {
			if len(seqs) < maxTakenIn && !slices.Contains(seqs, seq) {
				seqs = append(seqs, seq)
			}
		}
	}
	return seqs
}

// maxSitePages bounds the waiting pages of one site that are read together.
const maxSitePages = 64

// createFromSite creates the edition that the waiting pages on the site of e announce together, and
// merges them into it. It returns false if they do not announce one. e is waiting too.
func (s *Store) createFromSite(tx *bolt.Tx, e eventseer.Event, change eventseer.Change) (eventseer.Change, bool, error) {
	if s.isEdition == nil {
		return change, false, nil
	}
	records := s.waitingOnSite(tx, e)
	if !s.isEdition(records) {
		return change, false, nil
	}
	whole := match.NewEventKey(merge.MergeSite(records))
	records = slices.DeleteFunc(records, func(r eventseer.Event) bool { return !match.AreOnOneSite(whole, match.NewEventKey(r)) })
	if !s.isEdition(records) {
		return change, false, nil // the pages announced another edition
	}
	made := newEvent(tx, merge.MergeSite(records), change.At)
	change.New, change.Event = true, made.ID
	for _, r := range records {
		reading, err := readingOf(r, nil)
		err = errors.Join(err, removeWaitingOfPage(tx, r.URL), putVote(tx, made.ID, r), putKeys(tx, made.ID, r), tx.Bucket(pageBucket).Put(pageKey(r.URL, made.ID), reading))
		if err != nil {
			return change, true, err
		}
	}
	made, _ = applyVotes(tx, eventseer.Event{}, made, "")
	if _, err := s.storeMerged(tx, eventseer.Event{}, made, records[0], nil, change.At); err != nil {
		return change, true, err
	}
	return change, true, putChange(tx, change)
}

// waitingOnSite returns the waiting records that may belong to the edition of e by address, at most
// maxSitePages, in the order of their addresses.
func (s *Store) waitingOnSite(tx *bolt.Tx, e eventseer.Event) (records []eventseer.Event) {
	of := match.NewEventKey(e)
	seen := map[string]bool{}
	for _, k := range match.BlockKeys(e) {
		if k.Kind != match.HostKey {
			continue
		}
		prefix := joinKey(k.Kind, k.Name, "")
		for key := range keysWithPrefix(tx, waitingKeyBucket, prefix) {
			seq := string(key[max(0, len(key)-8):])
			if seen[seq] {
				continue
			}
			if seen[seq] = true; len(seen) > maxCandidates || len(records) == maxSitePages-1 {
				break
			}
			record := tx.Bucket(waitingBucket).Get([]byte(seq))
			c, err := s.cache.cachedEventKey(waitingMemo+seq, record)
			if err != nil || !match.AreOnOneSite(c.EventKey, of) {
				continue // Check reports the one that cannot be read
			}
			if r, err := decodeRecord[eventseer.Event](record); err == nil && r.URL != e.URL {
				records = append(records, r)
			}
		}
	}
	records = append(records, e)
	slices.SortFunc(records, func(a, b eventseer.Event) int { return strings.Compare(a.URL, b.URL) })
	return records
}
