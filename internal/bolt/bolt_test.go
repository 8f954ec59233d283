package bolt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// makes returns n migrations, of which each makes a bucket.
func makes(n int) []func(*Tx) error {
	var all []func(*Tx) error
	for i := range n {
		all = append(all, func(tx *Tx) error {
			_, err := tx.CreateBucket([]byte{'a' + byte(i)})
			return err
		})
	}
	return all
}

func open(t *testing.T, path string, o Options) *DB {
	t.Helper()
	db, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "folder", "made.db")
	if err := open(t, made, Options{Kind: "store", Migrations: makes(2)}).Close(); err != nil {
		t.Fatal(err)
	}
	held := filepath.Join(dir, "held.db")
	open(t, held, Options{Kind: "store", Migrations: makes(1)})
	garbage, empty := filepath.Join(dir, "garbage.db"), filepath.Join(dir, "empty.db")
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		path string
		o    Options
		want error // nil: any
	}{
		"locked":           {held, Options{Kind: "store", Migrations: makes(1), Timeout: time.Millisecond}, ErrLocked},
		"locked, to read":  {held, Options{Kind: "store", Migrations: makes(1), Timeout: time.Millisecond, ReadOnly: true}, ErrLocked},
		"another kind":     {made, Options{Kind: "frontier", Migrations: makes(2)}, ErrIncompatible},
		"newer":            {made, Options{Kind: "store", Migrations: makes(1)}, ErrIncompatible},
		"older, read-only": {made, Options{Kind: "store", Migrations: makes(3), ReadOnly: true}, ErrIncompatible},
		"missing":          {filepath.Join(dir, "none.db"), Options{Kind: "store", MustExist: true}, ErrMissing},
		"missing, to read": {filepath.Join(dir, "none.db"), Options{Kind: "store", ReadOnly: true}, ErrMissing},
		"empty":            {empty, Options{Kind: "store", MustExist: true}, ErrMissing},
		"garbage":          {garbage, Options{Kind: "store"}, nil},
		"a folder":         {dir, Options{Kind: "store"}, nil},
		"below a file":     {filepath.Join(garbage, "x.db"), Options{Kind: "store"}, nil},
	} {
		db, err := Open(test.path, test.o)
		if err == nil {
			_ = db.Close()
		}
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("a refused file was made")
	}
}

// Each migration is done once; one that fails leaves those before it.
func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	o := Options{Kind: "store", Migrations: makes(1)}
	if err := open(t, path, o).Close(); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	o.Migrations = append(makes(2), func(tx *Tx) error {
		_, err := tx.CreateBucket([]byte("half"))
		return errors.Join(err, broken)
	})
	if _, err := Open(path, o); !errors.Is(err, broken) {
		t.Errorf("a migration that fails: %v", err)
	}
	o.Migrations = makes(3)
	db := open(t, path, o)
	err := db.View(func(tx *Tx) error {
		for _, name := range []string{"a", "b", "c"} {
			if tx.Bucket([]byte(name)) == nil {
				t.Errorf("bucket %s is missing", name)
			}
		}
		if tx.Bucket([]byte("half")) != nil {
			t.Error("half a migration was kept")
		}
		return nil
	})
	if broken := Check(db); err != nil || len(broken) > 0 {
		t.Error(err, broken)
	}
}

// Private files are readable by their owner only, also if they were created before that rule.
func TestOpenPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	path := filepath.Join(t.TempDir(), "p.db")
	for _, before := range []os.FileMode{0, 0o644, 0o666} {
		if before != 0 {
			if err := os.Chmod(path, before); err != nil {
				t.Fatal(err)
			}
		}
		if err := open(t, path, Options{Kind: "store", Migrations: makes(1)}).Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("made with %v: the file has mode %v (%v)", before, info.Mode(), err)
		}
	}
}
