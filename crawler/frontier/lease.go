package frontier

import (
	"context"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// leaseLag is the longest that a lease is kept in memory only.
const leaseLag = time.Second

// A hand is what is handed out: all of it in memory, little by little on disk.
type hand struct {
	leases map[uint64]*lease   // by hash of the URL
	loose  []uint64            // those not on disk, in order
	hidden map[uint64]struct{} // seqs in the queue on disk that Next must not see: loose or claimed
	claims map[uint64]claim    // by hash of the claimed URL
	late   map[lateLease]bool  // taken back, their Done not seen yet
	ending []lateLease         // when leases run out, in order; some have ended
	depth  [depths]uint64      // leases by depth
	timer  *time.Timer         // runs while there are loose leases
}

// A lease is a link in hand.
type lease struct {
	rec    Record
	host   hostID
	at     place  // in queue while it is loose, else in lease
	claims uint64 // hash of the URL it claims, 0 for none
	asked  bool   // it has used its request, or had a turn instead
}

// A lateLease names one lease of a URL.
type lateLease struct {
	hash   uint64
	expiry int64
}

func newHand() hand {
	return hand{
		leases: make(map[uint64]*lease), hidden: make(map[uint64]struct{}),
		claims: make(map[uint64]claim), late: make(map[lateLease]bool),
	}
}

func depthOf(r *Record) int { return min(r.Depth, depths-1) }

// Next leases the best link that is due; see crawler.Frontier. Where all links
// that wait are held by budgets or by hosts that do not answer it returns
// crawler.ErrDrained; they stay in the file.
func (f *Frontier) Next(ctx context.Context) (crawler.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return crawler.Lease{}, err
		}
		l, p, err := f.try()
		switch {
		case err == nil && p.sweep:
			err = f.commit(nil, (*txn).sweep)
		case err == nil && p.changed != nil:
			err = p.wait(ctx)
		default:
			return l, err
		}
		if err != nil {
			return crawler.Lease{}, err
		}
	}
}

// A pause says what to do before the next try: to sweep, or to wait until the
// frontier changes or some time has passed.
type pause struct {
	sweep   bool
	changed <-chan struct{}
	length  time.Duration // 0 means until a change
}

func (p *pause) wait(ctx context.Context) error {
	var due <-chan time.Time
	if p.length > 0 {
		timer := time.NewTimer(p.length)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.changed:
	case <-due:
	}
	return nil
}

// try leases a link, or says what to do for one.
func (f *Frontier) try() (l crawler.Lease, p pause, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	if f.err != nil {
		return l, p, f.err
	}
	if f.overdue(now) {
		return l, pause{sweep: true}, nil
	}
	if id, ok := f.hosts.pick(now); ok {
		return f.lend(id, now)
	}
	at, live := f.hosts.due()
	if !live && len(f.leases) == 0 && (f.nextDue == 0 || f.o.Floor != 0) {
		return l, p, crawler.ErrDrained
	}
	return l, f.pause(now, at), nil
}

// overdue reports whether a link in due or a lease has come to its time.
func (f *Frontier) overdue(now time.Time) bool {
	if f.nextDue != 0 && (f.o.NoWait || f.nextDue <= now.UnixNano()) {
		return true
	}
	f.forgetEnded()
	return len(f.ending) > 0 && f.ending[0].expiry <= now.UnixNano()
}

// forgetEnded drops the leases at the front of ending that are no more.
func (f *Frontier) forgetEnded() {
	for len(f.ending) > 0 {
		h := f.leases[f.ending[0].hash]
		if h != nil && h.rec.Expiry.UnixNano() == f.ending[0].expiry {
			return
		}
		f.ending = f.ending[1:]
	}
}

// pause lasts until a host, a link in due or the end of a lease.
func (f *Frontier) pause(now, host time.Time) pause {
	var first int64
	if !host.IsZero() {
		first = host.UnixNano()
	}
	if f.nextDue != 0 && (first == 0 || f.nextDue < first) {
		first = f.nextDue
	}
	if len(f.ending) > 0 && (first == 0 || f.ending[0].expiry < first) {
		first = f.ending[0].expiry
	}
	p := pause{changed: f.changed}
	if first != 0 {
		p.length = max(time.Duration(first-now.UnixNano()), time.Nanosecond)
	}
	return p
}

// lend hands out the best link of a host.
func (f *Frontier) lend(id hostID, now time.Time) (l crawler.Lease, p pause, err error) {
	r, err := f.reader()
	if err != nil {
		return l, p, err
	}
	defer r.close()
	k, _ := f.hosts.best(id)
	h := &lease{host: id, at: queuePlace(id, k)}
	if h.rec, err = r.record(h.at); err != nil {
		return l, p, err
	}
	if f.spent(&h.rec) {
		return l, pause{sweep: true}, nil
	}
	next, more := f.head(r, id, k.next())
	f.hosts.head(id, next, more)
	f.hosts.lease(id, now)
	hash := f.hash(h.rec.URL)
	h.rec.State, h.rec.Owner, h.rec.Expiry = Leased, f.o.Owner, now.Add(f.o.LeaseTime)
	f.leases[hash] = h
	f.hidden[k.seq] = struct{}{}
	f.seen.set(hash, 0, k.seq, isLeased)
	f.depth[depthOf(&h.rec)]++
	f.ending = append(f.ending, lateLease{hash, h.rec.Expiry.UnixNano()})
	if f.loose = append(f.loose, hash); f.timer == nil {
		f.timer = time.AfterFunc(leaseLag, f.writeLeases)
	}
	return h.rec.lease(), p, nil
}

// spent reports whether the budget of a link's depth is used up.
func (f *Frontier) spent(r *Record) bool {
	d := depthOf(r)
	return f.o.PerDepth > 0 && f.count.depth[d]+f.depth[d] >= uint64(f.o.PerDepth)
}

// writeLeases commits the leases that have waited for a commit long enough. An
// error breaks the frontier, so the next method called returns it.
func (f *Frontier) writeLeases() { _ = f.commit(nil, func(*txn) error { return nil }) }

func (f *Frontier) stopTimer() {
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
}

// flush puts the loose leases on disk.
func (t *txn) flush() {
	for _, hash := range t.loose {
		h := t.leases[hash]
		if h == nil || h.at.in == leaseBucket {
			continue
		}
		t.b.delete(h.at)
		delete(t.hidden, h.rec.Seq)
		h.at = numbered(leaseBucket, h.rec.Seq)
		t.b.putRecord(h.at, &h.rec)
	}
	t.loose = t.loose[:0]
	t.stopTimer()
}

// release takes a lease out of hand; its record is to be put elsewhere.
func (t *txn) release(hash uint64, h *lease) {
	t.b.delete(h.at)
	if h.at.in == queueBucket {
		delete(t.hidden, h.rec.Seq)
	}
	delete(t.leases, hash)
	t.depth[depthOf(&h.rec)]--
	h.rec.Owner, h.rec.Expiry = "", time.Time{}
}

// Turn reports whether a host may be asked besides the page of l; see
// crawler.Frontier. It is refused to a lease that was taken back, and for a host
// that is not owned.
func (f *Frontier) Turn(l crawler.Lease, host webgraph.Host) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.leases[f.hash(l.URL)]
	if f.err != nil || h == nil || !h.rec.Expiry.Equal(l.Expiry) || host == "" || !f.owns(host) {
		return false
	}
	now := f.o.Now()
	id := f.hostID(host, now)
	ok := f.hosts.turn(h.host, id, now, h.asked)
	h.asked = h.asked || ok || id == h.host
	return ok
}
