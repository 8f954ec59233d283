package frontier

import (
	"bytes"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// A reader reads the disk as it will be once the batch over it is committed.
type reader struct {
	over *batch // nil if there is none
	tx   *bbolt.Tx
	b    [buckets]*bbolt.Bucket
}

// reader begins to read, under what is being committed. Who holds mu closes it
// before letting go.
func (f *Frontier) reader() (*reader, error) {
	tx, err := f.db.Begin(false)
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return &reader{over: f.flying, tx: tx}, nil
}

func (r *reader) close() { _ = r.tx.Rollback() } // of a read transaction: no error but a second call's

func (r *reader) bucket(in bucket) *bbolt.Bucket {
	if r.b[in] == nil {
		r.b[in] = r.tx.Bucket(bucketNames[in])
	}
	return r.b[in]
}

// get returns the value at p, nil if there is none. It lives as long as r.
func (r *reader) get(p place) []byte {
	if r.over != nil {
		if v, ok := r.over.get(p); ok {
			return v
		}
	}
	return r.bucket(p.in).Get(p.bytes())
}

// record returns the record at p, which must be there.
func (r *reader) record(p place) (Record, error) {
	v := r.get(p)
	if v == nil {
		return Record{}, fmt.Errorf("frontier: nothing at %x of bucket %s; run eventseer check", p.bytes(), bucketNames[p.in])
	}
	rec, err := decodeRecord(v)
	if err != nil {
		err = fmt.Errorf("frontier: record %x of bucket %s: %w", p.bytes(), bucketNames[p.in], err)
	}
	return rec, err
}

// scan calls do with the places from from on, in order, until do says no. The
// batch over the disk must be sorted.
func (r *reader) scan(from place, do func(p place) bool) {
	c := r.bucket(from.in).Cursor()
	k, _ := c.Seek(from.bytes())
	var ops []op
	if r.over != nil {
		ops = r.over.ops[from.in]
		at, _ := slices.BinarySearchFunc(ops, from, func(o op, p place) int { return o.compare(&p) })
		ops = ops[at:]
	}
	for k != nil || len(ops) > 0 {
		order := -1
		switch {
		case k == nil:
			order = 1
		case len(ops) > 0:
			order = bytes.Compare(k, ops[0].bytes())
		}
		p, there := place{}, true
		if order < 0 {
			p = placeOf(from.in, k)
		} else {
			p, there = ops[0].place, ops[0].value != nil
			ops = ops[1:]
		}
		if order <= 0 {
			k, _ = c.Next()
		}
		if there && !do(p) {
			return
		}
	}
}

// head returns a host's first link from from on that may be handed out.
func (f *Frontier) head(r *reader, id hostID, from linkKey) (k linkKey, ok bool) {
	r.scan(queuePlace(id, from), func(p place) bool {
		host, key := p.link()
		if host != id {
			return false
		}
		if _, hidden := f.hidden[key.seq]; hidden {
			return true
		}
		k, ok = key, true
		return false
	})
	return k, ok
}
