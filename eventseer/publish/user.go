package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"
	"eventseer/internal/bolt"

	"go.etcd.io/bbolt"
)

// maxAudit bounds the audit log; the oldest entries go.
const maxAudit = 10_000

// An Entry is one thing done with the rights of the operator, or to an account as a whole.
// It names no address.
type Entry struct {
	At      time.Time `json:"at"`
	Who     string    `json:"who,omitempty"`
	Action  string    `json:"action"`
	Subject string    `json:"subject,omitempty"` // id of an account or a list
	Result  string    `json:"result,omitempty"`
}

// A User is an account with its lists, as the operator sees it.
type User struct {
	eventseer.Account
	Left    time.Time        `json:"left,omitzero"`
	Lists   []eventseer.List `json:"lists"`
	Pending int              `json:"pending"` // items that wait for a mail
}

// Users returns all accounts in the order of their ids.
func (s *Service) Users(ctx context.Context) (users []User, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		for _, v := range under(tx, accountBucket, nil) {
			a, err := decode[account](accountBucket, v)
			if err != nil {
				return err
			}
			u, err := userOf(tx, a)
			if err != nil {
				return err
			}
			users = append(users, u)
		}
		return nil
	})
	return users, err
}

func userOf(tx *bbolt.Tx, a account) (User, error) {
	u := User{Account: a.Account, Left: a.Left, Lists: []eventseer.List{}}
	lists, err := listsOf(tx, a.ID)
	for _, l := range lists {
		if l.Left.IsZero() {
			u.Lists = append(u.Lists, l.List)
		}
	}
	for range under(tx, pendingBucket, within(a.ID)) {
		u.Pending++
	}
	return u, err
}

// Find returns the account of an id, an address or a user's name; eventseer.ErrNotFound.
func (s *Service) Find(ctx context.Context, name string) (u User, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		id := []byte(name)
		if of := tx.Bucket(addressBucket).Get([]byte(addressKey(name))); of != nil {
			id = of
		} else if of := tx.Bucket(userBucket).Get([]byte(name)); of != nil {
			id = of
		}
		if len(id) == 0 {
			return eventseer.ErrNotFound
		}
		a, err := getAccount(tx, string(id))
		if err != nil {
			return err
		}
		u, err = userOf(tx, a)
		return err
	})
	return u, err
}

// MakeUser returns the account of an address, made and confirmed by the operator without a
// mail.
func (s *Service) MakeUser(ctx context.Context, address string) (a eventseer.Account, err error) {
	address, err = parseAddress(address)
	if err != nil {
		return a, err
	}
	err = s.update(ctx, func(tx *bbolt.Tx) error {
		kept, err := s.confirmed(tx, address)
		if err != nil {
			return err
		}
		a = kept.Account
		return errors.Join(s.schedule(tx, &kept, time.Time{}), audit(tx, Entry{At: s.now(), Action: "confirm", Who: "operator", Subject: a.ID}))
	})
	return a, err
}

// An Export is all that is kept of a reader.
type Export struct {
	User
	Items []eventseer.Item `json:"items"` // newest first
}

// Export returns all that is kept of a reader, for the reader.
func (s *Service) Export(ctx context.Context, name string) (x Export, err error) {
	if x.User, err = s.Find(ctx, name); err != nil {
		return x, err
	}
	x.Items, _, err = s.Items(ctx, x.ID, "", 0, eventseer.MaxStream*eventseer.MaxListsAnAccount)
	return x, err
}

// Forget removes an account with all that belongs to it, and the bytes of it from the
// file. While somebody reads the file these stay for a moment: until the next pass.
func (s *Service) Forget(ctx context.Context, account string) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	if err := s.forget(ctx, account, "asked for"); err != nil {
		return err
	}
	return s.scrub(ctx)
}

// unscrubbedKey is in the marks while bytes of what was forgotten may be in the file.
var unscrubbedKey = []byte("unscrubbed")

// scrub overwrites what was forgotten, if nobody reads just now; else a later pass does.
func (s *Service) scrub(ctx context.Context) error {
	left := false
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		left = tx.Bucket(markBucket).Get(unscrubbedKey) != nil
		return nil
	})
	if err != nil || !left || !s.reading.TryLock() {
		return err
	}
	err = bolt.Scrub(s.db)
	s.reading.Unlock()
	if errors.Is(err, bolt.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.update(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(markBucket).Delete(unscrubbedKey) })
}

