package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"eventseer/crawler"
	"eventseer/internal/bolt"

	"github.com/google/go-cmp/cmp"
)

// script is a short crawl; tick runs before every transaction. It stops at the
// first error.
func script(t testing.TB, f *Frontier, tick func()) error {
	ctx := t.Context()
	tick()
	if err := f.Push(ctx, seeds("https://a.org/1", "https://b.org/1", "https://c.org/1")); err != nil {
		return err
	}
	for i := range 6 {
		tick()
		l, err := f.Next(ctx)
		if err != nil {
			return err
		}
		tick()
		if err := f.Push(ctx, seeds(fmt.Sprintf("https://d%d.org/", i), "https://a.org/2")); err != nil {
			return err
		}
		tick()
		if _, err := f.Claim(ctx, l, fmt.Sprintf("https://e%d.org/", i)); err != nil {
			return err
		}
		o := fetched
		o.Clips, o.Notes = []string{"c"}, []crawler.Note{{Key: "k", Value: []byte{byte(i)}}}
		tick()
		if err := f.Done(ctx, crawler.End{Lease: l, Outcome: o}); err != nil {
			return err
		}
	}
	return nil
}

// The file stops taking writes at the n-th change, for n = 1, 2, …: the error
// comes up, the memory stays with the disk, and the file opens clean again.
func TestWriteFails(t *testing.T) {
	for n := 1; ; n++ {
		path := filepath.Join(t.TempDir(), "f.db")
		var file *os.File
		f := openAt(t, path, Options{NoWait: true, NoSync: true, OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		}})
		left := n
		err := script(t, f, func() {
			if left--; left == 0 {
				file.Close()
			}
		})
		memory := f.count
		f.Close() // reports the closed file
		again := openAt(t, path, Options{NoWait: true, NoSync: true, Owner: "other"})
		if again.count != memory {
			t.Errorf("write %d failed: memory %+v, disk %+v", n, memory, again.count)
		}
		closeClean(t, again)
		if left > 0 {
			if err != nil {
				t.Errorf("without a fault: %v", err)
			}
			return
		}
		if err == nil {
			t.Errorf("write %d failed without an error", n)
		}
	}
}

// A crash in the middle of a commit leaves some data pages of the new state
// under the old meta page: the file opens as it was before.
func TestTornCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.db")
	f := openAt(t, path, Options{NoWait: true})
	push(t, f, "https://a.org/1", "https://b.org/1")
	before, counts := read(t, path), f.count
	push(t, f, "https://a.org/2", "https://c.org/1")
	after := read(t, path)
	closeClean(t, f)
	page := os.Getpagesize()
	torn := bytes.Clone(before)
	for at := 2 * page; at+page <= len(before); at += page { // pages 0 and 1 are the metas
		if bytes.Equal(before[at:at+page], after[at:at+page]) {
			continue
		}
		copy(torn[at:], after[at:at+page])
		name := filepath.Join(dir, fmt.Sprintf("torn%d.db", at))
		if err := os.WriteFile(name, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		g := openAt(t, name, Options{NoWait: true, NoSync: true})
		if diff := cmp.Diff(counts, g.count, cmp.AllowUnexported(counts)); diff != "" {
			t.Errorf("torn at %d (-before +torn):\n%s", at, diff)
		}
		closeClean(t, g)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOpenErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	if _, err := Open(path, Options{MustExist: true}); !errors.Is(err, bolt.ErrMissing) {
		t.Errorf("no file: %v", err)
	}
	f := openAt(t, path, Options{})
	defer closeClean(t, f)
	if _, err := Open(path, Options{}); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
}

// Check finds what is broken behind its back.
func TestCheckFinds(t *testing.T) {
	f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoWait: true})
	defer f.Close()
	push(t, f, "https://a.org/1", "https://b.org/1", "https://c.org/1")
	next(t, f)
	if errs := f.Check(); len(errs) > 0 {
		t.Fatalf("clean file: %v", errs)
	}
	err := f.update(t.Context(), 1, func(tx *txn) error {
		if err := tx.link.Delete([]byte("https://b.org/1")); err != nil {
			return err
		}
		return tx.lease.Delete([]byte("https://a.org/1"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if errs := f.Check(); len(errs) != 3 {
		t.Errorf("want a queue entry without record, a lease that is missing and wrong counts, got %v", errs)
	}
}
