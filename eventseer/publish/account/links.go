package account

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Links returns the links in a digest's mail.
func (s *Accounts) Links(tx *bolt.Tx, a Account, d eventseer.Digest) (message.Links, error) {
	base := s.o.Site.Base
	leave := map[string]string{}
	for _, section := range d.Sections {
		if section.List.ID == "" {
			continue
		}
		l, err := GetList(tx, a.ID, section.List.ID)
		if err != nil {
			return message.Links{}, err
		}
		leave[l.ID] = base + "unsubscribe/" + s.UnsubscribeToken(a.ID, l.ID, l.Generation)
	}
	return message.Links{
		Page: base + "d/" + s.newToken(digestToken, d.ID, a.Generation), Lists: base + "clips",
		LeaveAll: base + "unsubscribe/" + s.UnsubscribeToken(a.ID, AllLists, a.Generation),
		Leave:    func(list string) string { return leave[list] },
		Vote: func(i eventseer.Item, useful bool) string {
			to := base + "v/" + s.newToken(voteToken, i.ID, a.Generation)
			if useful {
				return to + "?useful=1"
			}
			return to + "?useful=-1"
		},
		Event:   func(id eventseer.EventID) string { return base + "e/" + url.PathEscape(string(id)) },
		History: func(id eventseer.EventID) string { return base + "e/" + url.PathEscape(string(id)) + "/history" },
	}, nil
}

func (s *Accounts) UnsubscribeToken(account, list string, generation int) string {
	return s.newToken(leaveToken, account+"-"+list, generation)
}

// FeedToken returns the secret token of a list's feed.
func (s *Accounts) FeedToken(ctx context.Context, account, list string) (string, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (string, error) {
		l, err := GetList(tx, account, list)
		if err != nil {
			return "", err
		}
		return s.newToken(feedToken, account+"-"+list, l.Generation), nil
	})
}

// RenewTokens invalidates the tokens of a list, for its feed and for unsubscribing. If list is "", it
// invalidates the account's tokens for digests, votes and unsubscribing from all lists. Links in mails
// already sent stop working.
func (s *Accounts) RenewTokens(ctx context.Context, account, list string) error {
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		if list == "" {
			a, err := Get(tx, account)
			if err != nil {
				return err
			}
			a.Generation++
			return Put(tx, a)
		}
		l, err := GetList(tx, account, list)
		if err != nil {
			return err
		}
		l.Generation++
		return putList(tx, l)
	})
}

// Feed returns the list for a feed's token and its newest items.
func (s *Accounts) Feed(ctx context.Context, token string) (list eventseer.List, items []eventseer.Item, err error) {
	err = s.db.Read(ctx, func(tx *bolt.Tx) error {
		name, err := nameIn(feedToken, token)
		if err != nil {
			return err
		}
		account, id, err := splitListName(name)
		if err != nil {
			return err
		}
		l, err := getSubscribedList(tx, account, id)
		if err != nil {
			return err
		}
		if err := s.verify(token, feedToken, name, l.Generation); err != nil {
			return err
		}
		list = l.List
		items, _, err = listItems(tx, account, id, 0, eventseer.MaxDigestItems)
		return err
	})
	return list, items, err
}

// Digest returns a digest by the token in its mail.
func (s *Accounts) Digest(ctx context.Context, token string) (eventseer.Digest, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (d eventseer.Digest, err error) {
		name, err := nameIn(digestToken, token)
		if err != nil {
			return d, err
		}
		kept, err := records.Get[eventseer.Digest](tx, records.DigestBucket, []byte(name))
		if err != nil {
			return d, err
		}
		a, err := Get(tx, kept.Account)
		if err != nil {
			return d, err
		}
		if err := s.verify(token, digestToken, name, a.Generation); err != nil {
			return d, err
		}
		for _, section := range kept.Sections { // add the votes made since
			for i := range section.Items {
				if v, err := records.Get[Vote](tx, records.VoteBucket, []byte(section.Items[i].ID)); err == nil {
					section.Items[i].Useful = v.Useful
				}
			}
		}
		return kept, nil
	})
}

