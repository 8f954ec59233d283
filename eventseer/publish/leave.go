package publish

import (
	"context"
	"errors"
	"strings"
	"time"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// LeftHolds is for how long leaving can be undone.
const LeftHolds = 30 * 24 * time.Hour

// ownerOf parts a name "account-list".
func ownerOf(name string) (account, list string, err error) {
	account, list, ok := strings.Cut(name, "-")
	if !ok || account == "" || list == "" {
		return "", "", eventseer.ErrNotFound
	}
	return account, list, nil
}

// A leaver is what a token of List-Unsubscribe is for.
type leaver struct {
	account account
	list    *keptList // nil: all lists
}

func (s *Service) leaverOf(tx *bbolt.Tx, token string) (l leaver, err error) {
	name, err := nameIn(leaveToken, token)
	if err != nil {
		return l, err
	}
	owner, id, err := ownerOf(name)
	if err != nil {
		return l, err
	}
	if l.account, err = getAccount(tx, owner); err != nil {
		return l, err
	}
	generation := l.account.Generation
	if id != noList {
		kept, err := getList(tx, owner, id)
		if err != nil {
			return l, err
		}
		l.list, generation = &kept, kept.Generation
	}
	return l, s.genuine(token, leaveToken, name, generation)
}

// Leaving says what a token of List-Unsubscribe would end.
func (s *Service) Leaving(ctx context.Context, token string) (leaving eventseer.Leaving, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		l, err := s.leaverOf(tx, token)
		if err != nil {
			return err
		}
		leaving.Address = hidden(l.account.Address)
		leaving.Left = !l.account.Left.IsZero()
		if l.list != nil {
			leaving.List, leaving.Left = l.list.List, !l.list.Left.IsZero()
		}
		return nil
	})
	return leaving, err
}

// hidden shows the ends of an address only: "a…z@b.example".
func hidden(address string) string {
	local, domain, ok := strings.Cut(address, "@")
	if !ok {
		return ""
	}
	r := []rune(local)
	if len(r) < 4 {
		return string(r[0]) + "…@" + domain
	}
	return string(r[0]) + "…" + string(r[len(r)-1]) + "@" + domain
}

// Leave ends a list, or all of them with the notices of starred events. It may be
// repeated.
func (s *Service) Leave(ctx context.Context, token string) error {
	return s.leaveOrReturn(ctx, token, s.now())
}

// Return begins again what Leave ended. It may be repeated.
func (s *Service) Return(ctx context.Context, token string) error {
	return s.leaveOrReturn(ctx, token, time.Time{})
}

func (s *Service) leaveOrReturn(ctx context.Context, token string, left time.Time) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	var changed []keptList
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		l, err := s.leaverOf(tx, token)
		if err != nil {
			return err
		}
		if l.list != nil {
			changed = setLeft([]keptList{*l.list}, l.list.Left, left)
		} else {
			all, err := listsOf(tx, l.account.ID)
			if err != nil {
				return err
			}
			changed = setLeft(all, l.account.Left, left)
			if left.IsZero() || l.account.Left.IsZero() {
				l.account.Left = left
			}
		}
		errs := []error{s.schedule(tx, &l.account, time.Time{})}
		for i := range changed {
			if left.IsZero() { // what came while it was left is not new
				changed[i].Since, changed[i].Began = markOf(tx), s.now()
				errs = append(errs, s.beginWindows(tx, changed[i].List))
			}
			errs = append(errs, putList(tx, changed[i]))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return err
	}
	return s.rematch(changed)
}

// setLeft returns those lists that leaving at a time, or returning if it is zero, changes.
// Returning brings back what was left at the time was, and no other.
func setLeft(lists []keptList, was, left time.Time) (changed []keptList) {
	for _, l := range lists {
		switch {
		case left.IsZero() && !l.Left.IsZero() && l.Left.Equal(was), !left.IsZero() && l.Left.IsZero():
			l.Left = left
			changed = append(changed, l)
		}
	}
	return changed
}

func (s *Service) rematch(lists []keptList) error {
	for _, l := range lists {
		if !l.Left.IsZero() {
			s.matcher.Remove(l.ID)
		} else if err := s.matcher.Set(l.List); err != nil {
			return err
		}
	}
	return nil
}
