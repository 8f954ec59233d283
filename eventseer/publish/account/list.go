package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Limits on lists.
const (
	maxWithout     = 200
	maxWithoutTerm = 100 // bytes of a term
	maxSnoozeAhead = 400 * 24 * time.Hour
)

// A List is the stored data of a list.
type List struct {
	eventseer.List
	Generation int `json:"generation,omitempty"` // counter in the list's tokens; increasing it invalidates them
	// Since is the number of the store's last change when the list began. Earlier events are not new to it.
	Since uint64 `json:"since"`
	// Began is when the list began. Events in its date windows at that time are not new to it. It is zero in
	// lists of older programs, which means Created.
	Began time.Time `json:"began,omitzero"`
	// Left is when the reader unsubscribed. The list is stored for another LeftHolds.
	Left time.Time `json:"left,omitzero"`
}

func GetList(tx *bolt.Tx, account, id string) (List, error) {
	return records.Get[List](tx, records.ListBucket, records.JoinKey(account, id))
}

// BeganAt returns when the list began with its current query.
func (l List) BeganAt() time.Time {
	if l.Began.IsZero() {
		return l.Created
	}
	return l.Began
}

func putList(tx *bolt.Tx, l List) error {
	return records.Put(tx, records.ListBucket, records.JoinKey(l.Account, l.ID), l)
}

// ListsOf returns all lists of an account, including left ones, in order of creation.
func ListsOf(tx *bolt.Tx, account string) ([]List, error) {
	var all []List
	var errs []error
	for l, err := range records.Values[List](tx, records.ListBucket, records.PrefixKey(account)) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b List) int { return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID)) })
	return all, errors.Join(errs...)
}

// Lists returns the lists of an account in order of creation, without left ones.
func (s *Accounts) Lists(ctx context.Context, account string) ([]eventseer.List, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (lists []eventseer.List, err error) {
		all, err := ListsOf(tx, account)
		for _, l := range all {
			if l.Left.IsZero() {
				lists = append(lists, l.List)
			}
		}
		return lists, err
	})
}

// CheckList normalizes a list. It returns an *eventseer.InputError if the list is invalid.
func (s *Accounts) CheckList(l eventseer.List) (eventseer.List, error) {
	wrong := func(field, format string, args ...any) error {
		return &eventseer.InputError{Field: field, Msg: fmt.Sprintf(format, args...)}
	}
	l.Query = strings.TrimSpace(message.CleanLine(l.Query, query.MaxText+1))
	expr, err := query.Parse(l.Query)
	var bad *query.Error
	switch {
	case errors.As(err, &bad):
		return l, wrong("query", "%s", bad.Error())
	case err != nil:
		return l, err
	case len(expr.Clauses) == 0:
		return l, wrong("query", "a list needs a word or a field to search for")
	}
	if l.Name = strings.TrimSpace(l.Name); l.Name == "" {
		l.Name = message.CleanLine(l.Query, eventseer.MaxListName)
	}
	if utf8.RuneCountInString(l.Name) > eventseer.MaxListName {
		return l, wrong("name", "a name can have at most %d characters", eventseer.MaxListName)
	}
	if message.CleanLine(l.Name, eventseer.MaxListName) != l.Name {
		return l, wrong("name", "a name must be one line without control characters")
	}
	switch l.Rhythm {
	case "":
		l.Rhythm = eventseer.Daily
	case eventseer.Immediate, eventseer.Daily, eventseer.Weekly, eventseer.Quiet:
	default:
		return l, wrong("rhythm", "a rhythm must be immediate, daily, weekly or quiet")
	}
	if len(l.Without) > maxWithout || slices.ContainsFunc(l.Without, func(w string) bool { return len(w) > maxWithoutTerm }) {
		return l, wrong("without", "at most %d synonyms of %d characters can be left out", maxWithout, maxWithoutTerm)
	}
	if l.Snoozed.After(s.now().Add(maxSnoozeAhead)) {
		return l, wrong("snoozed", "a list can be silent for one year at most")
	}
	return l, nil
}

