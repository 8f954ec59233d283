package frontier

import (
	"context"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// A Story explains the state of a URL.
type Story struct {
	URL    string
	Seen   bool
	Record Record
	Host   hosts.Host
	Ahead  int    // links of its host that come before it while it waits
	Why    string // a sentence: what happens to the URL next, and why
}

// Story explains the state of a URL in canonical form.
func (f *Frontier) Story(url string) (Story, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Story{URL: url}
	var err error
	if s.Record, s.Seen, err = f.lookup(url); err != nil {
		return s, err
	}
	id, known := f.hosts.Find(hostOf(url))
	why := ""
	if known {
		s.Host, why = f.hosts.Host(id), f.hosts.WaitReason(id, f.o.Now())
	}
	if s.Record.State == Waiting && s.Record.Due.IsZero() && !s.Record.Held {
		if s.Ahead, err = f.countBefore(id, f.seen.get(f.hashURL(url))); err != nil {
			return s, err
		}
	}
	s.Why = s.whyText(why)
	return s, nil
}

// countBefore counts the links of a host before one.
func (f *Frontier) countBefore(id hosts.ID, s tableEntry) (n int, err error) {
	r, err := f.beginReading()
	if err != nil {
		return 0, err
	}
	defer r.close()
	r.scanKeys(queueKey(id, hosts.LinkKey{}), func(p bucketKey) bool {
		host, k := p.splitQueueKey()
		if host != id || !k.Less(hosts.LinkKey{Rank: s.at, Seq: s.sequence()}) {
			return false
		}
		if _, hidden := f.hidden[k.Seq]; !hidden {
			n++
		}
		return true
	})
	return n, nil
}

// whyText returns the text of Why; why is the reason that delays the host.
func (s *Story) whyText(why string) string {
	r := &s.Record
	switch {
	case !s.Seen:
		return "It was never seen."
	case r.State == Leased:
		return fmt.Sprintf("It is being fetched by %s, until %s at the latest.", r.Owner, r.Expiry.UTC().Format(time.RFC3339))
	case r.State == Claimed:
		return fmt.Sprintf("It was part of the response to the request for %s, which is being processed.", r.Via)
	case r.State == Alias:
		return fmt.Sprintf("It is a redirect on the way from %s and is not fetched by itself.", r.Via)
	case r.State == Away:
		return "It belongs to another crawler and waits to be sent there."
	case r.State == Sent:
		return "It belongs to another crawler and was sent there."
	case r.State == Dropped:
		return "The strategy dropped it; it will not be queued again."
	case r.State == Ended:
		return fmt.Sprintf("It is done (%s); only a monitor queues it again.%s", r.Fate, reasonClause(r.Reason))
	case r.Held:
		return fmt.Sprintf("It is held because the budget of depth %d is used up.", r.Depth)
	case !r.Due.IsZero():
		return fmt.Sprintf("It waits until %s.%s", r.Due.UTC().Format(time.RFC3339), reasonClause(r.Reason))
	case why != "":
		return fmt.Sprintf("It waits %s of its host, which is not requested now: %s.", s.placeInQueue(), why)
	}
	return fmt.Sprintf("It waits %s of its host, which may be requested now, but others have better links.", s.placeInQueue())
}

// placeInQueue describes the position of a link in the queue of its host.
func (s Story) placeInQueue() string {
	switch s.Ahead {
	case 0:
		return "as the next link"
	case 1:
		return "behind 1 link"
	}
	return fmt.Sprintf("behind %d links", s.Ahead)
}

func reasonClause(reason string) string {
	if reason == "" {
		return ""
	}
	return " The last answer: " + reason + "."
}

// Links counts links by state.
type Links struct {
	Waiting   int // for their turn
	Due       int // waiting for a time, or for a budget for their depth
	Leased    int
	Fetched   int
	Unchanged int
	Gone      int
	Refused   int
	Dropped   int
	Alias     int
	Away      int // for hosts of other crawlers, waiting to be sent there
	Sent      int // known to the crawlers of their hosts
}

// A Status describes the state of the frontier.
type Status struct {
	crawler.Progress
	Links   Links
	Hosts   hosts.Counts
	NextDue time.Time // time of the first link that waits for a time; zero if none does
	Top     []hosts.Status
}

// Status counts links and hosts and describes the top hosts with the best links.
func (f *Frontier) Status(top int) (Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return Status{}, f.err
	}
	n := &f.seen.count
	s := Status{
		Progress: f.progress(), NextDue: hosts.TimeOf(f.nextDue),
		Links: Links{
			Waiting: n[inQueue], Due: n[inDue], Leased: n[isLeased], Fetched: n[wasFetched], Unchanged: n[wasUnchanged],
			Gone: n[wasGone], Refused: n[wasRefused], Dropped: n[wasDropped], Alias: n[isAlias],
			Away: n[isAway], Sent: n[wasSent],
		},
	}
	s.Hosts, s.Top = f.hosts.Status(top, f.o.Now())
	for i := range s.Top {
		id, _ := f.hosts.Find(s.Top[i].Name)
		n, err := f.countBefore(id, tableEntry{at: 1<<64 - 1, tail: 1<<64 - 1})
		if err != nil {
			return s, err
		}
		s.Top[i].Waiting = n
	}
	return s, nil
}

