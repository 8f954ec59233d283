// Package publish notifies readers of what their lists match: the publisher of papers 000 and 001.
// New clips are matched against all lists at once, finds are gathered into digests, and mails go
// out once each, whatever is killed in between.
//
//	store's outbox ─ read ─▶ Matcher ─▶ items (streams, feeds)
//	                                      │ pending, by the rhythm of the list
//	                                      ▼
//	                        digest of an account ─▶ queue ─▶ Mailer
//
// Each arrow is one transaction of publish.db, so that a crash repeats nothing and loses
// nothing; of the last one see package queue.
package publish

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Options say how a Service is opened.
type Options struct {
	// Path is the file that readers and lists are kept in, "publish.db".
	Path string
	// MustExist makes Open fail with bolt.ErrMissing instead of making the file.
	MustExist bool
	// Store is the store whose events are published. Nil publishes nothing: readers can be looked at.
	Store eventseer.Store
	// Index finds what a preview looks at; without one there are none.
	Index eventseer.Index
	// Series gives the ranks that lists can match. Nil knows none.
	Series eventseer.SeriesStore
	// Dictionary gives synonyms. Nil knows none.
	Dictionary *dictionary.Dictionary
	// People lets lists match people by person:.
	People bool
	// Mailer sends emails. Without one they wait in the queue.
	Mailer message.Mailer
	// Site is what emails say of their sender; Site.Base is needed to send any.
	Site message.Site
	// Hour of the day in the reader's zone at which digests are made, 0 to 23, and the day
	// of weekly ones. The zero Options mean midnight from Saturday to Sunday.
	Hour    int
	Weekday time.Weekday
	// PerMinute bounds the emails sent in a minute. Zero means no limit.
	PerMinute int
	// Poll is how often Run looks at the outbox without having been poked. Zero means 1m.
	Poll time.Duration
	// Label receives what readers think of a page. Nil keeps votes only.
	Label func(ctx context.Context, url string, useful bool, at time.Time) error
	// Crawled returns when a page was last fetched; nil or zero says nothing.
	Crawled func() time.Time
	// Now is the clock. Nil means time.Now. Rand gives names and secrets; nil means
	// crypto/rand.
	Now  func() time.Time
	Rand io.Reader
	// Log hears what goes wrong with single records and emails. Nil drops it.
	Log *slog.Logger
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// A Service stores readers and lists and notifies readers. It is safe for concurrent use by one
// process.
type Service struct {
	*account.Accounts
	*queue.Queue
	o       Options
	db      *records.DB
	matcher *match.Matcher
	poked   chan struct{}

	// working is held by a pass: there is one at a time.
	working sync.Mutex

	mu       sync.Mutex // guards below
	counters Counters   // without those of mails and votes
	failed   error      // of the last pass
}

// Counters count since the service was opened.
type Counters struct {
	Changes, Items, Digests      uint64 // read, found, made
	Sent, Retried, Refused, Lost uint64 // emails; lost ones were given up or not wanted any more
	Votes, Passes                uint64
}

// Open opens or makes publish.db and reads all lists. Its errors are those of bolt.Open.
// A new file begins with what the store tells from now on.
func Open(ctx context.Context, o Options) (*Service, error) {
	o = o.withDefaults()
	db, err := records.Open(o.Path, o.MustExist, o.OpenFile)
	if err != nil {
		return nil, err
	}
	s := &Service{o: o, db: db, matcher: match.New(o.Dictionary), poked: make(chan struct{}, 1)}
	s.matcher.People = o.People
	s.Queue = queue.New(queue.Options{
		DB: db, Mailer: o.Mailer, Base: o.Site.Base, PerMinute: o.PerMinute, Now: o.Now, Log: o.Log, Poke: s.Poke,
		Write: s.letter, Refuse: func(tx *bolt.Tx, address, why string, now time.Time) error { return s.Refuse(tx, address, why, now) },
	})
	if err = s.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", o.Path, err), db.Close())
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Poll <= 0 {
		o.Poll = time.Minute
	}
	if o.Site.Base != "" && !strings.HasSuffix(o.Site.Base, "/") {
		o.Site.Base += "/"
	}
	return o
}

func (s *Service) begin(ctx context.Context) (err error) {
	s.Accounts, err = account.New(account.Options{
		DB: s.db, Matcher: s.matcher, Queue: s.Queue, Site: s.o.Site, Hour: s.o.Hour, Weekday: s.o.Weekday,
		Label: s.o.Label, Now: s.o.Now, Rand: s.o.Rand, Log: s.o.Log,
	})
	if err != nil {
		return err
	}
	if s.o.Store == nil {
		return nil
	}
	return s.findMark(ctx)
}

// Database returns the file, for a backup.
func (s *Service) Database() bolt.Source { return bolt.SourceOf(s.db.DB) }

// Close releases the file. Run must have ended.
func (s *Service) Close() error { return s.db.Close() }

func (s *Service) now() time.Time { return s.o.Now().UTC() }

// Poke reports that the store has something new or the queue an email. It never waits.
func (s *Service) Poke() {
	select {
	case s.poked <- struct{}{}:
	default:
	}
}

// Run matches, makes digests and sends until ctx ends, which is not an error.
func (s *Service) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait, err := s.pass(ctx)
		s.mu.Lock()
		s.failed = err
		s.counters.Passes++
		s.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("publishing failed, it is tried again", "cause", err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-s.poked:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// pass does once what is to be done now, and returns how long there is nothing to do.
func (s *Service) pass(ctx context.Context) (time.Duration, error) {
	s.working.Lock()
	defer s.working.Unlock()
	err := s.read(ctx)
	enterErr := s.enterAll(ctx)
	_, digestErr := s.digests(ctx)
	_, wait, sendErr := s.SendAll(ctx)
	if wait <= 0 || wait > s.o.Poll {
		wait = s.o.Poll
	}
	return wait, errors.Join(err, enterErr, digestErr, sendErr, s.SweepDaily(ctx), s.Scrub(ctx))
}

// A Done says what one pass did.
type Done struct{ Changes, Items, Digests, Sent, Waiting int }

// Publish makes one pass and waits for what the rate limit holds back. It returns once all is sent
// except what a server wants to be retried later.
func (s *Service) Publish(ctx context.Context) (Done, error) {
	s.working.Lock()
	defer s.working.Unlock()
	var d Done
	before := s.Counters()
	err := s.read(ctx)
	if err == nil {
		err = s.enterAll(ctx)
	}
	if err == nil {
		d.Digests, err = s.digests(ctx)
	}
	for err == nil {
		var n int
		var wait time.Duration
		n, wait, err = s.SendAll(ctx)
		d.Sent += n
		if err != nil || !s.HeldBack(s.now()) {
			break
		}
		err = pause(ctx, wait)
	}
	after := s.Counters()
	d.Changes, d.Items = int(after.Changes-before.Changes), int(after.Items-before.Items)
	waiting, queueErr := s.Waiting(ctx)
	d.Waiting = waiting
	return d, errors.Join(err, queueErr, s.SweepDaily(ctx), s.Scrub(ctx))
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Counters returns what was done since Open.
func (s *Service) Counters() Counters {
	c, mails := s.counted(), s.Sendings()
	c.Sent, c.Retried, c.Refused, c.Lost = mails.Sent, mails.Retried, mails.Refused, mails.Lost
	c.Votes = s.Voted()
	return c
}

// counted returns the counters without those of mails and votes.
func (s *Service) counted() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters
}

func (s *Service) count(f func(*Counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counters)
}

// Health returns what went wrong in the last pass of Run, or nil.
func (s *Service) Health() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// errDry takes back what a dry run did.
var errDry = errors.New("dry run")

// DryRun makes one pass and gives m the emails that would be sent, including those that wait
// already. Then it rolls everything back: no reader is notified, and nothing is marked as sent.
func (s *Service) DryRun(ctx context.Context, m message.Mailer) (Done, error) {
	s.working.Lock()
	defer s.working.Unlock()
	var d Done
	var letters []message.Email
	before := s.counted()
	defer s.HoldLists()()
	err := s.db.Write(ctx, func(tx *bolt.Tx) (err error) {
		if err = s.dryPass(ctx, tx, &d); err == nil {
			letters, err = s.Queue.Write(tx)
		}
		return cmp.Or(err, errDry)
	})
	after := s.counted()
	d.Changes, d.Items = int(after.Changes-before.Changes), int(after.Items-before.Items)
	s.count(func(c *Counters) { *c = before })
	if err != errDry {
		return d, err
	}
	for _, l := range letters {
		if err := m.Send(ctx, l); err != nil {
			return d, err
		}
		d.Sent++
	}
	return d, nil
}

// dryPass reads the outbox and makes digests in one transaction.
func (s *Service) dryPass(ctx context.Context, tx *bolt.Tx, d *Done) error {
	inside := func(_ context.Context, f func(*bolt.Tx) error) error { return f(tx) }
	for s.o.Store != nil {
		n, err := s.readBatch(ctx, inside)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	if err := s.enter(ctx, transactions{inside, inside}); err != nil {
		return err
	}
	for {
		made, due, err := s.digestBatch(ctx, inside)
		d.Digests += made
		if err != nil || due < accountsAtOnce {
			return err
		}
	}
}

// Schema returns the version of the files that this program writes.
func Schema() int { return records.Schema() }

// Check returns what is broken in the file.
func (s *Service) Check() []error {
	return s.db.Check(func(tx *bolt.Tx) []error { return append(account.Check(tx), checkEdges(tx)...) })
}
