package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
)

// chunk is the number of records read in one transaction. Between chunks no transaction is open, so
// a reader may write to the store in between.
const chunk = 256

// A record is a key and its value, copied out of the transaction.
type record struct{ key, value []byte }

// scanRecords yields the decoded records of a bucket from a key on, in key order. Records written
// meanwhile may or may not be included.
func scanRecords[T any](ctx context.Context, s *Store, bucket, from []byte, decode func(key, value []byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			var records []record
			err := s.readTx(ctx, func(tx *bolt.Tx) error {
				c := tx.Bucket(bucket).Cursor()
				for k, v := c.Seek(from); k != nil && len(records) < chunk; k, v = c.Next() {
					records = append(records, record{bytes.Clone(k), bytes.Clone(v)})
				}
				return nil
			})
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, r := range records {
				if !yield(decode(r.key, r.value)) {
					return
				}
			}
			if len(records) < chunk {
				return
			}
			from = append(records[len(records)-1].key, 0)
		}
	}
}

// readTx calls f in a transaction that reads, unless ctx is done.
func (s *Store) readTx(ctx context.Context, f func(tx *bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(f)
}

// writeTx calls f in a transaction that writes, unless ctx is done.
func (s *Store) writeTx(ctx context.Context, f func(tx *bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.Update(f)
}

// Event implements eventseer.Store.
func (s *Store) Event(ctx context.Context, id eventseer.EventID) (e eventseer.Event, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		var err error
		if e, err = publicEvent(tx, id); errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		e = withParent(tx, e)
		return err
	})
	return e, err
}

// maxSuggested is the number of ids suggested for an unknown one.
const maxSuggested = 3

// SuggestID adds suggestions to an eventseer.ErrNotFound: ids spelt like id, or if there are none,
// the command that lists all. Other errors are unchanged.
func (s *Store) SuggestID(ctx context.Context, id eventseer.EventID, err error) error {
	if !errors.Is(err, eventseer.ErrNotFound) {
		return err
	}
	near, nearErr := s.SimilarIDs(ctx, id, maxSuggested)
	if nearErr != nil || len(near) == 0 {
		return fmt.Errorf("%w; `eventseer find --all` lists the events", err)
	}
	return fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, ", "))
}

// SimilarIDs returns at most n event ids with a similar spelling to id, or with it as a prefix, the
// most similar first.
func (s *Store) SimilarIDs(ctx context.Context, id eventseer.EventID, n int) (near []string, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		near = similarIDs(tx, id, n)
		return nil
	})
	return near, err
}

func similarIDs(tx *bolt.Tx, id eventseer.EventID, n int) []string {
	asked := strings.ToLower(string(id))
	limit := max(2, len(asked)/3) + 1
	distance := map[string]int{}
	cursor := tx.Bucket(eventBucket).Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		d := text.EditDistance(asked, string(key), limit)
		if asked != "" && strings.HasPrefix(string(key), asked) {
			d = min(d, 1)
		}
		if d >= limit {
			continue
		}
		if _, err := publicEvent(tx, eventseer.EventID(key)); err == nil {
			distance[string(key)] = d
		}
	}
	near := slices.SortedFunc(maps.Keys(distance), func(x, y string) int {
		return cmp.Or(cmp.Compare(distance[x], distance[y]), cmp.Compare(x, y))
	})
	return near[:min(len(near), n)]
}

// EventOf returns the event that the page at url is merged into; if there are several, the newest
// edition; eventseer.ErrNotFound if there is none.
func (s *Store) EventOf(ctx context.Context, url string) (found eventseer.Event, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		for _, id := range pageEvents(tx, url) {
			e, err := publicAt(tx, eventseer.EventID(id), url)
			if err == nil && (found.ID == "" || e.Year > found.Year) {
				found = e
			}
		}
		if found.ID == "" {
			return fmt.Errorf("%w at %s", eventseer.ErrNotFound, url)
		}
		return nil
	})
	return found, err
}

