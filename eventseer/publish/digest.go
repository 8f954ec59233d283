package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

const (
	// accountsAtOnce is the number of accounts processed in one transaction.
	accountsAtOnce = 200
	// maxImmediate is the maximum number of immediate mails to one reader per day. Further items are sent
	// with the daily mail.
	maxImmediate = 10
)

// queueDigests queues the digests of all accounts that are due and returns their number.
func (s *Service) queueDigests(ctx context.Context) (int, error) {
	total := 0
	for {
		n, due, err := s.digestBatch(ctx, s.db.Write)
		total += n
		if err != nil {
			return total, fmt.Errorf("make digests: %w", err)
		}
		if due < accountsAtOnce {
			return total, nil
		}
	}
}

// digestBatch processes some of the accounts that are due, in one transaction run by update.
func (s *Service) digestBatch(ctx context.Context, update func(context.Context, func(*bolt.Tx) error) error) (made, due int, err error) {
	now := s.now()
	events := map[eventseer.EventID]eventseer.Event{}
	err = update(ctx, func(tx *bolt.Tx) error {
		made = 0
		accounts := dueAccounts(tx, now)
		due = len(accounts)
		for _, id := range accounts {
			sent, err := s.queueDigestOf(ctx, tx, id, events, now)
			if err != nil {
				return fmt.Errorf("account %s: %w", id, err)
			}
			if sent {
				made++
			}
		}
		return nil
	})
	if err == nil {
		s.updateCounters(func(c *Counters) { c.Digests += uint64(made) })
	}
	return made, due, err
}

func dueAccounts(tx *bolt.Tx, now time.Time) (ids []string) {
	end := records.TimeKey(now)
	for k := range records.WithPrefix(tx, records.DueBucket, nil) {
		if bytes.Compare(k[:8], end) > 0 || len(ids) == accountsAtOnce {
			break
		}
		ids = append(ids, string(k[8:]))
	}
	return ids
}

// queueDigestOf queues the digest of an account, if it has items that are due, and sets when the account is
// processed next. events caches the starred events read so far.
func (s *Service) queueDigestOf(ctx context.Context, tx *bolt.Tx, id string, events map[eventseer.EventID]eventseer.Event, now time.Time) (bool, error) {
	a, err := account.Get(tx, id)
	if errors.Is(err, eventseer.ErrNotFound) { // the account was deleted
		return false, records.DeleteIf(tx, records.DueBucket, nil, func(k, _ []byte) bool { return string(k[8:]) == id })
	}
	if err != nil {
		return false, err
	}
	old := a.Due
	daily, weekly := s.LastDigestHour(a, now).After(a.Daily), s.LastWeeklyHour(a, now).After(a.Weekly)
	made := false
	if account.ReceivesMail(a) && !a.Paused.After(now) {
		if made, err = s.queuePending(ctx, tx, &a, events, daily, weekly, now); err != nil {
			return false, err
		}
		if daily {
			a.Daily = now
		}
		if weekly {
			a.Weekly = now
		}
	}
	if err := tx.Bucket(records.DueBucket).Delete(account.DueKey(old, id)); err != nil {
		return false, err
	}
	a.Due = time.Time{}
	return made, s.Schedule(tx, &a, time.Time{})
}

// queuePending queues a mail with the pending items that are due and removes them. It returns false if there are
// none.
func (s *Service) queuePending(ctx context.Context, tx *bolt.Tx, a *account.Account, events map[eventseer.EventID]eventseer.Event, daily, weekly bool, now time.Time) (bool, error) {
	kept, err := account.ListsOf(tx, a.ID)
	if err != nil {
		return false, err
	}
	today := now.Format(time.DateOnly)
	if a.MailsOf != today {
		a.Mails, a.MailsOf = 0, today
	}
	g := pendingSelector{daily: daily, weekly: weekly, atOnce: daily || a.Mails < maxImmediate, now: now, lists: map[string]account.List{}}
	for _, l := range kept {
		if l.Left.IsZero() {
			g.lists[l.ID] = l
		}
	}
	items, err := g.removeDue(tx, a.ID)
	if err != nil {
		return false, err
	}
	if daily {
		closing, err := s.reminderItems(ctx, tx, *a, events, now)
		if err != nil {
			return false, err
		}
		items = append(items, closing...)
	}
	if len(items) == 0 {
		return false, nil
	}
	if !daily {
		a.Mails++
	}
	return true, s.queueDigest(tx, *a, kept, items, now)
}

