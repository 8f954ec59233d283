package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// maxPending bounds the items that wait for an account's next mails; older ones are at
// its page only.
const maxPending = 2000

// addItem appends an item to the stream of its list, and drops the oldest of a stream
// that is full. It returns the item with its ID.
func addItem(tx *bbolt.Tx, account string, i eventseer.Item) (eventseer.Item, error) {
	b := tx.Bucket(itemBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return i, err
	}
	i.ID = itemID(account, i.List, seq)
	stream := join(account, i.List)
	n := numberOf(tx.Bucket(streamBucket).Get(stream)) + 1
	if n > eventseer.MaxStream {
		prefix := within(account, i.List)
		if k, _ := b.Cursor().Seek(prefix); bytes.HasPrefix(k, prefix) {
			if err := b.Delete(bytes.Clone(k)); err != nil {
				return i, err
			}
			n--
		}
	}
	return i, errors.Join(put(tx, itemBucket, itemKey(account, i.List, seq), i), tx.Bucket(streamBucket).Put(stream, number(n)))
}

// await has an item sent by the rhythm of its list.
func await(tx *bbolt.Tx, account string, item eventseer.Item) error {
	_, list, seq, err := partsOf(item.ID)
	if err != nil {
		return err
	}
	return tx.Bucket(pendingBucket).Put(slices.Concat(within(account), number(seq)), itemKey(account, list, seq))
}

// Items returns what the account's lists brought, newest first; of one list if list is
// not "". Over all lists what several found is there once.
func (s *Service) Items(ctx context.Context, account, list string, from, limit int) (items []eventseer.Item, total int, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		if list != "" {
			l, err := getList(tx, account, list)
			if err != nil || !l.Left.IsZero() {
				return errors.Join(err, gone(l))
			}
			items, total, err = stream(tx, account, list, from, limit)
			return err
		}
		items, total, err = allItems(tx, account, from, limit)
		return err
	})
	return items, total, err
}

// stream returns a part of a list's stream, newest first, and its length.
func stream(tx *bbolt.Tx, account, list string, from, limit int) (items []eventseer.Item, total int, err error) {
	total = int(numberOf(tx.Bucket(streamBucket).Get(join(account, list))))
	prefix := within(account, list)
	c := tx.Bucket(itemBucket).Cursor()
	k, v := []byte(nil), []byte(nil)
	if above, _ := c.Seek(slices.Concat(prefix, number(1<<64-1))); above == nil {
		k, v = c.Last()
	} else {
		k, v = c.Prev()
	}
	for n := 0; bytes.HasPrefix(k, prefix) && len(items) < limit; k, v = c.Prev() {
		if n++; n <= max(from, 0) {
			continue
		}
		i, decodeErr := decode[eventseer.Item](itemBucket, v)
		if decodeErr != nil {
			err = errors.Join(err, decodeErr)
			continue
		}
		items = append(items, i)
	}
	return items, total, err
}

// A place in a stream, for merging.
type streamed struct {
	seq  uint64
	item eventseer.Item
}

// allItems merges the streams of an account.
func allItems(tx *bbolt.Tx, account string, from, limit int) ([]eventseer.Item, int, error) {
	lists, err := listsOf(tx, account)
	if err != nil {
		return nil, 0, err
	}
	var all []streamed
	for _, list := range append([]keptList{{}}, lists...) {
		if !list.Left.IsZero() {
			continue
		}
		for k, v := range under(tx, itemBucket, within(account, list.ID)) {
			i, err := decode[eventseer.Item](itemBucket, v)
			if err == nil && len(k) >= 8 {
				all = append(all, streamed{numberOf(k[len(k)-8:]), i})
			}
		}
	}
	slices.SortFunc(all, func(a, b streamed) int { return cmp.Compare(b.seq, a.seq) })
	items := once(all)
	total := len(items)
	from = min(max(from, 0), total)
	return items[from:min(total, from+max(limit, 0))], total, nil
}

// once leaves out items that another list brought of the same event for the same reason.
func once(all []streamed) []eventseer.Item {
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

// getItem returns an item of a stream.
func getItem(tx *bbolt.Tx, account, list string, seq uint64) (eventseer.Item, error) {
	return get[eventseer.Item](tx, itemBucket, itemKey(account, list, seq))
}
