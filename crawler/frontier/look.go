package frontier

import (
	"context"
	"fmt"

	"eventseer/crawler"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// Lookup returns what is known of url, and false if it was never seen.
func (f *Frontier) Lookup(url string) (rec Record, seen bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lookup(url)
}

func (f *Frontier) lookup(url string) (rec Record, seen bool, err error) {
	if f.err != nil {
		return rec, false, f.err
	}
	hash := f.hash(url)
	if h := f.leases[hash]; h != nil && h.rec.URL == url {
		return h.rec, true, nil
	}
	r, err := f.reader()
	if err != nil {
		return rec, false, err
	}
	defer r.close()
	rec, seen, err = f.record(r, f.seen.get(hash), url)
	if c, claimed := f.claims[hash]; claimed && c.url == url && err == nil {
		rec.URL, rec.State, rec.Via, seen = url, Claimed, f.leases[c.holder].rec.URL, true
	}
	return rec, seen, err
}

// Each calls do with every URL on disk: those that wait for their turn, by host
// and best first, those that wait for a time, those in hand, those ended,
// in the order they ended, and those that wait to be sent to other crawlers. It sees what was committed when it began. do must
// not call methods that write.
func (f *Frontier) Each(ctx context.Context, do func(url string, r Record) error) error {
	tx, leases, err := f.snapshot()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // read only
	for _, in := range []bucket{queueBucket, dueBucket, leaseBucket, doneBucket, awayBucket} {
		err := tx.Bucket(bucketNames[in]).ForEach(func(k, v []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			rec, err := decodeRecord(v)
			if err != nil {
				return fmt.Errorf("%s %x: %w", bucketNames[in], k, err)
			}
			p := placeOf(in, k)
			rec.placed(&p)
			if l, ok := leases[rec.URL]; ok && (rec.State == Waiting || rec.State == Leased) {
				rec.State, rec.Owner, rec.Expiry = Leased, l.Owner, l.Expiry
			}
			return do(rec.URL, rec)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshot begins to read the disk and copies the leases. Who reads for long must
// not ask for mu meanwhile: one that holds it may wait to read until the file has
// grown, which waits for those who read.
func (f *Frontier) snapshot() (*bbolt.Tx, map[string]crawler.Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, nil, f.err
	}
	leases := make(map[string]crawler.Lease, len(f.leases))
	for _, h := range f.leases {
		leases[h.rec.URL] = h.rec.lease()
	}
	tx, err := f.db.Begin(false)
	return tx, leases, err
}

// placed completes a record read from disk by its place.
func (r *Record) placed(p *place) {
	switch p.in {
	case queueBucket:
		_, k := p.link()
		r.Interrupted = k.rank == 0
	case dueBucket:
		at, _ := p.due()
		r.Held = at == held
	}
}

// Host returns what is known of a host, and false if no URL of it was seen.
func (f *Frontier) Host(name webgraph.Host) (h Host, seen bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, seen := f.hosts.find(name)
	if seen {
		h = f.hosts.host(id)
	}
	return h, seen, f.err
}

// Notes calls do for every note, in key order.
func (f *Frontier) Notes(ctx context.Context, do func(crawler.Note) error) error {
	return f.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(noteBucket).ForEach(func(k, v []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(crawler.Note{Key: string(k), Value: append([]byte(nil), v...)})
		})
	})
}
