package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// number reads the counter that bump raises.
func number(t *testing.T, db *DB) (n uint64) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		if v := tx.Bucket([]byte("a")).Get([]byte("n")); v != nil {
			n = binary.BigEndian.Uint64(v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func bump(db *DB, n uint64) error {
	return db.Update(func(tx *Tx) error {
		b := tx.Bucket([]byte("a"))
		return errors.Join(b.Put([]byte("n"), binary.BigEndian.AppendUint64(nil, n)), b.Put(fmt.Appendf(nil, "filler %d", n), make([]byte, 2000)))
	})
}

// While a writer counts in one database and then in the next, snapshots show all at one moment. No counter is
// behind the one counted after it, nor ahead by two.
func TestSnapIsOneMoment(t *testing.T) {
	dir := t.TempDir()
	var dbs []*DB
	var sources []Source
	for i := range 3 {
		db := open(t, filepath.Join(dir, fmt.Sprintf("%d.db", i)), Options{Kind: "store", Migrations: makes(1)})
		db.NoSync = true
		dbs, sources = append(dbs, db), append(sources, SourceOf(db))
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := uint64(1); ; n++ {
			for _, db := range dbs {
				if err := bump(db, n); err != nil {
					t.Error(err)
					return
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for round := range 20 {
		looked := false
		snaps, err := TakeSnapshots(func() error { looked = true; return nil }, sources...)
		if err != nil || len(snaps) != 3 || !looked {
			t.Fatal(len(snaps), looked, err)
		}
		var got []uint64
		for i, s := range snaps {
			path := filepath.Join(dir, fmt.Sprintf("snap-%d-%d.db", round, i))
			var b bytes.Buffer
			n, err := s.WriteTo(&b)
			if err != nil || n != s.Size() || int64(b.Len()) != n {
				t.Fatalf("wrote %d of %d, %v", n, s.Size(), err)
			}
			if err := errors.Join(s.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			db := open(t, path, Options{Kind: "store", Migrations: makes(1), MustExist: true})
			if broken := Check(db); len(broken) > 0 {
				t.Fatal(broken)
			}
			got = append(got, number(t, db))
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if got[0] < got[1] || got[1] < got[2] || got[0]-got[2] > 1 {
			t.Errorf("round %d: counters %v are not of one moment", round, got)
		}
	}
	close(stop)
	wg.Wait()
}

func TestSnapLetsGoOnError(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), Options{Kind: "store", Migrations: makes(1)})
	fault := errors.New("fault")
	if _, err := TakeSnapshots(func() error { return fault }, SourceOf(db)); !errors.Is(err, fault) {
		t.Errorf("%v, want the error of the function", err)
	}
	if err := bump(db, 1); err != nil { // would wait for ever for a writer that was not ended
		t.Error(err)
	}
	if n := db.Stats().OpenTxN; n != 0 {
		t.Errorf("%d read transactions left open", n)
	}
}

func TestOpenForCopying(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if _, err := OpenForCopying(path); !errors.Is(err, ErrMissing) {
		t.Errorf("missing: %v", err)
	}
	db := open(t, path, Options{Kind: "frontier", Migrations: makes(3)})
	if _, err := OpenForCopying(path); !errors.Is(err, ErrLocked) {
		t.Errorf("open elsewhere: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := OpenForCopying(path)
	if err != nil {
		t.Fatal(err)
	}
	kind, version, err := s.Schema()
	if kind != "frontier" || version != 3 || err != nil {
		t.Errorf("schema %q %d, %v", kind, version, err)
	}
	snaps, err := TakeSnapshots(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := snaps[0].WriteTo(&b); err != nil {
		t.Error(err)
	}
	if err := errors.Join(snaps[0].Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// A file of an older version is copied before its migration. The log says so, and the copies of the
// newest versions are kept.
func TestKeepBeforeMigration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "k.db")
	var log bytes.Buffer
	o := Options{Kind: "store", Keep: 2, Log: slog.New(slog.NewTextHandler(&log, nil))}
	for version := 1; version <= 5; version++ {
		o.Migrations = makes(version)
		if err := open(t, path, o).Close(); err != nil {
			t.Fatal(err)
		}
		if err := open(t, path, o).Close(); err != nil { // nothing is due now
			t.Fatal(err)
		}
	}
	copies, err := filepath.Glob(path + ".*")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{path + ".v3.backup", path + ".v4.backup"}; !slices.Equal(copies, want) {
		t.Fatalf("copies %v, want %v", copies, want)
	}
	s, err := OpenForCopying(copies[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, version, err := s.Schema(); version != 4 || err != nil {
		t.Errorf("the copy is of version %d, %v", version, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "copied before"); n != 4 {
		t.Errorf("the log tells of %d copies, want 4:\n%s", n, &log)
	}
}

// Where the copy cannot be made nothing is changed; where the migration fails the copy
// is there and the next try replaces it.
func TestKeepBeforeFailedMigration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "k.db")
	if err := open(t, path, Options{Kind: "store", Migrations: makes(1)}).Close(); err != nil {
		t.Fatal(err)
	}
	blocked := path + ".v1.backup.new"
	if err := os.Mkdir(blocked, 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Kind: "store", Migrations: makes(2), Keep: 1}
	if db, err := Open(path, o); err == nil {
		_ = db.Close()
		t.Error("migrated without a copy")
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("fault")
	failing := o
	failing.Migrations = append(makes(1), func(*Tx) error { return fault })
	if _, err := Open(path, failing); !errors.Is(err, fault) {
		t.Errorf("%v, want the fault", err)
	}
	if err := open(t, path, o).Close(); err != nil {
		t.Fatal(err)
	}
	s, err := OpenForCopying(path + ".v1.backup")
	if err != nil {
		t.Fatal(err)
	}
	if _, version, _ := s.Schema(); version != 1 {
		t.Errorf("the copy is of version %d", version)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
