package publish

import (
	"context"
	"time"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// A Vote is what a reader thinks of an item: a label for training.
type Vote struct {
	URL    string            `json:"url"` // of the page
	Event  eventseer.EventID `json:"event"`
	Useful int               `json:"useful"` // 1 or -1
	At     time.Time         `json:"at"`
}

// VoteToken returns the token by which a reader votes on an item; "" for what is no item
// of ours.
func (s *Service) VoteToken(item eventseer.Item) (token string) {
	account, _, _, err := partsOf(item.ID)
	if err != nil {
		return ""
	}
	_ = s.look(func(tx *bbolt.Tx) error { // without an account there is no token
		if a, err := getAccount(tx, account); err == nil {
			token = s.seal(voteToken, item.ID, a.Generation)
		}
		return nil
	})
	return token
}

// Vote keeps what the reader thinks of an item: useful 1 or -1. The last vote counts.
func (s *Service) Vote(ctx context.Context, token string, useful int) (item eventseer.Item, err error) {
	if useful != 1 && useful != -1 {
		return item, &eventseer.InputError{Field: "useful", Msg: "a vote is 1 or -1"}
	}
	name, err := nameIn(voteToken, token)
	if err != nil {
		return item, err
	}
	account, list, seq, err := partsOf(name)
	if err != nil {
		return item, err
	}
	now := s.now()
	err = s.update(ctx, func(tx *bbolt.Tx) error {
		a, err := getAccount(tx, account)
		if err != nil {
			return err
		}
		if err := s.genuine(token, voteToken, name, a.Generation); err != nil {
			return err
		}
		if item, err = getItem(tx, account, list, seq); err != nil {
			return err
		}
		item.Useful = useful
		if err := put(tx, itemBucket, itemKey(account, list, seq), item); err != nil {
			return err
		}
		return put(tx, voteBucket, []byte(item.ID), Vote{URL: item.Source, Event: item.Event, Useful: useful, At: now})
	})
	if err == nil && s.o.Label != nil && item.Source != "" {
		err = s.o.Label(ctx, item.Source, useful > 0, now)
	}
	if err != nil {
		return eventseer.Item{}, err
	}
	s.count(func(c *Counters) { c.Votes++ })
	return item, nil
}

// Votes returns what readers voted, in the order of items. It does not say who.
func (s *Service) Votes(ctx context.Context) (votes []Vote, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		for _, value := range under(tx, voteBucket, nil) {
			v, err := decode[Vote](voteBucket, value)
			if err != nil {
				return err
			}
			votes = append(votes, v)
		}
		return nil
	})
	return votes, err
}
