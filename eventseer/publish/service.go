// Package publish notifies readers of events that match their lists: the publisher of papers 000 and 001. New
// events are compared with all lists at once, matches are collected into digests, and each mail is sent once,
// even if the process is killed.
//
//	store's outbox ─ read ─▶ Matcher ─▶ items (streams, feeds)
//	                                      │ pending, by the rhythm of the list
//	                                      ▼
//	                        digest of an account ─▶ queue ─▶ Mailer
//
// Each arrow is one transaction of publish.db, so that a crash neither repeats nor loses anything. For the
// last arrow see package queue.
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
	"slices"
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

// Options are the options of Open.
type Options struct {
	// Path is the path of the file with readers and lists, "publish.db".
	Path string
	// MustExist makes Open return bolt.ErrMissing instead of creating the file.
	MustExist bool
	// Store is the store whose events are published. If it is nil, nothing is published.
	Store eventseer.Store
	// Index is the search index for previews. If it is nil, previews are not available.
	Index eventseer.Index
	// Series has the ranks that lists can match. If it is nil, there are no ranks.
	Series eventseer.SeriesStore
	// Dictionary has the synonyms. It may be nil.
	Dictionary *dictionary.Dictionary
	// People allows queries for people (person:).
	People bool
	// Mailer sends mails. If it is nil, mails stay in the queue.
	Mailer message.Mailer
	// Site describes the sender of mails. Site.Base is required to send mails.
	Site message.Site
	// Hour is the hour of the day in the reader's time zone at which digests are made, 0 to 23. Weekday is
	// the day of weekly digests. The zero values mean midnight from Saturday to Sunday.
	Hour    int
	Weekday time.Weekday
	// PerMinute is the maximum number of mails per minute. Zero means no limit.
	PerMinute int
	// Poll is the interval at which Run reads the outbox without Poke. Zero means 1m.
	Poll time.Duration
	// Label receives the readers' votes on pages. If it is nil, votes are only stored.
	Label func(ctx context.Context, url string, useful bool, at time.Time) error
	// Article reads the page at a URL for its clip and returns the text to search and show, in the form of
	// eventseer.PageText. It obeys the rules of polite fetching. A NoArticle is final; other errors
	// are tried again. If it is nil, no page is read for clips.
	Article func(ctx context.Context, url string) (string, error)
	// ArticlePause is the delay between two pages that are read for clips.
	ArticlePause time.Duration
	// Crawled returns when a page was last fetched. It may be nil or return the zero time.
	Crawled func() time.Time
	// Now is the clock; nil means time.Now. Rand is the source of ids and secrets; nil means crypto/rand.
	Now  func() time.Time
	Rand io.Reader
	// Log receives errors of single records and mails. Nil drops them.
	Log *slog.Logger
	// OpenFile replaces os.OpenFile. Tests set it to inject faults.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// A Service stores readers and lists and notifies readers. It is safe for concurrent use by one process.
type Service struct {
	*account.Accounts
	*queue.Queue
	o       Options
	db      *records.DB
	matcher *match.Matcher
	poked   chan struct{}
	awaited chan struct{} // wakes RunArticles

	// working is held during a pass, so that passes do not overlap.
	working sync.Mutex

	mu       sync.Mutex // guards the fields below
	counters Counters   // without those of mails and votes
	failed   error      // error of the last pass
}

// Counters are counts since the service was opened.
type Counters struct {
	Changes, Items, Digests      uint64 // changes read, items found, digests made
	Sent, Retried, Refused, Lost uint64 // mails; lost ones were given up or are no longer wanted
	Votes, Passes                uint64
}

// Open opens or creates publish.db and loads all lists. Its errors are those of bolt.Open. A new file starts
// with changes of the store after this call.
func Open(ctx context.Context, o Options) (*Service, error) {
	o = o.withDefaults()
	db, err := records.Open(o.Path, o.MustExist, o.OpenFile)
	if err != nil {
		return nil, err
	}
	s := &Service{o: o, db: db, matcher: match.New(o.Dictionary), poked: make(chan struct{}, 1), awaited: make(chan struct{}, 1)}
	s.matcher.People = o.People
	s.Queue = queue.New(queue.Options{
		DB: db, Mailer: o.Mailer, Base: o.Site.Base, PerMinute: o.PerMinute, Now: o.Now, Log: o.Log, Poke: s.Wake,
		Write: s.writeMail, Refuse: func(tx *bolt.Tx, address, why string, now time.Time) error { return s.EndMailTo(tx, address, why, now) },
	})
	if err = s.loadAccounts(ctx); err != nil {
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

func (s *Service) loadAccounts(ctx context.Context) (err error) {
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
	return s.initReaderPosition(ctx)
}

// Database returns the file as a source for backups.
func (s *Service) Database() bolt.Source { return bolt.SourceOf(s.db.DB) }

// Close closes the file. Run must have returned.
func (s *Service) Close() error { return s.db.Close() }

func (s *Service) now() time.Time { return s.o.Now().UTC() }

// Wake wakes up Run because the store has changes or the queue a mail. It does not block.
func (s *Service) Wake() {
	select {
	case s.poked <- struct{}{}:
	default:
	}
}

// Run publishes changes, makes digests and sends mails until ctx ends. It always returns nil.
func (s *Service) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait, err := s.runPass(ctx)
		s.mu.Lock()
		s.failed = err
		s.counters.Passes++
		s.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("publishing failed; it will be tried again", "cause", err)
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

// runPass does all work that is due and returns how long to wait until the next pass.
func (s *Service) runPass(ctx context.Context) (time.Duration, error) {
	s.working.Lock()
	defer s.working.Unlock()
	err := s.publishChanges(ctx)
	enterErr := errors.Join(s.reportAllEntered(ctx), s.reportAwaited(ctx))
	s.wakeArticles()
	_, digestErr := s.queueDigests(ctx)
	_, wait, sendErr := s.SendAll(ctx)
	if wait <= 0 || wait > s.o.Poll {
		wait = s.o.Poll
	}
	return wait, errors.Join(err, enterErr, digestErr, sendErr, s.RemoveExpiredDaily(ctx), s.OverwriteDeleted(ctx))
}

// A PassCounts has the counts of one pass.
type PassCounts struct{ Changes, Items, Digests, Sent, Waiting int }

// Publish runs one pass and sends all due mails, waiting for the rate limit if necessary. Mails that a server
// wants to be retried later stay in the queue.
func (s *Service) Publish(ctx context.Context) (PassCounts, error) {
	s.working.Lock()
	defer s.working.Unlock()
	var d PassCounts
	before := s.Counters()
	err := s.publishChanges(ctx)
	if err == nil {
		err = s.reportAllEntered(ctx)
	}
	if err == nil {
		err = s.reportAwaited(ctx)
	}
	if err == nil {
		d.Digests, err = s.queueDigests(ctx)
	}
	for err == nil {
		var n int
		var wait time.Duration
		n, wait, err = s.SendAll(ctx)
		d.Sent += n
		if err != nil || !s.IsRateLimited(s.now()) {
			break
		}
		err = sleep(ctx, wait)
	}
	after := s.Counters()
	d.Changes, d.Items = int(after.Changes-before.Changes), int(after.Items-before.Items)
	waiting, queueErr := s.CountWaiting(ctx)
	d.Waiting = waiting
	return d, errors.Join(err, queueErr, s.RemoveExpiredDaily(ctx), s.OverwriteDeleted(ctx))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Counters returns the counts since Open.
func (s *Service) Counters() Counters {
	c, mails := s.ownCounters(), s.SendCounters()
	c.Sent, c.Retried, c.Refused, c.Lost = mails.Sent, mails.Retried, mails.Refused, mails.Lost
	c.Votes = s.VoteCount()
	return c
}

// ownCounters returns the counters without those of mails and votes.
func (s *Service) ownCounters() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters
}

func (s *Service) updateCounters(f func(*Counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counters)
}

// LastPassError returns the error of the last pass of Run, or nil.
func (s *Service) LastPassError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// errDry makes the transaction of a dry run roll back.
var errDry = errors.New("dry run")

// DryRun runs one pass and sends all mails that would be sent, including queued ones, to m. Then it rolls
// everything back: no reader is notified and nothing is marked as sent.
func (s *Service) DryRun(ctx context.Context, m message.Mailer) (PassCounts, error) {
	s.working.Lock()
	defer s.working.Unlock()
	var d PassCounts
	var letters []message.Email
	before := s.ownCounters()
	defer s.LockLists()()
	err := s.db.Write(ctx, func(tx *bolt.Tx) (err error) {
		if err = s.runDryPass(ctx, tx, &d); err == nil {
			letters, err = s.Queue.MailTexts(tx)
		}
		return cmp.Or(err, errDry)
	})
	after := s.ownCounters()
	d.Changes, d.Items = int(after.Changes-before.Changes), int(after.Items-before.Items)
	s.updateCounters(func(c *Counters) { *c = before })
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

// runDryPass publishes changes and makes digests in one transaction.
func (s *Service) runDryPass(ctx context.Context, tx *bolt.Tx, d *PassCounts) error {
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
	if err := s.reportEntered(ctx, transactions{inside, inside}); err != nil {
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

// Check returns the errors found in the file.
func (s *Service) Check() []error {
	return s.db.Check(func(tx *bolt.Tx) []error {
		return slices.Concat(account.Check(tx), checkWindowDays(tx), checkArticles(tx))
	})
}
