package publish

import (
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

	"eventseer/eventseer"
	"eventseer/eventseer/publish/match"
	"eventseer/eventseer/publish/message"
	"eventseer/features/dictionary"
	"eventseer/internal/bolt"

	"go.etcd.io/bbolt"
	"golang.org/x/time/rate"
)

// Options say how a Service is opened.
type Options struct {
	// Path is the file that readers and lists are kept in, "publish.db".
	Path string
	// MustExist makes Open fail with bolt.ErrMissing instead of making the file.
	MustExist bool
	// Store is what is published. Nil publishes nothing: readers can be looked at.
	Store eventseer.Store
	// Index finds what a preview looks at; without one there are none.
	Index eventseer.Index
	// Series gives the ranks that lists ask for. Nil knows none.
	Series eventseer.SeriesStore
	// Dictionary gives synonyms. Nil knows none.
	Dictionary *dictionary.Dictionary
	// People lets lists ask for people by person:.
	People bool
	// Mailer sends letters. Without one they wait in the queue.
	Mailer message.Mailer
	// Site is what letters say of their sender; Site.Base is needed to send any.
	Site message.Site
	// Hour of the day in the reader's zone at which digests are made, 0 to 23, and the day
	// of weekly ones. The zero Options mean midnight from Saturday to Sunday.
	Hour    int
	Weekday time.Weekday
	// PerMinute bounds the letters sent in a minute. Zero is no limit.
	PerMinute int
	// Poll is how often Run looks at the outbox without having been poked. Zero means 1m.
	Poll time.Duration
	// Label is told what readers think of a page. Nil keeps votes only.
	Label func(ctx context.Context, url string, useful bool, at time.Time) error
	// Crawled returns when a page was last fetched; nil or zero says nothing.
	Crawled func() time.Time
	// Now is the clock. Nil means time.Now. Rand gives names and secrets; nil means
	// crypto/rand.
	Now  func() time.Time
	Rand io.Reader
	// Log hears what goes wrong with single records and letters. Nil drops it.
	Log *slog.Logger
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// A Service keeps readers and lists and tells them what is new. It is safe for concurrent
// use by one process.
type Service struct {
	o       Options
	db      *bbolt.DB
	matcher *match.Matcher
	key     []byte        // of tokens
	host    string        // of Message-IDs
	limiter *rate.Limiter // nil of no limit
	poked   chan struct{}

	// lists is held to change lists, and for reading from matching until what was found is
	// kept: a list that begins in between would miss what is new.
	lists sync.RWMutex
	// reading is held to read, and by what overwrites the pages that nobody reads.
	reading sync.RWMutex
	// working is held by a pass: there is one at a time.
	working sync.Mutex

	mu       sync.Mutex // guards below
	counters Counters
	failed   error // of the last pass
}

// Counters count since the service was opened.
type Counters struct {
	Changes, Items, Digests      uint64 // read, found, made
	Sent, Retried, Refused, Lost uint64 // letters; lost ones were given up or not wanted any more
	Votes, Passes                uint64
}

// Open opens or makes publish.db and reads all lists. Its errors are those of bolt.Open.
// A new file begins with what the store tells from now on.
func Open(ctx context.Context, o Options) (*Service, error) {
	o = o.withDefaults()
	db, err := bolt.Open(o.Path, bolt.Options{Kind: "publish", Private: true, Migrations: migrations, MustExist: o.MustExist, OpenFile: o.OpenFile})
	if err != nil {
		return nil, err
	}
	s := &Service{
		o: o, db: db, matcher: match.New(o.Dictionary), host: hostOf(o.Site.Base), poked: make(chan struct{}, 1),
	}
	if o.PerMinute > 0 {
		s.limiter = rate.NewLimiter(rate.Limit(float64(o.PerMinute)/60), max(1, o.PerMinute/10))
	}
	s.matcher.People = o.People
	err = s.begin(ctx)
	if err != nil {
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
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Poll <= 0 {
		o.Poll = time.Minute
	}
	if o.Site.Base != "" && !strings.HasSuffix(o.Site.Base, "/") {
		o.Site.Base += "/"
	}
	return o
}

func (s *Service) begin(ctx context.Context) error {
	if err := s.db.Update(s.makeSecret); err != nil {
		return err
	}
	if err := s.loadLists(); err != nil {
		return err
	}
	if s.o.Store == nil {
		return nil
	}
	return s.findMark(ctx)
}

// Database is the file, for a backup.
func (s *Service) Database() bolt.Source { return bolt.SourceOf(s.db) }

// Close releases the file. Run must have ended.
func (s *Service) Close() error { return s.db.Close() }

func (s *Service) now() time.Time { return s.o.Now().UTC() }

func (s *Service) view(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.look(f)
}

func (s *Service) look(f func(*bbolt.Tx) error) error {
	s.reading.RLock()
	defer s.reading.RUnlock()
	return s.db.View(f)
}

func (s *Service) update(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.Update(f)
}

// Poke says that the store has something new or the queue a letter. It never waits.
func (s *Service) Poke() {
	select {
	case s.poked <- struct{}{}:
	default:
	}
}

// Run matches, makes digests and sends until ctx ends, which is no error.
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
	_, err := s.read(ctx)
	enterErr := s.enterAll(ctx)
	_, digestErr := s.digests(ctx)
	_, wait, sendErr := s.sendAll(ctx)
	if wait <= 0 || wait > s.o.Poll {
		wait = s.o.Poll
	}
	return wait, errors.Join(err, enterErr, digestErr, sendErr, s.sweepDaily(ctx), s.scrub(ctx))
}

// A Done says what one pass did.
type Done struct{ Changes, Items, Digests, Sent, Waiting int }

// Publish makes one pass and waits for what the rate limit holds back: it returns once
// all is sent but for what a server asks to be tried later.
func (s *Service) Publish(ctx context.Context) (Done, error) {
	s.working.Lock()
	defer s.working.Unlock()
	var d Done
	before := s.Counters()
	_, err := s.read(ctx)
	if err == nil {
		err = s.enterAll(ctx)
	}
	if err == nil {
		d.Digests, err = s.digests(ctx)
	}
	for err == nil {
		var n int
		var wait time.Duration
		n, wait, err = s.sendAll(ctx)
		d.Sent += n
		if err != nil || !s.heldBack(s.now()) {
			break
		}
		err = pause(ctx, wait)
	}
	after := s.Counters()
	d.Changes, d.Items = int(after.Changes-before.Changes), int(after.Items-before.Items)
	waiting, queueErr := s.Waiting(ctx)
	d.Waiting = waiting
	return d, errors.Join(err, queueErr, s.sweepDaily(ctx), s.scrub(ctx))
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
