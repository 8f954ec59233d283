package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// ErrSignedOut says that a session is unknown or has ended.
var ErrSignedOut = errors.New("signed out")

// Limits of accounts.
const (
	sessionHolds  = 90 * 24 * time.Hour
	maxSessions   = 20  // of an account; the oldest end
	maxUser       = 200 // bytes of a name that the header gives
	maxReminders  = 10
	maxReminder   = 60 // days
	maxEventID    = 120
	maxPauseAhead = 400 * 24 * time.Hour
)

// defaultReminders are those of a new account.
var defaultReminders = []int{7, 1}

// An account is what is kept of a reader.
type account struct {
	eventseer.Account
	Generation int       `json:"generation,omitempty"` // of tokens for all of the account
	Left       time.Time `json:"left,omitzero"`        // when all lists were left
	Due        time.Time `json:"due,omitzero"`         // the account's key in due
	// Daily and Weekly are when the last such digests were due.
	Daily  time.Time `json:"daily,omitzero"`
	Weekly time.Time `json:"weekly,omitzero"`
	// Mails counts the immediate ones of the day MailsOf.
	Mails   int    `json:"mails,omitempty"`
	MailsOf string `json:"mails_of,omitempty"`
}

// A session is somebody who is signed in.
type session struct {
	Account string    `json:"account"`
	Until   time.Time `json:"until"`
}

func getAccount(tx *bbolt.Tx, id string) (account, error) {
	return get[account](tx, accountBucket, []byte(id))
}

func putAccount(tx *bbolt.Tx, a account) error { return put(tx, accountBucket, []byte(a.ID), a) }

// makeAccount makes the account of an address or of a user.
func (s *Service) makeAccount(tx *bbolt.Tx, address, user string, now time.Time) (account, error) {
	id, err := s.newID()
	if err != nil {
		return account{}, err
	}
	a := account{Account: eventseer.Account{
		ID: id, Address: address, User: user, Created: now, Confirmed: now, Reminders: slices.Clone(defaultReminders),
	}, Daily: now, Weekly: now}
	index, name := addressBucket, address
	if address == "" {
		index, name = userBucket, user
	}
	return a, errors.Join(tx.Bucket(index).Put([]byte(name), []byte(id)), putAccount(tx, a))
}

// Account returns whom a session belongs to, or ErrSignedOut.
func (s *Service) Account(ctx context.Context, token string) (a eventseer.Account, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		held, err := get[session](tx, sessionBucket, hashed(token))
		if errors.Is(err, eventseer.ErrNotFound) || err == nil && !s.now().Before(held.Until) {
			return ErrSignedOut
		}
		if err != nil {
			return err
		}
		kept, err := getAccount(tx, held.Account)
		if errors.Is(err, eventseer.ErrNotFound) {
			return ErrSignedOut
		}
		a = kept.Account
		return err
	})
	return a, err
}

// AccountOf returns the account of the user that the configured header names, and makes
// it at the first time.
func (s *Service) AccountOf(ctx context.Context, user string) (a eventseer.Account, err error) {
	if user == "" || len(user) > maxUser || message.CleanLine(user, maxUser) != user {
		return a, &eventseer.InputError{Field: "user", Msg: "the proxy gives a name that is empty, too long or has signs that no name has"}
	}
	find := func(tx *bbolt.Tx) error {
		id := tx.Bucket(userBucket).Get([]byte(user))
		if id == nil {
			return eventseer.ErrNotFound
		}
		kept, err := getAccount(tx, string(id))
		a = kept.Account
		return err
	}
	if err = s.view(ctx, find); !errors.Is(err, eventseer.ErrNotFound) {
		return a, err
	}
	err = s.update(ctx, func(tx *bbolt.Tx) error {
		if err := find(tx); !errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		made, err := s.makeAccount(tx, "", user, s.now())
		a = made.Account
		return err
	})
	return a, err
}

// SignOut ends a session; an unknown one is no error.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.update(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(sessionBucket).Delete(hashed(token)) })
}

// SaveAccount sets what a reader may set: Paused, Zone, Stars, Reminders.
func (s *Service) SaveAccount(ctx context.Context, a eventseer.Account) error {
	if err := checkAccount(&a, s.now()); err != nil {
		return err
	}
	return s.update(ctx, func(tx *bbolt.Tx) error {
		kept, err := getAccount(tx, a.ID)
		if err != nil {
			return err
		}
		if err := replaceStars(tx, a.ID, kept.Stars, a.Stars); err != nil {
			return err
		}
		kept.Paused, kept.Zone, kept.Stars, kept.Reminders = a.Paused, a.Zone, a.Stars, a.Reminders
		return s.schedule(tx, &kept, time.Time{})
	})
}

// checkAccount puts what a reader set in order, or says what is wrong with it.
func checkAccount(a *eventseer.Account, now time.Time) error {
	if err := checkZone(a.Zone); err != nil {
		return err
	}
	if a.Paused.After(now.Add(maxPauseAhead)) {
		return &eventseer.InputError{Field: "paused", Msg: "a pause lasts a year at most"}
	}
	stars := make([]eventseer.EventID, 0, len(a.Stars))
	for _, id := range a.Stars {
		if id == "" || len(id) > maxEventID || bytes.ContainsRune([]byte(id), 0) {
			return &eventseer.InputError{Field: "stars", Msg: "this is no event"}
		}
		if !slices.Contains(stars, id) {
			stars = append(stars, id)
		}
	}
	if len(stars) > eventseer.MaxStars {
		return &eventseer.InputError{Field: "stars", Msg: fmt.Sprintf("an account follows at most %d events", eventseer.MaxStars)}
	}
	days := slices.Clone(a.Reminders)
	slices.SortFunc(days, func(x, y int) int { return y - x })
	days = slices.Compact(days)
	if len(days) > maxReminders || len(days) > 0 && (days[0] > maxReminder || days[len(days)-1] < 1) {
		return &eventseer.InputError{Field: "reminders", Msg: fmt.Sprintf("reminders are at most %d numbers of days from 1 to %d", maxReminders, maxReminder)}
	}
	a.Stars, a.Reminders = stars, days
	return nil
}

func checkZone(zone string) error {
	if zone != "" && eventseer.NamedZone(zone) == nil {
		return &eventseer.InputError{Field: "zone", Msg: "this is no time zone such as Europe/Oslo"}
	}
	return nil
}

// replaceStars keeps the index of stars.
func replaceStars(tx *bbolt.Tx, account string, old, new []eventseer.EventID) error {
	b := tx.Bucket(starBucket)
	for _, id := range old {
		if err := b.Delete(join(string(id), account)); err != nil {
			return err
		}
	}
	for _, id := range new {
		if err := b.Put(join(string(id), account), []byte{}); err != nil {
			return err
		}
	}
	return nil
}