// A pendingSelector decides which pending items are sent now.
type pendingSelector struct {
	daily, weekly, atOnce bool
	now                   time.Time
	lists                 map[string]account.List
}

// removeDue removes and returns the pending items to send now. It also removes items that will never be sent.
func (g pendingSelector) removeDue(tx *bolt.Tx, id string) (items []eventseer.Item, err error) {
	refs := records.KeysWithPrefix(tx, records.PendingBucket, records.PrefixKey(id))
	b := tx.Bucket(records.PendingBucket)
	for n, ref := range refs {
		item, err := records.Get[eventseer.Item](tx, records.ItemBucket, bytes.Clone(b.Get(ref)))
		if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
			return nil, err
		}
		send, drop := false, err != nil || n < len(refs)-account.MaxPending
		if !drop {
			send, drop = g.decideItem(item)
		}
		if !send && !drop {
			continue
		}
		if err := b.Delete(ref); err != nil {
			return nil, err
		}
		if send {
			items = append(items, item)
		}
	}
	return items, nil
}

// decideItem reports whether an item is sent now, or dropped. Otherwise it stays pending.
func (g pendingSelector) decideItem(i eventseer.Item) (send, drop bool) {
	if i.List == "" {
		return g.atOnce, false
	}
	l, ok := g.lists[i.List]
	switch {
	case !ok || l.Rhythm == eventseer.Quiet:
		return false, true
	case l.Snoozed.After(g.now):
		return false, false
	}
	switch l.Rhythm {
	case eventseer.Immediate:
		return g.atOnce, false
	case eventseer.Daily:
		return g.daily, false
	}
	return g.weekly, false
}

// queueDigest stores a digest and queues its mail.
func (s *Service) queueDigest(tx *bolt.Tx, a account.Account, lists []account.List, items []eventseer.Item, now time.Time) error {
	seq, err := tx.Bucket(records.DigestBucket).NextSequence()
	if err != nil {
		return err
	}
	d := eventseer.Digest{ID: fmt.Sprintf("%s-%x", a.ID, seq), Account: a.ID, At: now, Sections: digestSections(lists, items, now)}
	if s.o.Crawled != nil {
		d.Crawled = s.o.Crawled()
	}
	d.Subject = message.Subject(d)
	return errors.Join(
		records.Put(tx, records.DigestBucket, []byte(d.ID), d),
		queue.Add(tx, queue.Digests, now, queue.Mail{ID: s.Queue.MessageID("digest", d.ID), Kind: queue.DigestKind, Address: a.Address, Account: a.ID, Name: d.ID, At: now}),
	)
}

// digestSections groups the items of a digest by list: starred events first, then the lists in order of creation.
// In a section, changes of state come first, then moved deadlines, deadlines that are near, and new calls,
// each in order of the next deadline. At most MaxDigestItems are shown in all.
func digestSections(lists []account.List, items []eventseer.Item, now time.Time) (out []eventseer.Section) {
	room := eventseer.MaxDigestItems
	for _, l := range append([]account.List{{}}, lists...) {
		var of []eventseer.Item
		for _, i := range items {
			if i.List == l.ID {
				of = append(of, i)
			}
		}
		if len(of) == 0 {
			continue
		}
		slices.SortStableFunc(of, func(a, b eventseer.Item) int { return compareItems(a, b, now) })
		shown := min(room, len(of))
		room -= shown
		out = append(out, eventseer.Section{List: l.List, Items: of[:shown], More: len(of) - shown})
	}
	return out
}

