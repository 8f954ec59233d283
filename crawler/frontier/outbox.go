package frontier

import (
	"context"
	"encoding/binary"
	"math"

	"eventseer/crawler"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// The outbox holds the links to hosts of other crawlers. They come into it in the
// transaction of the page they were found on, and leave it when Sent says that they
// were taken over: then a short record stays in done, so that a link found on a
// thousand pages is sent once. A link that changes while it waits gets a new number:
// who has just sent the old state of it forgets that, not the new one.

// A sent link is sent again for a score that is higher by more than one part in so
// many of the old one, and for a visit of a monitor.
const clearly = 4

// Outbox returns up to limit links that wait to be sent, in the order they came or
// were last changed, with numbers above after; numbers begin with 1.
func (f *Frontier) Outbox(ctx context.Context, after uint64, limit int) (out []struct {
	Number    uint64
	Candidate crawler.Candidate
}, err error) {
	if err := f.usable(ctx); err != nil || after == math.MaxUint64 {
		return nil, err
	}
	err = f.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketNames[awayBucket]).Cursor()
		for k, v := c.Seek(be64(after + 1)); k != nil && len(out) < limit; k, v = c.Next() {
			rec, err := decodeRecord(v)
			if err != nil {
				return brokenAt(awayBucket, k, err)
			}
			out = append(out, struct {
				Number    uint64
				Candidate crawler.Candidate
			}{binary.BigEndian.Uint64(k), rec.candidate()})
		}
		return ctx.Err()
	})
	return out, err
}

// usable returns what keeps a frontier from being used.
func (f *Frontier) usable(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	return ctx.Err()
}

// OutboxLen is how many links wait to be sent.
func (f *Frontier) OutboxLen() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen.count[isAway]
}

// Sent takes links out of the outbox by their numbers; numbers that are not there,
// or no more, are ignored. The links stay known, see clearly.
func (f *Frontier) Sent(ctx context.Context, numbers ...uint64) error {
	if err := ctx.Err(); err != nil || len(numbers) == 0 {
		return err
	}
	return f.commit(nil, func(t *txn) error {
		for _, n := range numbers {
			p := numbered(awayBucket, n)
			if t.r.get(p) == nil {
				continue
			}
			rec, err := t.r.record(p)
			if err != nil {
				return err
			}
			t.b.delete(p)
			t.sent(t.hash(rec.URL), &rec)
		}
		return nil
	})
}

// admit puts a link that is new, or was of another crawler, where it belongs: it
// waits to be fetched, or to be sent.
func (t *txn) admit(hash uint64, rec *Record) {
	if t.owns(hostOf(rec.URL)) {
		t.wait(hash, rec)
		return
	}
	t.send(hash, rec)
}

// again puts a link that was taken away from where it waited back there.
func (t *txn) again(hash uint64, s slot, rec *Record) {
	if s.standing() == isAway {
		t.send(hash, rec)
		return
	}
	t.wait(hash, rec)
}

// send puts a link at the end of the outbox.
func (t *txn) send(hash uint64, rec *Record) {
	parent, anchor, why := rec.Parent, rec.Anchor, rec.Explained
	t.strip(hash, rec)
	rec.State, rec.Parent, rec.Anchor, rec.Explained = Away, parent, anchor, why
	t.count.away++
	t.b.putRecord(numbered(awayBucket, t.count.away), rec)
	t.seen.set(hash, t.count.away, rec.Seq, isAway)
}

// sent puts what must be known of a sent link at the end of done.
func (t *txn) sent(hash uint64, rec *Record) {
	t.strip(hash, rec)
	t.retire(hash, rec)
}

// strip leaves of a link what its next owner must be told at least.
func (t *txn) strip(hash uint64, rec *Record) {
	t.forgetText(hash, rec)
	t.count.clips -= uint64(len(rec.Clips))
	*rec = Record{
		URL: rec.URL, State: Sent, Seq: rec.Seq, Score: rec.Score, Proposed: rec.Proposed,
		Depth: rec.Depth, Hops: rec.Hops, How: rec.How, Due: rec.Due,
	}
}

// forgetText forgets that a page was the first with its text.
func (t *txn) forgetText(hash uint64, rec *Record) {
	if p := textPlace(answerHost(rec), rec.Text); rec.Text != 0 && holds(t.r.get(p), hash) {
		t.b.delete(p)
	}
}

// holds reports whether a value of the bucket of texts names a page.
func holds(v []byte, hash uint64) bool {
	return len(v) == 12 && binary.BigEndian.Uint64(v) == hash
}

// pushAway pushes a link that waits to be sent, or was.
func (t *txn) pushAway(hash uint64, s slot, c *crawler.Candidate, score float64) error {
	mine, waits := t.owns(hostOf(c.URL)), s.standing() == isAway
	if waits && !mine {
		return t.improve(hash, s, c, score)
	}
	rec, ok, err := t.record(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	if !mine && c.How != crawler.Monitor && score <= rec.Score+math.Abs(rec.Score)/clearly {
		return nil
	}
	t.remove(s, c.URL)
	if !waits || score > rec.Score {
		rec.way(*c, score)
	}
	rec.Seq, rec.Due = t.count.seq, c.Due
	t.count.seq++
	t.admit(hash, &rec)
	return nil
}

// mostCached is of how many hosts it is remembered whether they are meant.
const mostCached = 1 << 16

// cached remembers what a predicate says: it is asked for every link, and mostly
// finds a registered domain. Only one goroutine may call it.
func cached(of func(webgraph.Host) bool) func(webgraph.Host) bool {
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
