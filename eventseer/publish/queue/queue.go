// Package queue is the outbox of mails in publish.db: what waits to be sent, what was sent,
// and the loop that sends.
package queue

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/time/rate"
)

// Options say how a Queue sends.
type Options struct {
	// DB is where the mails wait.
	DB *records.DB
	// Mailer sends mails. Without one they wait.
	Mailer message.Mailer
	// Base is the URL of the site, whose host ends the ids of mails.
	Base string
	// PerMinute bounds the mails sent in a minute. Zero means no limit.
	PerMinute int
	// Write makes the text of a mail. It returns eventseer.ErrNotFound of one that is not to
	// be sent any more, and a PausedError of one that is to be sent later.
	Write func(*bolt.Tx, Mail) (message.Email, error)
	// Refuse ends mail to an address.
	Refuse func(tx *bolt.Tx, address, why string, now time.Time) error
	// Poke means that there is something to be sent.
	Poke func()
	Now  func() time.Time
	Log  *slog.Logger
}

// A Queue is the outbox of mails: each is kept until a server has taken it. It is safe for
// concurrent use.
type Queue struct {
	o       Options
	db      *records.DB
	Host    string        // of Message-IDs
	limiter *rate.Limiter // nil without a limit

	// working is held to send: one mail is under way at a time.
	working sync.Mutex

	mu       sync.Mutex // guards below
	counters Counters
}

// Counters count mails since the queue was opened. Lost ones were given up or not wanted any
// more.
type Counters struct{ Sent, Retried, Refused, Lost uint64 }

// New returns the queue of a file.
func New(o Options) *Queue {
	s := &Queue{o: o, db: o.DB, Host: hostOf(o.Base)}
	if o.PerMinute > 0 {
		s.limiter = rate.NewLimiter(rate.Limit(float64(o.PerMinute)/60), max(1, o.PerMinute/10))
	}
	return s
}

// Sendings returns what was sent since the queue was opened.
func (s *Queue) Sendings() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters
}

func (s *Queue) count(f func(*Counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counters)
}

// Poke reports that there is something to be sent.
func (s *Queue) Poke() { s.o.Poke() }

func (s *Queue) now() time.Time { return s.o.Now().UTC() }

// Priorities of the queue: sign-in mails go ahead of digests.
const (
	SignIns byte = 'a'
	Digests byte = 'b'
)

// Kinds of emails.
const (
	ConfirmKind = "confirm"
	DigestKind  = "digest"
)

// A Mail letter is stored as what it is made from. Its text is made when it is sent, so that no
// secret lies in the queue, and what was left or forgotten meanwhile is not sent.
type Mail struct {
	ID      string    `json:"id"` // Message-ID
	Kind    string    `json:"kind"`
	Address string    `json:"address"`
	Account string    `json:"account,omitempty"`
	Name    string    `json:"name"` // of the sign-in or the digest
	At      time.Time `json:"at"`
	Tries   int       `json:"tries,omitempty"`
	// Sending is when the last try began, if it is not known how it ended.
	Sending time.Time `json:"sending,omitzero"`
	Error   string    `json:"error,omitempty"` // of the last try
}

// Sent is the stored data of an email that was sent, so that bounces find its reader.
type Sent struct {
	Address string    `json:"address"`
	At      time.Time `json:"at"`
}

// MessageID makes the Message-ID of an email.
func (s *Queue) MessageID(kind, name string) string {
	return kind + "." + name + "@" + s.Host
}

func Add(tx *bolt.Tx, priority byte, at time.Time, q Mail) error {
	seq, err := tx.Bucket(records.QueueBucket).NextSequence()
	if err != nil {
		return err
	}
	return records.Put(tx, records.QueueBucket, slices.Concat([]byte{priority}, records.Instant(at), records.Number(seq)), q)
}

// dueOf returns when a queued letter is tried next.
func dueOf(key []byte) time.Time { return time.Unix(0, int64(records.NumberOf(key[1:9]))) }