// Events implements eventseer.Store. A damaged event is yielded with only its ID and an ErrCorrupt,
// and iteration continues.
func (s *Store) Events(ctx context.Context) iter.Seq2[eventseer.Event, error] {
	return func(yield func(eventseer.Event, error) bool) {
		var from []byte
		for more := true; more; {
			var events []eventseer.Event
			var errs []error
			err := s.readTx(ctx, func(tx *bolt.Tx) error {
				events, errs, from, more = publicFrom(tx, from)
				return nil
			})
			if err != nil {
				yield(eventseer.Event{}, err)
				return
			}
			for i := range events {
				if !yield(events[i], errs[i]) {
					return
				}
			}
		}
	}
}

// publicFrom returns the events of a chunk as seen by readers, from a key on, and the first key of
// the next chunk.
func publicFrom(tx *bolt.Tx, from []byte) (events []eventseer.Event, errs []error, next []byte, more bool) {
	stored, corrected := tx.Bucket(eventBucket).Cursor(), tx.Bucket(curatedBucket).Cursor()
	k, v := stored.Seek(from)
	ck, cv := corrected.Seek(from)
	for n := 0; n < chunk && (k != nil || ck != nil); n++ {
		if ck == nil || k != nil && bytes.Compare(k, ck) < 0 {
			e, err := decodeEvent(k, v)
			events, errs = append(events, e), append(errs, err)
			next = append(bytes.Clone(k), 0)
			k, v = stored.Next()
			continue
		}
		row, err := decodeRecord[curatedEvent](cv)
		switch {
		case err != nil:
			events, errs = append(events, eventseer.Event{ID: eventseer.EventID(ck)}), append(errs, fmt.Errorf("event %s: %w", ck, err))
		case row.Event != nil:
			events, errs = append(events, *row.Event), append(errs, nil)
		}
		next = append(bytes.Clone(ck), 0)
		if bytes.Equal(k, ck) {
			k, v = stored.Next()
		}
		ck, cv = corrected.Next()
	}
	return events, errs, next, k != nil || ck != nil
}

// publicAt returns the event seen by readers that contains a page of a stored one; if it was split,
// the part with the page.
func publicAt(tx *bolt.Tx, id eventseer.EventID, page string) (eventseer.Event, error) {
	e, err := publicEvent(tx, id)
	if err != nil || !isCorrected(tx, eventseer.EventID(followAliases(tx, string(id)))) {
		return e, err
	}
	for _, c := range correctedEventsOf(tx, eventseer.EventID(followAliases(tx, string(id)))).corrections {
		if c.Kind != eventseer.SplitCorrection || c.Undone != nil || !slices.Contains(c.Pages, page) {
			continue
		}
		if p, err := publicEvent(tx, c.OtherAt); err == nil {
			return p, nil
		}
	}
	return e, nil
}

// Outbox implements eventseer.Store. A damaged change is yielded with only its Seq and an
// ErrCorrupt, and iteration continues.
func (s *Store) Outbox(ctx context.Context, after uint64) iter.Seq2[eventseer.Change, error] {
	return scanRecords(ctx, s, changeBucket, seqBytes(after+1), decodeChange)
}

// LastChange returns the number of the newest change, 0 if there is none.
func (s *Store) LastChange(ctx context.Context) (seq uint64, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		seq = tx.Bucket(changeBucket).Sequence()
		return nil
	})
	return seq, err
}

// History implements eventseer.Store. With an ErrCorrupt it returns the readable changes.
func (s *Store) History(ctx context.Context, id eventseer.EventID) (changes []eventseer.Change, err error) {
	err = s.forEachOfEvent(ctx, historyBucket, id, func(tx *bolt.Tx, seq, _ []byte) error {
		c, err := decodeChange(seq, tx.Bucket(changeBucket).Get(seq))
		if err == nil {
			changes = append(changes, c)
		}
		return err
	})
	return changes, err
}

