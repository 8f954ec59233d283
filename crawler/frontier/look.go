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
// and best first, those that wait for a time, those in hand, and those ended,
// in the order they ended. It sees what was committed when it began. do must
// not call methods that write.
func (f *Frontier) Each(ctx context.Context, do func(url string, r Record) error) error {
	return f.db.View(func(tx *bbolt.Tx) error {
		for _, in := range []bucket{queueBucket, dueBucket, leaseBucket, doneBucket} {
			err := tx.Bucket(bucketNames[in]).ForEach(func(k, v []byte) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				rec, err := decodeRecord(v)
				if err != nil {
					return fmt.Errorf("%s %x: %w", bucketNames[in], k, err)
				}
				p := placeOf(in, k)
				f.standingOf(&p, &rec)
				return do(rec.URL, rec)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// standingOf completes a record read from disk by its place, and by what is in
// memory only.
func (f *Frontier) standingOf(p *place, rec *Record) {
	switch p.in {
	case queueBucket:
		_, k := p.link()
		rec.Interrupted = k.rank == 0
	case dueBucket:
		at, _ := p.due()
		rec.Held = at == held
	}
	if rec.State != Waiting && rec.State != Leased {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.leases[f.hash(rec.URL)]; h != nil && h.rec.URL == rec.URL {
		rec.State, rec.Owner, rec.Expiry = Leased, h.rec.Owner, h.rec.Expiry
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