// nextLetter returns the email to be sent now: of the first priority that has one. Else wait is the
// time until one may be tried, 0 for an empty queue.
func nextLetter(tx *bolt.Tx, now time.Time) (key []byte, q Mail, wait time.Duration, err error) {
	c := tx.Bucket(records.QueueBucket).Cursor()
	for _, p := range []byte{SignIns, Digests} {
		k, v := c.Seek([]byte{p})
		if len(k) != 17 || k[0] != p {
			continue
		}
		if until := dueOf(k).Sub(now); until > 0 {
			if wait == 0 || until < wait {
				wait = until
			}
			continue
		}
		q, err = records.Decode[Mail](records.QueueBucket, v)
		return bytes.Clone(k), q, 0, err
	}
	return nil, q, wait, nil
}

// backoff returns how long an email waits after the given number of tries, and false when it is
// given up: after five days.
func backoff(tries int) (time.Duration, bool) {
	waits := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour}
	const most = 24
	if tries >= most {
		return 0, false
	}
	return waits[min(max(tries, 1), len(waits))-1], true
}

// A PausedError says until when a reader wants nothing.
type PausedError struct{ Until time.Time }

func (e PausedError) Error() string {
	return "the reader has paused until " + e.Until.Format(time.RFC3339)
}

// hostOf returns the host of a site, for Message-IDs.
func hostOf(base string) string {
	host := string(webgraph.HostOf(base))
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return "eventseer.invalid"
	}
	return host
}

// sentHolds is how long it is known which mails were sent.
const sentHolds = 60 * 24 * time.Hour

// DigestHolds is how long digests are kept.
const DigestHolds = 400 * 24 * time.Hour

// letterHolds returns how long an email may wait, for a server or at an instance that sends none.
// It is as long as its content is valid.
func letterHolds(kind string) time.Duration {
	if kind == ConfirmKind {
		return message.LinkHolds
	}
	return DigestHolds
}

// Sweep removes what has waited too long, and what was sent so long ago that no
// server turns it away any more.
func Sweep(tx *bolt.Tx, now time.Time) error {
	return errors.Join(
		records.Expire(tx, records.SentBucket, func(v Sent) bool { return v.At.Before(now.Add(-sentHolds)) }),
		records.Expire(tx, records.QueueBucket, func(v Mail) bool { return v.At.Before(now.Add(-letterHolds(v.Kind))) }),
	)
}

// Forget removes the mails of an account and of its address, which may be "", and
// that they were sent.
func Forget(tx *bolt.Tx, account, address string) error {
	key := records.AddressKey(address)
	return errors.Join(
		records.Expire(tx, records.QueueBucket, func(v Mail) bool { return v.Account == account || records.AddressKey(v.Address) == key }),
		records.Expire(tx, records.SentBucket, func(v Sent) bool { return v.Address == key && address != "" }),
	)
}

// Write writes all mails of the queue that are wanted.
func (s *Queue) Write(tx *bolt.Tx) (letters []message.Email, err error) {
	for q, err := range records.Values[Mail](tx, records.QueueBucket, nil) {
		if err != nil {
			return nil, err
		}
		l, err := s.o.Write(tx, q)
		var paused PausedError
		if errors.Is(err, eventseer.ErrNotFound) || errors.As(err, &paused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		letters = append(letters, l)
	}
	return letters, nil
}

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

// Letters returns the emails that wait, in the order in which they are tried, at most limit.
func (s *Queue) Letters(ctx context.Context, limit int) ([]WaitingLetter, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (letters []WaitingLetter, err error) {
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
	return s.requeue(ctx, id, func(tx *bolt.Tx, key []byte, q Mail) error { return Add(tx, key[0], s.now(), q) })
}

// Drop takes a waiting letter out of the queue; eventseer.ErrNotFound.
func (s *Queue) Drop(ctx context.Context, id string) error {
	return s.requeue(ctx, id, func(*bolt.Tx, []byte, Mail) error { return nil })
}

func (s *Queue) requeue(ctx context.Context, id string, again func(*bolt.Tx, []byte, Mail) error) error {
	s.working.Lock() // what is being sent just now is waited for
	defer s.working.Unlock()
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
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
