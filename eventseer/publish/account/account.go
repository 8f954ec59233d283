// Package account stores readers in publish.db: their accounts, sessions, sign-in links, saved
// lists and the items found.
package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Options are the settings of Accounts.
type Options struct {
	DB *records.DB
	// Matcher compares the lists with events.
	Matcher *match.Matcher
	// Queue sends the mails with sign-in links.
	Queue *queue.Queue
	// Site is the site in links of mails.
	Site message.Site
	// Hour is the hour of the day in the reader's time zone, 0 to 23, at which digests are made. Weekday is
	// the day of weekly digests.
	Hour    int
	Weekday time.Weekday
	// Label receives the readers' votes on pages. If it is nil, votes are only stored.
	Label func(ctx context.Context, url string, useful bool, at time.Time) error
	// Now is the clock. Rand is the source of ids and secrets.
	Now  func() time.Time
	Rand io.Reader
	// Log receives errors of lists that cannot be read.
	Log *slog.Logger
}

// Accounts stores readers with their sessions, lists and items. It is safe for concurrent use.
type Accounts struct {
	o       Options
	db      *records.DB
	queue   *queue.Queue
	matcher *match.Matcher
	votes   atomic.Uint64
	tokens

	// lists is locked to change lists. It is read-locked from matching until the results are stored, because
	// a list created in between would miss new events.
	lists sync.RWMutex
}

// New returns the accounts in o.DB and adds their lists to the matcher.
func New(o Options) (*Accounts, error) {
	s := &Accounts{o: o, db: o.DB, queue: o.Queue, matcher: o.Matcher, tokens: tokens{rand: o.Rand}}
	if err := s.db.Update(s.makeSecret); err != nil {
		return nil, err
	}
	return s, s.LoadLists()
}

// LockLists prevents changes of lists until the returned function is called.
func (s *Accounts) LockLists() (release func()) {
	s.lists.RLock()
	return s.lists.RUnlock
}

// VoteCount returns the number of votes since the accounts were opened.
func (s *Accounts) VoteCount() uint64 { return s.votes.Load() }

func (s *Accounts) now() time.Time { return s.o.Now().UTC() }

// ErrSignedOut means that a session is unknown or has ended.
var ErrSignedOut = errors.New("signed out")

// Limits on accounts.
const (
	sessionHolds  = 90 * 24 * time.Hour
	maxSessions   = 20  // sessions of one account; the oldest are ended
	maxUser       = 200 // bytes of a user name in the header
	maxReminders  = 10
	maxReminder   = 60 // days
	maxEventID    = 120
	maxPauseAhead = 400 * 24 * time.Hour
)

// defaultReminders are the reminders of a new account.
var defaultReminders = []int{7, 1}

// An Account is the stored data of a reader.
type Account struct {
	eventseer.Account
	Generation int       `json:"generation,omitempty"` // counter in tokens of the whole account; increasing it invalidates them
	Left       time.Time `json:"left,omitzero"`        // when the reader unsubscribed from all lists
	Due        time.Time `json:"due,omitzero"`         // when the account is processed next, its key in DueBucket
	// Daily and Weekly are when the last digests were due.
	Daily  time.Time `json:"daily,omitzero"`
	Weekly time.Time `json:"weekly,omitzero"`
	// Mails counts the immediate mails on the day MailsOf.
	Mails   int    `json:"mails,omitempty"`
	MailsOf string `json:"mails_of,omitempty"`
}

// A session is the stored data of a session.
type session struct {
	Account string    `json:"account"`
	Until   time.Time `json:"until"`
}

func Get(tx *bolt.Tx, id string) (Account, error) {
	return records.Get[Account](tx, records.AccountBucket, []byte(id))
}

func Put(tx *bolt.Tx, a Account) error {
	return records.Put(tx, records.AccountBucket, []byte(a.ID), a)
}

