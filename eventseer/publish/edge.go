package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/match"

	"go.etcd.io/bbolt"
)

var (
	// windowsKey leads to the time up to which windows are told, in the bucket of marks.
	windowsKey = []byte("windows")
	// edgesKey is there if the edges of all events of the store are kept. That begins with
	// the first list that has a window.
	edgesKey = []byte("edges")
)

const (
	edgeSize  = 9    // bytes: class and time
	fillBatch = 1000 // events
	// edgeHolds is how long a day that is over may still count: the first day of an event
	// is ahead until it ends.
	edgeHolds = 48 * time.Hour
)

// edgesOf returns the days of an event that windows may reach, as they are kept.
func edgesOf(e eventseer.Event, changed, now time.Time) []byte {
	f := eventseer.FactsOf(eventseer.Document{Event: e, Changed: changed})
	var all [][]byte
	add := func(class byte, t time.Time) {
		if ahead := class == match.DueEdge || class == match.StartEdge; !t.IsZero() && (!ahead || t.After(now.Add(-edgeHolds))) {
			all = append(all, append([]byte{class}, instant(t)...))
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

// keepEdges puts the edges of an event in the place of those kept; nil removes them.
func keepEdges(tx *bbolt.Tx, id eventseer.EventID, edges []byte) error {
	index, of := tx.Bucket(edgeBucket), tx.Bucket(edgesBucket)
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

// changedIn returns when an event last changed by its edges.
func changedIn(tx *bbolt.Tx, id eventseer.EventID) time.Time {
	for edge := range slices.Chunk(tx.Bucket(edgesBucket).Get([]byte(id)), edgeSize) {
		if edge[0] == match.ChangedEdge && len(edge) == edgeSize {
			return time.Unix(0, int64(numberOf(edge[1:]))).UTC()
		}
	}
	return time.Time{}
}

// renewEdges keeps the edges of an event as a change left it.
func (s *Service) renewEdges(tx *bbolt.Tx, e eventseer.Event, c eventseer.Change) error {
	if !edgesKept(tx) {
		return nil
	}
	changed := changedIn(tx, e.ID)
	if isChange(c) && c.At.After(changed) {
		changed = c.At
	}
	return keepEdges(tx, e.ID, edgesOf(e, changed, s.now()))
}

func edgesKept(tx *bbolt.Tx) bool { return tx.Bucket(markBucket).Get(edgesKey) != nil }

// isChange reports whether a change changed the record of an event.
func isChange(c eventseer.Change) bool { return !c.New && len(c.Fields) > 0 }

// lastChange returns when the record of an event last changed before a time, as the search
// index has it.
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

// fillEdges keeps the edges of all events of the store, if they are not kept yet. Where it
// is ended in between, it begins anew.
func (s *Service) fillEdges(ctx context.Context, in transactions) error {
	kept := false
	err := in.view(ctx, func(tx *bbolt.Tx) error {
		kept = edgesKept(tx)
		return nil
	})
	if err != nil || kept {
		return err
	}
	batch := map[eventseer.EventID][]byte{}
	write := func(tx *bbolt.Tx) error {
		for id, edges := range batch {
			if err := keepEdges(tx, id, edges); err != nil {
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
			s.o.Log.Warn("an event cannot be read, and its days are not watched", "event", string(e.ID), "cause", err)
			continue
		}
		changed, err := s.lastChange(ctx, e.ID, time.Time{})
		if err != nil {
			return err
		}
		if batch[e.ID] = edgesOf(e, changed, s.now()); len(batch) < fillBatch {
			continue
		}
		if err := in.update(ctx, write); err != nil {
			return fmt.Errorf("keep the days of events: %w", err)
		}
		clear(batch)
	}
	return in.update(ctx, func(tx *bbolt.Tx) error {
		return errors.Join(write(tx), tx.Bucket(markBucket).Put(edgesKey, number(1)))
	})
}

// dropEdges forgets all edges, of a store that is not read any more.
func dropEdges(tx *bbolt.Tx) error {
	for _, name := range [][]byte{edgeBucket, edgesBucket} {
		if err := tx.DeleteBucket(name); err != nil {
			return err
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(markBucket).Delete(edgesKey)
}

// edgesIn returns the events that have a day of a class in one of the periods, in order.
func edgesIn(tx *bbolt.Tx, passed map[byte][]match.Period) []eventseer.EventID {
	var ids []eventseer.EventID
	for class, periods := range passed {
		for _, s := range periods {
			last := append([]byte{class}, instant(s.To)...)
			c := tx.Bucket(edgeBucket).Cursor()
			for k, _ := c.Seek(append([]byte{class}, instant(s.From)...)); len(k) > edgeSize && bytes.Compare(k[:edgeSize], last) <= 0; k, _ = c.Next() {
				ids = append(ids, eventseer.EventID(k[edgeSize:]))
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