var kindOrder = map[eventseer.ItemKind]int{eventseer.StateChanged: 0, eventseer.Moved: 1, eventseer.Closing: 2, eventseer.NewCall: 3}

func compareItems(a, b eventseer.Item, now time.Time) int {
	at := func(i eventseer.Item) time.Time {
		if m := i.Next.Moment(); !m.IsZero() {
			return m
		}
		return now.AddDate(100, 0, 0)
	}
	return cmp.Or(cmp.Compare(kindOrder[a.Kind], kindOrder[b.Kind]), at(a).Compare(at(b)), strings.Compare(a.Title, b.Title))
}

// writeMail writes the text of a queued mail. It returns eventseer.ErrNotFound for a mail that must not be sent
// any more.
func (s *Service) writeMail(tx *bolt.Tx, q queue.Mail) (message.Email, error) {
	if q.Kind == queue.ConfirmKind {
		return s.confirmationMail(tx, q)
	}
	return s.digestMail(tx, q)
}

func (s *Service) confirmationMail(tx *bolt.Tx, q queue.Mail) (message.Email, error) {
	link, list, err := s.SignInLink(tx, q.Name)
	if err != nil {
		return message.Email{}, err
	}
	l, err := message.NewConfirmation(s.o.Site, q.Address, link, list, q.At)
	l.ID = q.ID
	return l, err
}

func (s *Service) digestMail(tx *bolt.Tx, q queue.Mail) (message.Email, error) {
	a, err := account.Get(tx, q.Account)
	if err != nil {
		return message.Email{}, err
	}
	d, err := records.Get[eventseer.Digest](tx, records.DigestBucket, []byte(q.Name))
	if err != nil {
		return message.Email{}, err
	}
	switch {
	case a.Refused != "" || !a.Left.IsZero() || a.Address == "":
		return message.Email{}, fmt.Errorf("%w: the reader has left", eventseer.ErrNotFound)
	case a.Paused.After(s.now()):
		return message.Email{}, queue.PausedError{Until: a.Paused}
	}
	d, err = withoutLeftLists(tx, d)
	if err != nil {
		return message.Email{}, err
	}
	host := s.Queue.Host
	links, err := s.Links(tx, a, d)
	if err != nil {
		return message.Email{}, err
	}
	l, err := message.NewDigestMail(s.o.Site, a.Address, d, links, eventseer.NamedZone(a.Zone))
	l.ID, l.Unsubscribe = q.ID, links.LeaveAll
	l.ListID, l.ListName = "clips."+host, s.o.Site.Name
	if len(d.Sections) == 1 && d.Sections[0].List.ID != "" {
		list := d.Sections[0].List
		l.ListID, l.ListName, l.Unsubscribe = list.ID+".clips."+host, list.Name, links.Leave(list.ID)
	}
	return l, err
}

// withoutLeftLists returns a digest without the sections of lists that were left or deleted. It returns
// eventseer.ErrNotFound if no section remains.
func withoutLeftLists(tx *bolt.Tx, d eventseer.Digest) (eventseer.Digest, error) {
	var kept []eventseer.Section
	for _, s := range d.Sections {
		if s.List.ID != "" {
			l, err := account.GetList(tx, d.Account, s.List.ID)
			if errors.Is(err, eventseer.ErrNotFound) || err == nil && !l.Left.IsZero() {
				continue
			}
			if err != nil {
				return d, err
			}
		}
		kept = append(kept, s)
	}
	if len(kept) == 0 {
		return d, fmt.Errorf("%w: the reader has left its lists", eventseer.ErrNotFound)
	}
	if len(kept) < len(d.Sections) {
		d.Sections = kept
		d.Subject = message.Subject(d)
	}
	return d, nil
}
