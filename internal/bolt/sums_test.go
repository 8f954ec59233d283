package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// sealed returns the migrations of a sealed file with two buckets.
func sealed() []func(*Tx) error { return append(makes(2), AddChecksums) }

// edit changes the file at path with plain bbolt.
func edit(t *testing.T, path string, do func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true})
	if err == nil {
		err = errors.Join(db.Update(func(tx *bbolt.Tx) error { return errors.Join(recordTransaction(tx), do(tx)) }), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever is done through transactions, the sums stay those of the values, and values
// come back as they were put.
func TestSumsFollowChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	r, want := rand.New(rand.NewPCG(1, 2)), map[string]string{}
	for round := range 20 {
		db := open(t, path, Options{Kind: "store", Migrations: sealed()})
		for range 10 {
			undone := r.IntN(5) == 0
			changed := map[string]string{}
			for k, v := range want {
				changed[k] = v
			}
			err := db.Update(func(tx *Tx) error {
				for range 30 {
					if err := changeOnce(tx, r, changed); err != nil {
						return err
					}
				}
				if undone {
					return errors.ErrUnsupported
				}
				return nil
			})
			if !undone && err != nil || undone && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatal(err)
			}
			if !undone {
				want = changed
			}
		}
		if broken := Check(db); len(broken) > 0 {
			t.Fatalf("round %d: %v", round, broken)
		}
		n := 0
		err := db.View(func(tx *Tx) error {
			n = tx.Bucket([]byte("a")).Len()
			return tx.Bucket([]byte("a")).ForEach(func(k, v []byte) error {
				if w, ok := want[string(k)]; !ok || w != string(v) {
					return fmt.Errorf("%s is %q, want %q", k, v, w)
				}
				return nil
			})
		})
		if err := errors.Join(err, db.Close()); err != nil || n != len(want) {
			t.Fatalf("%d keys of %d, %v", n, len(want), err)
		}
		if problems, err := CheckFile(path); err != nil || len(problems) > 0 {
			t.Fatalf("round %d: %v, %v", round, problems, err)
		}
	}
}

// changeOnce makes one random change in bucket a, and in want.
func changeOnce(tx *Tx, r *rand.Rand, want map[string]string) error {
	a := tx.Bucket([]byte("a"))
	key := fmt.Appendf(nil, "key %03d", r.IntN(300))
	switch r.IntN(12) {
	case 0, 1:
		delete(want, string(key))
		return a.Delete(key)
	case 2:
		c := a.Cursor()
		k, _ := c.Seek(key)
		if k == nil {
			return nil
		}
		delete(want, string(k))
		return c.Delete()
	case 3:
		_, err := a.NextSequence()
		return err
	case 4:
		if _, err := tx.CreateBucketIfNotExists([]byte("now and then")); err != nil || r.IntN(2) == 0 {
			return err
		}
		return tx.DeleteBucket([]byte("now and then"))
	default:
		value := strings.Repeat("v", r.IntN(600))
		want[string(key)] = value
		return a.Put(key, []byte(value))
	}
}

