package publish

import (
	"context"
	"errors"
	"net/url"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// links are the ways on from a digest's letter.
func (s *Service) links(tx *bbolt.Tx, a account, d eventseer.Digest) (message.Links, error) {
	base := s.o.Site.Base
	leave := map[string]string{}
	for _, section := range d.Sections {
		if section.List.ID == "" {
			continue
		}
		l, err := getList(tx, a.ID, section.List.ID)
		if err != nil {
			return message.Links{}, err
		}
		leave[l.ID] = base + "unsubscribe/" + s.leaveToken(a.ID, l.ID, l.Generation)
	}
	return message.Links{
		Page: base + "d/" + s.seal(digestToken, d.ID, a.Generation), Lists: base + "clips",
		LeaveAll: base + "unsubscribe/" + s.leaveToken(a.ID, noList, a.Generation),
		Leave:    func(list string) string { return leave[list] },
		Vote: func(i eventseer.Item, useful bool) string {
			to := base + "v/" + s.seal(voteToken, i.ID, a.Generation)
			if useful {
				return to + "?useful=1"
			}
			return to + "?useful=-1"
		},
		Event:   func(id eventseer.EventID) string { return base + "e/" + url.PathEscape(string(id)) },
		History: func(id eventseer.EventID) string { return base + "e/" + url.PathEscape(string(id)) + "/history" },
	}, nil
}

func (s *Service) leaveToken(account, list string, generation int) string {
	return s.seal(leaveToken, account+"-"+list, generation)
}

// FeedToken returns the secret of a list's feed.
func (s *Service) FeedToken(ctx context.Context, account, list string) (token string, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		l, err := getList(tx, account, list)
		token = s.seal(feedToken, account+"-"+list, l.Generation)
		return err
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// RenewTokens makes the tokens of a list's feed and of leaving it void; of an account,
// where list is "", those of its digests, its votes and of leaving all. The links in
// mails already sent end with them.
func (s *Service) RenewTokens(ctx context.Context, account, list string) error {
	return s.update(ctx, func(tx *bbolt.Tx) error {
		if list == "" {
			a, err := getAccount(tx, account)
			if err != nil {
				return err
			}
			a.Generation++
			return putAccount(tx, a)
		}
		l, err := getList(tx, account, list)
		if err != nil {
			return err
		}
		l.Generation++
		return putList(tx, l)
	})
}

// Feed returns what the token of a feed leads to: the list and its newest items.
func (s *Service) Feed(ctx context.Context, token string) (list eventseer.List, items []eventseer.Item, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		name, err := nameIn(feedToken, token)
		if err != nil {
			return err
		}
		account, id, err := ownerOf(name)
		if err != nil {
			return err
		}
		l, err := getList(tx, account, id)
		if err != nil || !l.Left.IsZero() {
			return errors.Join(err, gone(l))
		}
		if err := s.genuine(token, feedToken, name, l.Generation); err != nil {
			return err
		}
		list = l.List
		items, _, err = stream(tx, account, id, 0, eventseer.MaxDigestItems)
		return err
	})
	return list, items, err
}

// Digest returns a mail by the token in it.
func (s *Service) Digest(ctx context.Context, token string) (d eventseer.Digest, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		name, err := nameIn(digestToken, token)
		if err != nil {
			return err
		}
		kept, err := get[eventseer.Digest](tx, digestBucket, []byte(name))
		if err != nil {
			return err
		}
		a, err := getAccount(tx, kept.Account)
		if err != nil {
			return err
		}
		if err := s.genuine(token, digestToken, name, a.Generation); err != nil {
			return err
		}
		d = withVotes(tx, kept)
		return nil
	})
	return d, err
}

// withVotes shows what the reader has said of the items since.
func withVotes(tx *bbolt.Tx, d eventseer.Digest) eventseer.Digest {
	for _, section := range d.Sections {
		for i := range section.Items {
			if v, err := get[Vote](tx, voteBucket, []byte(section.Items[i].ID)); err == nil {
				section.Items[i].Useful = v.Useful
			}
		}
	}
	return d
}