// Lookup returns the record of url, and false if it was never seen.
func (f *Frontier) Lookup(url string) (rec Record, seen bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lookup(url)
}

func (f *Frontier) lookup(url string) (rec Record, seen bool, err error) {
	if f.err != nil {
		return rec, false, f.err
	}
	hash := f.hashURL(url)
	if h := f.leases[hash]; h != nil && h.rec.URL == url {
		return h.rec, true, nil
	}
	r, err := f.beginReading()
	if err != nil {
		return rec, false, err
	}
	defer r.close()
	rec, seen, err = f.recordOf(r, f.seen.get(hash), url)
	if c, claimed := f.claims[hash]; claimed && c.url == url && err == nil {
		rec.URL, rec.State, rec.Via, seen = url, Claimed, f.leases[c.holder].rec.URL, true
	}
	return rec, seen, err
}

// ForEach calls do with every URL on disk. The order is: links in queue, by host and best first; links
// waiting for a time; leased ones; ended ones in the order they ended; and those to be sent to
// other crawlers. It sees the state committed when it began. do must not call methods that write.
func (f *Frontier) ForEach(ctx context.Context, do func(url string, r Record) error) error {
	if err := f.Flush(); err != nil {
		return err
	}
	tx, leases, err := f.beginSnapshot()
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
			p := bucketKeyOf(in, k)
			rec.completeFromKey(&p)
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

// beginSnapshot begins to read the disk and copies the leases. A long reader must not wait for mu: a
// holder of mu may wait to read until the file has grown, which waits for readers.
func (f *Frontier) beginSnapshot() (*bolt.Tx, map[string]crawler.Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, nil, f.err
	}
	leases := make(map[string]crawler.Lease, len(f.leases))
	for _, h := range f.leases {
		leases[h.rec.URL] = h.rec.toLease()
	}
	tx, err := f.db.Begin(false)
	return tx, leases, err
}

// completeFromKey completes a record read from disk by its place.
func (r *Record) completeFromKey(p *bucketKey) {
	switch p.in {
	case queueBucket:
		_, k := p.splitQueueKey()
		r.Interrupted = k.Rank == 0
	case dueBucket:
		at, _ := p.splitDueKey()
		r.Held = at == held
	}
}

// Host returns the state of a host, and false if no URL of it was seen.
func (f *Frontier) Host(name webgraph.Host) (h hosts.Host, seen bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, seen := f.hosts.Find(name)
	if seen {
		h = f.hosts.Host(id)
	}
	return h, seen, f.err
}

// Notes calls do for every note, in key order.
func (f *Frontier) Notes(ctx context.Context, do func(crawler.Note) error) error {
	if err := f.Flush(); err != nil {
		return err
	}
	return f.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(noteBucket).ForEach(func(k, v []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(crawler.Note{Key: string(k), Value: append([]byte(nil), v...)})
		})
	})
}

// Check reads the whole file and returns every broken invariant: of bbolt itself, between buckets,
// counts and keys, and between disk and memory. It locks the frontier meanwhile.
func (f *Frontier) Check() []error {
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.flushLocked(); err != nil {
		return []error{err}
	}
	c := &checker{Frontier: f, heads: make(map[hosts.ID]hosts.LinkKey), seqs: make([]uint64, f.count.seq/64+1)}
	if broken := bolt.Check(f.db); len(broken) > 0 {
		return broken
	}
	for _, err := range f.hosts.Check() {
		c.addFault(err)
	}
	if err := f.db.View(c.checkBuckets); err != nil {
		c.addFault(err)
	}
	c.checkMemory()
	return c.errs
}