// forget is Forget with lists held.
func (s *Service) forget(ctx context.Context, id, why string) error {
	var lists []keptList
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		a, err := getAccount(tx, id)
		if err != nil {
			return err
		}
		if lists, err = listsOf(tx, id); err != nil {
			return err
		}
		for _, l := range lists {
			if err := removeList(tx, id, l.ID); err != nil {
				return err
			}
		}
		key := []byte(addressKey(a.Address))
		return errors.Join(
			replaceStars(tx, id, a.Stars, nil),
			deleteUnder(tx, itemBucket, within(id)),
			deleteUnder(tx, streamBucket, within(id)),
			deleteUnder(tx, pendingBucket, within(id)),
			deleteUnder(tx, digestBucket, []byte(id+"-")),
			deleteUnder(tx, voteBucket, []byte(id+"-")),
			expire(tx, sessionBucket, func(v session) bool { return v.Account == id }),
			expire(tx, queueBucket, func(v queued) bool { return v.Account == id || addressKey(v.Address) == string(key) }),
			expire(tx, sentBucket, func(v sent) bool { return v.Address == string(key) && a.Address != "" }),
			expire(tx, signinBucket, func(v signin) bool { return addressKey(v.Address) == string(key) }),
			forgetTold(tx, id),
			tx.Bucket(dueBucket).Delete(dueKey(a.Due, id)),
			forgetName(tx, a, key),
			tx.Bucket(accountBucket).Delete([]byte(id)),
			tx.Bucket(markBucket).Put(unscrubbedKey, []byte{}),
			audit(tx, Entry{At: s.now(), Action: "forget", Subject: id, Result: why}),
		)
	})
	if err != nil {
		return fmt.Errorf("forget account %s: %w", id, err)
	}
	for _, l := range lists {
		s.matcher.Remove(l.ID)
	}
	return nil
}

func forgetName(tx *bbolt.Tx, a account, key []byte) error {
	if a.Address == "" {
		return tx.Bucket(userBucket).Delete([]byte(a.User))
	}
	return errors.Join(
		tx.Bucket(addressBucket).Delete(key), tx.Bucket(refusedBucket).Delete(key),
		tx.Bucket(askedBucket).Delete([]byte("a"+inboxKey(a.Address))),
	)
}

// forgetTold removes what an account was told. Events come first in the keys, so that it
// reads them all: accounts are seldom forgotten, and each change asks by event.
func forgetTold(tx *bbolt.Tx, id string) error {
	part := []byte("\x00" + id + "\x00")
	var keys [][]byte
	for k := range under(tx, toldBucket, nil) {
		if bytes.Contains(k, part) {
			keys = append(keys, bytes.Clone(k))
		}
	}
	for _, k := range keys {
		if err := tx.Bucket(toldBucket).Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// audit appends to the audit log.
func audit(tx *bbolt.Tx, e Entry) error {
	b := tx.Bucket(auditBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	if seq > maxAudit {
		if err := b.Delete(number(seq - maxAudit)); err != nil {
			return err
		}
	}
	return put(tx, auditBucket, number(seq), e)
}

// Audit keeps what the operator did.
func (s *Service) Audit(ctx context.Context, e Entry) error {
	e.Who, e.Action = message.CleanLine(e.Who, 100), message.CleanLine(e.Action, 100)
	e.Subject, e.Result = message.CleanLine(e.Subject, 200), message.CleanLine(e.Result, 500)
	return s.update(ctx, func(tx *bbolt.Tx) error { return audit(tx, e) })
}

// Audited returns the newest entries of the audit log, at most limit.
func (s *Service) Audited(ctx context.Context, limit int) (entries []Entry, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(auditBucket).Cursor()
		for k, v := c.Last(); k != nil && len(entries) < limit; k, v = c.Prev() {
			e, err := decode[Entry](auditBucket, v)
			if err != nil {
				return err
			}
			entries = append(entries, e)
		}
		return nil
	})
	return entries, err
}
