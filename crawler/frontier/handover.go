package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/handover"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// SetOwned sets which hosts are this crawler's. Only they are requested, and links to others that are
// pushed from now on go to the outbox. The delay of a newly owned host begins now, because another
// crawler may just have requested it. Before the first call, and after one with nil, all hosts are
// owned. mine is stored: it must always return the same result and must not call the frontier.
func (f *Frontier) SetOwned(mine func(webgraph.Host) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hosts.SetOwned(mine, f.o.Now())
	f.wakeWaiting()
}

// isOwned reports whether a host, known or not, is this crawler's.
func (f *Frontier) isOwned(host webgraph.Host) bool { return f.hosts.Owns(host) }

// CountOutstanding counts the outstanding requests to some hosts: leases, requests that leases of other hosts
// made there, and those of Reserve.
func (f *Frontier) CountOutstanding(of func(webgraph.Host) bool) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.leases {
		if of(hostOf(h.rec.URL)) {
			n++
		}
	}
	return n + f.hosts.CountOutsideLeases(of)
}

// Changed returns a channel that is closed at the next commit, or earlier when hosts become owned.
func (f *Frontier) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// Import imports what Export wrote, in several commits. The last commit, which also stores the notes, is made
// only if the stream is complete. If a link is known already, an ended state takes precedence, and of two
// ended states the later one. Of two waiting links the higher score and the local position are used, and of a
// host the later due time and the larger counts. Import may be repeated, even after an error.
func (f *Frontier) Import(ctx context.Context, r io.Reader, notes ...crawler.Note) error {
	if err := checkNotes(notes); err != nil {
		return err
	}
	s, err := handover.NewReader(r)
	if err != nil {
		return fmt.Errorf("frontier: adopt: %w", err)
	}
	defer s.Close()
	for {
		part, err := readPart(s)
		whole := errors.Is(err, io.EOF)
		if err != nil && !whole {
			return fmt.Errorf("frontier: adopt: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if whole {
			part.notes = notes
		}
		if err := f.commit(nil, part.importInto); err != nil || whole {
			return err
		}
	}
}

// Export writes the state of some hosts and of their links, in the format of package handover. It leaves out
// which links were sent or wait to be sent. It is a consistent snapshot. None of the hosts may be owned or
// leased. While it writes, the file cannot grow, so w must not be slow.
func (f *Frontier) Export(ctx context.Context, of func(webgraph.Host) bool, w io.Writer) error {
	ids, err := f.knownHosts(ctx, of)
	if err != nil {
		return err
	}
	known, tx, err := f.hostsAtOneMoment(ids)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // read only
	s, err := handover.NewWriter(w)
	if err != nil {
		return fmt.Errorf("frontier: export: %w", err)
	}
	e := &exporter{ctx: ctx, f: f, tx: tx, s: s, of: cachedPredicate(of)}
	if err := e.exportAll(ids, known); err != nil {
		return fmt.Errorf("frontier: export: %w", err)
	}
	return nil
}

// hostsAtOneMoment returns the records of hosts and a read transaction of the same moment.
func (f *Frontier) hostsAtOneMoment(ids []hosts.ID) ([]hosts.Host, *bolt.Tx, error) {
	f.writer.Lock() // all memory is on disk
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.flushLocked(); err != nil {
		return nil, nil, err
	}
	known := make([]hosts.Host, 0, len(ids))
	for _, id := range ids {
		known = append(known, f.hosts.Host(id))
	}
	tx, err := f.db.Begin(false)
	return known, tx, err
}

// MarkSent marks all links of some hosts as sent, in several commits; it may be repeated. Links
// waiting to be sent still are. The hosts stay known, but without fetched pages. None may be owned
// or leased.
func (f *Frontier) MarkSent(ctx context.Context, of func(webgraph.Host) bool) error {
	return f.releaseHosts(ctx, of, false)
}

// MoveToOutbox is like MarkSent, but links waiting to be fetched go to the outbox.
func (f *Frontier) MoveToOutbox(ctx context.Context, of func(webgraph.Host) bool) error {
	return f.releaseHosts(ctx, of, true)
}

func (f *Frontier) releaseHosts(ctx context.Context, of func(webgraph.Host) bool, send bool) error {
	ids, err := f.knownHosts(ctx, of)
	if err != nil {
		return err
	}
	m := &mover{f: f, ctx: ctx, of: cachedPredicate(of), do: func(t *txn, p bucketKey, rec *Record) { t.releaseLink(p, rec, send) }}
	for _, in := range []bucket{doneBucket, dueBucket} { // links move from done to due to queue, not back
		if err := m.collectBucket(in, func(st State) bool { return st != Sent }); err != nil {
			return err
		}
	}
	if err := m.collectQueues(ids); err != nil {
		return err
	}
	if err := m.changeCollected(); err != nil {
		return err
	}
	for from := 0; from < len(ids); from += maxMoved {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := ids[from:min(from+maxMoved, len(ids))]
		if err := f.commit(nil, func(t *txn) error { t.emptyHosts(part); return nil }); err != nil {
			return err
		}
	}
	return nil
}

// knownHosts returns the known hosts for which of returns true. It returns an error if one is owned or
// leased.
func (f *Frontier) knownHosts(ctx context.Context, of func(webgraph.Host) bool) ([]hosts.ID, error) {
	if err := f.checkUsable(ctx); err != nil {
		return nil, err
	}
	if n := f.CountOutstanding(of); n > 0 {
		return nil, fmt.Errorf("frontier: %d requests to hosts that are handed over have not ended; call Own first, and wait for them", n)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ids, owned := f.hosts.ForeignHosts(of)
	if owned != "" {
		return nil, fmt.Errorf("frontier: %s is owned and cannot be handed over; call Own first", owned)
	}
	return ids, nil
}

// Resend makes all links of some hosts that were ever sent wait again, in several commits. They
// wait in the outbox, or in the queue if the host is owned. It may be repeated until it returns
// nil: notes come with the last commit. It returns the number of links.
func (f *Frontier) Resend(ctx context.Context, of func(webgraph.Host) bool, notes ...crawler.Note) (int, error) {
	if err := checkNotes(notes); err != nil {
		return 0, err
	}
	if err := f.checkUsable(ctx); err != nil {
		return 0, err
	}
	n := 0
	m := &mover{f: f, ctx: ctx, of: cachedPredicate(of), do: func(t *txn, p bucketKey, rec *Record) {
		hash := t.hashURL(rec.URL)
		if s := t.seen.get(hash); s.linkState() != wasSent || s.at != p.number() {
			return
		}
		t.b.delete(p)
		rec.Seq = t.count.seq
		t.count.seq++
		t.addLink(hash, rec)
		n++
	}}
	if err := m.collectBucket(doneBucket, func(st State) bool { return st == Sent }); err != nil {
		return n, err
	}
	return n, m.changeCollected(notes...)
}

// The outbox holds the links to hosts of other crawlers. They are added in the transaction of the
// page they were found on and removed when Sent confirms their delivery. A short record stays in
// done, so that a link found on a thousand pages is sent once. A link that changes while it waits
// gets a new number, so confirming its old state does not remove the new one.

// A sent link is sent again for a visit of a monitor, or if its score is higher by more than the
// fraction 1/clearly.
const clearly = 4

// An Outgoing is a link in the outbox.
type Outgoing struct {
	Number    uint64
	Candidate crawler.Candidate
}

// Outbox returns up to limit links waiting to be sent, in the order they were added or last
// changed, with numbers above after. Numbers begin with 1.
func (f *Frontier) Outbox(ctx context.Context, after uint64, limit int) (out []Outgoing, err error) {
	if err := f.checkUsable(ctx); err != nil || after == math.MaxUint64 {
		return nil, err
	}
	if err := f.Flush(); err != nil {
		return nil, err
	}
	err = f.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(bucketNames[awayBucket]).Cursor()
		for k, v := c.Seek(bigEndian64(after + 1)); k != nil && len(out) < limit; k, v = c.Next() {
			rec, err := decodeRecord(v)
			if err != nil {
				return brokenAt(awayBucket, k, err)
			}
			out = append(out, Outgoing{binary.BigEndian.Uint64(k), rec.toCandidate()})
		}
		return ctx.Err()
	})
	return out, err
}

