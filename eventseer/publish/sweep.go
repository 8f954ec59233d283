package publish

import (
	"bytes"
	"context"
	"errors"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// How long records are kept.
const (
	sentHolds    = 60 * 24 * time.Hour
	digestHolds  = 400 * 24 * time.Hour
	refusalHolds = 365 * 24 * time.Hour
)

var sweptKey = []byte("swept")

// sweepDaily deletes what has run out, once a day.
func (s *Service) sweepDaily(ctx context.Context) error {
	now := s.now()
	due := false
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		last := numberOf(tx.Bucket(markBucket).Get(sweptKey))
		due = now.Sub(time.Unix(0, int64(last))) >= 24*time.Hour
		return nil
	})
	if err != nil || !due {
		return err
	}
	return s.sweep(ctx, now)
}

func (s *Service) sweep(ctx context.Context, now time.Time) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	var leavers []string
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		err := errors.Join(
			expire(tx, signinBucket, func(v signin) bool { return !now.Before(v.Until) }),
			expire(tx, sessionBucket, func(v session) bool { return !now.Before(v.Until) }),
			expire(tx, askedBucket, func(v asked) bool {
				return len(v.At) == 0 || v.At[len(v.At)-1].Before(now.Add(-24*time.Hour))
			}),
			expire(tx, toldBucket, func(v told) bool { return v.At.Before(now.Add(-toldHolds)) }),
			expire(tx, sentBucket, func(v sent) bool { return v.At.Before(now.Add(-sentHolds)) }),
			expire(tx, queueBucket, func(v queued) bool { return v.At.Before(now.Add(-letterHolds(v.Kind))) }),
			expire(tx, digestBucket, func(v eventseer.Digest) bool { return v.At.Before(now.Add(-digestHolds)) }),
			expire(tx, refusedBucket, func(v refusal) bool { return v.At.Before(now.Add(-refusalHolds)) }),
			removeLeft(tx, now),
			tx.Bucket(markBucket).Put(sweptKey, instant(now)),
		)
		for _, v := range under(tx, accountBucket, nil) {
			if a, err := decode[account](accountBucket, v); err == nil && hasLeft(a.Left, now) {
				leavers = append(leavers, a.ID)
			}
		}
		return err
	})
	for _, id := range leavers {
		err = errors.Join(err, s.forget(ctx, id, "left 30 days ago"))
	}
	return err
}

// letterHolds is how long a letter may wait, for a server or at an instance that sends
// none: as long as what it is about holds.
func letterHolds(kind string) time.Duration {
	if kind == confirmLetter {
		return message.LinkHolds
	}
	return digestHolds
}

func hasLeft(left, now time.Time) bool { return !left.IsZero() && left.Before(now.Add(-LeftHolds)) }

// expire deletes the records of a bucket that have run out. What cannot be read stays for
// Check to report.
func expire[T any](tx *bbolt.Tx, bucket []byte, over func(T) bool) error {
	var old [][]byte
	for k, data := range under(tx, bucket, nil) {
		if v, err := decode[T](bucket, data); err == nil && over(v) {
			old = append(old, bytes.Clone(k))
		}
	}
	for _, k := range old {
		if err := tx.Bucket(bucket).Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// removeLeft removes lists that were left so long ago that it cannot be undone.
func removeLeft(tx *bbolt.Tx, now time.Time) error {
	var old []keptList
	for _, data := range under(tx, listBucket, nil) {
		if l, err := decode[keptList](listBucket, data); err == nil && hasLeft(l.Left, now) {
			old = append(old, l)
		}
	}
	for _, l := range old {
		if err := removeList(tx, l.Account, l.ID); err != nil {
			return err
		}
	}
	return nil
}