// Clips implements eventseer.Store. With an ErrCorrupt it returns the readable clips.
func (s *Store) Clips(ctx context.Context, id eventseer.EventID) (clips []eventseer.Clip, err error) {
	err = s.forEachOfEvent(ctx, clipBucket, id, func(_ *bolt.Tx, clip, value []byte) error {
		c, err := decodeRecord[eventseer.Clip](value)
		if err != nil {
			return fmt.Errorf("clip %s of %s: %w", clip, id, err)
		}
		clips = append(clips, c)
		return nil
	})
	if e, ok := s.splitEvent(ctx, id); ok {
		clips = slices.DeleteFunc(clips, func(c eventseer.Clip) bool {
			return !slices.Contains(e.CallPages(), c.URL) && !slices.Contains(e.Related, c.URL)
		})
	}
	slices.SortStableFunc(clips, func(a, b eventseer.Clip) int { return a.Seen.Compare(b.Seen) })
	return clips, err
}

// Texts implements eventseer.TextStore.
func (s *Store) Texts(ctx context.Context, id eventseer.EventID, before time.Time) (texts []eventseer.PageText, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		e, err := publicEvent(tx, id)
		if err != nil {
			return err
		}
		var errs []error
		seen := map[string]bool{}
		for _, page := range slices.Concat(e.CallPages(), e.Related) {
			if len(texts) == eventseer.MaxTexts {
				break
			}
			if seen[page] {
				continue
			}
			seen[page] = true
			t, ok, err := textOf(tx, page, before)
			if err != nil {
				errs = append(errs, fmt.Errorf("text of %s: %w", page, err))
			}
			if ok {
				texts = append(texts, t)
			}
		}
		return errors.Join(errs...)
	})
	return texts, err
}

// splitEvent returns the event with an id, and whether an editor split it from another or another
// from it.
func (s *Store) splitEvent(ctx context.Context, id eventseer.EventID) (e eventseer.Event, split bool) {
	err := s.readTx(ctx, func(tx *bolt.Tx) (err error) {
		if e, err = publicEvent(tx, id); err != nil {
			return err
		}
		split = slices.ContainsFunc(correctionsOf(tx, e.ID), func(c boundCorrection) bool {
			return c.Kind == eventseer.SplitCorrection && c.Undone == nil
		})
		return nil
	})
	return e, split && err == nil
}

// forEachOfEvent calls f with the rest of the key and the value of each record of an event in a bucket,
// and joins the errors.
func (s *Store) forEachOfEvent(ctx context.Context, bucket []byte, id eventseer.EventID, f func(tx *bolt.Tx, rest, value []byte) error) error {
	return s.readTx(ctx, func(tx *bolt.Tx) error {
		if _, err := publicEvent(tx, id); errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		var errs []error
		for _, part := range slices.Compact(partsOf(tx, id)) {
			prefix := joinKey(string(part), "")
			for k, v := range keysWithPrefix(tx, bucket, prefix) {
				errs = append(errs, f(tx, k[len(prefix):], v))
			}
		}
		return errors.Join(errs...)
	})
}

// SetReaderPosition implements eventseer.Store.
func (s *Store) SetReaderPosition(ctx context.Context, reader string, seq uint64) error {
	return s.writeTx(ctx, func(tx *bolt.Tx) error {
		return tx.Bucket(markBucket).Put([]byte(reader), seqBytes(seq))
	})
}

// ReaderPosition implements eventseer.Store.
func (s *Store) ReaderPosition(ctx context.Context, reader string) (seq uint64, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		seq = seqOf(tx.Bucket(markBucket).Get([]byte(reader)))
		return nil
	})
	return seq, err
}

// putOutbox numbers a change and adds it to the outbox. A change of an event whose stored record is
// unchanged is in no history and no news.
func putOutbox(tx *bolt.Tx, c *eventseer.Change) (err error) {
	b := tx.Bucket(changeBucket)
	if c.Seq, err = b.NextSequence(); err != nil {
		return err
	}
	return putRecord(b, seqBytes(c.Seq), c)
}

// Classes of news. Each change shown to people has a row in allNews, and one in each other class it
// belongs to, so that the newest of a class can be read without the others. The class is the first
// byte of a row's key.
const (
	allNews   = 'a' // all that is shown
	newNews   = 'n' // new events
	movedNews = 'm' // events with a moved deadline
)

