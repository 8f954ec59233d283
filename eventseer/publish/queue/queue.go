// Package queue is the outbox of mails in publish.db: mails to be sent, mails sent, and the loop that sends
// them.
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

// Options are the options of New.
type Options struct {
	// DB stores the mails.
	DB *records.DB
	// Mailer sends mails. If it is nil, mails stay in the queue.
	Mailer message.Mailer
	// Base is the URL of the site, whose host is part of Message-IDs.
	Base string
	// PerMinute is the maximum number of mails sent per minute. Zero means no limit.
	PerMinute int
	// Write writes the text of a mail. It returns eventseer.ErrNotFound for a mail that must not be sent any
	// more, and a PausedError for one that must be sent later.
	Write func(*bolt.Tx, Mail) (message.Email, error)
	// Refuse ends all mail to an address.
	Refuse func(tx *bolt.Tx, address, why string, now time.Time) error
	// Poke wakes up the loop that sends mails.
	Poke func()
	Now  func() time.Time
	Log  *slog.Logger
}

// A Queue is the outbox of mails. A mail is kept until a server has accepted it. It is safe for concurrent
// use.
type Queue struct {
	o       Options
	db      *records.DB
	Host    string        // host in Message-IDs
	limiter *rate.Limiter // nil without a limit

	// working is held while a mail is sent, so that one mail is sent at a time.
	working sync.Mutex

	mu       sync.Mutex // guards counters
	counters Counters
}

// Counters count mails since the queue was opened. Lost mails were given up or are no longer wanted.
type Counters struct{ Sent, Retried, Refused, Lost uint64 }

// New returns the queue in o.DB.
func New(o Options) *Queue {
	s := &Queue{o: o, db: o.DB, Host: hostOf(o.Base)}
	if o.PerMinute > 0 {
		s.limiter = rate.NewLimiter(rate.Limit(float64(o.PerMinute)/60), max(1, o.PerMinute/10))
	}
	return s
}

// SendCounters returns the counters since the queue was opened.
func (s *Queue) SendCounters() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters
}

func (s *Queue) updateCounters(f func(*Counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counters)
}

// Wake wakes up the loop that sends mails.
func (s *Queue) Wake() { s.o.Poke() }

func (s *Queue) now() time.Time { return s.o.Now().UTC() }

// Priorities of the queue. Sign-in mails are sent before digests.
const (
	SignIns byte = 'a'
	Digests byte = 'b'
)

// Kinds of emails.
const (
	ConfirmKind = "confirm"
	DigestKind  = "digest"
)

// A Mail is a queued mail without its text. The text is written when the mail is sent. So the queue contains
// no secrets, and mails that a reader no longer wants are not sent.
type Mail struct {
	ID      string    `json:"id"` // Message-ID
	Kind    string    `json:"kind"`
	Address string    `json:"address"`
	Account string    `json:"account,omitempty"`
	Name    string    `json:"name"` // name of the sign-in or the digest
	At      time.Time `json:"at"`
	Tries   int       `json:"tries,omitempty"`
	// Sending is when a try began whose result is not known yet.
	Sending time.Time `json:"sending,omitzero"`
	Error   string    `json:"error,omitempty"` // error of the last try
}

// SentRecord is stored for each mail that was sent, so that the reader of a bounced mail can be found.
type SentRecord struct {
	Address string    `json:"address"`
	At      time.Time `json:"at"`
}

// MessageID returns the Message-ID of a mail.
func (s *Queue) MessageID(kind, name string) string {
	return kind + "." + name + "@" + s.Host
}

func Add(tx *bolt.Tx, priority byte, at time.Time, q Mail) error {
	seq, err := tx.Bucket(records.QueueBucket).NextSequence()
	if err != nil {
		return err
	}
	return records.Put(tx, records.QueueBucket, slices.Concat([]byte{priority}, records.TimeKey(at), records.NumberKey(seq)), q)
}

// dueOf returns the time of the next try from the key of a queued mail.
func dueOf(key []byte) time.Time { return time.Unix(0, int64(records.NumberOf(key[1:9]))) }

// nextMail returns the mail to send now, by priority. If none is due, key is nil and wait is the time until
// the next try, 0 for an empty queue.
func nextMail(tx *bolt.Tx, now time.Time) (key []byte, q Mail, wait time.Duration, err error) {
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

// backOffAfter returns how long a mail waits after the given number of tries. It returns false if the mail is
// given up, after 24 tries in about five days.
func backOffAfter(tries int) (time.Duration, bool) {
	waits := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour}
	const most = 24
	if tries >= most {
		return 0, false
	}
	return waits[min(max(tries, 1), len(waits))-1], true
}

