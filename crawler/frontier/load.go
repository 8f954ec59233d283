package frontier

import (
	"encoding/binary"
	"fmt"

	"eventseer/crawler"

	"go.etcd.io/bbolt"
)

// load fills the memory from the disk and takes back the leases found there.
func (f *Frontier) load() error {
	err := f.db.View(func(tx *bbolt.Tx) error {
		var err error
		count := tx.Bucket(countBucket)
		if f.count, err = decodeCounts(count.Get(countKey)); err != nil {
			return err
		}
		f.seed = binary.BigEndian.Uint64(count.Get(seedKey))
		if err := f.loadHosts(tx); err != nil {
			return err
		}
		return f.loadURLs(tx)
	})
	if err != nil {
		return err
	}
	f.committed = f.count
	for more := true; more && err == nil; {
		more, err = f.recover()
	}
	return err
}

// mostReserved bounds what is believed of the number of URLs before they are read.
const mostReserved = 1 << 24

// loadURLs fills the table, and gives the hosts their best links.
func (f *Frontier) loadURLs(tx *bbolt.Tx) error {
	f.seen.reserve(int(min(f.count.urls, mostReserved)))
	last, first := hostID(0), true
	err := f.loadBucket(tx, queueBucket, func(p place, hash uint64, _ []byte) error {
		id, k := p.link()
		if int(id) >= len(f.hosts.hosts) {
			return fmt.Errorf("no host has number %d", id)
		}
		if first || id != last {
			f.hosts.head(id, k, true)
			last, first = id, false
		}
		f.seen.set(hash, k.rank, k.seq, inQueue)
		return nil
	})
	if err != nil {
		return err
	}
	err = f.loadBucket(tx, dueBucket, func(p place, hash uint64, _ []byte) error {
		at, seq := p.due()
		if at != held && f.nextDue == 0 {
			f.nextDue = int64(at)
		}
		f.seen.set(hash, at, seq, inDue)
		return nil
	})
	if err != nil {
		return err
	}
	err = f.loadNumbered(tx, awayBucket, func(*Record) standing { return isAway })
	if err != nil {
		return err
	}
	return f.loadNumbered(tx, doneBucket, (*Record).standing)
}

// loadNumbered loads a bucket whose keys are numbers.
func (f *Frontier) loadNumbered(tx *bbolt.Tx, in bucket, where func(*Record) standing) error {
	return f.loadBucket(tx, in, func(p place, hash uint64, v []byte) error {
		rec, err := decodeRecord(v)
		if err == nil {
			f.seen.set(hash, p.number(), rec.Seq, where(&rec))
		}
		return err
	})
}

// loadBucket calls do with every record of a bucket and the hash of its URL.
func (f *Frontier) loadBucket(tx *bbolt.Tx, in bucket, do func(p place, hash uint64, v []byte) error) error {
	return tx.Bucket(bucketNames[in]).ForEach(func(k, v []byte) error {
		_, url, err := peekURL(v)
		if err == nil && len(k) != bucketKeySize[in] {
			err = errBroken
		}
		if err == nil {
			err = do(placeOf(in, k), f.hashBytes(url), v)
		}
		if err != nil {
			return fmt.Errorf("%s %x: %w", bucketNames[in], k, err)
		}
		return nil
	})
}

// recover takes back what was in hand, and the links held by a budget there is
// now. It reports whether there is more to do.
func (f *Frontier) recover() (more bool, err error) {
	err = f.commit(nil, func(t *txn) error {
		if err := t.interrupted(); err != nil {
			return err
		}
		more, err = t.takeUp()
		return err
	})
	return more, err
}

// interrupted makes the links that a process had in hand when it ended wait
// before all others, but those that were there too often.
func (t *txn) interrupted() error {
	var places []place
	t.r.scan(place{in: leaseBucket}, func(p place) bool {
		places = append(places, p)
		return true
	})
	for _, p := range places {
		rec, err := t.r.record(p)
		if err != nil {
			return err
		}
		hash := t.hash(rec.URL)
		t.b.delete(p)
		if rec.Crashes++; rec.Crashes >= MaxCrashes {
			h := &lease{rec: rec}
			t.end(hash, h, crawler.Outcome{Fate: crawler.Gone, At: t.now, Reason: fmt.Sprintf("the process ended %d times while it was in hand", rec.Crashes)})
			continue
		}
		rec.Interrupted = t.o.Floor == 0 || rec.Score >= t.o.Floor
		t.enqueue(hash, &rec)
	}
	return nil
}

// takeUp puts links back that no budget holds any more.
func (t *txn) takeUp() (more bool, err error) {
	var places []place
	disk := &reader{tx: t.r.tx}
	disk.scan(duePlace(held, 0), func(p place) bool {
		rec, e := disk.record(p)
		if err = e; err != nil {
			return false
		}
		if !t.spent(&rec) {
			places = append(places, p)
		}
		return len(places) < maxSweep
	})
	for _, p := range places {
		rec, err := t.r.record(p)
		if err != nil {
			return false, err
		}
		t.b.delete(p)
		t.enqueue(t.hash(rec.URL), &rec)
	}
	return len(places) == maxSweep, err
}