// TestSumsFind checks that each change that bypasses the sums is named by bucket and key, or by the
// missing part. Reading a wrong value is an error.
func TestSumsFind(t *testing.T) {
	stored := func(tx *bbolt.Tx, key string) []byte { return bytes.Clone(tx.Bucket([]byte("a")).Get([]byte(key))) }
	for name, test := range map[string]struct {
		harm  func(tx *bbolt.Tx) error
		check string
		read  bool // reading all of it is an error
	}{
		"overwritten": {func(tx *bbolt.Tx) error {
			v := stored(tx, "key 7")
			v[0] ^= 1
			return tx.Bucket([]byte("a")).Put([]byte("key 7"), v)
		}, `bucket a: key "key 7": the value does not match`, true},
		"moved": {func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("a")).Put([]byte("key 8"), stored(tx, "key 7"))
		}, `bucket a: key "key 8": the value does not match`, true},
		"to another bucket": {func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("b")).Put([]byte("key 7"), stored(tx, "key 7"))
		}, `bucket b: key "key 7": the value does not match`, true},
		"too short for a checksum": {func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("a")).Put([]byte("key 7"), []byte("7"))
		}, `bucket a: key "key 7": the value does not match`, true},
		"removed": {func(tx *bbolt.Tx) error { return tx.Bucket([]byte("a")).Delete([]byte("key 7")) }, "bucket a: 19 keys are found, but 20 were written", false},
		"an older value": {func(tx *bbolt.Tx) error {
			v := withTrailer([]byte("older"), digestOf(seedOf("a"), []byte("key 7"), []byte("older")))
			return tx.Bucket([]byte("a")).Put([]byte("key 7"), v)
		}, "bucket a: at least one of its 20 values is older than the last one written", false},
		"the counter":             {func(tx *bbolt.Tx) error { return tx.Bucket([]byte("a")).SetSequence(9) }, "bucket a: its counter is 9, but 1 was written", true},
		"the counter of the sums": {func(tx *bbolt.Tx) error { return tx.Bucket([]byte(sumsBucket)).SetSequence(9) }, "bucket sums: its counter is 9, which is not one of a transaction", false},
		"a bucket":                {func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("a")) }, "bucket a: the bucket with 20 keys is missing", true},
		"a bucket too much":       {func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("x")); return err }, "bucket x: the file does not record", false},
		"the sums":                {func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(sumsBucket)) }, "bucket a: the file does not record", true},
		"a sum":                   {func(tx *bbolt.Tx) error { return tx.Bucket([]byte(sumsBucket)).Put([]byte("a"), []byte("x")) }, `bucket sums: key "a": the value`, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			o := Options{Kind: "store", Migrations: sealed()}
			db := open(t, path, o)
			err := db.Update(func(tx *Tx) error {
				for i := range 20 {
					if err := tx.Bucket([]byte("a")).Put(fmt.Appendf(nil, "key %d", i), fmt.Appendf(nil, "value %d", i)); err != nil {
						return err
					}
				}
				_, err := tx.Bucket([]byte("a")).NextSequence()
				return err
			})
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			edit(t, path, test.harm)
			problems, err := CheckFile(path)
			if text := fmt.Sprint(problems); err != nil || !strings.Contains(text, test.check) {
				t.Errorf("check: %s, %v; want %q", text, err, test.check)
			}
			db, err = Open(path, o)
			if err == nil {
				err = db.View(func(tx *Tx) error {
					for _, name := range []string{"a", "b"} {
						b := tx.Bucket([]byte(name))
						_ = b.Sequence()
						if err := b.ForEach(func(_, _ []byte) error { return nil }); err != nil {
							return err
						}
					}
					return nil
				})
				_ = db.Close()
			}
			if test.read != errors.Is(err, ErrDamaged) || !test.read && err != nil {
				t.Errorf("read: %v", err)
			}
		})
	}
}

// A root page of an earlier state in the place of the latest one is found, although all its values match
// their sums. A repair says that the state is an earlier one.
func TestSumsFindOldRoot(t *testing.T) {
	for _, closed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "s.db")
		db := open(t, path, Options{Kind: "store", Migrations: sealed()})
		read := func() []byte {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		root := func(data []byte) (at, size int) {
			m, _, err := readMetas(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			return int(m.root) * int(m.pageSize), int(m.pageSize) // #nosec G115 -- within the file
		}
		var states [][]byte
		for i := range 20 {
			err := db.Update(func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte("key"), fmt.Append(nil, "value ", i)) })
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, read())
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		last := states[len(states)-1]
		if closed {
			last = read()
		}
		at, size := root(last)
		n := 0
		for _, earlier := range states[:len(states)-1] {
			if was, _ := root(earlier); was != at {
				continue
			}
			n++
			damaged := bytes.Clone(last)
			copy(damaged[at:at+size], earlier[at:at+size])
			name := filepath.Join(t.TempDir(), "damaged.db")
			if err := os.WriteFile(name, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if problems, err := CheckFile(name); err != nil || !strings.Contains(fmt.Sprint(problems), "the root page is an old copy") {
				t.Fatalf("closed %t: %v, %v", closed, problems, err)
			}
			r, err := RecoverFile(name, RecoverOptions{Kind: "store", Version: 3, Keep: name + ".damaged"})
			if err != nil || !r.Earlier {
				t.Fatalf("closed %t: %+v, %v", closed, r, err)
			}
			if problems, err := CheckFile(name); err != nil || len(problems) > 0 {
				t.Fatalf("after the repair: %v, %v", problems, err)
			}
		}
		if n == 0 {
			t.Error("no earlier state has its root in that place")
		}
	}
}

