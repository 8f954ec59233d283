// Package linkruns stores links in a bbolt file as sorted runs of blocks, like the tables of an LSM tree.
// A run is written once. Merging keeps their number small.
package linkruns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/internal/bolt"
)

// The buckets:
//
//	block  run⁸ beginning of the first key → entries (see package sortedlinks), by S2
//	run    run⁸                            → age, bytes: two uvarints
//
// A block begins with a key that begins like its own key, and all keys of the blocks before it in the run
// are smaller. Keys are ordered within a run and may be repeated in others. For a repeated key the value
// in the run with the smallest age counts. Every set of blocks is readable, so an interrupted merge needs
// no completion.
var (
	blockBucket = []byte("block")
	runBucket   = []byte("run")
)

// runLen is the length of the number of a run.
const runLen = 8

// CreateBuckets creates the buckets. It is a migration.
func CreateBuckets(tx *bolt.Tx) error {
	for _, name := range [][]byte{blockBucket, runBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

// A run is the record of a run.
type run struct {
	id    uint64
	age   uint64 // order among runs: a merged run has that of the oldest one
	bytes uint64 // size, an estimate after a repair
}

func runKey(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }

func damagef(bucket, key []byte, format string, args ...any) error {
	return &bolt.DamageError{Bucket: string(bucket), Key: bytes.Clone(key), Reason: fmt.Sprintf(format, args...)}
}

func (r run) store(tx *bolt.Tx) error {
	return tx.Bucket(runBucket).Put(runKey(r.id), binary.AppendUvarint(binary.AppendUvarint(nil, r.age), r.bytes))
}

// listRuns returns the runs in order of age.
func listRuns(tx *bolt.Tx) (runs []run, err error) {
	err = tx.Bucket(runBucket).ForEach(func(k, v []byte) error {
		age, n := binary.Uvarint(v)
		size, m := binary.Uvarint(v[max(n, 0):])
		if len(k) != runLen || n <= 0 || m <= 0 || n+m != len(v) {
			return damagef(runBucket, k, "it is not the record of a run")
		}
		runs = append(runs, run{id: binary.BigEndian.Uint64(k), age: age, bytes: size})
		return nil
	})
	slices.SortFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.age, b.age), cmp.Compare(a.id, b.id)) })
	return runs, err
}

// nextID returns the number of a new run.
func nextID(tx *bolt.Tx, runs []run) (uint64, error) {
	id := uint64(0)
	for _, r := range runs {
		id = max(id, r.id)
	}
	if k, _ := tx.Bucket(blockBucket).Cursor().Last(); k != nil {
		if len(k) <= runLen {
			return 0, damagef(blockBucket, k, "it is not the key of a block")
		}
		id = max(id, binary.BigEndian.Uint64(k))
	}
	return id + 1, nil
}

// WriteRun writes the pending links as a run: at most so many sources for each page.
func WriteRun(tx *bolt.Tx, p *Pending, sources int) error {
	if p.Len() == 0 {
		return nil
	}
	runs, err := listRuns(tx)
	if err != nil {
		return err
	}
	id, err := nextID(tx, runs)
	if err != nil {
		return err
	}
	age := id
	for _, r := range runs {
		age = max(age, r.age+1)
	}
	blocks := tx.Bucket(blockBucket)
	blocks.FillFromEnd()
	prefix := runKey(id)
	w := blockWriter{put: func(begin, stored []byte) error {
		return blocks.Put(append(prefix[:runLen:runLen], begin...), bytes.Clone(stored))
	}}
	f := sourceFilter{most: sources}
	for key, value := range p.All() {
		if !f.accepts(key) {
			continue
		}
		if err := w.add(key, value); err != nil {
			return err
		}
	}
	if err := w.endBlock(); err != nil {
		return err
	}
	return run{id: id, age: age, bytes: uint64(w.bytes)}.store(tx) // #nosec G115 -- a size
}

// A runReader reads a run in order of key.
type runReader struct {
	c      *bolt.Cursor
	prefix []byte // of the keys of its blocks
	at     []byte // key of the current block
	buf    []byte
	rest   []byte // entries of the current block
	key    []byte
	value  []byte
}

func newRunReader(tx *bolt.Tx, id uint64) *runReader {
	return &runReader{c: tx.Bucket(blockBucket).Cursor(), prefix: runKey(id)}
}

// seek moves to the first link whose key is not smaller than key, and reports whether there is one.
func (r *runReader) seek(key []byte) (ok bool, err error) {
	want := append(r.prefix[:runLen:runLen], key...)
	k, v := r.c.Seek(want)
	if !bytes.Equal(k, want) {
		// The links before the next block may lie in the block before it.
		before := r.c.Last
		if k != nil {
			before = r.c.Prev
		}
		if b, stored := before(); bytes.HasPrefix(b, r.prefix) {
			k, v = b, stored
		} else {
			k, v = r.c.Seek(want)
		}
	}
	for ok, err = r.openBlock(k, v); ok && err == nil && bytes.Compare(r.key, key) < 0; {
		ok, err = r.next()
	}
	return ok, err
}

// openBlock moves to the first link of a block, if this is one of the run.
func (r *runReader) openBlock(k, stored []byte) (bool, error) {
	if !bytes.HasPrefix(k, r.prefix) {
		return false, nil
	}
	entries, err := decodeBlock(r.buf, stored)
	if err != nil {
		return false, damagef(blockBucket, k, "%v", err)
	}
	last := r.key
	r.at, r.buf, r.rest = k, entries, entries
	key, value, rest, err := sortedlinks.CutEntry(nil, entries)
	if err != nil || !bytes.HasPrefix(key, k[runLen:]) || bytes.Compare(last, k[runLen:]) >= 0 && len(last) > 0 {
		return false, damagef(blockBucket, k, "%v: its first link is %.200q after %.200q (%v)", errBlock, key, last, err)
	}
	r.key, r.value, r.rest = append(last[:0], key...), value, rest
	return true, nil
}

// next moves to the next link.
func (r *runReader) next() (bool, error) {
	if len(r.rest) == 0 {
		return r.openBlock(r.c.Next())
	}
	var err error
	if r.key, r.value, r.rest, err = sortedlinks.CutEntry(r.key, r.rest); err != nil {
		return false, damagef(blockBucket, r.at, "%v: %v", errBlock, err)
	}
	return true, nil
}
