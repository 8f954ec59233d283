// Package frontier stores the URLs to fetch and their results in one bbolt file, for up to ten
// million URLs.
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
// Several crawlers may share the web, each with a frontier: Own tells which hosts belong to this crawler.
// Links to others' hosts go to the outbox and stay known as sent. Export, Adopt and Forget give hosts with
// all that is known of them to another frontier.
//
// A change is made in memory first, collected in a batch and written in one transaction in order of
// keys; with EndsPerWrite the batch waits for later ends. Meanwhile Next, Turn and Claim continue,
// and read through the batch. If a transaction fails memory and disk no longer agree: from then on
// every method returns that error, and only Open helps.
//
// The file is locked, so the process that has it open is the only one. Next, Turn and Claim write nothing. A
// lease reaches the disk with the next commit, or after a second: before that a crash makes the link wait as
// if it had never been handed out, after it the link comes first, and a link whose leases the process did not
// survive MaxCrashes times is Gone.
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
	MaxRetry     = 24 * time.Hour // the longest wait of a link for its next attempt
	MaxReason    = 400            // bytes stored of an outcome's reason
	MaxClips     = 1000           // clip ids stored for one page
	MaxValidator = 256            // bytes stored of an ETag or a Last-Modified
	// MaxCrashes is how many times the process may end while a link is leased. After that the link
	// is Gone.
	MaxCrashes = 5

	defaultOwner   = "crawler"
	defaultLease   = 10 * time.Minute
	defaultBackoff = time.Minute
	defaultTries   = 3
)

// The state of hosts, and how they share delays; see package hosts.
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

// Options are the settings of a frontier. The zero value has no host delay, so it is not polite.
type Options struct {
	// Owner names this process in its leases. The default is "crawler".
	Owner string
	// HostDelay is the minimum time between the end of one request to a host and the next. It also
	// limits a host to one request at a time. Zero means neither.
	HostDelay time.Duration
	// MaxPause bounds the Crawl-delay in the robots.txt of a host. Zero means 5 minutes.
	MaxPause time.Duration
	// DelayFactor makes the host delay at least this multiple of the last response time. Zero
	// ignores response times.
	DelayFactor float64
	// Group selects which hosts share a delay. The zero value is ByHost.
	Group Group
	// PerHost and PerDomain limit the pages fetched from a host and from a registered domain. Zero
	// means no limit. Links over a limit stay in the file.
	PerHost, PerDomain int
	// PerDepth limits the links of one depth that may be leased, whatever their result. Zero means
	// no limit.
	PerDepth int
	// DeadAfter is the number of failures in a row, over at least an hour, after which a host is
	// dead. A dead host is tried once a day, and a crawl can end without its links. An unknown or
	// unreachable host is dead after half as many. Zero means 10.
	DeadAfter int
	// Workers is the number of pages fetched at once; a registered domain gets at most half of
	// them. Zero means no such limit.
	Workers int
	// Floor is the minimum score of links to lease. The crawl does not wait for lower ones. It is
	// for runs that visit only due pages and no links left by crawls. Zero means no floor.
	Floor float64
	// LeaseTime is the time after which a lease expires. Zero means 10 minutes.
	LeaseTime time.Duration
	// Backoff is the wait of a link after its first TryLater that names no time. If the host
	// failed, the host waits instead. It doubles with each attempt, or each failure in a row, up to
	// a day. Zero means one minute.
	Backoff time.Duration
	// MaxTries is the number of attempts after which a link that ends in TryLater is Gone. Zero
	// means 3.
	MaxTries int
	// NoWait disables all waiting for hosts and links, for replays.
	NoWait bool
	// NoSync disables fsync: commits survive kill -9, but a power failure may damage the file. It
	// is for replays, which can be repeated.
	NoSync bool
	// EndsPerWrite is how many ends of leases Done collects for one transaction, if nothing else is
	// written and no lease is older than a second. A crash loses those that wait. It is for
	// replays, which read the pages again, and call Flush before they change another database by a
	// page. Zero means that Done writes its own.
	EndsPerWrite int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// MustExist makes Open return bolt.ErrMissing instead of making a new file.
	MustExist bool
	// OpenFile replaces os.OpenFile; tests use it to inject faults.
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

	writer sync.Mutex // held during a commit; locked before mu

	mu        sync.Mutex // guards below
	err       error      // the error that broke the frontier, or that it is closed
	seen      table
	hosts     *hosts.Schedule
	count     counts // including the commit in progress
	committed counts
	leaseTable
	journal journal
	nextDue int64         // time of the first link in due; 0 if none waits for a time
	flying  *batch        // is being written, or waits for later ends
	spare   *batch        // a batch to reuse for the next commit; it holds the pending ends, if there are any
	pending int           // ends that wait in spare for later ones
	changed chan struct{} // closed and replaced at every commit
}

var _ crawler.Frontier = (*Frontier)(nil)

var errClosed = errors.New("frontier is closed")

