package queue

import (
	"bytes"
	"context"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/records"

	"go.etcd.io/bbolt"
)

// A WaitingLetter is one of the queue, as the operator sees it.
type WaitingLetter struct {
	ID      string    // Message-ID
	Kind    string    // "confirm" or "digest"
	Address string    // the reader's with all but the ends hidden
	At      time.Time // when it was made
	Next    time.Time // when it is tried next
	Tries   int
	Error   string // of the last try
}

// Letters returns the letters that wait, in the order in which they are tried, at most limit.
func (s *Queue) Letters(ctx context.Context, limit int) ([]WaitingLetter, error) {
	return records.Read(ctx, s.db, func(tx *bbolt.Tx) (letters []WaitingLetter, err error) {
		for k, v := range records.Under(tx, records.QueueBucket, nil) {
			if len(letters) >= limit {
				break
			}
			q, err := records.Decode[Mail](records.QueueBucket, v)
			if err != nil {
				return letters, err
			}
			letters = append(letters, WaitingLetter{
				ID: q.ID, Kind: q.Kind, Address: records.Hidden(q.Address), At: q.At, Next: dueOf(k).UTC(), Tries: q.Tries, Error: q.Error,
			})
		}
		return letters, nil
	})
}

// Retry has a waiting letter tried at once; eventseer.ErrNotFound.
func (s *Queue) Retry(ctx context.Context, id string) error {
	defer s.o.Poke()
	return s.requeue(ctx, id, func(tx *bbolt.Tx, key []byte, q Mail) error { return Add(tx, key[0], s.now(), q) })
}

// Drop takes a waiting letter out of the queue; eventseer.ErrNotFound.
func (s *Queue) Drop(ctx context.Context, id string) error {
	return s.requeue(ctx, id, func(*bbolt.Tx, []byte, Mail) error { return nil })
}

func (s *Queue) requeue(ctx context.Context, id string, again func(*bbolt.Tx, []byte, Mail) error) error {
	s.working.Lock() // what is being sent just now is waited for
	defer s.working.Unlock()
	return s.db.Write(ctx, func(tx *bbolt.Tx) error {
		for k, v := range records.Under(tx, records.QueueBucket, nil) {
			q, err := records.Decode[Mail](records.QueueBucket, v)
			if err != nil || q.ID != id {
				continue
			}
			key := bytes.Clone(k)
			if err := tx.Bucket(records.QueueBucket).Delete(key); err != nil {
				return err
			}
			return again(tx, key, q)
		}
		return eventseer.ErrNotFound
	})
}