// SaveList creates a list if its ID is "", otherwise changes it. It returns the stored list.
func (s *Accounts) SaveList(ctx context.Context, l eventseer.List) (eventseer.List, error) {
	l, err := s.CheckList(l)
	if err != nil {
		return l, err
	}
	s.lists.Lock()
	defer s.lists.Unlock()
	var kept *List
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		a, err := Get(tx, l.Account)
		if err != nil {
			return err
		}
		if l.ID == "" {
			if kept, err = s.newList(tx, l); err != nil {
				return err
			}
			return s.Schedule(tx, &a, time.Time{})
		}
		old, err := getSubscribedList(tx, l.Account, l.ID)
		if err != nil {
			return err
		}
		if old.Query != l.Query { // events in the store so far are not new
			old.Since, old.Began = records.ReaderPosition(tx), s.now()
		}
		l.Created = old.Created
		old.List = l
		kept = &old
		return errors.Join(putList(tx, old), s.beginWindows(tx, old.List), s.Schedule(tx, &a, time.Time{}))
	})
	if err != nil {
		return l, err
	}
	return kept.List, s.matcher.Set(kept.List)
}

// getSubscribedList is like GetList but returns eventseer.ErrNotFound for a list that was left.
func getSubscribedList(tx *bolt.Tx, account, id string) (List, error) {
	l, err := GetList(tx, account, id)
	if err == nil && !l.Left.IsZero() {
		err = eventseer.ErrNotFound
	}
	return l, err
}

// newList adds a list, or returns an *eventseer.InputError if the account has too many.
func (s *Accounts) newList(tx *bolt.Tx, l eventseer.List) (*List, error) {
	all, err := ListsOf(tx, l.Account)
	if err != nil {
		return nil, err
	}
	if len(all) >= eventseer.MaxListsAnAccount {
		return nil, &eventseer.InputError{Msg: fmt.Sprintf("an account can have at most %d lists, including those left in the last 30 days", eventseer.MaxListsAnAccount)}
	}
	return s.AddList(tx, l)
}

func (s *Accounts) AddList(tx *bolt.Tx, l eventseer.List) (*List, error) {
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	l.ID, l.Created = id, s.now()
	kept := &List{List: l, Since: records.ReaderPosition(tx), Began: l.Created}
	return kept, errors.Join(putList(tx, *kept), s.beginWindows(tx, l))
}

// RemoveList removes a list with its items. It returns eventseer.ErrNotFound if there is no such list.
func (s *Accounts) RemoveList(ctx context.Context, account, list string) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	err := s.db.Write(ctx, func(tx *bolt.Tx) error {
		if _, err := GetList(tx, account, list); err != nil {
			return err
		}
		return removeList(tx, account, list)
	})
	if err == nil {
		s.matcher.Remove(list)
	}
	return err
}

// removeList deletes a list and its stream. Its pending items are ignored later.
func removeList(tx *bolt.Tx, account, list string) error {
	return errors.Join(
		tx.Bucket(records.ListBucket).Delete(records.JoinKey(account, list)),
		records.DeletePrefix(tx, records.ItemBucket, records.PrefixKey(account, list)),
		tx.Bucket(records.StreamBucket).Delete(records.JoinKey(account, list)),
		records.DeletePrefix(tx, records.VoteBucket, []byte(account+"-"+list+"-")),
	)
}

// LoadLists adds all lists to the matcher, except left ones.
func (s *Accounts) LoadLists() error {
	var lists []eventseer.List
	err := s.db.View(func(tx *bolt.Tx) error {
		for k, v := range records.WithPrefix(tx, records.ListBucket, nil) {
			l, err := records.Decode[List](records.ListBucket, v)
			if err != nil {
				s.o.Log.Warn("a list cannot be read and is left out", "key", string(k), "cause", err)
				continue
			}
			if l.Left.IsZero() {
				lists = append(lists, l.List)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.matcher.Set(lists...); err != nil {
		s.o.Log.Warn("a list cannot be matched and is left out", "cause", err)
	}
	return nil
}

// beginWindows must be called when a list begins. The first list with date windows sets the time from which
// windows are processed.
func (s *Accounts) beginWindows(tx *bolt.Tx, l eventseer.List) error {
	if s.matcher.HasWindows() || !match.IsTimed(l.Query) {
		return nil
	}
	return records.SetWindowsDone(tx, s.now())
}
