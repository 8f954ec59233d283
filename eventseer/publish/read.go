package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Limits of one transaction. bbolt keeps keys inserted next to each other in one slice until the end, so the
// time grows with the square of the number of items.
const (
	batchSize  = 200  // changes per transaction
	batchItems = 2000 // items per transaction, exceeded by at most one change's
)

// maxNews is the maximum age of an event whose new ranks are reported.
const maxNews = 90 * 24 * time.Hour

// initReaderPosition sets the mark of a new file to the end of the outbox, so that older changes are not reported. It
// does the same if the store was replaced, for example restored from a backup.
func (s *Service) initReaderPosition(ctx context.Context) error {
	var mark uint64
	var known bool
	err := s.db.View(func(tx *bolt.Tx) error {
		mark, known = records.ReaderPosition(tx), tx.Bucket(records.MarkBucket).Get([]byte(records.Reader)) != nil
		return nil
	})
	if err != nil {
		return err
	}
	if known {
		if mark == 0 {
			return nil
		}
		first, err := s.firstChange(ctx, mark-1)
		if err != nil || first.Seq == mark {
			return err
		}
		s.o.Log.Warn("the data directory has another store than the one published so far; only changes from now on are published", "change", mark)
	}
	end := uint64(0)
	for change, err := range s.o.Store.Outbox(ctx, 0) {
		if err != nil && change.Seq == 0 {
			return err
		}
		end = change.Seq
	}
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		return errors.Join(deleteWindowDays(tx), tx.Bucket(records.MarkBucket).Put([]byte(records.Reader), records.NumberKey(end)))
	})
}

// firstChange returns the first change of the outbox after a sequence number, or the zero Change.
func (s *Service) firstChange(ctx context.Context, after uint64) (eventseer.Change, error) {
	for change, err := range s.o.Store.Outbox(ctx, after) {
		if change.Seq != 0 {
			err = nil // an unreadable change still has its number
		}
		return change, err
	}
	return eventseer.Change{}, nil
}

// publishChanges publishes all new changes of the outbox. Items, pending items and the mark are written in one
// transaction per batch.
func (s *Service) publishChanges(ctx context.Context) error {
	for s.o.Store != nil {
		release := s.LockLists()
		n, err := s.readBatch(ctx, s.db.Write)
		release()
		if err != nil {
			return fmt.Errorf("publish changes: %w", err)
		}
		if n == 0 {
			break
		}
	}
	return nil
}

// readBatch publishes one batch of changes in a transaction run by update. The caller must hold the lists
// (HoldLists). It returns the number of changes.
func (s *Service) readBatch(ctx context.Context, update func(context.Context, func(*bolt.Tx) error) error) (int, error) {
	var mark uint64
	n, items := 0, 0
	err := update(ctx, func(tx *bolt.Tx) error {
		mark, n, items = records.ReaderPosition(tx), 0, 0
		for change, err := range s.o.Store.Outbox(ctx, mark) {
			if err != nil && change.Seq == 0 {
				return err
			}
			if err != nil {
				s.o.Log.Warn("a change cannot be read and is not published", "cause", err)
			} else {
				told, err := s.publishChange(ctx, tx, change)
				if err != nil {
					return err
				}
				items += told
			}
			mark = change.Seq
			if n++; n == batchSize || items >= batchItems {
				break
			}
		}
		if n == 0 {
			return nil
		}
		return tx.Bucket(records.MarkBucket).Put([]byte(records.Reader), records.NumberKey(mark))
	})
	if err != nil || n == 0 {
		return 0, err
	}
	s.updateCounters(func(c *Counters) { c.Changes += uint64(n); c.Items += uint64(items) })
	return n, nil
}

// publishChange reports one change and returns the number of items.
func (s *Service) publishChange(ctx context.Context, tx *bolt.Tx, c eventseer.Change) (int, error) {
	if c.Into != "" {
		return 0, errors.Join(account.MergeReports(tx, c.Event, c.Into), storeWindowDays(tx, c.Event, nil), moveArticle(tx, c.Event, c.Into))
	}
	e, ok, err := s.readEvent(ctx, tx, c.Event)
	if err != nil || !ok {
		return 0, err
	}
	if err := s.updateWindowDays(tx, e, c); err != nil {
		return 0, err
	}
	moved, err := s.reportMoves(tx, e, c)
	if err != nil {
		return moved, err
	}
	ended, err := s.reportState(tx, e, c)
	if err != nil {
		return moved + ended, err
	}
	found, err := s.reportNew(ctx, tx, e, c)
	return moved + ended + found, err
}

// readEvent reads an event. ok is false if it does not exist or cannot be read. The edges of an event that
// does not exist are deleted.
func (s *Service) readEvent(ctx context.Context, tx *bolt.Tx, id eventseer.EventID) (e eventseer.Event, ok bool, err error) {
	e, err = s.o.Store.Event(ctx, id)
	switch {
	case errors.Is(err, eventseer.ErrNotFound):
		return e, false, storeWindowDays(tx, id, nil)
	case ctx.Err() != nil:
		return e, false, ctx.Err()
	case err != nil:
		s.o.Log.Warn("an event cannot be read and is not published", "event", string(id), "cause", err)
		return e, false, nil
	}
	return e, true, nil
}

