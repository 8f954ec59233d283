package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/bolt"
)

// enterBatch is the maximum number of events that one transaction compares with lists.
const enterBatch = 200

// transactions are the functions by which a pass reads and writes. A normal pass uses several transactions, a
// dry run a single one that is rolled back.
type transactions struct {
	view, update func(context.Context, func(*bolt.Tx) error) error
}

// reportEntered reports the events that entered date windows of lists since its last run. For example, an event whose
// deadline is now less than 30 days away may match a list that it did not match before. Only events with a
// day that the end of a window has passed are examined. The time up to which windows are processed is stored
// once all items are stored. After an interruption, items that were already stored are not repeated.
func (s *Service) reportEntered(ctx context.Context, in transactions) error {
	if s.o.Store == nil || !s.matcher.HasWindows() {
		return nil
	}
	if err := s.storeAllWindowDays(ctx, in); err != nil {
		return err
	}
	now := s.now()
	var then time.Time
	var ids []eventseer.EventID
	err := in.view(ctx, func(tx *bolt.Tx) error {
		then = records.WindowsDone(tx)
		if then.Before(now) && !then.IsZero() {
			ids = eventsWithDaysIn(tx, s.matcher.WindowCrossings(then, now))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if then.IsZero() || then.After(now.Add(time.Hour)) { // a file of an older program, or the clock was wrong
		return in.update(ctx, func(tx *bolt.Tx) error { return records.SetWindowsDone(tx, now) })
	}
	for len(ids) > 0 {
		n := 0
		err := in.update(ctx, func(tx *bolt.Tx) error {
			n, err = s.reportSomeEntered(ctx, tx, ids, then, now)
			if err == nil && n == len(ids) {
				err = records.SetWindowsDone(tx, now)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("publish events with reminders or deadlines that are now due: %w", err)
		}
		ids = ids[n:]
	}
	return nil
}

// reportAllEntered runs enter in transactions of its own.
func (s *Service) reportAllEntered(ctx context.Context) error {
	in := transactions{s.db.Read, s.db.Write}
	if s.o.Store != nil && s.matcher.HasWindows() { // first and without holding lists, because it may take long
		if err := s.storeAllWindowDays(ctx, in); err != nil {
			return err
		}
	}
	defer s.LockLists()()
	return s.reportEntered(ctx, in)
}

// reportSomeEntered processes the first events of ids and returns how many it processed.
func (s *Service) reportSomeEntered(ctx context.Context, tx *bolt.Tx, ids []eventseer.EventID, then, now time.Time) (n int, err error) {
	items := 0
	for n < len(ids) && n < enterBatch && items < batchItems {
		told, err := s.reportOneEntered(ctx, tx, ids[n], then, now)
		if err != nil {
			return n, err
		}
		n++
		items += told
	}
	s.updateCounters(func(c *Counters) { c.Items += uint64(items) })
	return n, nil
}

func (s *Service) reportOneEntered(ctx context.Context, tx *bolt.Tx, id eventseer.EventID, then, now time.Time) (told int, err error) {
	e, ok, err := s.readEvent(ctx, tx, id)
	switch {
	case err != nil || !ok:
		return 0, err
	case e.ID != id:
		return 0, storeWindowDays(tx, id, nil)
	case match.IsOver(e, now):
		return 0, nil
	}
	doc, err := s.documentOf(ctx, e)
	if err != nil {
		return 0, err
	}
	source := eventseer.Change{Seq: math.MaxUint64}
	return s.reportMatches(tx, doc, source, s.matcher.MatchEntered(doc, then, now), earlierDocument{&doc, then}, now)
}

// earlierDocument is an event's document before a change and the time up to which windows were processed. The
// document is nil for a new event.
type earlierDocument struct {
	doc  *eventseer.Document
	then time.Time
}

var (
	// edgesKey exists if the edges of all events are stored, which starts with the first list that has a
	// window.
	edgesKey = []byte("edges")
)

const (
	edgeSize  = 9    // bytes of an edge: class and time
	fillBatch = 1000 // events per transaction in storeAllWindowDays
	// edgeHolds is how long a past day may still matter, because the first day of an event counts as future
	// until it ends.
	edgeHolds = 48 * time.Hour
)

// windowDaysOf returns the days of an event that windows may reach, in their stored form. changed is when the
// event last changed.
func windowDaysOf(e eventseer.Event, changed, now time.Time) []byte {
	f := query.FactsOf(eventseer.Document{Event: e, Changed: changed})
	var all [][]byte
	add := func(class byte, t time.Time) {
		if ahead := class == match.DueEdge || class == match.StartEdge; !t.IsZero() && (!ahead || t.After(now.Add(-edgeHolds))) {
			all = append(all, append([]byte{class}, records.TimeKey(t)...))
		}
	}
	for _, d := range f.Due {
		add(match.DueEdge, d.Moment)
	}
	add(match.StartEdge, f.Start)
	add(match.SeenEdge, f.Seen)
	add(match.ChangedEdge, f.Changed)
	slices.SortFunc(all, bytes.Compare)
	return slices.Concat(slices.CompactFunc(all, bytes.Equal)...)
}

// storeWindowDays replaces the stored edges of an event. nil removes them.
func storeWindowDays(tx *bolt.Tx, id eventseer.EventID, edges []byte) error {
	index, of := tx.Bucket(records.EdgeBucket), tx.Bucket(records.EdgesBucket)
	old := bytes.Clone(of.Get([]byte(id)))
	if bytes.Equal(old, edges) {
		return nil
	}
	for edge := range slices.Chunk(old, edgeSize) {
		if err := index.Delete(slices.Concat(edge, []byte(id))); err != nil {
			return err
		}
	}
	for edge := range slices.Chunk(edges, edgeSize) {
		if err := index.Put(slices.Concat(edge, []byte(id)), []byte{}); err != nil {
			return err
		}
	}
	if len(edges) == 0 {
		return of.Delete([]byte(id))
	}
	return of.Put([]byte(id), edges)
}

// lastChangeByDays returns when an event last changed according to its edges, or the zero time.
func lastChangeByDays(tx *bolt.Tx, id eventseer.EventID) time.Time {
	for edge := range slices.Chunk(tx.Bucket(records.EdgesBucket).Get([]byte(id)), edgeSize) {
		if edge[0] == match.ChangedEdge && len(edge) == edgeSize {
			return time.Unix(0, int64(records.NumberOf(edge[1:]))).UTC()
		}
	}
	return time.Time{}
}

// updateWindowDays updates the edges of an event after a change.
func (s *Service) updateWindowDays(tx *bolt.Tx, e eventseer.Event, c eventseer.Change) error {
	if !hasWindowDays(tx) {
		return nil
	}
	changed := lastChangeByDays(tx, e.ID)
	if isChange(c) && c.At.After(changed) {
		changed = c.At
	}
	return storeWindowDays(tx, e.ID, windowDaysOf(e, changed, s.now()))
}

func hasWindowDays(tx *bolt.Tx) bool { return tx.Bucket(records.MarkBucket).Get(edgesKey) != nil }

// isChange reports whether a change changed fields of a known event.
func isChange(c eventseer.Change) bool { return !c.New && len(c.Fields) > 0 }

// lastChange returns when an event last changed before a time, as in the search index. If before is zero, all
// changes count.
func (s *Service) lastChange(ctx context.Context, id eventseer.EventID, before time.Time) (at time.Time, err error) {
	history, err := s.o.Store.History(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		if ctx.Err() != nil {
			return at, ctx.Err()
		}
		s.o.Log.Warn("some changes cannot be read", "event", string(id), "cause", err)
	}
	for _, c := range history {
		if isChange(c) && c.At.After(at) && (before.IsZero() || c.At.Before(before)) {
			at = c.At
		}
	}
	return at, nil
}

// storeAllWindowDays stores the edges of all events if they are not stored yet. If it is interrupted, it starts again.
func (s *Service) storeAllWindowDays(ctx context.Context, in transactions) error {
	kept := false
	err := in.view(ctx, func(tx *bolt.Tx) error {
		kept = hasWindowDays(tx)
		return nil
	})
	if err != nil || kept {
		return err
	}
	batch := map[eventseer.EventID][]byte{}
	write := func(tx *bolt.Tx) error {
		for id, edges := range batch {
			if err := storeWindowDays(tx, id, edges); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range s.o.Store.Events(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.o.Log.Warn("an event cannot be read, and its deadlines are not watched", "event", string(e.ID), "cause", err)
			continue
		}
		changed, err := s.lastChange(ctx, e.ID, time.Time{})
		if err != nil {
			return err
		}
		if batch[e.ID] = windowDaysOf(e, changed, s.now()); len(batch) < fillBatch {
			continue
		}
		if err := in.update(ctx, write); err != nil {
			return fmt.Errorf("store the days of events: %w", err)
		}
		clear(batch)
	}
	return in.update(ctx, func(tx *bolt.Tx) error {
		return errors.Join(write(tx), tx.Bucket(records.MarkBucket).Put(edgesKey, records.NumberKey(1)))
	})
}

// deleteWindowDays deletes all edges. It is used if the store was replaced.
func deleteWindowDays(tx *bolt.Tx) error {
	for _, name := range [][]byte{records.EdgeBucket, records.EdgesBucket} {
		if err := tx.DeleteBucket(name); err != nil {
			return err
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(records.MarkBucket).Delete(edgesKey)
}

// eventsWithDaysIn returns the ids of events with a day of a class in one of its periods, sorted.
func eventsWithDaysIn(tx *bolt.Tx, passed map[byte][]match.Period) []eventseer.EventID {
	var ids []eventseer.EventID
	for class, periods := range passed {
		for _, s := range periods {
			last := append([]byte{class}, records.TimeKey(s.To)...)
			c := tx.Bucket(records.EdgeBucket).Cursor()
			for k, _ := c.Seek(append([]byte{class}, records.TimeKey(s.From)...)); len(k) > edgeSize && bytes.Compare(k[:edgeSize], last) <= 0; k, _ = c.Next() {
				ids = append(ids, eventseer.EventID(k[edgeSize:]))
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// checkWindowDays checks that the two buckets of edges agree.
func checkWindowDays(tx *bolt.Tx) (broken []error) {
	n := 0
	for id, edges := range records.WithPrefix(tx, records.EdgesBucket, nil) {
		for edge := range slices.Chunk(edges, edgeSize) {
			if n++; tx.Bucket(records.EdgeBucket).Get(slices.Concat(edge, id)) == nil {
				broken = append(broken, fmt.Errorf("publish: a day of event %q is missing in the index by time", id))
			}
		}
	}
	for range records.WithPrefix(tx, records.EdgeBucket, nil) {
		n--
	}
	if n != 0 {
		broken = append(broken, fmt.Errorf("publish: %d days of events are stored, but their events are not", -n))
	}
	return broken
}
