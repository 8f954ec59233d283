package store

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Imported data of a series takes precedence over the shipped table, until it is dropped.
func TestShippedSeries(t *testing.T) {
	s := newStore(t)
	known, err := s.Series(t.Context(), "caise")
	if err != nil || known.Name == "" || len(known.Ranks) == 0 {
		t.Fatalf("%+v, %v", known, err)
	}
	putSeries(t, s, eventseer.Series{ID: "caise", Homepage: "https://caise.example/", Ranks: []eventseer.Rank{{System: "core", Value: "B", Year: 2030, Source: "own"}}})
	own, err := s.Series(t.Context(), "caise")
	if err != nil || own.Name != known.Name || own.Homepage != "https://caise.example/" || own.HomepageYear != 0 || len(own.Ranks) != len(known.Ranks)+1 {
		t.Errorf("%+v, %v", own, err)
	}
	if err := s.DropSeries(t.Context(), "caise"); err != nil {
		t.Error(err)
	}
	if again, err := s.Series(t.Context(), "caise"); err != nil || again.Homepage != known.Homepage {
		t.Errorf("%+v, %v", again, err)
	}
	if err := s.DropSeries(t.Context(), "caise"); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("dropped twice: %v", err)
	}
}

// An event is filed under the series that the table finds, and moves when the table changes.
func TestRefile(t *testing.T) {
	s := newStore(t)
	e := edition("DBWorld", 2027)
	e.Title = "39th International Conference on Advanced Information Systems Engineering"
	put(t, s, e)
	other := edition("OCX", 2027)
	other.Title = "Old Conference on Crossings"
	put(t, s, other)
	of := func(id string) int {
		t.Helper()
		events, err := s.Editions(t.Context(), id)
		if err != nil {
			t.Error(err)
		}
		return len(events)
	}
	if of("caise") != 1 || of("ocx") != 1 || of("dbworld") != 0 {
		t.Fatalf("%d, %d, %d editions", of("caise"), of("ocx"), of("dbworld"))
	}
	putSeries(t, s, eventseer.Series{ID: "icx", Acronym: "ICX", Acronyms: []string{"OCX"}, Name: "Conference on Crossings"})
	if moved, err := s.ReassignSeries(t.Context()); err != nil || moved != 1 || of("icx") != 1 || of("ocx") != 0 {
		t.Errorf("%d moved, %v; %d editions of icx, %d of ocx", moved, err, of("icx"), of("ocx"))
	}
	if moved, err := s.ReassignSeries(t.Context()); err != nil || moved != 0 {
		t.Errorf("%d moved again, %v", moved, err)
	}
	if err := s.DropSeries(t.Context(), "icx"); err != nil {
		t.Fatal(err)
	}
	if moved, err := s.ReassignSeries(t.Context()); err != nil || moved != 1 || of("ocx") != 1 {
		t.Errorf("%d moved back, %v", moved, err)
	}
	if broken := s.Check(); len(broken) > 0 {
		t.Error(broken)
	}
}

// The events of a store from before the table are filed again.
func TestMigrateToKnownSeries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := edition("DBWorld", 2027)
	e.Title = "39th International Conference on Advanced Information Systems Engineering"
	id := put(t, s, e)
	err = s.db.Update(func(tx *bolt.Tx) error { // as it was
		stored, err := decodeEvent([]byte(id), tx.Bucket(eventBucket).Get([]byte(id)))
		if err != nil {
			return err
		}
		before := stored
		stored.Series = "dbworld"
		err = errors.Join(putRecord(tx.Bucket(eventBucket), []byte(id), stored), putEdition(tx, before, stored))
		if err == nil {
			err = fileUnderShippedSeries(tx)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Editions(t.Context(), "caise")
	if err != nil || len(events) != 1 || events[0].Series != "caise" || events[0].ID != id {
		t.Errorf("%+v, %v", events, err)
	}
	if broken := s.Check(); len(broken) > 0 {
		t.Error(broken)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if series.Shipped().Has("dbworld") {
		t.Error("an archive is a series")
	}
}
