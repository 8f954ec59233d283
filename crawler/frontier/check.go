package frontier

import (
	"context"
	"fmt"

	"eventseer/crawler"
	"eventseer/internal/bolt"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// Lookup returns what is known of url, and false if it was never seen.
func (f *Frontier) Lookup(url string) (rec Record, seen bool, err error) {
	err = f.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(linkBucket).Get([]byte(url))
		if seen = value != nil; !seen {
			return nil
		}
		rec, err = decodeRecord(value)
		return err
	})
	return rec, seen, err
}

// Each calls do with every URL ever seen, in order of URL. do must not call
// methods that write.
func (f *Frontier) Each(ctx context.Context, do func(url string, r Record) error) error {
	return f.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(linkBucket).ForEach(func(k, v []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			rec, err := decodeRecord(v)
			if err != nil {
				return fmt.Errorf("link %s: %w", k, err)
			}
			return do(string(k), rec)
		})
	})
}

// Host returns what is known of a host, and false if it was never asked.
func (f *Frontier) Host(name webgraph.Host) (h Host, asked bool, err error) {
	err = f.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(hostBucket).Get([]byte(name))
		if asked = value != nil; !asked {
			return nil
		}
		h, err = decodeHost(value)
		return err
	})
	return h, asked, err
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

// Progress returns the counts of the last commit, from memory.
func (f *Frontier) Progress(ctx context.Context) (crawler.Progress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.count
	return crawler.Progress{
		Ended: int(c.ended), Spent: c.spent, Waiting: int(c.waiting), Leased: int(c.leased),
		Hosts: int(c.hosts), Clips: int(c.clips),
	}, ctx.Err()
}

// maxBroken is how many broken invariants Check tells.
const maxBroken = 100

// Check reads the whole file and returns every broken invariant: of bbolt
// itself, between records, queue, leases, claims and counts, and between queue
// and memory.
func (f *Frontier) Check() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &checker{f: f}
	for _, err := range bolt.Check(f.db) {
		c.broken(err)
	}
	err := f.db.View(func(tx *bbolt.Tx) error {
		t := f.begin(tx)
		if err := c.links(t); err != nil {
			return err
		}
		if err := c.queue(t); err != nil {
			return err
		}
		if err := c.leases(t); err != nil {
			return err
		}
		return c.hosts(t)
	})
	if err != nil {
		c.broken(err)
	}
	if c.found != f.count {
		c.broken(fmt.Errorf("counts are %+v, the records say %+v", f.count, c.found))
	}
	return c.errs
}

type checker struct {
	f     *Frontier
	found counts
	errs  []error
}

func (c *checker) broken(err error) {
	if len(c.errs) < maxBroken {
		c.errs = append(c.errs, err)
	}
}

// links recounts the records and looks for the entries they must have.
func (c *checker) links(t *txn) error {
	c.found.seq, c.found.spent = t.count.seq, t.count.spent // not to be found again
	return t.link.ForEach(func(k, v []byte) error {
		url := string(k)
		rec, err := decodeRecord(v)
		if err != nil {
			c.broken(fmt.Errorf("link %s: %w", url, err))
			return nil
		}
		if rec.Seq >= t.count.seq {
			c.broken(fmt.Errorf("link %s: seq %d was never given", url, rec.Seq))
		}
		host := string(webgraph.HostOf(url))
		switch rec.State {
		case Waiting:
			c.found.waiting++
			if string(t.queue.Get(queueKey(host, rec.key()))) != url {
				c.broken(fmt.Errorf("link %s waits but is not in the queue", url))
			}
		case Leased:
			c.found.leased++
			if t.lease.Get(k) == nil {
				c.broken(fmt.Errorf("link %s is leased but has no lease", url))
			}
		case Ended:
			c.found.ended++
			c.found.clips += uint64(len(rec.Clips))
		case Claimed:
			holder, err := t.record(rec.Via)
			if err != nil || holder == nil || holder.FinalURL != url || holder.State != Leased && !holder.Interrupted {
				c.broken(fmt.Errorf("link %s is claimed by %s, which is not in hand", url, rec.Via))
			}
		}
		return nil
	})
}

// queue looks for entries without their record, and for heads the memory has
// wrong.
func (c *checker) queue(t *txn) error {
	heads := make(map[string]linkKey)
	err := t.queue.ForEach(func(k, v []byte) error {
		host, key, err := splitQueueKey(k)
		if err != nil {
			c.broken(err)
			return nil
		}
		if _, seen := heads[host]; !seen {
			heads[host] = key
			if q := c.f.hosts.hosts[host]; q == nil || !q.waiting || q.key != key {
				c.broken(fmt.Errorf("host %s: its best link is not the scheduled one", host))
			}
		}
		rec, err := t.record(string(v))
		if err != nil || rec == nil || rec.State != Waiting || rec.key() != key {
			c.broken(fmt.Errorf("queue of %s: %s does not wait there", host, v))
		}
		return nil
	})
	if n := len(c.f.hosts.ready.qs) + len(c.f.hosts.later.qs); n > len(heads) {
		c.broken(fmt.Errorf("%d hosts are scheduled, %d have links", n, len(heads)))
	}
	return err
}

func (c *checker) leases(t *txn) error {
	return t.lease.ForEach(func(k, _ []byte) error {
		if rec, err := t.record(string(k)); err != nil || rec == nil || rec.State != Leased {
			c.broken(fmt.Errorf("lease of %s, which is not leased", k))
		}
		return nil
	})
}

func (c *checker) hosts(t *txn) error {
	return t.host.ForEach(func(k, v []byte) error {
		h, err := decodeHost(v)
		if err != nil {
			c.broken(fmt.Errorf("host %s: %w", k, err))
		}
		if h.Fetched > 0 {
			c.found.hosts++
		}
		return nil
	})
}
