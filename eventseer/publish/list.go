package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// Limits of lists.
const (
	maxWithout     = 200
	maxWithoutTerm = 100 // bytes
	maxSnoozeAhead = 400 * 24 * time.Hour
)

// A keptList is what is kept of a list.
type keptList struct {
	eventseer.List
	Generation int `json:"generation,omitempty"` // of its tokens
	// Since is the change of the store that was the last when the list began: what is
	// older is not new.
	Since uint64 `json:"since"`
	// Began is when that was: what was in its windows by then is not new either. Zero of
	// lists of older programs, which means Created.
	Began time.Time `json:"began,omitzero"`
	// Left is when its reader left it; it is kept for a while.
	Left time.Time `json:"left,omitzero"`
}

func getList(tx *bbolt.Tx, account, id string) (keptList, error) {
	return get[keptList](tx, listBucket, join(account, id))
}

// began is when the list began to ask for what it asks for.
func (l keptList) began() time.Time {
	if l.Began.IsZero() {
		return l.Created
	}
	return l.Began
}

func putList(tx *bbolt.Tx, l keptList) error { return put(tx, listBucket, join(l.Account, l.ID), l) }

// listsOf returns all lists of an account, those left too, in the order in which they
// were made.
func listsOf(tx *bbolt.Tx, account string) ([]keptList, error) {
	var all []keptList
	var errs []error
	for _, v := range under(tx, listBucket, within(account)) {
		l, err := decode[keptList](listBucket, v)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b keptList) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, errors.Join(errs...)
}

// Lists returns the lists of an account in the order in which they were made.
func (s *Service) Lists(ctx context.Context, account string) (lists []eventseer.List, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		all, err := listsOf(tx, account)
		for _, l := range all {
			if l.Left.IsZero() {
				lists = append(lists, l.List)
			}
		}
		return err
	})
	return lists, err
}

// checkList puts in order what a reader typed, or says what is wrong with it.
func (s *Service) checkList(l eventseer.List) (eventseer.List, error) {
	wrong := func(field, format string, args ...any) error {
		return &eventseer.InputError{Field: field, Msg: fmt.Sprintf(format, args...)}
	}
	l.Query = strings.TrimSpace(message.CleanLine(l.Query, eventseer.MaxQuery+1))
	expr, err := eventseer.ParseQuery(l.Query)
	var bad *eventseer.QueryError
	switch {
	case errors.As(err, &bad):
		return l, wrong("query", "%s", bad.Error())
	case err != nil:
		return l, err
	case len(expr.Clauses) == 0:
		return l, wrong("query", "a list needs a word or a field to look for")
	}
	if l.Name = strings.TrimSpace(l.Name); l.Name == "" {
		l.Name = message.CleanLine(l.Query, eventseer.MaxListName)
	}
	if utf8.RuneCountInString(l.Name) > eventseer.MaxListName {
		return l, wrong("name", "a name has at most %d characters", eventseer.MaxListName)
	}
	if message.CleanLine(l.Name, eventseer.MaxListName) != l.Name {
		return l, wrong("name", "a name is one line of plain characters")
	}
	switch l.Rhythm {
	case "":
		l.Rhythm = eventseer.Daily
	case eventseer.Immediate, eventseer.Daily, eventseer.Weekly, eventseer.Quiet:
	default:
		return l, wrong("rhythm", "a rhythm is immediate, daily, weekly or quiet")
	}
	if len(l.Without) > maxWithout || slices.ContainsFunc(l.Without, func(w string) bool { return len(w) > maxWithoutTerm }) {
		return l, wrong("without", "at most %d synonyms of %d characters can be left out", maxWithout, maxWithoutTerm)
	}
	if l.Snoozed.After(s.now().Add(maxSnoozeAhead)) {
		return l, wrong("snoozed", "a list sleeps a year at most")
	}
	return l, nil
}

// SaveList makes a list where ID is "", else changes it; it returns it as kept.
func (s *Service) SaveList(ctx context.Context, l eventseer.List) (eventseer.List, error) {
	l, err := s.checkList(l)
	if err != nil {
		return l, err
	}
	s.lists.Lock()
	defer s.lists.Unlock()
	var kept *keptList
	err = s.update(ctx, func(tx *bbolt.Tx) error {
		a, err := getAccount(tx, l.Account)
		if err != nil {
			return err
		}
		if l.ID == "" {
			if kept, err = s.newList(tx, l); err != nil {
				return err
			}
			return s.schedule(tx, &a, time.Time{})
		}
		old, err := getList(tx, l.Account, l.ID)
		if err != nil || !old.Left.IsZero() {
			return errors.Join(err, gone(old))
		}
		if old.Query != l.Query { // what it did not ask for before is not new now
			old.Since, old.Began = markOf(tx), s.now()
		}
		l.Created = old.Created
		old.List = l
		kept = &old
		return errors.Join(putList(tx, old), s.beginWindows(tx, old.List), s.schedule(tx, &a, time.Time{}))
	})
	if err != nil {
		return l, err
	}
	return kept.List, s.matcher.Set(kept.List)
}

// gone is eventseer.ErrNotFound for a list that was left.
func gone(l keptList) error {
	if l.Left.IsZero() {
		return nil
	}
	return eventseer.ErrNotFound
}

// newList adds a list if there is room.
func (s *Service) newList(tx *bbolt.Tx, l eventseer.List) (*keptList, error) {
	all, err := listsOf(tx, l.Account)
	if err != nil {
		return nil, err
	}
	if len(all) >= eventseer.MaxListsAnAccount {
		return nil, &eventseer.InputError{Msg: fmt.Sprintf("an account has at most %d lists, those left in the last 30 days included", eventseer.MaxListsAnAccount)}
	}
	return s.addList(tx, l)
}

func (s *Service) addList(tx *bbolt.Tx, l eventseer.List) (*keptList, error) {
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	l.ID, l.Created = id, s.now()
	kept := &keptList{List: l, Since: markOf(tx), Began: l.Created}
	return kept, errors.Join(putList(tx, *kept), s.beginWindows(tx, l))
}

// RemoveList removes a list with what it brought; eventseer.ErrNotFound.
func (s *Service) RemoveList(ctx context.Context, account, list string) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		if _, err := getList(tx, account, list); err != nil {
			return err
		}
		return removeList(tx, account, list)
	})
	if err == nil {
		s.matcher.Remove(list)
	}
	return err
}

// removeList deletes a list and its stream. Pending items of it are found to be gone
// when they come up.
func removeList(tx *bbolt.Tx, account, list string) error {
	return errors.Join(
		tx.Bucket(listBucket).Delete(join(account, list)),
		deleteUnder(tx, itemBucket, within(account, list)),
		tx.Bucket(streamBucket).Delete(join(account, list)),
		deleteUnder(tx, voteBucket, []byte(account+"-"+list+"-")),
	)
}

// loadLists gives the matcher all lists that are not left.
func (s *Service) loadLists() error {
	var lists []eventseer.List
	err := s.db.View(func(tx *bbolt.Tx) error {
		for k, v := range under(tx, listBucket, nil) {
			l, err := decode[keptList](listBucket, v)
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
		s.o.Log.Warn("a list is left out", "cause", err)
	}
	return nil
}
