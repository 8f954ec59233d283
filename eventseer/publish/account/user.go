package account

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// maxAudit is the maximum number of entries in the audit log. The oldest are deleted.
const maxAudit = 10_000

// An Entry is an action by the operator, or one on a whole account. It contains no address.
type Entry struct {
	At      time.Time `json:"at"`
	Who     string    `json:"who,omitempty"`
	Action  string    `json:"action"`
	Subject string    `json:"subject,omitempty"` // id of an account or a list
	Result  string    `json:"result,omitempty"`
}

// A User is an account with its lists, as shown to the operator.
type User struct {
	eventseer.Account
	Left    time.Time        `json:"left,omitzero"`
	Lists   []eventseer.List `json:"lists"`
	Pending int              `json:"pending"` // items that wait for a mail
}

// Users returns all accounts in the order of their ids.
func (s *Accounts) Users(ctx context.Context) ([]User, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (users []User, err error) {
		for a, err := range records.Values[Account](tx, records.AccountBucket, nil) {
			if err != nil {
				return users, err
			}
			u, err := userOf(tx, a)
			if err != nil {
				return users, err
			}
			users = append(users, u)
		}
		return users, nil
	})
}

func userOf(tx *bolt.Tx, a Account) (User, error) {
	u := User{Account: a.Account, Left: a.Left, Lists: []eventseer.List{}}
	lists, err := ListsOf(tx, a.ID)
	for _, l := range lists {
		if l.Left.IsZero() {
			u.Lists = append(u.Lists, l.List)
		}
	}
	for range records.WithPrefix(tx, records.PendingBucket, records.PrefixKey(a.ID)) {
		u.Pending++
	}
	return u, err
}

// Find returns the account with an id, an address or a user name. It returns eventseer.ErrNotFound if there
// is none.
func (s *Accounts) Find(ctx context.Context, name string) (User, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (User, error) {
		id := []byte(name)
		if of := tx.Bucket(records.AddressBucket).Get([]byte(records.AddressKey(name))); of != nil {
			id = of
		} else if of := tx.Bucket(records.UserBucket).Get([]byte(name)); of != nil {
			id = of
		}
		if len(id) == 0 {
			return User{}, eventseer.ErrNotFound
		}
		a, err := Get(tx, string(id))
		if err != nil {
			return User{}, err
		}
		return userOf(tx, a)
	})
}

// MakeUser returns the account of an address. The operator creates and confirms it without a mail.
func (s *Accounts) MakeUser(ctx context.Context, address string) (a eventseer.Account, err error) {
	address, err = ParseAddress(address)
	if err != nil {
		return a, err
	}
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		kept, err := s.confirmAddress(tx, address)
		if err != nil {
			return err
		}
		a = kept.Account
		return errors.Join(s.Schedule(tx, &kept, time.Time{}), appendAudit(tx, Entry{At: s.now(), Action: "confirm", Who: "operator", Subject: a.ID}))
	})
	return a, err
}

// An Export is all stored data of a reader.
type Export struct {
	User
	Items []eventseer.Item `json:"items"` // newest first
}

// Export returns all stored data of a reader, for that reader.
func (s *Accounts) Export(ctx context.Context, name string) (x Export, err error) {
	if x.User, err = s.Find(ctx, name); err != nil {
		return x, err
	}
	x.Items, _, err = s.Items(ctx, x.ID, "", 0, eventseer.MaxStream*eventseer.MaxListsAnAccount)
	return x, err
}

// DeleteAccount deletes an account with all its data, and overwrites the data in the file. If the file is being
// read, the data is overwritten by a later pass.
func (s *Accounts) DeleteAccount(ctx context.Context, account string) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	if err := s.forgetAccount(ctx, account, "asked for"); err != nil {
		return err
	}
	return s.OverwriteDeleted(ctx)
}

// unscrubbedKey exists in MarkBucket while deleted data may still be in the file.
var unscrubbedKey = []byte("unscrubbed")