// The sums of a file follow its transactions through copies, compaction, empty transactions and repairs.
// A file of an earlier version of this program is valid.
func TestSumsFollowTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	o := Options{Kind: "store", Migrations: sealed()}
	change := func(path string, empty bool) {
		t.Helper()
		db := open(t, path, o)
		err := db.Update(func(tx *Tx) error {
			if empty {
				return nil
			}
			return tx.Bucket([]byte("a")).Put([]byte("key"), []byte("value"))
		})
		if broken := Check(db); len(broken) > 0 {
			t.Fatal(broken)
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, path string) {
		t.Helper()
		if problems, err := CheckFile(path); err != nil || len(problems) > 0 {
			t.Fatalf("%s: %v, %v", what, problems, err)
		}
	}
	for range 3 {
		for _, empty := range []bool{true, false, true, true} {
			change(path, empty)
			check("changed", path)
			s, err := OpenForCopying(path)
			if err != nil {
				t.Fatal(err)
			}
			snapshots, err := TakeSnapshots(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			_, err = snapshots[0].WriteTo(&b)
			copied := filepath.Join(t.TempDir(), "copy.db")
			if err := errors.Join(err, snapshots[0].Close(), s.Close(), os.WriteFile(copied, b.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			check("a copy", copied)
			change(copied, empty)
			check("a changed copy", copied)
		}
		if _, _, err := CompactFile(path); err != nil {
			t.Fatal(err)
		}
		check("compacted", path)
		if _, err := RecoverFile(path, RecoverOptions{Kind: "store", Version: 3, Keep: filepath.Join(t.TempDir(), "before.db")}); err != nil {
			t.Fatal(err)
		}
		check("recovered", path)
	}
	edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte(sumsBucket)).SetSequence(0) })
	check("of an earlier version", path)
	change(path, false)
	check("of an earlier version, changed", path)
}

// A file of a version before checksums gets them once, whatever it holds.
func TestSeal(t *testing.T) {
	path := filled(t, 5000)
	edit(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("a"))
		return errors.Join(b.SetSequence(42), b.Put([]byte("empty"), nil), b.Put([]byte("long"), make([]byte, 100000)))
	})
	for range 2 {
		db := open(t, path, Options{Kind: "store", Migrations: []func(*Tx) error{makes(1)[0], AddChecksums}})
		err := db.View(func(tx *Tx) error {
			b := tx.Bucket([]byte("a"))
			v := b.Get([]byte("key 000123"))
			if string(v) != "value 123" || b.Len() != 5002 || b.Sequence() != 42 || b.Get([]byte("empty")) == nil || len(b.Get([]byte("long"))) != 100000 {
				t.Errorf("%q, %d keys, counter %d", v, b.Len(), b.Sequence())
			}
			return nil
		})
		if broken := Check(db); err != nil || len(broken) > 0 {
			t.Error(err, broken)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkSealed compares values with and without checksums.
func BenchmarkSealed(b *testing.B) {
	for name, migrations := range map[string][]func(*Tx) error{"without": makes(1), "with": append(makes(1), AddChecksums)} {
		for _, size := range []int{20, 2000} {
			db, err := Open(filepath.Join(b.TempDir(), "b.db"), Options{Kind: "b", Migrations: migrations})
			if err != nil {
				b.Fatal(err)
			}
			db.NoSync = true
			key := func(n int) []byte { return fmt.Appendf(nil, "key %08d", n*7919%100000) }
			value := bytes.Repeat([]byte("v"), size)
			b.Run(fmt.Sprintf("put/%d/%s", size, name), func(b *testing.B) {
				for n := 0; b.Loop(); n += 30 {
					if err := db.Update(func(tx *Tx) error {
						for i := range 30 {
							if err := tx.Bucket([]byte("a")).Put(key(n+i), value); err != nil {
								return err
							}
						}
						return nil
					}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("get/%d/%s", size, name), func(b *testing.B) {
				for n := 0; b.Loop(); n++ {
					if err := db.View(func(tx *Tx) error { _ = tx.Bucket([]byte("a")).Get(key(n)); return nil }); err != nil {
						b.Fatal(err)
					}
				}
			})
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