// checkUsable returns the error that prevents use of the frontier, if any.
func (f *Frontier) checkUsable(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	return ctx.Err()
}

// OutboxLen returns how many links wait to be sent.
func (f *Frontier) OutboxLen() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen.count[isAway]
}

// RemoveSent removes links from the outbox by their numbers; unknown numbers are ignored. The links stay
// known, see clearly.
func (f *Frontier) RemoveSent(ctx context.Context, numbers ...uint64) error {
	if err := ctx.Err(); err != nil || len(numbers) == 0 {
		return err
	}
	return f.commit(nil, func(t *txn) error {
		for _, n := range numbers {
			p := numberedKey(awayBucket, n)
			if t.r.get(p) == nil {
				continue
			}
			rec, err := t.r.recordAt(p)
			if err != nil {
				return err
			}
			t.b.delete(p)
			t.storeSentRecord(t.hashURL(rec.URL), &rec)
		}
		return nil
	})
}

// addLink queues a link that is new or belonged to another crawler, to be fetched or sent.
func (t *txn) addLink(hash uint64, rec *Record) {
	if t.isOwned(hostOf(rec.URL)) {
		t.addWaiting(hash, rec)
		return
	}
	t.moveToOutbox(hash, rec)
}

// putBackWaiting puts back a link that was removed from where it waited.
func (t *txn) putBackWaiting(hash uint64, s tableEntry, rec *Record) {
	if s.linkState() == isAway {
		t.moveToOutbox(hash, rec)
		return
	}
	t.addWaiting(hash, rec)
}

