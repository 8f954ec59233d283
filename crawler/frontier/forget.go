package frontier

import (
	"context"
	"fmt"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// maxMoved is the most links changed in one commit of Forget, Resend and Adopt, and
// maxRead the most read in one look at the disk, which keeps the file from growing.
const (
	maxMoved = 4096
	maxRead  = 1 << 17
)

// Forget makes all links of some hosts links that were sent, in several commits; it
// may be repeated. What waits to be sent still does. The hosts stay known, but as if
// nothing had been fetched there. None may be owned or in hand.
func (f *Frontier) Forget(ctx context.Context, of func(webgraph.Host) bool) error {
	return f.giveUp(ctx, of, false)
}

// Forfeit is Forget, but what waits to be fetched goes to the outbox.
func (f *Frontier) Forfeit(ctx context.Context, of func(webgraph.Host) bool) error {
	return f.giveUp(ctx, of, true)
}

func (f *Frontier) giveUp(ctx context.Context, of func(webgraph.Host) bool, send bool) error {
	ids, err := f.others(ctx, of)
	if err != nil {
		return err
	}
	m := &mover{f: f, ctx: ctx, of: cached(of), do: func(t *txn, p place, rec *Record) { t.giveUp(p, rec, send) }}
	for _, in := range []bucket{doneBucket, dueBucket} { // links move from done to due to queue, not back
		if err := m.bucket(in, func(st State) bool { return st != Sent }); err != nil {
			return err
		}
	}
	if err := m.queues(ids); err != nil {
		return err
	}
	if err := m.flush(); err != nil {
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

// others returns the known hosts that of holds of, and refuses those that are owned
// or in hand.
func (f *Frontier) others(ctx context.Context, of func(webgraph.Host) bool) (ids []hostID, err error) {
	if err := f.usable(ctx); err != nil {
		return nil, err
	}
	if n := f.InHand(of); n > 0 {
		return nil, fmt.Errorf("frontier: %d requests to hosts that are given away are in hand; call Own first, and wait for them", n)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.hosts.hosts {
		if !of(e.name) {
			continue
		}
		if !e.foreign {
			return nil, fmt.Errorf("frontier: %s is owned and cannot be given away; call Own first", e.name)
		}
		ids = append(ids, e.id)
	}
	return ids, nil
}

// giveUp makes a link that another owns one that was, or is to be, sent.
func (t *txn) giveUp(p place, rec *Record, send bool) {
	hash := t.hash(rec.URL)
	s := t.seen.get(hash)
	at, ok := t.place(s, hostOf(rec.URL))
	if !ok || at != p || t.owns(hostOf(rec.URL)) {
		return // it has moved meanwhile
	}
	if p.in == doneBucket {
		t.strip(hash, rec)
		t.b.putRecord(p, rec)
		t.seen.set(hash, s.at, rec.Seq, wasSent)
		return
	}
	t.remove(s, rec.URL)
	if send {
		t.send(hash, rec)
		return
	}
	t.sent(hash, rec)
}

// emptyHosts forgets how much was fetched of hosts: their next owner counts that.
func (t *txn) emptyHosts(ids []hostID) {
	for _, id := range ids {
		e := t.hosts.hosts[id]
		if !e.foreign || e.fetched == 0 && e.bytes == 0 {
			continue
		}
		h := e.record()
		if h.Fetched > 0 {
			t.count.hosts--
		}
		h.Fetched, h.Bytes = 0, 0
		t.hosts.become(e, h)
	}
}

// become replaces a host's record.
func (s *schedule) become(e *entry, h Host) {
	s.update(e, time.Time{}, func(Host, time.Time) Host { return h })
}

// Resend makes links of some hosts that were ever sent wait again, in several commits:
// in the outbox, or to be fetched where the host is owned. It may be repeated until it
// has returned nil: notes come with the last commit. It returns how many links it was.
func (f *Frontier) Resend(ctx context.Context, of func(webgraph.Host) bool, notes ...crawler.Note) (int, error) {
	if err := checkNotes(notes); err != nil {
		return 0, err
	}
	if err := f.usable(ctx); err != nil {
		return 0, err
	}
	n := 0
	m := &mover{f: f, ctx: ctx, of: cached(of), do: func(t *txn, p place, rec *Record) {
		hash := t.hash(rec.URL)
		if s := t.seen.get(hash); s.standing() != wasSent || s.at != p.number() {
			return
		}
		t.b.delete(p)
		rec.Seq = t.count.seq
		t.count.seq++
		t.admit(hash, rec)
		n++
	}}
	if err := m.bucket(doneBucket, func(st State) bool { return st == Sent }); err != nil {
		return n, err
	}
	return n, m.flush(notes...)
}

// A mover finds links of some hosts, without keeping others from the frontier, and
// changes them many at a time.
type mover struct {
	f   *Frontier
	ctx context.Context
	of  func(webgraph.Host) bool
	// do changes a link; its record was at p when it was looked for, and is there now.
	do     func(t *txn, p place, rec *Record)
	places []place
}

// queues finds the links in the queues of hosts.
func (m *mover) queues(ids []hostID) error {
	for _, id := range ids {
		err := m.walk(queuePlace(id, linkKey{}), func(p place) bool { host, _ := p.link(); return host == id }, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket finds the links of the mover's hosts in a bucket, as it is now, whose state
// is wanted.
func (m *mover) bucket(in bucket, want func(State) bool) error {
	m.f.mu.Lock()
	end := m.f.count.done
	m.f.mu.Unlock()
	within := func(p place) bool { return in != doneBucket || p.number() < end } // what is put behind it is no news
	return m.walk(place{in: in}, within, func(st State, url []byte) bool { return want(st) && m.of(hostOf(string(url))) })
}

// walk finds the links from a place on, as long as they are within; nil wants all.
func (m *mover) walk(from place, within func(place) bool, want func(State, []byte) bool) error {
	for more := true; more; {
		more = false
		err := m.f.db.View(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucketNames[from.in]).Cursor()
			k, v := c.Seek(from.bytes())
			for n := 0; k != nil; k, v = c.Next() {
				p := placeOf(from.in, k)
				if !within(p) {
					return nil
				}
				if n++; n > maxRead || len(m.places) >= maxMoved {
					from, more = p, true
					return nil
				}
				st, url, err := peekURL(v)
				if err != nil {
					return brokenAt(from.in, k, err)
				}
				if want == nil || want(st, url) {
					m.places = append(m.places, p)
				}
			}
			return nil
		})
		if err == nil && len(m.places) >= maxMoved {
			err = m.flush()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flush changes the links found, and commits notes with them.
func (m *mover) flush(notes ...crawler.Note) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	places := m.places
	m.places = m.places[:0]
	return m.f.commit(nil, func(t *txn) error {
		for _, p := range places {
			if t.r.get(p) == nil {
				continue
			}
			rec, err := t.r.record(p)
			if err != nil {
				return err
			}
			m.do(t, p, &rec)
		}
		t.b.notes = append(t.b.notes, notes...)
		return nil
	})
}

// brokenAt says where a broken record is.
func brokenAt(in bucket, key []byte, err error) error {
	return fmt.Errorf("frontier: %s %x: %w; run eventseer check", bucketNames[in], key, err)
}
