// Package frontier keeps what is to be fetched, and what came of it, in one
// bbolt file.
//
// Buckets
//
//	link   url                   → record   state and facts of every URL ever seen, see codec.go
//	queue  host 0x00 rank⁸ seq⁸  → url      a host's waiting links, best first
//	lease  url                   → 1        the links handed out
//	host   host                  → due⁸ fetched⁸
//	note   key                   → value    what strategy and crawler remember
//	count  "count"               → counts, see codec.go
//
// rank is the complement of the score's order-preserving bits, so a host's
// first key is its best link; rank 0 is kept for links whose lease a crash
// interrupted. seq counts the links as they came: first come, first served
// among equal scores. All integers are big-endian, times are Unix nanoseconds.
//
// In memory there is one small entry a host that has links waiting (schedule.go):
// its first key and its due time, rebuilt from the queue at Open. With no host
// delay the frontier is one exact priority queue over all hosts.
//
// Every method is one transaction, and the memory follows only once it is
// committed. The file is locked, so the process that has it open is the only
// one; a lease of its own never expires while it runs, one of another owner
// returns when its time is over.
package frontier

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"time"

	"eventseer/crawler"
	"eventseer/internal/bolt"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// Limits and defaults.
const (
	MaxPause  = time.Hour // the longest pause a server can make of its Retry-After
	MaxReason = 400       // bytes kept of an outcome's reason
	MaxClips  = 1000      // clip ids kept of one page

	defaultOwner   = "crawler"
	defaultLease   = 10 * time.Minute
	defaultBackoff = time.Minute
	defaultTries   = 3
)