// OverwriteDeleted overwrites deleted data. If the file is being read, it does nothing, and a later pass does it.
func (s *Accounts) OverwriteDeleted(ctx context.Context) error {
	left, err := records.Read(ctx, s.db, func(tx *bolt.Tx) (bool, error) {
		return tx.Bucket(records.MarkBucket).Get(unscrubbedKey) != nil, nil
	})
	if err != nil || !left {
		return err
	}
	if done, err := s.db.OverwriteUnused(); err != nil || !done {
		return err
	}
	return s.db.Write(ctx, func(tx *bolt.Tx) error { return tx.Bucket(records.MarkBucket).Delete(unscrubbedKey) })
}

// forgetAccount is DeleteAccount without Scrub. The caller must hold s.lists.
func (s *Accounts) forgetAccount(ctx context.Context, id, why string) error {
	var lists []List
	err := s.db.Write(ctx, func(tx *bolt.Tx) error {
		a, err := Get(tx, id)
		if err != nil {
			return err
		}
		if lists, err = ListsOf(tx, id); err != nil {
			return err
		}
		for _, l := range lists {
			if err := removeList(tx, id, l.ID); err != nil {
				return err
			}
		}
		key := []byte(records.AddressKey(a.Address))
		return errors.Join(
			replaceStars(tx, id, a.Stars, nil),
			records.DeletePrefix(tx, records.ItemBucket, records.PrefixKey(id)),
			records.DeletePrefix(tx, records.StreamBucket, records.PrefixKey(id)),
			records.DeletePrefix(tx, records.PendingBucket, records.PrefixKey(id)),
			records.DeletePrefix(tx, records.DigestBucket, []byte(id+"-")),
			records.DeletePrefix(tx, records.VoteBucket, []byte(id+"-")),
			records.DeleteIf(tx, records.ArticleCountBucket, nil, func(k, _ []byte) bool { return bytes.HasSuffix(k, []byte("\x00"+id)) }),
			records.DeleteExpired(tx, records.SessionBucket, func(v session) bool { return v.Account == id }),
			queue.RemoveAccount(tx, id, a.Address),
			records.DeleteExpired(tx, records.SigninBucket, func(v signInRequest) bool { return records.AddressKey(v.Address) == string(key) }),
			// Keys of reports begin with the event, so all are read. Accounts are deleted seldom, but each
			// change looks up its event.
			records.DeleteIf(tx, records.ReportBucket, nil, func(k, _ []byte) bool { return bytes.Contains(k, []byte("\x00"+id+"\x00")) }),
			tx.Bucket(records.DueBucket).Delete(DueKey(a.Due, id)),
			forgetName(tx, a, key),
			tx.Bucket(records.AccountBucket).Delete([]byte(id)),
			tx.Bucket(records.MarkBucket).Put(unscrubbedKey, []byte{}),
			appendAudit(tx, Entry{At: s.now(), Action: "forget", Subject: id, Result: why}),
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

func forgetName(tx *bolt.Tx, a Account, key []byte) error {
	if a.Address == "" {
		return tx.Bucket(records.UserBucket).Delete([]byte(a.User))
	}
	return errors.Join(
		tx.Bucket(records.AddressBucket).Delete(key), tx.Bucket(records.RefusedBucket).Delete(key),
		tx.Bucket(records.RequestBucket).Delete([]byte("a"+inboxKey(a.Address))),
	)
}

// appendAudit appends an entry to the audit log.
func appendAudit(tx *bolt.Tx, e Entry) error {
	b := tx.Bucket(records.AuditBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	if seq > maxAudit {
		if err := b.Delete(records.NumberKey(seq - maxAudit)); err != nil {
			return err
		}
	}
	return records.Put(tx, records.AuditBucket, records.NumberKey(seq), e)
}

// RecordAction records an action of the operator.
func (s *Accounts) RecordAction(ctx context.Context, e Entry) error {
	e.Who, e.Action = message.CleanLine(e.Who, 100), message.CleanLine(e.Action, 100)
	e.Subject, e.Result = message.CleanLine(e.Subject, 200), message.CleanLine(e.Result, 500)
	return s.db.Write(ctx, func(tx *bolt.Tx) error { return appendAudit(tx, e) })
}

// AuditEntries returns the newest entries of the audit log, at most limit.
func (s *Accounts) AuditEntries(ctx context.Context, limit int) ([]Entry, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (entries []Entry, err error) {
		c := tx.Bucket(records.AuditBucket).Cursor()
		for k, v := c.Last(); k != nil && len(entries) < limit; k, v = c.Prev() {
			e, err := records.Decode[Entry](records.AuditBucket, v)
			if err != nil {
				return entries, err
			}
			entries = append(entries, e)
		}
		return entries, nil
	})
}

// refusalHolds is how long refusals are stored.
const refusalHolds = 365 * 24 * time.Hour

var sweptKey = []byte("swept")

// RemoveExpiredDaily calls RemoveExpired if the last call was at least a day ago.
func (s *Accounts) RemoveExpiredDaily(ctx context.Context) error {
	now := s.now()
	due, err := records.Read(ctx, s.db, func(tx *bolt.Tx) (bool, error) {
		last := records.NumberOf(tx.Bucket(records.MarkBucket).Get(sweptKey))
		return now.Sub(time.Unix(0, int64(last))) >= 24*time.Hour, nil
	})
	if err != nil || !due {
		return err
	}
	return s.RemoveExpired(ctx, now)
}

func (s *Accounts) RemoveExpired(ctx context.Context, now time.Time) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	var leavers []string
	err := s.db.Write(ctx, func(tx *bolt.Tx) error {
		err := errors.Join(
			records.DeleteExpired(tx, records.SigninBucket, func(v signInRequest) bool { return !now.Before(v.Until) }),
			records.DeleteExpired(tx, records.SessionBucket, func(v session) bool { return !now.Before(v.Until) }),
			records.DeleteExpired(tx, records.RequestBucket, func(v requestLog) bool {
				return len(v.At) == 0 || v.At[len(v.At)-1].Before(now.Add(-24*time.Hour))
			}),
			records.DeleteExpired(tx, records.ReportBucket, func(v reportRecord) bool { return v.At.Before(now.Add(-reportLifetime)) }),
			queue.RemoveExpired(tx, now),
			records.DeleteExpired(tx, records.DigestBucket, func(v eventseer.Digest) bool { return v.At.Before(now.Add(-queue.DigestHolds)) }),
			records.DeleteExpired(tx, records.RefusedBucket, func(v mailRefusal) bool { return v.At.Before(now.Add(-refusalHolds)) }),
			removeLeft(tx, now),
			tx.Bucket(records.MarkBucket).Put(sweptKey, records.TimeKey(now)),
		)
		for a, unread := range records.Values[Account](tx, records.AccountBucket, nil) {
			if unread == nil && isLeftTooLong(a.Left, now) {
				leavers = append(leavers, a.ID)
			}
		}
		return err
	})
	for _, id := range leavers {
		err = errors.Join(err, s.forgetAccount(ctx, id, "left 30 days ago"))
	}
	return err
}

func isLeftTooLong(left, now time.Time) bool {
	return !left.IsZero() && left.Before(now.Add(-LeftHolds))
}

// removeLeft removes lists that were left so long ago that it cannot be undone.
func removeLeft(tx *bolt.Tx, now time.Time) error {
	var old []List
	for l, err := range records.Values[List](tx, records.ListBucket, nil) {
		if err == nil && isLeftTooLong(l.Left, now) {
			old = append(old, l)
		}
	}
	for _, l := range old {
		if err := removeList(tx, l.Account, l.ID); err != nil {
			return err
		}
	}
	return nil
}
