package store

import (
	"bytes"
	"errors"
	"slices"

	"eventseer/eventseer"
	"eventseer/eventseer/match"

	"go.etcd.io/bbolt"
)

// The waiting room holds records of pages that are no calls (eventseer.IsRelated)
// whose event nobody called for yet. They are filed as events are found, and taken in
// by the call that founds their event or makes it theirs.

// Bounds on the waiting room. Beyond them those that wait for longest are forgotten:
// most are of events of other fields, and a page is met again on the next visit.
const (
	maxWaiting       = 10_000   // records
	maxWaitingRecord = 64 << 10 // bytes of one; a longer one is not kept
	maxTakenIn       = 64       // records that one Put takes in
)

// addWaiting makes the waiting room.
func addWaiting(tx *bbolt.Tx) error {
	for _, name := range [][]byte{waitingBucket, waitingPageBucket, waitingKeyBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// await lets a record wait for its event, in place of what its page said before.
func await(tx *bbolt.Tx, e eventseer.Event) error {
	pages, hash := tx.Bucket(waitingPageBucket), pageHash(e.URL)
	if seq := bytes.Clone(pages.Get(hash)); seq != nil {
		old, err := decode[eventseer.Event](tx.Bucket(waitingBucket).Get(seq))
		if err == nil && sameRecord(old, e) {
			return nil
		}
		if err := forget(tx, seq); err != nil {
			return err
		}
	}
	record, err := encode(e)
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
	for _, k := range entries(eventseer.EventID(seq), e) {
		if err := tx.Bucket(waitingKeyBucket).Put(k, []byte{}); err != nil {
			return err
		}
	}
	return crowdOut(tx)
}

// sameRecord reports whether two records say the same, whenever they were read.
func sameRecord(a, b eventseer.Event) bool {
	digestA, errA := digestOf(a, nil)
	digestB, errB := digestOf(b, nil)
	return errA == nil && errB == nil && bytes.Equal(digestA, digestB)
}

// crowdOut forgets the oldest record where there are too many. The numbers of
// records are given out in order, and the newest says how many there can be.
func crowdOut(tx *bbolt.Tx) error {
	c := tx.Bucket(waitingBucket).Cursor()
	oldest, _ := c.First()
	if oldest == nil || tx.Bucket(waitingBucket).Sequence()-seqOf(oldest) < maxWaiting {
		return nil
	}
	return forget(tx, bytes.Clone(oldest))
}

// forget removes a record that waits.
func forget(tx *bbolt.Tx, seq []byte) error {
	b := tx.Bucket(waitingBucket)
	e, err := decode[eventseer.Event](b.Get(seq))
	if err != nil {
		return b.Delete(seq) // Check tells of keys that lead nowhere
	}
	errs := []error{b.Delete(seq), tx.Bucket(waitingPageBucket).Delete(pageHash(e.URL))}
	for _, k := range entries(eventseer.EventID(seq), e) {
		errs = append(errs, tx.Bucket(waitingKeyBucket).Delete(k))
	}
	return errors.Join(errs...)
}

// forgetPage removes what waits of a page, since it has been taken in.
func forgetPage(tx *bbolt.Tx, url string) error {
	if seq := tx.Bucket(waitingPageBucket).Get(pageHash(url)); seq != nil {
		return forget(tx, bytes.Clone(seq))
	}
	return nil
}

// takeIn merges what waits for the event that change is of, or would now, into it,
// and returns how many events that unites into others. Of a new event there is one
// change, whatever waited for it.
func (s *Store) takeIn(tx *bbolt.Tx, change eventseer.Change) (gone int, err error) {
	e, err := readEvent(tx, change.Event)
	if err != nil {
		return 0, err
	}
	of := match.NewEventKey(e)
	for _, seq := range waitingFor(tx, e) {
		record := tx.Bucket(waitingBucket).Get(seq)
		c, err := s.memo.of(waitingMemo+string(seq), record)
		if err != nil || c.Likeness(of) < 0 {
			continue // Check reports the one that cannot be read
		}
		w, err := decode[eventseer.Event](record)
		if err != nil {
			return gone, err // it was read before
		}
		best, known := s.find(tx, w, "")
		if !known {
			continue
		}
		if err := forget(tx, seq); err != nil {
			return gone, err
		}
		quiet := change.New && best.ID == e.ID
		_, n, err := s.merge(tx, best, w, nil, eventseer.Change{At: change.At, Page: w.URL}, quiet)
		if gone += n; err != nil {
			return gone, err
		}
		if e, err = readEvent(tx, eventseer.EventID(resolve(tx, string(e.ID)))); err != nil {
			return gone, err
		}
		of = match.NewEventKey(e)
	}
	return gone, nil
}

// waitingFor returns the numbers of the records that share a key with an event, at
// most maxTakenIn, in the order of its keys.
func waitingFor(tx *bbolt.Tx, e eventseer.Event) (seqs [][]byte) {
	years := match.Years(e)
	if !slices.Contains(years, 0) {
		years = append(years, 0)
	}
	c := tx.Bucket(waitingKeyBucket).Cursor()
	for _, key := range match.BlockKeys(e) {
		for _, year := range years {
			prefix := keyPrefix(key, year)
			if e.Year == 0 {
				prefix = []byte(key.Kind + "\x00" + key.Name + "\x00")
			}
			n := 0
			for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(seqs) < maxTakenIn && n < maxPerKey; k, _ = c.Next() {
				n++
				if seq := bytes.Clone(k[max(0, len(k)-8):]); !slices.ContainsFunc(seqs, func(s []byte) bool { return bytes.Equal(s, seq) }) {
					seqs = append(seqs, seq)
				}
			}
			if e.Year == 0 {
				break
			}
		}
	}
	return seqs
}