// MaxRecent bounds the changes that one call of Recent, RecentNew or RecentMoved
// returns.
const MaxRecent = 1000

// Recent returns the changes that are shown to people, newest first: at most limit of those with a
// number below before, where 0 means all. Series that were stored again are not included. A damaged
// change is left out; Check reports it.
func (s *Store) Recent(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return s.recentOfClass(ctx, allNews, before, limit)
}

// RecentNew is Recent for changes that added an event, which may have been merged into another
// since.
func (s *Store) RecentNew(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return s.recentOfClass(ctx, newNews, before, limit)
}

// RecentMoved is Recent for changes that moved a known deadline.
func (s *Store) RecentMoved(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return s.recentOfClass(ctx, movedNews, before, limit)
}

func (s *Store) recentOfClass(ctx context.Context, class byte, before uint64, limit int) (changes []eventseer.Change, err error) {
	limit = min(limit, MaxRecent)
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		c := tx.Bucket(newsBucket).Cursor()
		for k := lastRowBelow(c, class, before); len(k) == 9 && k[0] == class && len(changes) < limit; k, _ = c.Prev() {
			if change, err := decodeChange(k[1:], tx.Bucket(changeBucket).Get(k[1:])); err == nil {
				changes = append(changes, change)
			}
		}
		return nil
	})
	return changes, err
}

// lastRowBelow moves c to the last row of a class with a number below before, 0 for the last of all,
// and returns its key. If there is none, it returns another key or nil.
func lastRowBelow(c *bolt.Cursor, class byte, before uint64) []byte {
	to := []byte{class + 1}
	if before > 0 {
		to = newsKey(class, before)
	}
	if k, _ := c.Seek(to); k == nil {
		k, _ = c.Last()
		return k
	}
	k, _ := c.Prev()
	return k
}

func newsKey(class byte, seq uint64) []byte { return append([]byte{class}, seqBytes(seq)...) }

// classesOf returns the classes of news that a change is of.
func classesOf(c eventseer.Change) []byte {
	if !notifiesPeople(c) || isAboutPeople(c) {
		return nil
	}
	classes := []byte{allNews}
	if c.New {
		classes = append(classes, newNews)
	}
	if slices.ContainsFunc(c.Fields, movesDeadline) {
		classes = append(classes, movedNews)
	}
	return classes
}

// notifiesPeople reports whether people are notified of a change. Other changes are for indexes only, such
// as new data on the event's series.
func notifiesPeople(c eventseer.Change) bool {
	return c.New || len(c.Fields) > 0 || slices.ContainsFunc(c.Kinds, eventseer.ChangeKind.NotifiesReaders) || c.Into != ""
}

// isAboutPeople reports whether a change is only about the committee. Names of people are not news; they
// are only in the event's history.
func isAboutPeople(c eventseer.Change) bool {
	if c.New || c.Into != "" {
		return false
	}
	other := func(f eventseer.FieldChange) bool { return eventseer.IsPublicField(f.Field) }
	tells := func(k eventseer.ChangeKind) bool { return k.NotifiesReaders() && k != eventseer.CommitteeChanged }
	return !slices.ContainsFunc(c.Fields, other) && !slices.ContainsFunc(c.Kinds, tells)
}

// movesDeadline reports whether a field is a deadline whose day changed. The text after the day is
// its zone.
func movesDeadline(f eventseer.FieldChange) bool {
	from, _, _ := strings.Cut(f.Old, " ")
	to, _, _ := strings.Cut(f.New, " ")
	return strings.HasPrefix(f.Field, "deadlines.") && from != "" && to != "" && from != to
}

func putNews(tx *bolt.Tx, c eventseer.Change) error {
	b := tx.Bucket(newsBucket)
	for _, class := range classesOf(c) {
		if err := b.Put(newsKey(class, c.Seq), []byte{}); err != nil {
			return err
		}
	}
	return nil
}
