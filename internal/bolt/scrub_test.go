package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Deleted data is in no byte of the file, and everything else is there, also when the file is opened again.
func TestScrub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	db := open(t, path, Options{Kind: "store", Migrations: makes(1)})
	write := func(f func(b *Bucket, key []byte) error) {
		t.Helper()
		for from := 0; from < 600; from += 100 {
			err := db.Update(func(tx *Tx) error {
				for i := range 100 {
					if err := f(tx.Bucket([]byte("a")), fmt.Appendf(nil, "%04d", from+i)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	secret := bytes.Repeat([]byte("secret "), 300) // some on pages that overflow
	write(func(b *Bucket, key []byte) error {
		value := secret[:7*(1+int(key[3]-'0')*30)]
		if key[3] == '0' {
			value = []byte("kept")
		}
		return b.Put(key, value)
	})
	write(func(b *Bucket, key []byte) error {
		if key[3] == '0' {
			return nil
		}
		return b.Delete(key)
	})
	reader, err := db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	if err := OverwriteUnused(db); !errors.Is(err, ErrBusy) {
		t.Errorf("while somebody reads: %v", err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(data, []byte("secret"))
	}
	if count() == 0 {
		t.Fatal("nothing is left to scrub, so this shows nothing")
	}
	if err := OverwriteUnused(db); err != nil {
		t.Fatal(err)
	}
	if n := count(); n > 0 {
		t.Errorf("%d of what was deleted are left", n)
	}
	for _, opened := range []string{"still", "again"} {
		kept := 0
		err := db.View(func(tx *Tx) error {
			return tx.Bucket([]byte("a")).ForEach(func(k, v []byte) error {
				if kept++; string(v) != "kept" {
					t.Errorf("%s is %q", k, v)
				}
				return nil
			})
		})
		if broken := Check(db); err != nil || kept != 60 || len(broken) > 0 {
			t.Errorf("%s open: %d records, %v, %v", opened, kept, err, broken)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open(t, path, Options{Kind: "store", Migrations: makes(1)})
	}
	write(func(b *Bucket, key []byte) error { return b.Put(key, []byte("new")) })
	if broken := Check(db); len(broken) > 0 {
		t.Error(broken)
	}
}
