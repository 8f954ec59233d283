package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filled makes a database with n records in bucket a and returns where it is.
func filled(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.db")
	db := open(t, path, Options{Kind: "store", Migrations: makes(1)})
	err := db.Update(func(tx *Tx) error {
		for i := range n {
			if err := tx.Bucket([]byte("a")).Put(fmt.Appendf(nil, "key %06d", i), fmt.Appendf(nil, "value %d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCutFile checks that a truncated file is refused. One that is truncated while open gives
// readers and writers an error instead of a signal.
func TestCutFile(t *testing.T) {
	path := filled(t, 20000)
	db := open(t, path, Options{Kind: "store", Migrations: makes(1)})
	if err := os.Truncate(path, 3*int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	read := func(tx *Tx) error { return tx.Bucket([]byte("a")).ForEach(func(_, _ []byte) error { return nil }) }
	for name, err := range map[string]error{"view": db.View(read), "update": db.Update(read), "batch": db.Batch(read)} {
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "f.db: ") || !strings.Contains(err.Error(), nextStep) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := db.DB.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Open(path, Options{Kind: "store", Migrations: makes(1)})
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("opened after it: %v", err)
	}
	if problems, err := CheckFile(path); err != nil || len(problems) != 1 {
		t.Errorf("check: %v, %v", problems, err)
	}
}

// Panics that do not come from the file are passed on.
func TestGuardPassesPanics(t *testing.T) {
	db := open(t, filled(t, 1), Options{Kind: "store", Migrations: makes(1)})
	defer func() {
		if p := recover(); p != "a mistake" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = db.View(func(*Tx) error { panic("a mistake") })
	t.Error("no panic")
}

// After Close either meta page alone leads to all stored values.
func TestCloseSeals(t *testing.T) {
	path := filled(t, 100)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := range 2 {
		data := append([]byte(nil), whole...)
		clear(data[page*os.Getpagesize():][:os.Getpagesize()])
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if problems, err := CheckFile(path); err != nil || len(problems) != 1 || !strings.Contains(problems[0].Error(), fmt.Sprintf("meta page %d", page)) {
			t.Errorf("without meta page %d: %v, %v", page, problems, err)
		}
		db := open(t, path, Options{Kind: "store", Migrations: makes(1)})
		n := 0
		if err := db.View(func(tx *Tx) error { n = tx.Bucket([]byte("a")).Len(); return nil }); err != nil || n != 100 {
			t.Errorf("without meta page %d: %d records, %v", page, n, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
