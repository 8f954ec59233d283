package publish

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/match"

	"go.etcd.io/bbolt"
)

// enterBatch is how many events one transaction holds against lists with windows.
const enterBatch = 200

// transactions are how a pass reads and writes: each part for itself, or all in one that
// is taken back.
type transactions struct {
	view, update func(context.Context, func(*bbolt.Tx) error) error
}

// enter tells the events that came into windows of lists since it was last done, such as
// those that close in less than 30 days now: those that a list asks for now and did not
// then. It looks only at events with a day where the end of a window passed. Until all are
// told, the time up to which windows are told stays; what is told already is not told
// again.
func (s *Service) enter(ctx context.Context, in transactions) error {
	if s.o.Store == nil || !s.matcher.HasWindows() {
		return nil
	}
	if err := s.fillEdges(ctx, in); err != nil {
		return err
	}
	now := s.now()
	var then time.Time
	var ids []eventseer.EventID
	err := in.view(ctx, func(tx *bbolt.Tx) error {
		then = windowsTold(tx)
		if then.Before(now) && !then.IsZero() {
			ids = edgesIn(tx, s.matcher.Crossings(then, now))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if then.IsZero() || then.After(now.Add(time.Hour)) { // lists of an older program, or the clock was wrong
		return in.update(ctx, func(tx *bbolt.Tx) error { return setWindowsTold(tx, now) })
	}
	for len(ids) > 0 {
		n := 0
		err := in.update(ctx, func(tx *bbolt.Tx) error {
			n, err = s.enterSome(ctx, tx, ids, then, now)
			if err == nil && n == len(ids) {
				err = setWindowsTold(tx, now)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("tell what came into windows: %w", err)
		}
		ids = ids[n:]
	}
	return nil
}

// enterAll is enter in transactions of its own.
func (s *Service) enterAll(ctx context.Context) error {
	in := transactions{s.view, s.update}
	if s.o.Store != nil && s.matcher.HasWindows() { // this may take long, lists can be saved meanwhile
		if err := s.fillEdges(ctx, in); err != nil {
			return err
		}
	}
	s.lists.RLock()
	defer s.lists.RUnlock()
	return s.enter(ctx, in)
}

// enterSome tells the first of some events, and returns how many it looked at.
func (s *Service) enterSome(ctx context.Context, tx *bbolt.Tx, ids []eventseer.EventID, then, now time.Time) (n int, err error) {
	items := 0
	for n < len(ids) && n < enterBatch && items < batchTold {
		told, err := s.enterOne(ctx, tx, ids[n], then, now)
		if err != nil {
			return n, err
		}
		n++
		items += told
	}
	s.count(func(c *Counters) { c.Items += uint64(items) })
	return n, nil
}

func (s *Service) enterOne(ctx context.Context, tx *bbolt.Tx, id eventseer.EventID, then, now time.Time) (told int, err error) {
	e, err := s.o.Store.Event(ctx, id)
	switch {
	case errors.Is(err, eventseer.ErrNotFound), err == nil && e.ID != id:
		return 0, keepEdges(tx, id, nil)
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		s.o.Log.Warn("an event cannot be read and is not told", "event", string(id), "cause", err)
		return 0, nil
	case match.Over(e, now):
		return 0, nil
	}
	doc, err := s.document(ctx, e)
	if err != nil {
		return 0, err
	}
	source := eventseer.Change{Seq: math.MaxUint64}
	for _, m := range s.matcher.Entered(doc, then, now) {
		ok, err := s.tellList(tx, e, source, m, earlier{&doc, then}, now)
		if err != nil {
			return told, err
		}
		if ok {
			told++
		}
	}
	return told, nil
}

// earlier is what an event was when windows were last told, and when that was. The document
// is nil of a new one.
type earlier struct {
	doc  *eventseer.Document
	then time.Time
}

// knownTo reports whether a list asked for the event when it began, after that time.
func (s *Service) knownTo(l keptList, was earlier) bool {
	return was.doc != nil && l.began().After(was.then) && s.matcher.Asks(l.ID, *was.doc, l.began())
}

func windowsTold(tx *bbolt.Tx) time.Time {
	data := tx.Bucket(markBucket).Get(windowsKey)
	if data == nil {
		return time.Time{}
	}
	return time.Unix(0, int64(numberOf(data))).UTC()
}

func setWindowsTold(tx *bbolt.Tx, at time.Time) error {
	return tx.Bucket(markBucket).Put(windowsKey, instant(at))
}

// beginWindows is called when a list begins: the first that has windows says from when on
// they are told.
func (s *Service) beginWindows(tx *bbolt.Tx, l eventseer.List) error {
	if s.matcher.HasWindows() || !match.IsTimed(l.Query) {
		return nil
	}
	return setWindowsTold(tx, s.now())
}
