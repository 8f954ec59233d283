package frontier

import (
	"slices"

	"eventseer/crawler"

	"go.etcd.io/bbolt"
)

// A batch is what one transaction changes on disk. It is collected first and
// written in order of the keys, which is much cheaper for bbolt, and it is an
// overlay: who reads while it is written sees it, see reader.
type batch struct {
	ops        [buckets][]op
	index      map[place]int // into the ops of the place's bucket, until they are sorted
	inKeyOrder bool
	notes      []crawler.Note
	arena      []byte // of the values
}

// An op is a put, or a delete where value is nil.
type op struct {
	place
	value []byte
}

// maxSpare is the most ops whose memory is kept for the next batch.
const maxSpare = 1 << 16

func newBatch() *batch { return &batch{index: make(map[place]int)} }

func (b *batch) len() int { return len(b.index) + len(b.notes) }

// reset empties a batch, or returns a new one if it has grown large.
func (b *batch) reset() *batch {
	if len(b.index) > maxSpare {
		return newBatch()
	}
	for i := range b.ops {
		b.ops[i] = b.ops[i][:0]
	}
	clear(b.index)
	b.notes, b.arena, b.inKeyOrder = nil, b.arena[:0], false
	return b
}

func (b *batch) set(p place, value []byte) {
	if i, ok := b.index[p]; ok {
		b.ops[p.in][i].value = value
		return
	}
	b.index[p] = len(b.ops[p.in])
	b.ops[p.in] = append(b.ops[p.in], op{p, value})
}

// get returns the value that the batch gives p; ok is false if it leaves p alone.
func (b *batch) get(p place) (value []byte, ok bool) {
	i, ok := b.index[p]
	if b.inKeyOrder {
		i, ok = slices.BinarySearchFunc(b.ops[p.in], p, func(o op, p place) int { return o.compare(&p) })
	}
	if !ok {
		return nil, false
	}
	return b.ops[p.in][i].value, true
}

func (b *batch) delete(p place) { b.set(p, nil) }

func (b *batch) putRecord(p place, r *Record) {
	start := len(b.arena)
	b.arena = appendRecord(b.arena, r)
	b.set(p, b.arena[start:len(b.arena):len(b.arena)])
}

// sort orders the ops by key. After it nothing is added.
func (b *batch) sort() {
	for _, ops := range b.ops {
		slices.SortFunc(ops, func(a, b op) int { return a.compare(&b.place) })
	}
	b.inKeyOrder = true
}

// write makes the changes in a transaction.
func (b *batch) write(tx *bbolt.Tx, c *counts) error {
	for in, ops := range b.ops {
		bb := tx.Bucket(bucketNames[in])
		if len(ops) == 0 {
			continue
		}
		if in := bucket(in); in == doneBucket || in == journalBucket || in == awayBucket {
			bb.FillPercent = 1 // filled from the end
		}
		for i := range ops {
			if err := ops[i].write(bb); err != nil {
				return err
			}
		}
	}
	notes := tx.Bucket(noteBucket)
	for _, n := range b.notes {
		var err error
		if len(n.Value) == 0 {
			err = notes.Delete([]byte(n.Key))
		} else {
			err = notes.Put([]byte(n.Key), n.Value)
		}
		if err != nil {
			return err
		}
	}
	return tx.Bucket(countBucket).Put(countKey, c.encode())
}

func (o *op) write(b *bbolt.Bucket) error {
	if o.value == nil {
		return b.Delete(o.bytes())
	}
	return b.Put(o.bytes(), o.value)
}