// Open opens or creates the frontier at path and reads all its URLs, which takes up to a second per
// million. Links leased when the last process ended come first.
func Open(path string, o Options) (*Frontier, error) {
	db, err := bolt.Open(path, bolt.Options{
		Kind: "frontier", Migrations: migrations(), MustExist: o.MustExist, OpenFile: o.OpenFile,
	})
	if err != nil {
		return nil, err
	}
	db.NoSync = o.NoSync
	f := &Frontier{db: db, o: o.withDefaults(), leaseTable: newLeaseTable(), journal: newJournal(), spare: newBatch(), changed: make(chan struct{})}
	f.hosts = hosts.NewSchedule(f.o.ofHosts())
	if err := f.loadState(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return f, nil
}

// Database returns the open file, for snapshots.
func (f *Frontier) Database() bolt.Source {
	_ = f.Flush() // an error breaks the frontier, so the next method called returns it
	return bolt.SourceOf(f.db)
}

// Close returns the leased links to the queue, before all others, and closes the file.
func (f *Frontier) Close() error {
	err := f.commit(nil, func(t *txn) error { return t.requeueLeased() })
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(f.err, errClosed) {
		return nil
	}
	f.err = errClosed
	f.stopTimer()
	f.wakeWaiting()
	return errors.Join(err, f.db.Close())
}

// hashURL names a URL in memory.
func (f *Frontier) hashURL(url string) uint64 { return xxh3.HashStringSeed(url, f.seed) }

func (f *Frontier) hashBytes(url []byte) uint64 { return xxh3.HashSeed(url, f.seed) }

// Progress returns the counts of the last commit; links leased since then count as leased.
func (f *Frontier) Progress(ctx context.Context) (crawler.Progress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress(), ctx.Err()
}

func (f *Frontier) progress() crawler.Progress {
	c := &f.committed
	return crawler.Progress{
		Ended: int(c.ended), Spent: c.spent, Waiting: f.countWaiting(), Leased: len(f.leases),
		Hosts: int(c.hosts), Clips: int(c.clips),
	}
}

// countWaiting returns the number of waiting links, without claimed ones.
func (f *Frontier) countWaiting() int {
	return f.seen.count[inQueue] + f.seen.count[inDue] - f.countClaimedWaiting()
}

func bigEndian64(x uint64) []byte { return binary.BigEndian.AppendUint64(nil, x) }

// loadState reads the state from the disk and takes back the leases found there.
func (f *Frontier) loadState() error {
	err := f.db.View(func(tx *bolt.Tx) error {
		var err error
		count := tx.Bucket(countBucket)
		if f.count, err = decodeCounts(count.Get(countKey)); err != nil {
			return err
		}
		seed := count.Get(seedKey)
		if len(seed) != 8 {
			return fmt.Errorf("%w: the seed of its hashes is lost, so links cannot be found any more; restore a backup", bolt.ErrDamaged)
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
		more, err = f.requeueRecovered()
	}
	return err
}

// mostReserved bounds the memory reserved for URLs before they are read.
const mostReserved = 1 << 24

// loadURLs fills the table and sets the hosts' best links.
func (f *Frontier) loadURLs(tx *bolt.Tx) error {
	f.seen.reserve(int(min(f.count.urls, mostReserved)))
	last, first := hosts.ID(0), true
	err := f.loadBucket(tx, queueBucket, func(p bucketKey, hash uint64, _ []byte) error {
		id, k := p.splitQueueKey()
		if int(id) >= f.hosts.CountHosts() {
			return fmt.Errorf("the host number %d does not exist", id)
		}
		if first || id != last {
			f.hosts.SetBestLink(id, k, true)
			last, first = id, false
		}
		f.seen.set(hash, k.Rank, k.Seq, inQueue)
		return nil
	})
	if err != nil {
		return err
	}
	err = f.loadBucket(tx, dueBucket, func(p bucketKey, hash uint64, _ []byte) error {
		at, seq := p.splitDueKey()
		if at != held && f.nextDue == 0 {
			f.nextDue = int64(at)
		}
		f.seen.set(hash, at, seq, inDue)
		return nil
	})
	if err != nil {
		return err
	}
	err = f.loadNumbered(tx, awayBucket, func(*Record) linkState { return isAway })
	if err != nil {
		return err
	}
	return f.loadNumbered(tx, doneBucket, (*Record).linkState)
}

// loadNumbered loads a bucket whose keys are numbers.
func (f *Frontier) loadNumbered(tx *bolt.Tx, in bucket, where func(*Record) linkState) error {
	return f.loadBucket(tx, in, func(p bucketKey, hash uint64, v []byte) error {
		rec, err := decodeRecord(v)
		if err == nil {
			f.seen.set(hash, p.number(), rec.Seq, where(&rec))
		}
		return err
	})
}

// loadBucket calls do with each record of a bucket and the hash of its URL.
func (f *Frontier) loadBucket(tx *bolt.Tx, in bucket, do func(p bucketKey, hash uint64, v []byte) error) error {
	return tx.Bucket(bucketNames[in]).ForEach(func(k, v []byte) error {
		_, url, err := peekURL(v)
		if err == nil && len(k) != bucketKeySize[in] {
			err = errBroken
		}
		if err == nil {
			err = do(bucketKeyOf(in, k), f.hashBytes(url), v)
		}
		if err != nil {
			return fmt.Errorf("%s %x: %w", bucketNames[in], k, err)
		}
		return nil
	})
}

// requeueRecovered returns leased links to the queue, and links whose depth has budget again. It reports
// whether there is more to do.
func (f *Frontier) requeueRecovered() (more bool, err error) {
	err = f.commit(nil, func(t *txn) error {
		if err := t.requeueInterrupted(); err != nil {
			return err
		}
		more, err = t.restoreAffordable()
		return err
	})
	return more, err
}
