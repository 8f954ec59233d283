package store

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
)

// oldStore makes a store of version 3, before series and news. It has two editions, a deadline that
// moved, and a record and a change that cannot be read.
func oldStore(t *testing.T, path string) {
	t.Helper()
	s := openStore(t, path, Options{})
	put(t, s, edition("ICX", 2026))
	put(t, s, call(0, day1))
	moved := call(0, day1.Add(time.Hour))
	moved.Deadlines[0].Date = "2027-02-08"
	put(t, s, moved)
	put(t, s, edition("ICX", 2027))
	err := s.db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{newsBucket, seriesBucket, editionBucket, noteBucket, noteDoneBucket, noteIDBucket, voteBucket} {
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		changes := tx.Bucket(changeBucket)
		seq, err := changes.NextSequence()
		return errors.Join(err,
			tx.Bucket(eventBucket).Put([]byte("torn"), []byte("\x01{")),
			changes.Put(seqBytes(seq), []byte("\x01{")),
			tx.Bucket([]byte("meta")).Put([]byte("version"), []byte{0, 0, 0, 3}),
		)
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestMigrateFromBeforeSeries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	oldStore(t, path)
	if _, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, bolt.ErrIncompatible) {
		t.Fatalf("to read only: %v, want ErrIncompatible", err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := openStore(t, path, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if got, err := s.Editions(t.Context(), "icx"); err != nil || len(got) != 2 {
		t.Errorf("%d editions, %v, want 2", len(got), err)
	}
	if got, err := s.RecentMoved(t.Context(), 0, 10); err != nil || len(got) != 1 {
		t.Errorf("%d moved, %v, want 1", len(got), err)
	}
	if got, err := s.Recent(t.Context(), 0, 10); err != nil || len(got) != 4 {
		t.Errorf("%d changes, %v, want 4", len(got), err)
	}
	leave(t, s, eventseer.Note{Kind: eventseer.Appeal})
	if broken := s.Check(); len(broken) != 2 {
		t.Errorf("check finds %v, want the two that cannot be read", broken)
	}
	copied, err := os.ReadFile(path + ".v3.backup")
	if err != nil || !bytes.Equal(copied[2*pageSize:], before[2*pageSize:len(copied)]) {
		t.Errorf("the copy of %d bytes is not the file before the migration: %v", len(copied), err)
	}
	if !strings.Contains(log.String(), ".v3.backup") {
		t.Errorf("the log does not tell of the copy:\n%s", &log)
	}
}

// TestCrashInMigration stops each migration after each page bbolt writes: it is done or
// has not begun, and the next Open ends it.
func TestCrashInMigration(t *testing.T) {
	for name, tt := range map[string]struct {
		make    func(t *testing.T, path string)
		version int
		broken  int
	}{"before series": {oldStore, 3, 2}, "before calls": {storeBeforeCalls, 5, 0}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			tt.make(t, path)
			for n := tt.version + 1; n <= len(migrations); n++ {
				before := read(t, path)
				db, err := bolt.Open(path, bolt.Options{Kind: "store", Migrations: migrations[:n]})
				if err == nil {
					err = db.DB.Close() // without the transaction that Close adds: one migration is one transaction
				}
				if err != nil {
					t.Fatal(err)
				}
				crashBetween(t, before, read(t, path), tt.broken)
			}
		})
	}
}

// crashBetween opens the file of a store in its state after each page write of one migration. It demands two
// editions and as many broken records.
func crashBetween(t *testing.T, before, after []byte, broken int) {
	t.Helper()
	at := filepath.Join(t.TempDir(), "torn.db")
	torn := append(append(make([]byte, 0, len(after)), before...), make([]byte, len(after)-len(before))...)
	written := changedPages(before, after)
	for n := 0; n <= len(written); n++ {
		if err := os.WriteFile(at, torn, 0o644); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, at, Options{})
		got, err := s.Editions(t.Context(), "icx")
		if err != nil || len(got) != 2 {
			t.Errorf("after %d of %d pages: %d editions, %v", n, len(written), len(got), err)
		}
		for _, e := range got {
			if len(e.Calls) == 0 {
				t.Errorf("after %d of %d pages: %s has no calls", n, len(written), e.ID)
			}
		}
		if found := s.Check(); len(found) != broken {
			t.Errorf("after %d of %d pages: %v", n, len(written), found)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n < len(written) {
			copy(torn[written[n]:], after[written[n]:written[n]+pageSize])
		}
	}
}

// storeBeforeCalls makes a store of version 5, whose records have no calls. It has two editions, one with a
// page of another call, and an event that was merged with another.
func storeBeforeCalls(t *testing.T, path string) {
	t.Helper()
	s := openStore(t, path, Options{})
	put(t, s, edition("ICX", 2026))
	put(t, s, edition("ICX", 2027))
	put(t, s, demosOfICX())
	err := s.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(eventBucket)
		var errs []error
		for _, id := range []string{"icx-2026", "icx-2027"} {
			e, err := decodeEvent([]byte(id), b.Get([]byte(id)))
			e.Calls = nil
			errs = append(errs, err, putRecord(b, []byte(id), e))
		}
		return errors.Join(append(errs,
			tx.DeleteBucket(voteBucket),
			tx.Bucket(aliasBucket).Put([]byte("icx27"), []byte("icx-2027")),
			tx.Bucket([]byte("meta")).Put([]byte("version"), []byte{0, 0, 0, 5}),
		)...)
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// demosOfICX is a record of a page with the call for demos of ICX 2027.
func demosOfICX() eventseer.Event {
	e := edition("ICX", 2027)
	e.URL = strings.TrimRight(e.URL, "/") + "/call-for-demos.html"
	e.Pages, e.Topics, e.SubmissionURL = []string{e.URL}, []string{"Prototypes"}, "https://submit.example/demos"
	e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Demo, Date: "2027-03-01", Source: eventseer.Provenance{URL: e.URL}}}
	return e
}

func TestMigrateFromBeforeCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	storeBeforeCalls(t, path)
	before := read(t, path)
	s := openStore(t, path, Options{})
	e, err := s.Event(t.Context(), "icx27")
	if err != nil || e.ID != "icx-2027" {
		t.Fatalf("the id of before leads to %q, %v", e.ID, err)
	}
	var kinds []eventseer.CallKind
	for _, c := range e.Calls {
		kinds = append(kinds, c.Kind)
	}
	if want := []eventseer.CallKind{eventseer.MainCall, eventseer.DemoCall}; !slices.Equal(kinds, want) {
		t.Errorf("calls of %q, want %q", kinds, want)
	}
	if history, err := s.History(t.Context(), "icx-2027"); err != nil || len(history) == 0 {
		t.Errorf("history of %d, %v", len(history), err)
	}
	checkClean(t, s)
	if copied := read(t, path+".v5.backup"); !bytes.Equal(copied[2*pageSize:], before[2*pageSize:len(copied)]) {
		t.Errorf("the copy of %d bytes is not the file before the migration", len(copied))
	}
}
