// Package frontier keeps what is to be fetched, and what came of it, in one bbolt file that carries
// ten million URLs.
//
// Buckets
//
//	host   id⁴               → Host       every host seen, see host.go
//	journal number⁸          → Hosts      those that have changed since, see journal.go
//	queue  id⁴ rank⁸ seq⁸    → record     a host's waiting links, best first, see codec.go
//	due    time⁸ seq⁸        → record     links that wait for a time, or at the last time for a budget
//	lease  seq⁸              → record     links handed out
//	done   number⁸           → record     ended, dropped, sent and other URLs, in that order
//	away   number⁸           → record     the outbox: links to hosts of other crawlers, see handover.go
//	text   hash⁸             → hash⁸ id⁴  of host and text → of the first page with it
//	note   key               → value      what strategy and crawler remember
//	count  "count", "seed"   → counts, seed of the hashes
//
// rank is the complement of the score's order-preserving bits, so a host's first key is its best
// link; rank 0 is kept for links whose lease was interrupted. seq counts the links as they came:
// first come, first served among equal scores. All integers are big-endian, times are Unix
// nanoseconds.
//
// In memory there are 24 bytes a URL (table.go), which are the seen-set and the index to the record
// at once, filled at Open from the URLs on disk; a struct a host, with its best link (schedule.go);
// and the leases. A table of this kind is 64 to 80 % full: some 34 bytes a URL. URLs are
// distinguished by 64 bits of XXH3 with a seed of the file's own: among ten million the odds that
// any two share a hash are 1 to 370,000; the later of them would count as seen.
//
// With no host delay the frontier is one exact priority queue over all hosts.
//
// Several crawlers may share the web, each with a frontier: Own says whose hosts are whose. Links
// to others' hosts go to the outbox and stay known as sent. Export, Adopt and Forget give hosts
// with all that is known of them to another frontier.
//
// A change is made in memory first, collected in a batch and written in one transaction in order of
// keys. Meanwhile Next, Turn and Claim continue, and read through the batch. If a transaction fails
// memory and disk no longer agree: from then on every method returns that error, and only Open
// helps.
//
// The file is locked, so the process that has it open is the only one. Next, Turn and Claim write
// nothing. A lease reaches the disk with the next commit, or after a second: before that a crash
// makes the link wait as if it had never been handed out, after it the link comes first, and one in
// whose hand the process has ended MaxCrashes times is Gone.
package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/zeebo/xxh3"
)

// Limits and defaults.
const (
	MaxRetry     = 24 * time.Hour // the longest a link waits for its next try
	MaxReason    = 400            // bytes kept of an outcome's reason
	MaxClips     = 1000           // clip ids kept of one page
	MaxValidator = 256            // bytes kept of an ETag or a Last-Modified
	// MaxCrashes is how often the process may end while a link is leased.
	MaxCrashes = 5

	defaultOwner   = "crawler"
	defaultLease   = 10 * time.Minute
	defaultBackoff = time.Minute
	defaultTries   = 3
)

// What a frontier knows of hosts, and how they may share a pause; see package hosts.
type (
	Host  = hosts.Host
	Group = hosts.Group
)

// The groups.
const (
	ByHost    = hosts.ByHost
	ByDomain  = hosts.ByDomain
	ByAddress = hosts.ByAddress
)