// LeftHolds is how long unsubscribing can be undone.
const LeftHolds = 30 * 24 * time.Hour

// splitListName splits a name "account-list".
func splitListName(name string) (account, list string, err error) {
	account, list, ok := strings.Cut(name, "-")
	if !ok || account == "" || list == "" {
		return "", "", eventseer.ErrNotFound
	}
	return account, list, nil
}

// An unsubscription is what an unsubscribe token refers to.
type unsubscription struct {
	account Account
	list    *List // nil for all lists
}

func (s *Accounts) unsubscriptionOf(tx *bolt.Tx, token string) (l unsubscription, err error) {
	name, err := nameIn(leaveToken, token)
	if err != nil {
		return l, err
	}
	owner, id, err := splitListName(name)
	if err != nil {
		return l, err
	}
	if l.account, err = Get(tx, owner); err != nil {
		return l, err
	}
	generation := l.account.Generation
	if id != AllLists {
		kept, err := GetList(tx, owner, id)
		if err != nil {
			return l, err
		}
		l.list, generation = &kept, kept.Generation
	}
	return l, s.verify(token, leaveToken, name, generation)
}

// Unsubscription returns what an unsubscribe token refers to.
func (s *Accounts) Unsubscription(ctx context.Context, token string) (eventseer.Unsubscription, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (leaving eventseer.Unsubscription, err error) {
		l, err := s.unsubscriptionOf(tx, token)
		if err != nil {
			return leaving, err
		}
		leaving = eventseer.Unsubscription{Address: records.MaskAddress(l.account.Address), Left: !l.account.Left.IsZero()}
		if l.list != nil {
			leaving.List, leaving.Left = l.list.List, !l.list.Left.IsZero()
		}
		return leaving, nil
	})
}

// Unsubscribe unsubscribes from a list, or from all lists and starred events. It is idempotent.
func (s *Accounts) Unsubscribe(ctx context.Context, token string) error {
	return s.setSubscription(ctx, token, s.now())
}

// Resubscribe undoes Unsubscribe. It is idempotent.
func (s *Accounts) Resubscribe(ctx context.Context, token string) error {
	return s.setSubscription(ctx, token, time.Time{})
}

func (s *Accounts) setSubscription(ctx context.Context, token string, left time.Time) error {
	s.lists.Lock()
	defer s.lists.Unlock()
	var changed []List
	err := s.db.Write(ctx, func(tx *bolt.Tx) error {
		l, err := s.unsubscriptionOf(tx, token)
		if err != nil {
			return err
		}
		if l.list != nil {
			changed = setLeftTime([]List{*l.list}, l.list.Left, left)
		} else {
			all, err := ListsOf(tx, l.account.ID)
			if err != nil {
				return err
			}
			changed = setLeftTime(all, l.account.Left, left)
			if left.IsZero() || l.account.Left.IsZero() {
				l.account.Left = left
			}
		}
		errs := []error{s.Schedule(tx, &l.account, time.Time{})}
		for i := range changed {
			if left.IsZero() { // items found before are not new
				changed[i].Since, changed[i].Began = records.ReaderPosition(tx), s.now()
				errs = append(errs, s.beginWindows(tx, changed[i].List))
			}
			errs = append(errs, putList(tx, changed[i]))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return err
	}
	return s.updateMatcher(changed)
}

// setLeftTime returns the lists that change when the reader unsubscribes at the time left, or resubscribes if
// left is zero. Resubscribing affects only lists left at the time was.
func setLeftTime(lists []List, was, left time.Time) (changed []List) {
	for _, l := range lists {
		switch {
		case left.IsZero() && !l.Left.IsZero() && l.Left.Equal(was), !left.IsZero() && l.Left.IsZero():
			l.Left = left
			changed = append(changed, l)
		}
	}
	return changed
}

func (s *Accounts) updateMatcher(lists []List) error {
	for _, l := range lists {
		if !l.Left.IsZero() {
			s.matcher.Remove(l.ID)
		} else if err := s.matcher.Set(l.List); err != nil {
			return err
		}
	}
	return nil
}