// MakeAccount creates an account for an address or, if that is "", for a user.
func (s *Accounts) MakeAccount(tx *bolt.Tx, address, user string, now time.Time) (Account, error) {
	id, err := s.newID()
	if err != nil {
		return Account{}, err
	}
	a := Account{Account: eventseer.Account{
		ID: id, Address: address, User: user, Created: now, Confirmed: now, Reminders: slices.Clone(defaultReminders),
	}, Daily: now, Weekly: now}
	index, name := records.AddressBucket, address
	if address == "" {
		index, name = records.UserBucket, user
	}
	return a, errors.Join(tx.Bucket(index).Put([]byte(name), []byte(id)), Put(tx, a))
}

// Account returns the account of a session, or ErrSignedOut.
func (s *Accounts) Account(ctx context.Context, token string) (eventseer.Account, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (eventseer.Account, error) {
		held, err := records.Get[session](tx, records.SessionBucket, tokenHash(token))
		if err == nil && !s.now().Before(held.Until) {
			return eventseer.Account{}, ErrSignedOut
		}
		var kept Account
		if err == nil {
			kept, err = Get(tx, held.Account)
		}
		if errors.Is(err, eventseer.ErrNotFound) {
			err = ErrSignedOut
		}
		return kept.Account, err
	})
}

// AccountOf returns the account of the user that the configured header names, and creates it at
// first use.
func (s *Accounts) AccountOf(ctx context.Context, user string) (a eventseer.Account, err error) {
	if user == "" || len(user) > maxUser || message.CleanLine(user, maxUser) != user {
		return a, &eventseer.InputError{Field: "user", Msg: "the proxy gives a user name that is empty, too long or has characters that are not allowed"}
	}
	find := func(tx *bolt.Tx) error {
		id := tx.Bucket(records.UserBucket).Get([]byte(user))
		if id == nil {
			return eventseer.ErrNotFound
		}
		kept, err := Get(tx, string(id))
		a = kept.Account
		return err
	}
	if err = s.db.Read(ctx, find); !errors.Is(err, eventseer.ErrNotFound) {
		return a, err
	}
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		if err := find(tx); !errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		made, err := s.MakeAccount(tx, "", user, s.now())
		a = made.Account
		return err
	})
	return a, err
}

// SignOut ends a session. An unknown session is not an error.
func (s *Accounts) SignOut(ctx context.Context, token string) error {
	return s.db.Write(ctx, func(tx *bolt.Tx) error { return tx.Bucket(records.SessionBucket).Delete(tokenHash(token)) })
}

// SaveAccount stores a reader's settings: Paused, Zone, Stars and Reminders.
func (s *Accounts) SaveAccount(ctx context.Context, a eventseer.Account) error {
	if err := checkAccount(&a, s.now()); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		kept, err := Get(tx, a.ID)
		if err != nil {
			return err
		}
		if err := replaceStars(tx, a.ID, kept.Stars, a.Stars); err != nil {
			return err
		}
		kept.Paused, kept.Zone, kept.Stars, kept.Reminders = a.Paused, a.Zone, a.Stars, a.Reminders
		return s.Schedule(tx, &kept, time.Time{})
	})
}

// checkAccount normalizes a reader's settings, or returns their error.
func checkAccount(a *eventseer.Account, now time.Time) error {
	if a.Zone != "" && eventseer.NamedZone(a.Zone) == nil {
		return &eventseer.InputError{Field: "zone", Msg: "this is not a time zone such as Europe/Oslo"}
	}
	if a.Paused.After(now.Add(maxPauseAhead)) {
		return &eventseer.InputError{Field: "paused", Msg: "a pause can last one year at most"}
	}
	for _, id := range a.Stars {
		if id == "" || len(id) > maxEventID || strings.Contains(string(id), "\x00") {
			return &eventseer.InputError{Field: "stars", Msg: "this is no event"}
		}
	}
	stars := distinctIDs(a.Stars)
	if len(stars) > eventseer.MaxStars {
		return &eventseer.InputError{Field: "stars", Msg: fmt.Sprintf("an account can follow at most %d events", eventseer.MaxStars)}
	}
	days := slices.Clone(a.Reminders)
	slices.SortFunc(days, func(x, y int) int { return y - x })
	days = slices.Compact(days)
	if len(days) > maxReminders || len(days) > 0 && (days[0] > maxReminder || days[len(days)-1] < 1) {
		return &eventseer.InputError{Field: "reminders", Msg: fmt.Sprintf("reminders must be at most %d numbers of days from 1 to %d", maxReminders, maxReminder)}
	}
	a.Stars, a.Reminders = stars, days
	return nil
}

