package frontier

import (
	"encoding/binary"
	"fmt"

	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
)

// maxBroken is the maximum number of broken invariants that Check reports.
const maxBroken = 100

type checker struct {
	*Frontier
	heads map[hosts.ID]hosts.LinkKey // best links in the queue
	seqs  []uint64                   // sequence numbers of waiting and leased links as a bit set; each may occur once
	found [standings]int
	clips uint64
	errs  []error
}

func (c *checker) addFault(err error) {
	if len(c.errs) < maxBroken {
		c.errs = append(c.errs, err)
	}
}

func (c *checker) checkBuckets(tx *bolt.Tx) error {
	for _, in := range []bucket{queueBucket, dueBucket, leaseBucket, doneBucket, awayBucket} {
		err := tx.Bucket(bucketNames[in]).ForEach(func(k, v []byte) error {
			if len(k) != bucketKeySize[in] {
				c.addFault(fmt.Errorf("%s: the key %x has a wrong length of %d bytes", bucketNames[in], k, len(k)))
				return nil
			}
			if err := c.checkRecord(bucketKeyOf(in, k), v); err != nil {
				c.addFault(fmt.Errorf("%s %x: %w", bucketNames[in], k, err))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := c.checkHostRecords(tx); err != nil {
		return err
	}
	return tx.Bucket(bucketNames[textBucket]).ForEach(func(k, v []byte) error {
		if len(v) != 12 || c.seen.get(binary.BigEndian.Uint64(v)).linkState() == unseen {
			c.addFault(fmt.Errorf("text %x names a URL that the frontier does not know", k))
		}
		return nil
	})
}

// checkRecord checks a record against its key and against the memory.
func (c *checker) checkRecord(p bucketKey, v []byte) error {
	rec, err := decodeRecord(v)
	if err != nil {
		return err
	}
	hash := c.hashURL(rec.URL)
	s := c.seen.get(hash)
	c.found[s.linkState()]++
	c.clips += uint64(len(rec.Clips))
	if rec.Seq >= c.count.seq {
		return fmt.Errorf("%s: its number %d was never assigned", rec.URL, rec.Seq)
	}
	if p.in == doneBucket {
		return c.checkEnded(p, s, &rec)
	}
	bit := uint64(1) << (rec.Seq % 64)
	if c.seqs[rec.Seq/64]&bit != 0 {
		return fmt.Errorf("%s: its number %d is also that of another link", rec.URL, rec.Seq)
	}
	c.seqs[rec.Seq/64] |= bit
	if h := c.leases[hash]; h != nil {
		if h.at != p || s.linkState() != isLeased || h.rec.URL != rec.URL {
			return fmt.Errorf("%s is leased, but the table in memory says otherwise", rec.URL)
		}
		return nil
	}
	if p.in == awayBucket {
		return c.checkOutboxLink(p, s, &rec)
	}
	want, ok := c.placeOf(s, hostOf(rec.URL))
	if !ok || want != p || rec.State != Waiting {
		return fmt.Errorf("%s waits on disk, but the table in memory says otherwise", rec.URL)
	}
	return c.checkWaiting(p, &rec)
}

// checkWaiting checks the key of a waiting link and records the best of its host.
func (c *checker) checkWaiting(p bucketKey, rec *Record) error {
	if p.in == dueBucket {
		if at, seq := p.splitDueKey(); seq != rec.Seq || at != held && int64(at) != rec.Due.UnixNano() {
			return fmt.Errorf("%s: its key and its record differ", rec.URL)
		}
		return nil
	}
	id, k := p.splitQueueKey()
	if k.Seq != rec.Seq || k.Rank != 0 && k.Rank != hosts.Rank(rec.Score) || int(id) >= c.hosts.CountHosts() || c.hosts.Host(id).Name != hostOf(rec.URL) {
		return fmt.Errorf("%s: its key and its record differ", rec.URL)
	}
	if _, hidden := c.hidden[k.Seq]; hidden {
		return nil
	}
	if best, ok := c.heads[id]; !ok || k.Less(best) {
		c.heads[id] = k
	}
	return nil
}

func (c *checker) checkEnded(p bucketKey, s tableEntry, rec *Record) error {
	if s.linkState() != rec.linkState() || s.at != p.number() || p.number() >= c.count.done {
		return fmt.Errorf("%s has ended on disk, but the table in memory says otherwise", rec.URL)
	}
	return nil
}

// checkOutboxLink checks a link in the outbox.
func (c *checker) checkOutboxLink(p bucketKey, s tableEntry, rec *Record) error {
	if s.linkState() != isAway || s.at != p.number() || rec.State != Away || p.number() == 0 || p.number() > c.count.away {
		return fmt.Errorf("%s is in the outbox on disk, but the table in memory says otherwise", rec.URL)
	}
	if rec.Fate != "" || rec.Text != 0 || len(rec.Clips) > 0 {
		return fmt.Errorf("%s waits to be sent, but has a result already", rec.URL)
	}
	return nil
}

func (c *checker) checkHostRecords(tx *bolt.Tx) error {
	n := 0
	err := readHosts(tx, func(id hosts.ID, h hosts.Host) error {
		if known, ok := c.hosts.Find(h.Name); !ok || known != id || int(id) != n {
			c.addFault(fmt.Errorf("host %d (%s) is not the one in memory", id, h.Name))
		}
		n++
		return nil
	})
	if n > c.hosts.CountHosts() {
		c.addFault(fmt.Errorf("%d hosts on disk, %d in memory", n, c.hosts.CountHosts()))
	}
	return err
}

// checkMemory checks that the memory contains nothing that is not on disk.
func (c *checker) checkMemory() {
	if c.found != c.seen.count {
		c.addFault(fmt.Errorf("the table in memory counts URLs by state as %v, the records as %v", c.seen.count, c.found))
	}
	if c.clips != c.count.clips {
		c.addFault(fmt.Errorf("%d clips are counted, but the records have %d", c.count.clips, c.clips))
	}
	for id := range c.hosts.CountHosts() {
		want, waits := c.heads[hosts.ID(id)]
		if k, waiting := c.hosts.BestLink(hosts.ID(id)); waiting != waits || waits && k != want {
			c.addFault(fmt.Errorf("host %s: its best link is not the scheduled one", c.hosts.Host(hosts.ID(id)).Name))
		}
	}
	for hash, claim := range c.claims {
		if h := c.leases[claim.holder]; h == nil || h.claims != hash {
			c.addFault(fmt.Errorf("%s is reserved, but not by a lease", claim.url))
		}
	}
	if waits := c.seen.count[inDue] > 0; c.nextDue != 0 && !waits {
		c.addFault(fmt.Errorf("the time of the next due link is set, but no link is due"))
	}
}