// Options say how a frontier waits. The zero value is polite to nobody: it has
// no host delay.
type Options struct {
	// Owner names this process in its leases. Leases of this owner that a crash
	// left behind come back at Open. "" means "crawler".
	Owner string
	// HostDelay is the pause between the end of one fetch from a host and the
	// next, and allows a host one fetch at a time. Zero means neither.
	HostDelay time.Duration
	// LeaseTime is after how long the lease of another owner is taken back.
	// Zero means 10 minutes.
	LeaseTime time.Duration
	// Backoff is how long a host rests after the first TryLater that names no
	// time; it doubles with each try. Zero means one minute.
	Backoff time.Duration
	// MaxTries is after how many tries a link that ends in TryLater is Gone.
	// Zero means 3.
	MaxTries int
	// NoWait makes every host due at all times, for replays.
	NoWait bool
	// NoSync leaves it to the system when the disk follows: what was committed
	// survives kill -9, but a power cut may break the file. For replays, which
	// can be run again.
	NoSync bool
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// MustExist makes Open return bolt.ErrMissing instead of making a new file.
	MustExist bool
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

func (o Options) withDefaults() Options {
	if o.Owner == "" {
		o.Owner = defaultOwner
	}
	if o.LeaseTime == 0 {
		o.LeaseTime = defaultLease
	}
	if o.Backoff == 0 {
		o.Backoff = defaultBackoff
	}
	if o.MaxTries == 0 {
		o.MaxTries = defaultTries
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// A Frontier is a crawler.Frontier on disk. It is safe for concurrent use.
type Frontier struct {
	db *bbolt.DB
	o  Options

	mu      sync.Mutex // guards below, and orders the writers
	hosts   *schedule
	count   counts
	foreign time.Time     // when the first lease of another owner ends; zero if there is none
	changed chan struct{} // closed and replaced by every commit
}

var _ crawler.Frontier = (*Frontier)(nil)

var (
	linkBucket  = []byte("link")
	queueBucket = []byte("queue")
	leaseBucket = []byte("lease")
	hostBucket  = []byte("host")
	noteBucket  = []byte("note")
	countBucket = []byte("count")
	countKey    = []byte("count")
)

// migrations make the schema; append only.
func migrations() []func(*bbolt.Tx) error {
	return []func(*bbolt.Tx) error{func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{linkBucket, queueBucket, leaseBucket, hostBucket, noteBucket, countBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	}}
}

// Open opens or makes the frontier at path. Links that this owner had leased
// when it was interrupted are handed out first.
func Open(path string, o Options) (*Frontier, error) {
	db, err := bolt.Open(path, bolt.Options{
		Kind: "frontier", Migrations: migrations(), MustExist: o.MustExist, OpenFile: o.OpenFile,
	})
	if err != nil {
		return nil, err
	}
	db.NoSync = o.NoSync
	f := &Frontier{db: db, o: o.withDefaults(), hosts: newSchedule(o.HostDelay > 0 && !o.NoWait), changed: make(chan struct{})}
	if err := f.load(); err != nil {
		db.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return f, nil
}

// load takes back this owner's leases, then fills the memory from the queue.
func (f *Frontier) load() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.db.View(func(tx *bbolt.Tx) error {
		var err error
		f.count, err = decodeCounts(tx.Bucket(countBucket).Get(countKey))
		return err
	})
	if err != nil {
		return err
	}
	mine := func(r Record) bool { return r.Owner == f.o.Owner || !r.Expiry.After(f.o.Now()) }
	if err := f.reclaim(mine); err != nil {
		return err
	}
	return f.db.View(func(tx *bbolt.Tx) error {
		t := f.begin(tx)
		c := t.queue.Cursor()
		for k, _ := c.First(); k != nil; {
			host, _, err := splitQueueKey(k)
			if err != nil {
				return err
			}
			if err := t.reschedule(host); err != nil {
				return err
			}
			k, _ = c.Seek(append([]byte(host), 1))
		}
		f.hosts.apply(t.heads)
		return nil
	})
}

// Close closes the file. Leases stay and come back at the next Open.
func (f *Frontier) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.db.Close()
}

// Push adds links; see crawler.Frontier. Links without a host and those longer
// than webgraph.MaxURL are left out.
func (f *Frontier) Push(ctx context.Context, cs []crawler.Candidate) error {
	return f.update(ctx, len(cs), func(t *txn) error {
		for _, c := range cs {
			if err := t.push(c); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *txn) push(c crawler.Candidate) error {
	if len(c.URL) > webgraph.MaxURL || webgraph.HostOf(c.URL) == "" {
		return nil
	}
	old, err := t.record(c.URL)
	if err != nil {
		return err
	}
	score := crawler.ClampScore(c.Score)
	if old == nil {
		t.count.seq++
		return t.put(c.URL, nil, Record{
			State: Waiting, Seq: t.count.seq - 1, Score: score, Proposed: score,
			Parent: c.Parent, Anchor: c.Anchor, Depth: c.Depth, How: c.How,
		})
	}
	if !old.open() || score <= old.Score {
		return nil
	}
	rec := *old
	rec.Score = score
	if score > rec.Proposed {
		rec.Proposed, rec.Parent, rec.Anchor, rec.Depth, rec.How = score, c.Parent, c.Anchor, c.Depth, c.How
	}
	return t.put(c.URL, old, rec)
}

func (t *txn) rescore(c crawler.Candidate) error {
	old, err := t.record(c.URL)
	if err != nil || old == nil || !old.open() {
		return err
	}
	rec := *old
	rec.Score = crawler.ClampScore(c.Score)
	return t.put(c.URL, old, rec)
}

func (t *txn) drop(url string) error {
	old, err := t.record(url)
	if err != nil || old == nil || !old.open() {
		return err
	}
	rec := *old
	rec.State = Dropped
	return t.put(url, old, rec)
}

// change makes the changes of one page.
func (t *txn) change(ch crawler.Changes) error {
	for _, c := range ch.Push {
		if err := t.push(c); err != nil {
			return err
		}
	}
	for _, c := range ch.Rescore {
		if err := t.rescore(c); err != nil {
			return err
		}
	}
	for _, url := range ch.Drop {
		if err := t.drop(url); err != nil {
			return err
		}
	}
	return nil
}

// Turn reports whether a host may be asked besides the page of l; see
// crawler.Frontier.
func (f *Frontier) Turn(crawler.Lease, webgraph.Host) bool { return f.o.HostDelay == 0 || f.o.NoWait }

// Twin returns the first page of a host with that text; see crawler.Frontier.
func (f *Frontier) Twin(context.Context, webgraph.Host, uint64) (string, error) { return "", nil }

// update runs do in one transaction of n changes.
func (f *Frontier) update(ctx context.Context, n int, do func(*txn) error) error {
	if err := ctx.Err(); err != nil || n == 0 {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commit(do)
}

// commit is update for those who hold mu: the memory follows the disk.
func (f *Frontier) commit(do func(*txn) error) error {
	var t *txn
	err := f.db.Update(func(tx *bbolt.Tx) error {
		t = f.begin(tx)
		if err := do(t); err != nil {
			return err
		}
		return t.end()
	})
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	f.count = t.count
	f.hosts.apply(t.heads)
	close(f.changed)
	f.changed = make(chan struct{})
	return nil
}

func be64(x uint64) []byte { return binary.BigEndian.AppendUint64(nil, x) }
