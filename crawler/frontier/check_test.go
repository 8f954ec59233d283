package frontier

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
)

func TestOpenErrors(t *testing.T) {
	t.Parallel() // it waits for a lock
	path := filepath.Join(t.TempDir(), "f.db")
	if _, err := Open(path, Options{MustExist: true}); !errors.Is(err, bolt.ErrMissing) {
		t.Errorf("no file: %v", err)
	}
	f := openAt(t, path, Options{})
	if _, err := Open(path, Options{}); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	push(t, f, "https://a.org/")
	closeClean(t, f)
	if err := f.Push(t.Context(), seeds("https://b.org/")); err == nil {
		t.Error("pushed into a closed frontier")
	}
	if err := f.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	for in := range bucketNames {
		broken := filepath.Join(t.TempDir(), "f.db")
		if err := os.WriteFile(broken, read(t, path), 0o600); err != nil {
			t.Fatal(err)
		}
		change(t, broken, Schema(), func(tx *bolt.Tx) error {
			return tx.Bucket(bucketNames[in]).Put(bytes.Repeat([]byte{0xff}, bucketKeySize[in]), []byte{99})
		})
		if f, err := Open(broken, Options{}); err == nil && bucket(in) != textBucket {
			t.Errorf("a broken record in %s: no error", bucketNames[in])
			_ = f.Close()
		}
	}
}

// change edits a frontier's file behind its back.
func change(t *testing.T, path string, version int, do func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, bolt.Options{Kind: "frontier", Migrations: migrations()[:version]})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(do), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Check finds damage that was made behind its back.
func TestCheckFinds(t *testing.T) {
	first := func(tx *bolt.Tx, in bucket) (*bolt.Bucket, []byte, []byte) {
		b := tx.Bucket(bucketNames[in])
		k, v := b.Cursor().First()
		return b, slices.Clone(k), slices.Clone(v)
	}
	remove := func(in bucket) func(*bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			b, k, _ := first(tx, in)
			return b.Delete(k)
		}
	}
	double := func(in bucket) func(*bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			b, k, v := first(tx, in)
			k[len(k)-1] += 100
			return b.Put(k, v)
		}
	}
	rot := func(in bucket) func(*bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			b, k, v := first(tx, in)
			return b.Put(k, v[:len(v)-1])
		}
	}
	for name, harm := range map[string]func(*bolt.Tx) error{
		"queue without a link": remove(queueBucket), "queue with one twice": double(queueBucket), "queue with half a record": rot(queueBucket),
		"due without a link": remove(dueBucket), "due with one twice": double(dueBucket), "due with half a record": rot(dueBucket),
		"lease missing": remove(leaseBucket), "lease twice": double(leaseBucket), "done without a record": remove(doneBucket),
		"done with one twice": double(doneBucket), "done with half a record": rot(doneBucket), "a text of nobody": func(tx *bolt.Tx) error {
			return tx.Bucket(bucketNames[textBucket]).Put(make([]byte, 8), make([]byte, 12))
		},
		"half a journal": rot(journalBucket),
	} {
		t.Run(name, func(t *testing.T) {
			o := quiet
			o.NoWait = false
			f := openAt(t, filepath.Join(t.TempDir(), "f.db"), o)
			defer f.Close()
			push(t, f, "https://a.org/1", "https://b.org/1", "https://c.org/1")
			later := crawler.Candidate{URL: "https://later.org/", Due: o.Now().Add(time.Hour)}
			l := next(t, f)
			next(t, f)
			if err := f.Done(t.Context(), crawler.End{Lease: l, Outcome: fetched, Changes: crawler.Changes{Push: []crawler.Candidate{later}}}); err != nil {
				t.Fatal(err)
			}
			if errs := f.Check(); len(errs) > 0 {
				t.Fatalf("clean file: %v", errs)
			}
			if err := f.db.Update(harm); err != nil {
				t.Fatal(err)
			}
			if errs := f.Check(); len(errs) == 0 {
				t.Error("nothing found")
			}
		})
	}
}