// Options say how a frontier waits. The zero value has no host delay, so it is not polite.
type Options struct {
	// Owner names this process in its leases. "" means "crawler".
	Owner string
	// HostDelay is the pause between the end of one request to a host and the
	// next, and allows a host one request at a time. Zero means neither.
	HostDelay time.Duration
	// MaxPause bounds the Crawl-delay in the robots.txt of a host. Zero means 5 minutes.
	MaxPause time.Duration
	// DelayFactor makes a host rest for at least this multiple of its last response time. Zero
	// means that the time does not count.
	DelayFactor float64
	// Group says which hosts share a pause. The zero value is ByHost.
	Group Group
	// PerHost and PerDomain are how many pages may be fetched of a host and of a
	// registered domain. Zero means no limit. Links over a limit stay in the file.
	PerHost, PerDomain int
	// PerDepth is how many links of one depth may be leased, whatever their result. Zero means no
	// limit.
	PerDepth int
	// DeadAfter is after how many failures in a row, over an hour at least, a host is dead. It is
	// then tried once a day, and its links keep no crawl from ending. One that is not there at all
	// is dead after half as many. Zero means 10.
	DeadAfter int
	// Workers is how many pages are fetched at once; a registered domain gets at most half of them.
	// Zero means no such limit.
	Workers int
	// Floor leaves links of a lower score unfetched. They are not leased, and the crawl does not
	// wait for those that wait for a time. It is for a run that visits what is due and not what
	// crawls have left. Zero means no floor.
	Floor float64
	// LeaseTime is after how long a lease is taken back. Zero means 10 minutes.
	LeaseTime time.Duration
	// Backoff is how long a link waits after the first TryLater that names no time. If its host is
	// at fault, the host rests instead. It doubles with each try, or each failure in a row, up to a
	// day. Zero means one minute.
	Backoff time.Duration
	// MaxTries is after how many tries a link that ends in TryLater is Gone.
	// Zero means 3.
	MaxTries int
	// NoWait makes every host and every link due at all times, for replays.
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

// ofHosts returns the options that concern hosts.
func (o Options) ofHosts() hosts.Options {
	return hosts.Options{
		HostDelay: o.HostDelay, MaxPause: o.MaxPause, DelayFactor: o.DelayFactor, Group: o.Group,
		PerHost: o.PerHost, PerDomain: o.PerDomain, DeadAfter: o.DeadAfter, Workers: o.Workers,
		Floor: o.Floor, Backoff: o.Backoff, NoWait: o.NoWait,
	}
}

// A Frontier is a crawler.Frontier on disk. It is safe for concurrent use.
type Frontier struct {
	db   *bolt.DB
	o    Options
	seed uint64 // of the hashes

	writer sync.Mutex // held by who commits; taken before mu

	mu        sync.Mutex // guards below
	err       error      // what broke the frontier, or that it is closed
	seen      table
	hosts     *hosts.Schedule
	count     counts // what is being committed included
	committed counts
	hand
	journal journal
	nextDue int64         // when the first link in due is; 0 if none waits there for a time
	flying  *batch        // is being written
	spare   *batch        // for the next commit
	changed chan struct{} // closed and replaced by every commit
}

var _ crawler.Frontier = (*Frontier)(nil)

var errClosed = errors.New("frontier is closed")

// Open opens or creates the frontier at path and reads all its URLs, which takes up to a second per
// million. Links that were leased when the last process ended are leased first.
func Open(path string, o Options) (*Frontier, error) {
	db, err := bolt.Open(path, bolt.Options{
		Kind: "frontier", Migrations: migrations(), MustExist: o.MustExist, OpenFile: o.OpenFile,
	})
	if err != nil {
		return nil, err
	}
	db.NoSync = o.NoSync
	f := &Frontier{db: db, o: o.withDefaults(), hand: newHand(), journal: newJournal(), spare: newBatch(), changed: make(chan struct{})}
	f.hosts = hosts.NewSchedule(f.o.ofHosts())
	if err := f.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return f, nil
}

// Database returns the open file, for snapshots.
func (f *Frontier) Database() bolt.Source { return bolt.SourceOf(f.db) }

// Close returns the leased links to the queue, before all others, and closes the file.
func (f *Frontier) Close() error {
	err := f.commit(nil, func(t *txn) error { return t.putBack() })
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(f.err, errClosed) {
		return nil
	}
	f.err = errClosed
	f.stopTimer()
	f.wake()
	return errors.Join(err, f.db.Close())
}

// hash names a URL in memory.
func (f *Frontier) hash(url string) uint64 { return xxh3.HashStringSeed(url, f.seed) }

func (f *Frontier) hashBytes(url []byte) uint64 { return xxh3.HashSeed(url, f.seed) }

// Progress returns the counts of the last commit; links handed out since then
// count as leased.
func (f *Frontier) Progress(ctx context.Context) (crawler.Progress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress(), ctx.Err()
}

func (f *Frontier) progress() crawler.Progress {
	c := &f.committed
	return crawler.Progress{
		Ended: int(c.ended), Spent: c.spent, Waiting: f.waiting(), Leased: len(f.leases),
		Hosts: int(c.hosts), Clips: int(c.clips),
	}
}

// waiting returns how many links wait. Claimed ones do not.
func (f *Frontier) waiting() int {
	return f.seen.count[inQueue] + f.seen.count[inDue] - f.claimedWaiting()
}

func be64(x uint64) []byte { return binary.BigEndian.AppendUint64(nil, x) }

// load fills the memory from the disk and takes back the leases found there.
func (f *Frontier) load() error {
	err := f.db.View(func(tx *bolt.Tx) error {
		var err error
		count := tx.Bucket(countBucket)
		if f.count, err = decodeCounts(count.Get(countKey)); err != nil {
			return err
		}
		seed := count.Get(seedKey)
		if len(seed) != 8 {
			return fmt.Errorf("%w: the seed of its hashes is lost, so that no link is found again; restore a backup", bolt.ErrDamaged)
		}
		f.seed = binary.BigEndian.Uint64(seed)
		if err := loadHosts(f, tx); err != nil {
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
func (f *Frontier) loadURLs(tx *bolt.Tx) error {
	f.seen.reserve(int(min(f.count.urls, mostReserved)))
	last, first := hosts.ID(0), true
	err := f.loadBucket(tx, queueBucket, func(p place, hash uint64, _ []byte) error {
		id, k := p.link()
		if int(id) >= f.hosts.Number() {
			return fmt.Errorf("no host has number %d", id)
		}
		if first || id != last {
			f.hosts.Head(id, k, true)
			last, first = id, false
		}
		f.seen.set(hash, k.Rank, k.Seq, inQueue)
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
	return f.loadNumbered(tx, doneBucket, (*Record).standingOf)
}

// loadNumbered loads a bucket whose keys are numbers.
func (f *Frontier) loadNumbered(tx *bolt.Tx, in bucket, where func(*Record) standing) error {
	return f.loadBucket(tx, in, func(p place, hash uint64, v []byte) error {
		rec, err := decodeRecord(v)
		if err == nil {
			f.seen.set(hash, p.number(), rec.Seq, where(&rec))
		}
		return err
	})
}

// loadBucket calls do with every record of a bucket and the hash of its URL.
func (f *Frontier) loadBucket(tx *bolt.Tx, in bucket, do func(p place, hash uint64, v []byte) error) error {
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

// recover returns leased links to the queue, and the links held by a budget that has room again. It
// reports whether there is more to do.
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