// distinctIDs returns the ids without duplicates, in order.
func distinctIDs(ids []eventseer.EventID) []eventseer.EventID {
	kept := make([]eventseer.EventID, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(kept, id) {
			kept = append(kept, id)
		}
	}
	return kept
}

// replaceStars updates the index of stars.
func replaceStars(tx *bolt.Tx, account string, old, new []eventseer.EventID) error {
	b := tx.Bucket(records.StarBucket)
	for _, id := range old {
		if err := b.Delete(records.JoinKey(string(id), account)); err != nil {
			return err
		}
	}
	for _, id := range new {
		if err := b.Put(records.JoinKey(string(id), account), []byte{}); err != nil {
			return err
		}
	}
	return nil
}

// Schedule stores an account and when it is processed next. That is the hour of its next digest, or the
// given time if that is not zero and earlier.
func (s *Accounts) Schedule(tx *bolt.Tx, a *Account, at time.Time) error {
	b := tx.Bucket(records.DueBucket)
	next := s.nextHour(*a, s.now())
	for _, sooner := range []time.Time{at, a.Due} {
		if !sooner.IsZero() && sooner.Before(next) {
			next = sooner
		}
	}
	if !a.Due.IsZero() {
		if err := b.Delete(DueKey(a.Due, a.ID)); err != nil {
			return err
		}
	}
	if a.Due = (time.Time{}); ReceivesMail(*a) {
		a.Due = next
		if err := b.Put(DueKey(next, a.ID), []byte{}); err != nil {
			return err
		}
	}
	return Put(tx, *a)
}

func DueKey(at time.Time, account string) []byte {
	return slices.Concat(records.TimeKey(at), []byte(account))
}

// ReceivesMail reports whether an account gets mail.
func ReceivesMail(a Account) bool {
	return a.Address != "" && !a.Confirmed.IsZero() && a.Refused == "" && a.Left.IsZero()
}

// zoneOf returns the reader's time zone, by default UTC.
func zoneOf(a eventseer.Account) *time.Location {
	return cmp.Or(eventseer.NamedZone(a.Zone), time.UTC)
}

// LastDigestHour returns the last time at or before now that was the reader's hour of digests, in local time.
// LastWeeklyHour returns the last such time on the day of weekly digests.
func (s *Accounts) LastDigestHour(a Account, now time.Time) time.Time {
	at := s.hourOf(a, now, 0)
	if at.After(now) {
		at = s.hourOf(a, now, -1)
	}
	return at
}

func (s *Accounts) LastWeeklyHour(a Account, now time.Time) time.Time {
	at := s.LastDigestHour(a, now)
	back := (int(at.In(zoneOf(a.Account)).Weekday()) - int(s.o.Weekday) + 7) % 7
	return s.hourOf(a, at, -back)
}

// nextHour returns the next hour of digests after now.
func (s *Accounts) nextHour(a Account, now time.Time) time.Time {
	at := s.hourOf(a, now, 0)
	if !at.After(now) {
		at = s.hourOf(a, now, 1)
	}
	return at
}

// hourOf returns the hour of digests on the day that is the given number of days after now. If the clock
// skips the hour on that day, it is the following hour.
func (s *Accounts) hourOf(a Account, now time.Time, days int) time.Time {
	here := now.In(zoneOf(a.Account))
	return time.Date(here.Year(), here.Month(), here.Day()+days, s.o.Hour, 0, 0, 0, here.Location()).UTC()
}
