package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"
)

// ErrBadSeries means that data on a series cannot be stored.
var ErrBadSeries = series.ErrBad

// Series implements eventseer.SeriesStore. It returns the shipped data and that of later Puts,
// which take precedence; for a merged series that of the one into which it was merged. For a series
// known only by its editions it returns only the ID.
func (s *Store) Series(ctx context.Context, id string) (known eventseer.Series, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		var put bool
		var err error
		if known, put, err = readSeries(tx, id); err != nil {
			return err
		}
		if row, inTable := s.tableIn(tx).Get(id); inTable {
			known = row
			return nil
		}
		prefix := joinKey(id, "")
		if k, _ := tx.Bucket(editionBucket).Cursor().Seek(prefix); !put && (id == "" || !bytes.HasPrefix(k, prefix)) {
			return fmt.Errorf("%w: series %s", eventseer.ErrNotFound, id)
		}
		return nil
	})
	return known, err
}

// AllSeries implements eventseer.SeriesStore. A damaged series is yielded with only its ID and an
// ErrCorrupt, and iteration continues.
func (s *Store) AllSeries(ctx context.Context) iter.Seq2[eventseer.Series, error] {
	return scanRecords(ctx, s, seriesBucket, nil, decodeSeries)
}

// Editions implements eventseer.SeriesStore. Events without a known year come last. With an
// ErrCorrupt it returns the readable events.
func (s *Store) Editions(ctx context.Context, id string) (events []eventseer.Event, err error) {
	if id == "" {
		return nil, ctx.Err()
	}
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		var errs []error
		for _, of := range editionIDs(tx, id) {
			e, err := publicEvent(tx, eventseer.EventID(of))
			if err == nil {
				events = append(events, e)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	return events, err
}

// editionIDs returns the ids of a series' events, newest first, at most MaxEditions.
func editionIDs(tx *bolt.Tx, series string) []string {
	return idsUnder(tx, editionBucket, joinKey(series, ""), eventseer.MaxEditions, lastPart)
}

// PutSeries implements eventseer.SeriesStore. Data that changes nothing is ignored. Its error is an
// ErrBadSeries if the series is invalid.
func (s *Store) PutSeries(ctx context.Context, one eventseer.Series) error {
	return s.PutAllSeries(ctx, []eventseer.Series{one})
}

// PutAllSeries is PutSeries for many series in one transaction. Thousands should be split into
// calls with some hundreds.
func (s *Store) PutAllSeries(ctx context.Context, all []eventseer.Series) error {
	for _, one := range all {
		if err := series.Check(one); err != nil {
			return err
		}
	}
	return s.writeTx(ctx, func(tx *bolt.Tx) error {
		for _, one := range all {
			if err := s.putSeries(tx, one); err != nil {
				return fmt.Errorf("put series %s: %w", one.ID, err)
			}
		}
		return nil
	})
}

func (s *Store) putSeries(tx *bolt.Tx, one eventseer.Series) error {
	old, _, err := readSeries(tx, one.ID)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	merged := series.Combine(old, one)
	if err := series.Check(merged); err != nil {
		return err
	}
	record, err := encodeRecord(merged)
	if err != nil {
		return err
	}
	b := tx.Bucket(seriesBucket)
	if bytes.Equal(b.Get([]byte(one.ID)), record) {
		return nil
	}
	if _, err := b.NextSequence(); err != nil {
		return err
	}
	if err := b.Put([]byte(one.ID), record); err != nil {
		return err
	}
	return s.addEditionsToOutbox(tx, one.ID)
}

// addEditionsToOutbox adds the events of a series to the outbox, because its data changed.
func (s *Store) addEditionsToOutbox(tx *bolt.Tx, id string) error {
	for _, of := range editionIDs(tx, id) {
		if err := putOutbox(tx, &eventseer.Change{Event: eventseer.EventID(of), At: s.now().UTC()}); err != nil {
			return err
		}
	}
	return nil
}

// DropSeries removes the stored data on a series, so that the shipped table applies again. It
// returns an ErrNotFound if there was none.
func (s *Store) DropSeries(ctx context.Context, id string) error {
	return s.writeTx(ctx, func(tx *bolt.Tx) error {
		b := tx.Bucket(seriesBucket)
		if b.Get([]byte(id)) == nil {
			return fmt.Errorf("%w: no data of series %.60q was imported", eventseer.ErrNotFound, id)
		}
		_, err := b.NextSequence()
		return errors.Join(err, b.Delete([]byte(id)), s.addEditionsToOutbox(tx, id))
	})
}

// Table returns the known series: those of the shipped table combined with the stored ones. A
// damaged series is left out.
func (s *Store) Table(ctx context.Context) (t *series.Table, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		t = s.tableIn(tx)
		return nil
	})
	return t, err
}

// tableIn is Table within a transaction.
func (s *Store) tableIn(tx *bolt.Tx) *series.Table {
	now := tx.Bucket(seriesBucket).Sequence()
	if v := s.table.Load(); v != nil && v.sequence == now {
		return v.table
	}
	v := &tableVersion{now, readTable(tx)}
	s.table.Store(v)
	return v.table
}