// documentOf returns the document of an event to compare with lists.
func (s *Service) documentOf(ctx context.Context, e eventseer.Event) (eventseer.Document, error) {
	d := eventseer.Document{Event: e}
	clips, err := s.o.Store.Clips(ctx, e.ID)
	if err != nil && ctx.Err() != nil {
		return d, ctx.Err()
	}
	if err != nil {
		s.o.Log.Warn("some clips cannot be read", "event", string(e.ID), "cause", err)
	}
	d.Clips = clips
	if d.Texts, err = s.searchedTexts(ctx, e, time.Time{}); err != nil {
		return d, err
	}
	if s.matcher.HasWindowOfField("changed") {
		if d.Changed, err = s.lastChange(ctx, e.ID, time.Time{}); err != nil {
			return d, err
		}
	}
	if s.o.Series != nil && e.Series != "" {
		known, err := s.o.Series.Series(ctx, e.Series)
		if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
			return d, err
		}
		d.Ranks, d.Acronyms = known.Ranks, series.AcronymsOf(known)
	}
	return d, nil
}

// searchedTexts returns the texts of an event's pages in the form that is searched. They are the texts from before a
// time, or the current ones if the time is zero. Unreadable texts are omitted.
func (s *Service) searchedTexts(ctx context.Context, e eventseer.Event, before time.Time) ([]eventseer.PageText, error) {
	store, ok := s.o.Store.(eventseer.TextStore)
	if !ok {
		return nil, nil
	}
	texts, err := store.Texts(ctx, e.ID, before)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		s.o.Log.Warn("some texts cannot be read", "event", string(e.ID), "cause", err)
	}
	return eventseer.SearchedTexts(texts, e.Committee, s.o.People), nil
}

// reportNew reports an event to the lists that match it since a change and did not before. Events whose
// submission deadlines have passed are not reported. It returns the number of items.
func (s *Service) reportNew(ctx context.Context, tx *bolt.Tx, e eventseer.Event, c eventseer.Change) (int, error) {
	now := s.now()
	if s.matcher.Len() == 0 || match.IsOver(e, now) {
		return 0, nil
	}
	doc, err := s.documentOf(ctx, e)
	if err != nil {
		return 0, err
	}
	before, ok := documentBefore(doc, c, now)
	if before != nil {
		if before.Texts, err = s.searchedTexts(ctx, e, c.At); err != nil {
			return 0, err
		}
		ok = ok || !slices.Equal(before.Texts, doc.Texts)
	}
	if !ok {
		return 0, nil
	}
	if before != nil && !doc.Changed.IsZero() {
		if before.Changed, err = s.lastChange(ctx, e.ID, c.At); err != nil {
			return 0, err
		}
	}
	was := earlierDocument{before, records.WindowsDone(tx)}
	if was.then.IsZero() || was.then.After(now) {
		was.then = now
	}
	if before != nil && match.IsOver(before.Event, was.then) { // readers were not notified of it while it was closed
		before, was.doc = nil, nil
	}
	return s.reportMatches(tx, doc, c, s.matcher.MatchNew(doc, before, was.then, now), was, now)
}

