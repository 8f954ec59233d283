package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// chunk is how many records one read transaction hands out. Between chunks no
// transaction is open, so a reader may write to the store as it goes.
const chunk = 256

// A record is a key and its value, copied out of the transaction.
type record struct{ key, value []byte }

// scan yields the records of a bucket from the key from on, in key order.
// Records written meanwhile may or may not be seen.
func (s *Store) scan(ctx context.Context, bucket, from []byte) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for {
			if err := ctx.Err(); err != nil {
				yield(record{}, err)
				return
			}
			records, err := s.chunk(bucket, from)
			if err != nil {
				yield(record{}, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if len(records) < chunk {
				return
			}
			from = append(records[len(records)-1].key, 0)
		}
	}
}

func (s *Store) chunk(bucket, from []byte) (records []record, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(from); k != nil && len(records) < chunk; k, v = c.Next() {
			records = append(records, record{bytes.Clone(k), bytes.Clone(v)})
		}
		return nil
	})
	return records, err
}

// Event implements eventseer.Store.
func (s *Store) Event(ctx context.Context, id eventseer.EventID) (e eventseer.Event, err error) {
	if err := ctx.Err(); err != nil {
		return e, err
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		now := []byte(resolve(tx, string(id)))
		value := tx.Bucket(eventBucket).Get(now)
		if value == nil {
			return fmt.Errorf("%w: %s", eventseer.ErrNotFound, id)
		}
		var err error
		e, err = decodeEvent(now, value)
		return err
	})
	return e, err
}

// EventOf returns the event that the page at url is merged into, of several the newest
// edition; eventseer.ErrNotFound where there is none.
func (s *Store) EventOf(ctx context.Context, url string) (found eventseer.Event, err error) {
	if err := ctx.Err(); err != nil {
		return found, err
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		for _, id := range pageEvents(tx, url) {
			e, err := readEvent(tx, eventseer.EventID(resolve(tx, id)))
			if err == nil && (found.ID == "" || e.Year > found.Year) {
				found = e
			}
		}
		if found.ID == "" {
			return fmt.Errorf("%w at %s", eventseer.ErrNotFound, url)
		}
		return nil
	})
	return found, err
}

// Events implements eventseer.Store. An event that cannot be read is yielded
// with its ID alone and an ErrCorrupt, and the others follow.
func (s *Store) Events(ctx context.Context) iter.Seq2[eventseer.Event, error] {
	return func(yield func(eventseer.Event, error) bool) {
		for r, err := range s.scan(ctx, eventBucket, nil) {
			var e eventseer.Event
			if err == nil {
				e, err = decodeEvent(r.key, r.value)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Outbox implements eventseer.Store. A change that cannot be read is yielded
// with its Seq alone and an ErrCorrupt, and the others follow.
func (s *Store) Outbox(ctx context.Context, after uint64) iter.Seq2[eventseer.Change, error] {
	return func(yield func(eventseer.Change, error) bool) {
		for r, err := range s.scan(ctx, changeBucket, seqBytes(after+1)) {
			var c eventseer.Change
			if err == nil {
				c, err = decodeChange(r.key, r.value)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// History implements eventseer.Store. Beside an ErrCorrupt it returns the
// changes that can be read.
func (s *Store) History(ctx context.Context, id eventseer.EventID) (changes []eventseer.Change, err error) {
	err = s.ofEvent(ctx, historyBucket, id, func(tx *bbolt.Tx, seq, _ []byte) error {
		c, err := decodeChange(seq, tx.Bucket(changeBucket).Get(seq))
		if err == nil {
			changes = append(changes, c)
		}
		return err
	})
	return changes, err
}

// Clips implements eventseer.Store. Beside an ErrCorrupt it returns the clips
// that can be read.
func (s *Store) Clips(ctx context.Context, id eventseer.EventID) (clips []eventseer.Clip, err error) {
	err = s.ofEvent(ctx, clipBucket, id, func(_ *bbolt.Tx, clip, value []byte) error {
		c, err := decode[eventseer.Clip](value)
		if err != nil {
			return fmt.Errorf("clip %s of %s: %w", clip, id, err)
		}
		clips = append(clips, c)
		return nil
	})
	slices.SortStableFunc(clips, func(a, b eventseer.Clip) int { return a.Seen.Compare(b.Seen) })
	return clips, err
}

// ofEvent calls f with the rest of the key and the value of each record an
// event has in a bucket, and joins the errors.
func (s *Store) ofEvent(ctx context.Context, bucket []byte, id eventseer.EventID, f func(tx *bbolt.Tx, rest, value []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(func(tx *bbolt.Tx) error {
		now := resolve(tx, string(id))
		if tx.Bucket(eventBucket).Get([]byte(now)) == nil {
			return fmt.Errorf("%w: %s", eventseer.ErrNotFound, id)
		}
		var errs []error
		prefix := join(now, "")
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			errs = append(errs, f(tx, k[len(prefix):], v))
		}
		return errors.Join(errs...)
	})
}

// Mark implements eventseer.Store.
func (s *Store) Mark(ctx context.Context, reader string, seq uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(markBucket).Put([]byte(reader), seqBytes(seq))
	})
}

// Marked implements eventseer.Store.
func (s *Store) Marked(ctx context.Context, reader string) (seq uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		seq = seqOf(tx.Bucket(markBucket).Get([]byte(reader)))
		return nil
	})
	return seq, err
}
