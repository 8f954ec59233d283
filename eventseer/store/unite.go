package store

import (
	"bytes"
	"errors"
	"fmt"

	"eventseer/eventseer"
	"eventseer/eventseer/merge"

	"go.etcd.io/bbolt"
)

// resolve follows an id to the event it names now: two events found to be one
// go on under the older id, and the other leads there for ever.
func resolve(tx *bbolt.Tx, id string) string {
	b := tx.Bucket(aliasBucket)
	for next := b.Get([]byte(id)); next != nil; next = b.Get([]byte(id)) {
		id = string(next)
	}
	return id
}

func aliased(tx *bbolt.Tx, id string) bool { return tx.Bucket(aliasBucket).Get([]byte(id)) != nil }

// maxUnions bounds the events that one record may show to be one.
const maxUnions = 8

// uniteAll joins into e the other events that it now shows to be the same
// edition, and returns the event that stays and how many are gone.
func (s *Store) uniteAll(tx *bbolt.Tx, e eventseer.Event, change eventseer.Change) (eventseer.Event, int, error) {
	for n := range maxUnions {
		other, found := s.find(tx, e, e.ID)
		if !found {
			return e, n, nil
		}
		kept, lost := e, other
		if older(other, e) {
			kept, lost = other, e
		}
		merged, fields := merge.Unite(kept, lost)
		merged = againstPrevious(tx, merged)
		change.Event, change.New, change.Fields = merged.ID, false, fields
		if err := unite(tx, merged, kept, lost, change); err != nil {
			return e, n, fmt.Errorf("unite %s with %s: %w", lost.ID, kept.ID, err)
		}
		e = merged
	}
	return e, maxUnions, nil
}

// unite stores merged and makes lost an alias of it: history and clips move,
// keys and pages lead there through the alias. The outbox has a row for each.
func unite(tx *bbolt.Tx, merged, kept, other eventseer.Event, change eventseer.Change) error {
	lost := other.ID
	gone := eventseer.Change{Event: lost, Into: merged.ID, At: change.At, Page: change.Page}
	return errors.Join(
		tx.Bucket(eventBucket).Delete([]byte(lost)),
		tx.Bucket(aliasBucket).Put([]byte(lost), []byte(merged.ID)),
		putRecord(tx.Bucket(eventBucket), []byte(merged.ID), merged),
		putKeys(tx, merged.ID, merged),
		putEdition(tx, kept, merged),
		dropEdition(tx, other),
		moveClips(tx, lost, merged.ID),
		moveHistory(tx, lost, merged.ID),
		putChange(tx, gone),
		putChange(tx, change),
	)
}

// rest returns the keys of a bucket that belong to an event, and their values,
// copied, since the bucket is to be changed.
func rest(tx *bbolt.Tx, bucket []byte, id eventseer.EventID) (records []record) {
	prefix := join(string(id), "")
	c := tx.Bucket(bucket).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		records = append(records, record{bytes.Clone(k[len(prefix):]), bytes.Clone(v)})
	}
	return records
}

func moveClips(tx *bbolt.Tx, from, to eventseer.EventID) error {
	b := tx.Bucket(clipBucket)
	for _, r := range rest(tx, clipBucket, from) {
		if err := b.Delete(join(string(from), string(r.key))); err != nil {
			return err
		}
		clip, err := decode[eventseer.Clip](r.value)
		if err != nil {
			continue // a clip that cannot be read belongs to no event
		}
		if err := putClips(tx, to, []eventseer.Clip{clip}); err != nil {
			return err
		}
	}
	return nil
}

func moveHistory(tx *bbolt.Tx, from, to eventseer.EventID) error {
	b := tx.Bucket(historyBucket)
	for _, r := range rest(tx, historyBucket, from) {
		err := errors.Join(b.Delete(join(string(from), string(r.key))), b.Put(join(string(to), string(r.key)), []byte{}))
		if err != nil {
			return err
		}
	}
	return nil
}