// reportMatches adds an event to the streams of the lists that match it, unless its page is read first. It
// returns the number of items.
func (s *Service) reportMatches(tx *bolt.Tx, doc eventseer.Document, c eventseer.Change, matches []match.Match, was earlierDocument, now time.Time) (n int, err error) {
	told, err := s.newsOf(tx, doc.Event, c, matches, was)
	if err != nil {
		return 0, err
	}
	waits, unread, err := s.awaitArticle(tx, doc, c, told, now)
	if err != nil || waits {
		return 0, err
	}
	for _, t := range told {
		if err := s.reportToList(tx, doc.Event, c, t.asTeaser(doc.Event, unread), now); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// listNews is a match that a list has not reported yet.
type listNews struct {
	list  account.List
	match match.Match
}

// newsOf returns the matches of lists that are to report an event and have not reported it yet.
func (s *Service) newsOf(tx *bolt.Tx, e eventseer.Event, c eventseer.Change, matches []match.Match, was earlierDocument) (told []listNews, err error) {
	for _, m := range matches {
		l, err := account.GetList(tx, m.List.Account, m.List.ID)
		if errors.Is(err, eventseer.ErrNotFound) || err == nil && (!l.Left.IsZero() || c.Seq <= l.Since) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// A list created after windows were last processed matched some events from the start; these are not new.
		if was.doc != nil && l.BeganAt().After(was.then) && s.matcher.MatchesList(l.ID, *was.doc, l.BeganAt()) {
			continue
		}
		if known, err := account.IsReported(tx, e.ID, l.Account, "list "+l.ID); err != nil {
			return nil, err
		} else if !known {
			told = append(told, listNews{l, m})
		}
	}
	return told, nil
}

// reportToList adds a new call to the stream of a list. It is mailed unless another list of the same reader
// already found it.
func (s *Service) reportToList(tx *bolt.Tx, e eventseer.Event, c eventseer.Change, t listNews, now time.Time) error {
	l, m := t.list, t.match
	i := newItem(eventseer.NewCall, e, now)
	i.List, i.Source = l.ID, sourceOf(e, c)
	i.Why, i.Passage, i.Marks = m.Why, m.Passage, m.Marks
	i.Source = cmp.Or(m.Page, i.Source)
	i, err := account.AddItem(tx, l.Account, i)
	if err != nil {
		return err
	}
	if err := account.RecordReport(tx, e.ID, l.Account, "list "+l.ID, l.ID, now); err != nil {
		return err
	}
	if l.Rhythm == eventseer.Quiet {
		return nil
	}
	if known, err := account.IsReported(tx, e.ID, l.Account, "new"); err != nil || known {
		return err
	}
	return errors.Join(account.RecordReport(tx, e.ID, l.Account, "new", l.ID, now), s.queueItem(tx, l, i, now))
}

// queueItem queues an item for mailing by the rhythm of its list, if the account gets mail.
func (s *Service) queueItem(tx *bolt.Tx, l account.List, i eventseer.Item, now time.Time) error {
	a, err := account.Get(tx, l.Account)
	if errors.Is(err, eventseer.ErrNotFound) {
		return nil
	}
	if err != nil || !account.ReceivesMail(a) {
		return err
	}
	return s.queueItemFor(tx, &a, l, i, now)
}

// queueItemFor queues an item for mailing to an account that gets mail.
func (s *Service) queueItemFor(tx *bolt.Tx, a *account.Account, l account.List, i eventseer.Item, now time.Time) error {
	at := time.Time{}
	if l.Rhythm == eventseer.Immediate {
		at = now
	}
	err := account.AddPending(tx, a.ID, i)
	if err != nil || !a.Due.IsZero() && (at.IsZero() || !a.Due.After(at)) {
		return err // the account is processed in time
	}
	return s.Schedule(tx, a, at)
}

func sourceOf(e eventseer.Event, c eventseer.Change) string { return cmp.Or(c.Page, e.URL) }

// newItem returns an item with the data of its event.
func newItem(kind eventseer.ItemKind, e eventseer.Event, now time.Time) eventseer.Item {
	i := eventseer.Item{Kind: kind, Event: e.ID, At: now, Title: callName(e), Place: message.CleanLine(e.Location.String(), maxItemPlace), Source: e.URL}
	i.Next, _ = eventseer.NextDeadline(e, now)
	i.Next.Source = eventseer.Provenance{URL: i.Next.Source.URL}
	return i
}

// Limits on the texts of an item, in runes.
const (
	maxItemTitle = 300
	maxItemPlace = 120
)

// reportState reports that an event is cancelled, postponed, or on again to all accounts that were notified of
// it or follow it. Followers are mailed at once, others by the rhythm of their list.
func (s *Service) reportState(tx *bolt.Tx, e eventseer.Event, c eventseer.Change) (int, error) {
	at := slices.IndexFunc(c.Fields, func(f eventseer.FieldChange) bool { return f.Field == "state" })
	if at < 0 || c.New || c.Fields[at].New != string(e.State) {
		return 0, nil
	}
	now := s.now()
	i := newItem(eventseer.StateChanged, e, now)
	i.Source, i.Why = sourceOf(e, c), []string{cmp.Or(stateWords[e.State], "the page no longer says that it is cancelled or postponed")}
	i.Passage, _ = match.CutPassage(message.CleanLine(e.Sources["state"].Snippet, match.MaxPassage), nil)
	what := "state " + string(e.State) + " " + c.At.UTC().Format("2006-01-02")
	return forEachReader(tx, e.ID, func(a *account.Account, lists []string, starred bool) (int, error) {
		return s.reportOnce(tx, a, i, what, lists, starred, now)
	})
}

var stateWords = map[eventseer.State]string{
	eventseer.Cancelled: "the page says that it is cancelled", eventseer.Postponed: "the page says that it is postponed",
}

// callName returns the name of an event in an item. If the title lacks the acronym, acronym and year precede
// it, as in "ICX 2027: Conference on Examples". So editions can be distinguished.
func callName(e eventseer.Event) string {
	clean := func(name string) string { return message.CleanLine(name, maxItemTitle) }
	title := cmp.Or(clean(e.Title), clean(e.Acronym), clean(string(e.ID)), "a call")
	short := message.CleanLine(e.Acronym, maxAcronym)
	if short == "" {
		return title
	}
	named := strings.Contains(strings.ToLower(title), strings.ToLower(short))
	alone := strings.EqualFold(title, short)
	if named && !alone {
		return title
	}
	if year := strconv.Itoa(e.Year); e.Year > 0 && !strings.Contains(short, year[max(0, len(year)-2):]) {
		short += " " + year
	}
	if alone {
		return short
	}
	return message.CleanLine(short+": "+title, maxItemTitle)
}

const maxAcronym = 40 // maximum length of an acronym, in runes