// A tableVersion is the table after a number of changes of series.
type tableVersion struct {
	sequence uint64
	table    *series.Table
}

func readTable(tx *bolt.Tx) *series.Table {
	shipped := series.Shipped()
	var rows []eventseer.Series
	_ = tx.Bucket(seriesBucket).ForEach(func(id, value []byte) error { // it never returns an error
		if own, err := decodeSeries(id, value); err == nil { // Check reports it
			base, _ := shipped.WithoutMerges(string(id))
			rows = append(rows, series.Combine(base, own))
		}
		return nil
	})
	return shipped.WithRows(rows)
}

// withPresentSeries returns an event with its series in the present table.
func (s *Store) withPresentSeries(tx *bolt.Tx, e eventseer.Event) eventseer.Event {
	return withSeries(s.tableIn(tx), e)
}

func withSeries(t *series.Table, e eventseer.Event) eventseer.Event {
	if id := t.Of(e); e.Series != "" || t.Has(id) {
		e.Series = id
	}
	e.Fields = nil
	if s, ok := t.Get(e.Series); ok {
		e.Fields = field.OfSeries(s, e)
	}
	if e.Fields == nil {
		e.Fields = field.Predict(e)
	}
	return e
}

// addFields sets the fields of research of all events.
func addFields(tx *bolt.Tx) error {
	b, t := tx.Bucket(eventBucket), readTable(tx)
	type found struct {
		id     []byte
		record eventseer.Event
	}
	var changed []found
	err := b.ForEach(func(id, value []byte) error {
		e, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it; the others count
		}
		if after := withSeries(t, e); len(after.Fields) > 0 {
			e.Fields = after.Fields
			changed = append(changed, found{bytes.Clone(id), e})
		}
		return nil
	})
	for _, c := range changed {
		err = errors.Join(err, putRecord(b, c.id, c.record))
	}
	return err
}

// ReassignSeries files all events under their series in the present table, and returns how many moved. It
// is called after changes of series that affect which events they contain.
func (s *Store) ReassignSeries(ctx context.Context) (moved int, err error) {
	err = s.writeTx(ctx, func(tx *bolt.Tx) error {
		recurate := func(e eventseer.Event) error {
			_, err := s.rebuildCurated(tx, e.ID)
			return err
		}
		moved, err = reassignSeries(tx, readTable(tx), recurate, func(e eventseer.Event) error {
			return putOutbox(tx, &eventseer.Change{Event: e.ID, At: s.now().UTC()})
		})
		return err
	})
	return moved, err
}

// reassignSeries calls told for each event that was filed under another series.
func reassignSeries(tx *bolt.Tx, t *series.Table, after, told func(eventseer.Event) error) (moved int, err error) {
	var changed [][2]eventseer.Event
	err = tx.Bucket(eventBucket).ForEach(func(id, value []byte) error {
		before, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it; the others count
		}
		if after := withSeries(t, before); before.Series != after.Series || !slices.Equal(before.Fields, after.Fields) {
			changed = append(changed, [2]eventseer.Event{before, after})
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, e := range changed {
		err := errors.Join(putRecord(tx.Bucket(eventBucket), []byte(e[1].ID), e[1]), putEdition(tx, e[0], e[1]), after(e[1]), told(e[1]))
		if err != nil {
			return moved, fmt.Errorf("event %s: %w", e[1].ID, err)
		}
		moved++
	}
	return moved, nil
}

// fileUnderShippedSeries files the events under the series of the shipped table and under the present keys. Rows
// under earlier series are replaced.
func fileUnderShippedSeries(tx *bolt.Tx) error {
	if err := errors.Join(tx.DeleteBucket(editionBucket), createBuckets(tx, editionBucket)); err != nil {
		return err
	}
	if _, err := reassignSeries(tx, readTable(tx), func(eventseer.Event) error { return nil }, func(eventseer.Event) error { return nil }); err != nil {
		return err
	}
	err := tx.Bucket(eventBucket).ForEach(func(id, value []byte) error {
		e, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it
		}
		return putEdition(tx, eventseer.Event{}, e)
	})
	if err != nil {
		return err
	}
	return fileUnderKeys(tx)
}

func readSeries(tx *bolt.Tx, id string) (series eventseer.Series, known bool, err error) {
	value := tx.Bucket(seriesBucket).Get([]byte(id))
	if value == nil {
		return eventseer.Series{ID: id}, false, nil
	}
	series, err = decodeSeries([]byte(id), value)
	return series, true, err
}

func decodeSeries(id, record []byte) (eventseer.Series, error) {
	series, err := decodeRecord[eventseer.Series](record)
	if err == nil && series.ID != string(id) {
		err = fmt.Errorf("%w: its id %q differs from its key", ErrCorrupt, series.ID)
	}
	if err != nil {
		return eventseer.Series{ID: string(id)}, fmt.Errorf("series %s: %w", id, err)
	}
	return series, nil
}
