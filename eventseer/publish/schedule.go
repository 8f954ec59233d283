package publish

import (
	"cmp"
	"slices"
	"time"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// schedule keeps an account and when it is looked at next: at the hour of its next digest,
// or at a time before that, if it is not zero.
func (s *Service) schedule(tx *bbolt.Tx, a *account, at time.Time) error {
	b := tx.Bucket(dueBucket)
	old := a.Due
	next := s.nextHour(*a, s.now())
	if !at.IsZero() && at.Before(next) {
		next = at
	}
	if !old.IsZero() && old.Before(next) {
		next = old // it waits for something sooner
	}
	if !old.IsZero() {
		if err := b.Delete(dueKey(old, a.ID)); err != nil {
			return err
		}
	}
	if !mailed(*a) {
		a.Due = time.Time{}
		return putAccount(tx, *a)
	}
	a.Due = next
	if err := b.Put(dueKey(next, a.ID), []byte{}); err != nil {
		return err
	}
	return putAccount(tx, *a)
}

func dueKey(at time.Time, account string) []byte { return slices.Concat(instant(at), []byte(account)) }

// mailed reports whether an account gets mail at all.
func mailed(a account) bool {
	return a.Address != "" && !a.Confirmed.IsZero() && a.Refused == "" && a.Left.IsZero()
}

// zone returns the reader's time zone.
func zone(a eventseer.Account) *time.Location {
	return cmp.Or(eventseer.NamedZone(a.Zone), time.UTC)
}

// lastHour returns the last time at or before now when it was the hour of digests at the
// reader's place, and lastWeek the last such on the day of weekly ones.
func (s *Service) lastHour(a account, now time.Time) time.Time {
	at := s.hourOf(a, now, 0)
	if at.After(now) {
		at = s.hourOf(a, now, -1)
	}
	return at
}

func (s *Service) lastWeek(a account, now time.Time) time.Time {
	at := s.lastHour(a, now)
	back := (int(at.In(zone(a.Account)).Weekday()) - int(s.o.Weekday) + 7) % 7
	return s.hourOf(a, at, -back)
}

// nextHour returns the first hour of digests after now.
func (s *Service) nextHour(a account, now time.Time) time.Time {
	at := s.hourOf(a, now, 0)
	if !at.After(now) {
		at = s.hourOf(a, now, 1)
	}
	return at
}

// hourOf returns the hour of digests so many days after that of now. On a day whose clock
// leaves the hour out it is the hour after.
func (s *Service) hourOf(a account, now time.Time, days int) time.Time {
	here := now.In(zone(a.Account))
	return time.Date(here.Year(), here.Month(), here.Day()+days, s.o.Hour, 0, 0, 0, here.Location()).UTC()
}
