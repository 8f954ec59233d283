package bolt

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A compacted file is smaller and holds the same.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.db")
	o := Options{Kind: "store", Migrations: makes(1)}
	db := open(t, path, o)
	db.NoSync = true
	key := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	for _, keep := range []bool{false, true} {
		err := db.Update(func(tx *Tx) error {
			b := tx.Bucket([]byte("a"))
			for i := range 2000 {
				var err error
				if !keep {
					err = b.Put(key(i), make([]byte, 500))
				} else if i%100 != 0 {
					err = b.Delete(key(i))
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := CompactFile(path); !errors.Is(err, ErrLocked) {
		t.Errorf("of an open file: %v, want ErrLocked", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".compact", []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, after, err := CompactFile(path)
	if err != nil || after >= before/2 {
		t.Errorf("%d bytes before, %d after, %v", before, after, err)
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	db = open(t, path, o)
	if broken := Check(db); len(broken) > 0 {
		t.Error(broken)
	}
	n := 0
	if err := db.View(func(tx *Tx) error { n = tx.Bucket([]byte("a")).Len(); return nil }); err != nil || n != 20 {
		t.Errorf("%d keys, %v, want 20", n, err)
	}
}

func TestCompactRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := CompactFile(filepath.Join(dir, "none.db")); !errors.Is(err, ErrMissing) {
		t.Errorf("no file: %v", err)
	}
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := CompactFile(garbage); err == nil {
		t.Error("of garbage: no error")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// A file that was replaced between opening and locking it is not used.
func TestOpenReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	o := Options{Kind: "store", Migrations: makes(1), Timeout: time.Second}
	if err := open(t, path, o).Close(); err != nil {
		t.Fatal(err)
	}
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if _, _, err := CompactFile(path); err != nil {
			t.Error(err)
		}
		return f, err
	}
	if _, err := Open(path, o); !errors.Is(err, ErrLocked) {
		t.Errorf("%v, want ErrLocked", err)
	}
}