// moveToOutbox puts a link at the end of the outbox.
func (t *txn) moveToOutbox(hash uint64, rec *Record) {
	parent, anchor, why := rec.Parent, rec.Anchor, rec.Explained
	t.reduceForOwner(hash, rec)
	rec.State, rec.Parent, rec.Anchor, rec.Explained = Away, parent, anchor, why
	t.count.away++
	t.b.putRecord(numberedKey(awayBucket, t.count.away), rec)
	t.seen.set(hash, t.count.away, rec.Seq, isAway)
}

// storeSentRecord puts a short record of a sent link at the end of done.
func (t *txn) storeSentRecord(hash uint64, rec *Record) {
	t.reduceForOwner(hash, rec)
	t.addEnded(hash, rec)
}

// reduceForOwner reduces a record to the data that the link's next owner needs.
func (t *txn) reduceForOwner(hash uint64, rec *Record) {
	t.forgetText(hash, rec)
	t.count.clips -= uint64(len(rec.Clips))
	*rec = Record{
		URL: rec.URL, State: Sent, Seq: rec.Seq, Score: rec.Score, Proposed: rec.Proposed,
		Depth: rec.Depth, Hops: rec.Hops, How: rec.How, Due: rec.Due,
	}
}

// forgetText forgets that a page was the first with its text.
func (t *txn) forgetText(hash uint64, rec *Record) {
	if p := textKey(servingHost(rec), rec.Text); rec.Text != 0 && containsPage(t.r.get(p), hash) {
		t.b.delete(p)
	}
}

// containsPage reports whether a value of the bucket of texts contains a page.
func containsPage(v []byte, hash uint64) bool {
	return len(v) == 12 && binary.BigEndian.Uint64(v) == hash
}

// pushForeignLink pushes a link that waits to be sent or was sent.
func (t *txn) pushForeignLink(hash uint64, s tableEntry, c *crawler.Candidate, score float64) error {
	mine, waits := t.isOwned(hostOf(c.URL)), s.linkState() == isAway
	if waits && !mine {
		return t.raiseScore(hash, s, c, score)
	}
	rec, ok, err := t.recordOf(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	if !mine && c.How != crawler.Monitor && score <= rec.Score+math.Abs(rec.Score)/clearly {
		return nil
	}
	t.removeRecord(s, c.URL)
	if !waits || score > rec.Score {
		rec.setOrigin(*c, score)
	}
	rec.Seq, rec.Due = t.count.seq, c.Due
	t.count.seq++
	t.addLink(hash, &rec)
	return nil
}

// mostCached is the maximum number of hosts with a cached result.
const mostCached = 1 << 16

// cachedPredicate caches a predicate: it is called for every link, and mostly looks up a registered domain.
// It is not safe for concurrent use.
func cachedPredicate(of func(webgraph.Host) bool) func(webgraph.Host) bool {
	known := make(map[webgraph.Host]bool)
	return func(host webgraph.Host) bool {
		is, ok := known[host]
		if !ok {
			if len(known) >= mostCached {
				clear(known)
			}
			is = of(host)
			known[host] = is
		}
		return is
	}
}
