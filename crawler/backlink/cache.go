package backlink

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
)

// DefaultTTL is how long answers are cached by default.
const DefaultTTL = 30 * 24 * time.Hour

// Limits on cached answers.
const (
	MaxAnswers   = 100_000   // cached answers; those that expire first are removed
	MaxPromises  = 1_000_000 // reported links that are stored
	maxAnswer    = 1 << 20   // size of one answer in bytes; further links are left out
	emptyShorter = 10        // the TTL of an answer without links is divided by this
	sweepAtOnce  = 8         // number of expired entries removed with each new one
)

// An expiringCache stores entries until a time, at most max of them:
//
//	bucket  key            → time⁸ value    the number of entries is the bucket's sequence
//	due     time⁸ key      → -              times in Unix seconds
type expiringCache struct {
	bucket, due []byte
	max         uint64
}

var (
	answers  = expiringCache{[]byte("answer"), []byte("answer due"), MaxAnswers}
	promises = expiringCache{[]byte("promise"), []byte("promise due"), MaxPromises}
)

// timeKey returns the bytes of a time, which sort like the times.
func timeKey(t time.Time) []byte { return binary.BigEndian.AppendUint64(nil, uint64(max(0, t.Unix()))) }

// get returns the value of key, nil if there is none or it has expired.
func (s expiringCache) get(tx *bolt.Tx, key []byte, now time.Time) []byte {
	v := tx.Bucket(s.bucket).Get(key)
	if len(v) < 8 || bytes.Compare(v[:8], timeKey(now)) <= 0 {
		return nil
	}
	return v[8:]
}

// put stores a value until a time, and removes other entries if the cache is full.
func (s expiringCache) put(tx *bolt.Tx, key, value []byte, now, until time.Time) error {
	if err := s.remove(tx, key); err != nil {
		return err
	}
	b, due := tx.Bucket(s.bucket), tx.Bucket(s.due)
	if err := s.removeExpired(tx, now); err != nil {
		return err
	}
	at := timeKey(until)
	if err := b.Put(key, append(at[:8:8], value...)); err != nil {
		return err
	}
	if err := due.Put(append(at[:8:8], key...), nil); err != nil {
		return err
	}
	return b.SetSequence(b.Sequence() + 1)
}

// removeExpired removes some expired entries, and the first to expire if the cache is full.
func (s expiringCache) removeExpired(tx *bolt.Tx, now time.Time) error {
	b, limit := tx.Bucket(s.bucket), timeKey(now)
	for range sweepAtOnce {
		k, _ := tx.Bucket(s.due).Cursor().First()
		if len(k) < 8 || bytes.Compare(k[:8], limit) > 0 && b.Sequence() < s.max {
			return nil
		}
		if err := s.remove(tx, bytes.Clone(k[8:])); err != nil {
			return err
		}
	}
	return nil
}

// remove removes an entry, if it exists.
func (s expiringCache) remove(tx *bolt.Tx, key []byte) error {
	b := tx.Bucket(s.bucket)
	v := b.Get(key)
	if len(v) < 8 {
		return nil
	}
	if err := tx.Bucket(s.due).Delete(append(bytes.Clone(v[:8]), key...)); err != nil {
		return err
	}
	if err := b.Delete(key); err != nil {
		return err
	}
	return b.SetSequence(max(1, b.Sequence()) - 1)
}

var errKept = errors.New("the stored data of providers is damaged")

// check reports entries that cannot be read and those without an expiry time.
func (s expiringCache) check(tx *bolt.Tx, readable func(v []byte) error) (broken []error) {
	n := uint64(0)
	_ = tx.Bucket(s.bucket).ForEach(func(k, v []byte) error {
		n++
		switch {
		case len(v) < 8 || tx.Bucket(s.due).Get(append(bytes.Clone(v[:8]), k...)) == nil:
			broken = append(broken, fmt.Errorf("%w: %s %q: its expiry is not stored", errKept, s.bucket, k))
		default:
			if err := readable(v[8:]); err != nil {
				broken = append(broken, fmt.Errorf("%w: %s %q: %w", errKept, s.bucket, k, err))
			}
		}
		return nil // never
	})
	if got := tx.Bucket(s.bucket).Sequence(); got != n {
		broken = append(broken, fmt.Errorf("%w: %[3]s has %[2]d entries, but %[4]d are counted", errKept, n, s.bucket, got))
	}
	return broken
}

// checkStoredData reports damage in a Chain's stored data.
func checkStoredData(tx *bolt.Tx) []error {
	broken := answers.check(tx, func(v []byte) error { _, err := decodeAnswer(v, ""); return err })
	broken = append(broken, promises.check(tx, func(v []byte) error { _, err := decodeReportedLink(v); return err })...)
	_ = tx.Bucket(providerBucket).ForEach(func(k, v []byte) error {
		if _, err := decodeStanding(v); err != nil {
			broken = append(broken, fmt.Errorf("%w: provider %q: %w", errKept, k, err))
		}
		return nil // never
	})
	return broken
}

// A cachedAnswer is a cached page of an answer that had a cost.
type cachedAnswer struct {
	// Payer is the page for which it was queried. The same page queries again only after a crash,
	// when the cost was not committed.
	Payer string
	At    time.Time
	Limit int // of the query
	Scope Scope
	Answer
}

// answerKey returns the cache key of a query to a provider. version is that of its data, "" for a
// service.
func answerKey(provider, version string, q Query) []byte {
	return fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s\x00%s", provider, version, q.Scope, q.Scope.DescribeSubject(q.Target), q.Cursor)
}

// encodeAnswer encodes an answer, without its last links if it would be too long.
func encodeAnswer(k cachedAnswer) ([]byte, error) {
	for {
		text, err := json.Marshal(k)
		if err != nil || len(text) <= maxAnswer || len(k.Links) == 0 {
			return text, err
		}
		k.Links = k.Links[:len(k.Links)/2]
		k.Limit = len(k.Links)
	}
}

// decodeAnswer decodes an answer of a provider. The contents of a file are validated like a
// provider's response.
func decodeAnswer(v []byte, provider string) (k cachedAnswer, err error) {
	if err := json.Unmarshal(v, &k); err != nil {
		return k, err
	}
	if k.Limit < 0 || k.Calls < 0 || !(k.Cost >= 0) || int(k.Scope) >= len(ScopeNames) || len(k.Links) > MaxLimit {
		return k, errKept
	}
	for i := range k.Links {
		k.Links[i].Provider, k.Links[i].Scope = provider, k.Scope
	}
	return k, nil
}

// isSufficientFor reports whether this answer is sufficient for a new query.
func (k cachedAnswer) isSufficientFor(limit int) bool {
	return limit <= k.Limit || len(k.Links) < k.Limit
}