// A PausedError means that a reader wants no mail until a time.
type PausedError struct{ Until time.Time }

func (e PausedError) Error() string {
	return "the reader has paused all mails until " + e.Until.Format(time.RFC3339)
}

// hostOf returns the host of a site for Message-IDs, or "eventseer.invalid".
func hostOf(base string) string {
	host := string(webgraph.HostOf(base))
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return "eventseer.invalid"
	}
	return host
}

// sentLifetime is the time for which the records of sent mails are stored.
const sentLifetime = 60 * 24 * time.Hour

// DigestHolds is the time for which digests are stored.
const DigestHolds = 400 * 24 * time.Hour

// mailLifetime returns how long a mail may stay in the queue. It is as long as its content is valid.
func mailLifetime(kind string) time.Duration {
	if kind == ConfirmKind {
		return message.LinkHolds
	}
	return DigestHolds
}

// RemoveExpired removes mails that were in the queue too long, and Sent records so old that no bounce is expected any
// more.
func RemoveExpired(tx *bolt.Tx, now time.Time) error {
	return errors.Join(
		records.DeleteExpired(tx, records.SentBucket, func(v SentRecord) bool { return v.At.Before(now.Add(-sentLifetime)) }),
		records.DeleteExpired(tx, records.QueueBucket, func(v Mail) bool { return v.At.Before(now.Add(-mailLifetime(v.Kind))) }),
	)
}

// RemoveAccount removes the mails and the Sent records of an account and of its address, which may be "".
func RemoveAccount(tx *bolt.Tx, account, address string) error {
	key := records.AddressKey(address)
	return errors.Join(
		records.DeleteExpired(tx, records.QueueBucket, func(v Mail) bool { return v.Account == account || records.AddressKey(v.Address) == key }),
		records.DeleteExpired(tx, records.SentBucket, func(v SentRecord) bool { return v.Address == key && address != "" }),
	)
}

// MailTexts returns the texts of all mails in the queue that are still wanted and not paused.
func (s *Queue) MailTexts(tx *bolt.Tx) (letters []message.Email, err error) {
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

// A WaitingMail is a queued mail in the form shown to the operator.
type WaitingMail struct {
	ID      string    // Message-ID
	Kind    string    // "confirm" or "digest"
	Address string    // reader's address with all but its ends hidden
	At      time.Time // when it was queued
	Next    time.Time // time of the next try
	Tries   int
	Error   string // error of the last try
}

// WaitingMails returns the queued mails in the order in which they are tried, at most limit.
func (s *Queue) WaitingMails(ctx context.Context, limit int) ([]WaitingMail, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (letters []WaitingMail, err error) {
		for k, v := range records.WithPrefix(tx, records.QueueBucket, nil) {
			if len(letters) >= limit {
				break
			}
			q, err := records.Decode[Mail](records.QueueBucket, v)
			if err != nil {
				return letters, err
			}
			letters = append(letters, WaitingMail{
				ID: q.ID, Kind: q.Kind, Address: records.MaskAddress(q.Address), At: q.At, Next: dueOf(k).UTC(), Tries: q.Tries, Error: q.Error,
			})
		}
		return letters, nil
	})
}

// RetryMail makes a queued mail due at once. It returns eventseer.ErrNotFound if there is none with the id.
func (s *Queue) RetryMail(ctx context.Context, id string) error {
	defer s.o.Poke()
	return s.updateQueued(ctx, id, func(tx *bolt.Tx, key []byte, q Mail) error { return Add(tx, key[0], s.now(), q) })
}

// DropMail removes a mail from the queue. It returns eventseer.ErrNotFound if there is none with the id.
func (s *Queue) DropMail(ctx context.Context, id string) error {
	return s.updateQueued(ctx, id, func(*bolt.Tx, []byte, Mail) error { return nil })
}

func (s *Queue) updateQueued(ctx context.Context, id string, again func(*bolt.Tx, []byte, Mail) error) error {
	s.working.Lock() // wait for a mail that is being sent
	defer s.working.Unlock()
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		for k, v := range records.WithPrefix(tx, records.QueueBucket, nil) {
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
