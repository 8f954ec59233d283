package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// grown makes a sealed file that many transactions changed, and returns what bucket a holds.
func grown(t *testing.T, path string) map[string]string {
	t.Helper()
	db := open(t, path, Options{Kind: "store", Migrations: sealed()})
	want := map[string]string{}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		err := db.Update(func(tx *Tx) error {
			for n := range 50 {
				if err := changeOnce(tx, r, want); err != nil {
					return err
				}
				if err := tx.Bucket([]byte("b")).Put(fmt.Appendf(nil, "%d of %d", n, round), []byte(strings.Repeat("x", 40))); err != nil {
					return err
				}
			}
			_, err := tx.Bucket([]byte("b")).NextSequence()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return want
}

// recovered recovers a file and returns what its bucket a holds; the new file must be sound.
func recovered(t *testing.T, path string) (Recovery, map[string]string) {
	t.Helper()
	r, err := RecoverFile(path, RecoverOptions{Kind: "store", Version: 3, Keep: path + ".damaged"})
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := CheckFile(path); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	got := map[string]string{}
	db := open(t, path, Options{Kind: "store", Migrations: sealed(), MustExist: true})
	err = db.View(func(tx *Tx) error {
		if n := tx.Bucket([]byte("b")).Sequence(); n != 40 {
			return fmt.Errorf("the counter is %d, want 40", n)
		}
		return tx.Bucket([]byte("a")).ForEach(func(k, v []byte) error { got[string(k)] = string(v); return nil })
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return r, got
}

// ofBucket returns the recovered part of a bucket.
func ofBucket(t *testing.T, r Recovery, name string) RecoveredBucket {
	t.Helper()
	for _, b := range r.Buckets {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("nothing is said of bucket %s: %+v", name, r)
	return RecoveredBucket{}
}

// A value that was overwritten is lost by name, all others are kept; the damaged file too.
func TestRecoverNamesTheLostValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	want := grown(t, path)
	const key, value = "a key of its own", "the value that is overwritten"
	db := open(t, path, Options{Kind: "store", Migrations: sealed()})
	put := func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte(key), []byte(value)) }
	if err := errors.Join(db.Update(put), db.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.ReplaceAll(data, []byte(value), []byte("the value that was overwritten"[:len(value)]))
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	r, got := recovered(t, path)
	if !maps.Equal(got, want) {
		t.Errorf("%d values, want %d", len(got), len(want))
	}
	if b := ofBucket(t, r, "a"); b.Lost != 1 || len(b.LostKeys) != 1 || string(b.LostKeys[0]) != key || b.Found != len(want) {
		t.Errorf("said of the bucket: %+v, want %q lost", b, key)
	}
	if lost, proven := r.CountLost(); lost != 1 || !proven {
		t.Errorf("lost %d, proven %t", lost, proven)
	}
	if kept, err := os.ReadFile(path + ".damaged"); err != nil || !bytes.Equal(kept, damaged) {
		t.Errorf("the damaged file is not kept as it was: %v", err)
	}
}

// Of a bucket whose branch page is lost all leaves are found again, among older copies of them: the
// bucket's sum proves which.
func TestRecoverFindsLeavesAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	want := grown(t, path)
	pageSize := os.Getpagesize()
	var branch uint64
	edit(t, path, func(tx *bbolt.Tx) error {
		branch = uint64(tx.Bucket([]byte("b")).Root())
		return nil
	})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := int(branch) * pageSize
	if order.Uint16(data[at+8:]) != branchFlag {
		t.Fatal("the bucket has no branch page")
	}
	clear(data[at : at+pageSize])
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, got := recovered(t, path)
	if b := ofBucket(t, r, "b"); !maps.Equal(got, want) || b.Found != 2000 {
		t.Errorf("%d values, want %d; %+v", len(got), len(want), b)
	}
	if lost, proven := r.CountLost(); lost != 0 || !proven {
		t.Errorf("lost %d, proven %t: %+v", lost, proven, r)
	}
}

// A file of which nothing can be proven stays as it is.
func TestRecoverRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"noise": strings.Repeat("noise", 5000), "short": "x"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := RecoverFile(path, RecoverOptions{Kind: "store", Version: 3, Keep: path + ".damaged"})
		if after, read := os.ReadFile(path); !errors.Is(err, ErrDamaged) || read != nil || string(after) != text {
			t.Errorf("%s: %v, %v", name, err, read)
		}
	}
	path := filepath.Join(dir, "whole")
	grown(t, path)
	if _, err := RecoverFile(path, RecoverOptions{Kind: "frontier", Version: 3, Keep: path + ".damaged"}); !errors.Is(err, ErrIncompatible) {
		t.Errorf("another kind: %v", err)
	}
	if err := os.WriteFile(path+".damaged", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := RecoverFile(path, RecoverOptions{Kind: "store", Version: 3, Keep: path + ".damaged"}); !errors.Is(err, os.ErrExist) {
		t.Errorf("a name that is taken: %v", err)
	}
	db := open(t, path, Options{Kind: "store", Migrations: sealed()})
	if _, err := RecoverFile(path, RecoverOptions{Kind: "store", Version: 3, Keep: path + ".other"}); !errors.Is(err, ErrLocked) {
		t.Errorf("an open file: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.recover")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
