package store

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventseer/eventseer"
	"eventseer/internal/bolt"

	"go.etcd.io/bbolt"
)

// oldStore makes a store of version 3, before series and news, with two editions, a
// deadline that moved, and a record and a change that cannot be read.
func oldStore(t *testing.T, path string) {
	t.Helper()
	s := openStore(t, path, Options{})
	put(t, s, edition("ICX", 2026))
	put(t, s, call(0, day1))
	moved := call(0, day1.Add(time.Hour))
	moved.Deadlines[0].Date = "2027-02-08"
	put(t, s, moved)
	put(t, s, edition("ICX", 2027))
	err := s.db.Update(func(tx *bbolt.Tx) error {
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

// TestCrashInMigration stops a migration after each page bbolt writes: it is done or
// has not begun, and the next Open ends it.
func TestCrashInMigration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	oldStore(t, path)
	before := read(t, path)
	s := openStore(t, path, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after := read(t, path)
	torn := append(append(make([]byte, 0, len(after)), before...), make([]byte, len(after)-len(before))...)
	written := changedPages(before, after)
	for n := 0; n <= len(written); n++ {
		at := filepath.Join(dir, "torn.db")
		if err := os.WriteFile(at, torn, 0o644); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, at, Options{})
		if got, err := s.Editions(t.Context(), "icx"); err != nil || len(got) != 2 {
			t.Errorf("after %d of %d pages: %d editions, %v", n, len(written), len(got), err)
		}
		if broken := s.Check(); len(broken) != 2 {
			t.Errorf("after %d of %d pages: %v", n, len(written), broken)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n < len(written) {
			copy(torn[written[n]:], after[written[n]:written[n]+pageSize])
		}
	}
}
