package frontier

import (
	"fmt"
	"slices"

	"eventseer/crawler"
)

// maxSweep is the most links moved in one commit of a sweep.
const maxSweep = 10000

// sweep moves the links whose time has come into the queue, takes back leases
// that have run out, and sets links aside whose depth has no budget left.
func (t *txn) sweep() error {
	if err := t.sweepDue(); err != nil {
		return err
	}
	if err := t.sweepLeases(); err != nil || t.b.len() > 0 {
		return err // what is set aside is read from disk alone: next time
	}
	return t.setAside()
}

func (t *txn) sweepDue() error {
	if t.nextDue == 0 || !t.o.NoWait && t.nextDue > t.now.UnixNano() {
		return nil
	}
	return t.moveDue(place{in: dueBucket}, func(at uint64) bool {
		return at != held && (t.o.NoWait || int64(at) <= t.now.UnixNano())
	})
}

// moveDue moves links from due into the queue, as long as may says so of their
// time.
func (t *txn) moveDue(from place, may func(at uint64) bool) error {
	var places []place
	disk := &reader{tx: t.r.tx} // nothing of this batch is in due yet
	disk.scan(from, func(p place) bool {
		if at, _ := p.due(); !may(at) {
			return false
		}
		places = append(places, p)
		return len(places) < maxSweep
	})
	for _, p := range places {
		rec, err := t.r.record(p)
		if err != nil {
			return err
		}
		t.b.delete(p)
		t.enqueue(t.hash(rec.URL), &rec)
	}
	t.times = true
	return nil
}

func (t *txn) sweepLeases() error {
	for t.forgetEnded(); len(t.ending) > 0 && t.ending[0].expiry <= t.now.UnixNano(); t.forgetEnded() {
		late := t.ending[0]
		h := t.leases[late.hash]
		t.release(late.hash, h)
		t.unclaim(h)
		t.hosts.back(h.host, t.now)
		t.late[late] = true
		if h.rec.Tries++; h.rec.Tries >= t.o.MaxTries {
			t.end(late.hash, h, crawler.Outcome{Fate: crawler.Gone, At: t.now, Reason: fmt.Sprintf("gave up after %d tries: no answer within %v", h.rec.Tries, t.o.LeaseTime)})
			continue
		}
		h.rec.Seq = t.count.seq
		t.count.seq++
		t.enqueue(late.hash, &h.rec)
	}
	return nil
}

// setAside moves the best links of hosts that may be asked out of the queue
// while the budget of their depth is used up.
func (t *txn) setAside() error {
	if t.o.PerDepth == 0 {
		return nil
	}
	disk := &reader{tx: t.r.tx}
	for range maxSweep {
		id, ok := t.hosts.pick(t.now)
		if !ok {
			return nil
		}
		k, _ := t.hosts.best(id)
		p := queuePlace(id, k)
		rec, err := t.r.record(p)
		if err != nil || !t.spent(&rec) {
			return err
		}
		t.b.delete(p)
		rec.Held = true
		t.wait(t.hash(rec.URL), &rec)
		next, more := t.head(disk, id, k.next())
		t.hosts.head(id, next, more)
		t.stale = append(t.stale, id)
	}
	return nil
}

// putBack puts the links in hand back, to be the first next time.
func (t *txn) putBack() error {
	hashes := make([]uint64, 0, len(t.leases))
	for hash := range t.leases {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b uint64) int { return int(t.leases[a].rec.Seq) - int(t.leases[b].rec.Seq) })
	for _, hash := range hashes {
		h := t.leases[hash]
		t.release(hash, h)
		h.rec.Interrupted = true
		t.enqueue(hash, &h.rec)
		t.hosts.back(h.host, t.now)
	}
	return nil
}
