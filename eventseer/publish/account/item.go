package account

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// MaxPending is the maximum number of items that wait for an account's next mails. Older ones are only on the
// reader's page.
const MaxPending = 2000

// AddItem appends an item to the stream of its list, and removes the oldest if the stream is full.
// It returns the item with its ID.
func AddItem(tx *bolt.Tx, account string, i eventseer.Item) (eventseer.Item, error) {
	b := tx.Bucket(records.ItemBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return i, err
	}
	i.ID = itemID(account, i.List, seq)
	stream := records.JoinKey(account, i.List)
	n := records.NumberOf(tx.Bucket(records.StreamBucket).Get(stream)) + 1
	if n > eventseer.MaxStream {
		prefix := records.PrefixKey(account, i.List)
		if k, _ := b.Cursor().Seek(prefix); bytes.HasPrefix(k, prefix) {
			if err := b.Delete(bytes.Clone(k)); err != nil {
				return i, err
			}
			n--
		}
	}
	return i, errors.Join(records.Put(tx, records.ItemBucket, records.ItemKey(account, i.List, seq), i), tx.Bucket(records.StreamBucket).Put(stream, records.NumberKey(n)))
}

// AddPending adds an item to the pending items of an account, to be mailed by the rhythm of its list.
func AddPending(tx *bolt.Tx, account string, item eventseer.Item) error {
	_, list, seq, err := splitItemID(item.ID)
	if err != nil {
		return err
	}
	return tx.Bucket(records.PendingBucket).Put(slices.Concat(records.PrefixKey(account), records.NumberKey(seq)), records.ItemKey(account, list, seq))
}

// Items returns the items of the account's lists, newest first, or of one list if list is not "". An item
// found by several lists is included once. total is the number of items.
func (s *Accounts) Items(ctx context.Context, account, list string, from, limit int) (items []eventseer.Item, total int, err error) {
	err = s.db.Read(ctx, func(tx *bolt.Tx) error {
		if list == "" {
			items, total, err = allItems(tx, account, from, limit)
			return err
		}
		if _, err := getSubscribedList(tx, account, list); err != nil {
			return err
		}
		items, total, err = listItems(tx, account, list, from, limit)
		return err
	})
	return items, total, err
}

// listItems returns a part of a list's stream, newest first, and the length of the stream.
func listItems(tx *bolt.Tx, account, list string, from, limit int) (items []eventseer.Item, total int, err error) {
	total = int(records.NumberOf(tx.Bucket(records.StreamBucket).Get(records.JoinKey(account, list))))
	keys := records.KeysWithPrefix(tx, records.ItemBucket, records.PrefixKey(account, list))
	for _, k := range slices.Backward(keys[:max(0, len(keys)-max(from, 0))]) {
		if len(items) >= limit {
			break
		}
		i, decodeErr := records.Get[eventseer.Item](tx, records.ItemBucket, k)
		if decodeErr != nil {
			err = errors.Join(err, decodeErr)
			continue
		}
		items = append(items, i)
	}
	return items, total, err
}

// A numberedItem is an item with its sequence number.
type numberedItem struct {
	seq  uint64
	item eventseer.Item
}

// allItems merges the streams of an account's lists.
func allItems(tx *bolt.Tx, account string, from, limit int) ([]eventseer.Item, int, error) {
	lists, err := ListsOf(tx, account)
	if err != nil {
		return nil, 0, err
	}
	var all []numberedItem
	for _, list := range append([]List{{}}, lists...) {
		if !list.Left.IsZero() {
			continue
		}
		for k, v := range records.WithPrefix(tx, records.ItemBucket, records.PrefixKey(account, list.ID)) {
			i, err := records.Decode[eventseer.Item](records.ItemBucket, v)
			if err == nil && len(k) >= 8 {
				all = append(all, numberedItem{records.NumberOf(k[len(k)-8:]), i})
			}
		}
	}
	slices.SortFunc(all, func(a, b numberedItem) int { return cmp.Compare(b.seq, a.seq) })
	items := withoutDuplicates(all)
	total := len(items)
	from = min(max(from, 0), total)
	return items[from:min(total, from+max(limit, 0))], total, nil
}

// withoutDuplicates removes items for the same event and reason from another list.
func withoutDuplicates(all []numberedItem) []eventseer.Item {
	type same struct {
		event eventseer.EventID
		kind  eventseer.ItemKind
		to    eventseer.Date
		what  eventseer.DeadlineKind
	}
	seen := map[same]bool{}
	var items []eventseer.Item
	for _, s := range all {
		key := same{event: s.item.Event, kind: s.item.Kind}
		if s.item.Kind != eventseer.NewCall {
			key.to, key.what = s.item.Next.Date, s.item.Next.Kind
		}
		if !seen[key] {
			seen[key] = true
			items = append(items, s.item)
		}
	}
	return items
}

// A Vote is a reader's opinion of an item. It is used as a training label.
type Vote struct {
	URL    string            `json:"url"` // URL of the item's page
	Event  eventseer.EventID `json:"event"`
	Useful int               `json:"useful"` // 1 or -1
	At     time.Time         `json:"at"`
}

// VoteToken returns the token for a vote on an item, or "" if the item is not stored.
func (s *Accounts) VoteToken(item eventseer.Item) (token string) {
	account, _, _, err := splitItemID(item.ID)
	if err != nil {
		return ""
	}
	_ = s.db.ReadNow(func(tx *bolt.Tx) error { // without an account there is no token
		if a, err := Get(tx, account); err == nil {
			token = s.newToken(voteToken, item.ID, a.Generation)
		}
		return nil
	})
	return token
}

// Vote stores the reader's opinion of an item. useful is 1 or -1. The last vote counts.
func (s *Accounts) Vote(ctx context.Context, token string, useful int) (item eventseer.Item, err error) {
	if useful != 1 && useful != -1 {
		return item, &eventseer.InputError{Field: "useful", Msg: "a vote must be 1 or -1"}
	}
	name, err := nameIn(voteToken, token)
	if err != nil {
		return item, err
	}
	account, list, seq, err := splitItemID(name)
	if err != nil {
		return item, err
	}
	now, key := s.now(), records.ItemKey(account, list, seq)
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		a, err := Get(tx, account)
		if err != nil {
			return err
		}
		if err := s.verify(token, voteToken, name, a.Generation); err != nil {
			return err
		}
		if item, err = records.Get[eventseer.Item](tx, records.ItemBucket, key); err != nil {
			return err
		}
		item.Useful = useful
		return errors.Join(
			records.Put(tx, records.ItemBucket, key, item),
			records.Put(tx, records.VoteBucket, []byte(item.ID), Vote{URL: item.Source, Event: item.Event, Useful: useful, At: now}),
		)
	})
	if err == nil && s.o.Label != nil && item.Source != "" {
		err = s.o.Label(ctx, item.Source, useful > 0, now)
	}
	if err != nil {
		return eventseer.Item{}, err
	}
	s.votes.Add(1)
	return item, nil
}

// Votes returns all votes in order of item, without the readers.
func (s *Accounts) Votes(ctx context.Context) ([]Vote, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (votes []Vote, err error) {
		for v, err := range records.Values[Vote](tx, records.VoteBucket, nil) {
			if err != nil {
				return votes, err
			}
			votes = append(votes, v)
		}
		return votes, nil
	})
}
