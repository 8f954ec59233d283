package frontier

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"
)

// leaseLag is the longest time that a lease is in memory only.
const leaseLag = time.Second

// leaseTable holds outstanding leases. They are written to disk with later commits.
type leaseTable struct {
	leases map[uint64]*lease       // by hash of the URL
	loose  []uint64                // leases not on disk, in order
	hidden map[uint64]struct{}     // sequence numbers in the queue on disk that Next must skip: unsaved leases or claims
	claims map[uint64]addressClaim // by hash of the claimed URL
	late   map[leaseID]bool        // expired leases for which Done was not called yet
	ending []leaseID               // expiry times of leases, in order; some may have ended
	depth  [depths]uint64          // leases by depth
	timer  *time.Timer             // runs while there are unsaved leases
}

// A lease is a leased link.
type lease struct {
	rec    Record
	host   hosts.ID
	at     bucketKey // in queue while it is unsaved, otherwise in lease
	claims uint64    // hash of the URL it claims, 0 if none
	asked  bool      // it has used its own request, or another host's instead
}

// A leaseID identifies one lease of a URL.
type leaseID struct {
	hash   uint64
	expiry int64
}

func newLeaseTable() leaseTable {
	return leaseTable{
		leases: make(map[uint64]*lease), hidden: make(map[uint64]struct{}),
		claims: make(map[uint64]addressClaim), late: make(map[leaseID]bool),
	}
}

func depthOf(r *Record) int { return min(r.Depth, depths-1) }

// Next leases the best due link; see crawler.Frontier. If all waiting links are held by budgets or
// by hosts that do not respond, it returns crawler.ErrDrained; the links stay in the file.
func (f *Frontier) Next(ctx context.Context) (crawler.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return crawler.Lease{}, err
		}
		l, p, err := f.tryLease()
		switch {
		case err == nil && p.sweep:
			err = f.commit(nil, (*txn).sweepDueAndExpired)
		case err == nil && p.changed != nil:
			err = p.waitUntil(ctx)
		default:
			return l, err
		}
		if err != nil {
			return crawler.Lease{}, err
		}
	}
}

// A waitPlan is what Next does before its next attempt: sweep, or wait until the frontier changes or
// some time has passed.
type waitPlan struct {
	sweep   bool
	changed <-chan struct{}
	length  time.Duration // 0 means until a change
}

func (p *waitPlan) waitUntil(ctx context.Context) error {
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

// tryLease leases a link, or returns how to wait for one.
func (f *Frontier) tryLease() (l crawler.Lease, p waitPlan, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	if f.err != nil {
		return l, p, f.err
	}
	if f.hasOverdue(now) {
		return l, waitPlan{sweep: true}, nil
	}
	if id, ok := f.hosts.BestHost(now); ok {
		return f.leaseFromHost(id, now)
	}
	at, live := f.hosts.NextDue()
	if !live && len(f.leases) == 0 && (f.nextDue == 0 || f.o.Floor != 0) {
		return l, p, crawler.ErrDrained
	}
	return l, f.planWait(now, at), nil
}

// hasOverdue reports whether a link in due or a lease has reached its time.
func (f *Frontier) hasOverdue(now time.Time) bool {
	if f.nextDue != 0 && (f.o.NoWait || f.nextDue <= now.UnixNano()) {
		return true
	}
	f.forgetEnded()
	return len(f.ending) > 0 && f.ending[0].expiry <= now.UnixNano()
}

// forgetEnded drops ended leases at the front of ending.
func (f *Frontier) forgetEnded() {
	for len(f.ending) > 0 {
		h := f.leases[f.ending[0].hash]
		if h != nil && h.rec.Expiry.UnixNano() == f.ending[0].expiry {
			return
		}
		f.ending = f.ending[1:]
	}
}

// planWait returns the wait for a host, a link in due or the expiry of a lease.
func (f *Frontier) planWait(now, host time.Time) waitPlan {
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
	p := waitPlan{changed: f.changed}
	if first != 0 {
		p.length = max(time.Duration(first-now.UnixNano()), time.Nanosecond)
	}
	return p
}

// leaseFromHost leases the best link of a host.
func (f *Frontier) leaseFromHost(id hosts.ID, now time.Time) (l crawler.Lease, p waitPlan, err error) {
	r, err := f.beginReading()
	if err != nil {
		return l, p, err
	}
	defer r.close()
	k, _ := f.hosts.BestLink(id)
	h := &lease{host: id, at: queueKey(id, k)}
	if h.rec, err = r.recordAt(h.at); err != nil {
		return l, p, err
	}
	if f.isDepthSpent(&h.rec) {
		return l, waitPlan{sweep: true}, nil
	}
	next, more := f.firstWaitingLink(r, id, k.Next())
	f.hosts.SetBestLink(id, next, more)
	f.hosts.BeginLease(id, now)
	hash := f.hashURL(h.rec.URL)
	h.rec.State, h.rec.Owner, h.rec.Expiry = Leased, f.o.Owner, now.Add(f.o.LeaseTime)
	f.leases[hash] = h
	f.hidden[k.Seq] = struct{}{}
	f.seen.set(hash, 0, k.Seq, isLeased)
	f.depth[depthOf(&h.rec)]++
	f.ending = append(f.ending, leaseID{hash, h.rec.Expiry.UnixNano()})
	if f.loose = append(f.loose, hash); f.timer == nil {
		f.timer = time.AfterFunc(leaseLag, f.writeLeases)
	}
	return h.rec.toLease(), p, nil
}

// isDepthSpent reports whether the budget for a link's depth is used up.
func (f *Frontier) isDepthSpent(r *Record) bool {
	d := depthOf(r)
	return f.o.PerDepth > 0 && f.count.depth[d]+f.depth[d] >= uint64(f.o.PerDepth)
}

// writeLeases commits the leases that have waited for leaseLag. An error breaks the frontier, so
// the next method called returns it.
func (f *Frontier) writeLeases() { _ = f.commit(nil, func(*txn) error { return nil }) }

func (f *Frontier) stopTimer() {
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
}

// writeUnsavedLeases writes the unsaved leases.
func (t *txn) writeUnsavedLeases() {
	for _, hash := range t.loose {
		h := t.leases[hash]
		if h == nil || h.at.in == leaseBucket {
			continue
		}
		t.b.delete(h.at)
		delete(t.hidden, h.rec.Seq)
		h.at = numberedKey(leaseBucket, h.rec.Seq)
		t.b.putRecord(h.at, &h.rec)
	}
	t.loose = t.loose[:0]
	t.stopTimer()
}

// releaseLease ends a lease; the caller stores its record elsewhere.
func (t *txn) releaseLease(hash uint64, h *lease) {
	t.b.delete(h.at)
	if h.at.in == queueBucket {
		delete(t.hidden, h.rec.Seq)
	}
	delete(t.leases, hash)
	t.depth[depthOf(&h.rec)]--
	h.rec.Owner, h.rec.Expiry = "", time.Time{}
}

// MayRequest reports whether a host may be requested besides the page of l; see crawler.Frontier. It
// returns false for an expired lease and for a host that is not owned.
func (f *Frontier) MayRequest(l crawler.Lease, host webgraph.Host) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.leases[f.hashURL(l.URL)]
	if f.err != nil || h == nil || !h.rec.Expiry.Equal(l.Expiry) || host == "" || !f.isOwned(host) {
		return false
	}
	now := f.o.Now()
	id := f.hostID(host, now)
	ok := f.hosts.GrantRequest(h.host, id, now, h.asked)
	h.asked = h.asked || ok || id == h.host
	return ok
}

// An addressClaim records that a URL was the response to the lease of another.
type addressClaim struct {
	url    string
	holder uint64 // hash of the leased URL
}

// RecordAddress records that the response for l came from url; see crawler.Frontier. If l does not end
// there, the claimed URL becomes as it was before.
func (f *Frontier) RecordAddress(ctx context.Context, l crawler.Lease, url string) (mine bool, err error) {
	if url == l.URL || len(url) > webgraph.MaxURL || hostOf(url) == "" {
		return true, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return false, f.err
	}
	holder, hash := f.hashURL(l.URL), f.hashURL(url)
	h := f.leases[holder]
	if h == nil || !h.rec.Expiry.Equal(l.Expiry) {
		return false, nil // expired: the response is not used
	}
	if c, claimed := f.claims[hash]; claimed {
		return c.holder == holder, nil
	}
	s := f.seen.get(hash)
	switch s.linkState() {
	case unseen, inQueue, inDue, wasDropped:
	case isAway, wasSent:
		if !f.isOwned(hostOf(url)) {
			return false, nil // its owner fetches it
		}
	default:
		return s.linkState() == wasGone || s.linkState() == wasRefused, nil
	}
	f.releaseClaim(h)
	h.claims = hash
	f.claims[hash] = addressClaim{url, holder}
	if s.linkState() == inQueue {
		err = f.hideLink(s, url)
	}
	return err == nil, err
}

// hideLink keeps a link in the queue from being leased.
func (f *Frontier) hideLink(s tableEntry, url string) error {
	f.hidden[s.sequence()] = struct{}{}
	id, _ := f.hosts.Find(hostOf(url))
	k := hosts.LinkKey{Rank: s.at, Seq: s.sequence()}
	if best, ok := f.hosts.BestLink(id); !ok || best != k {
		return nil
	}
	r, err := f.beginReading()
	if err != nil {
		return err
	}
	defer r.close()
	next, more := f.firstWaitingLink(r, id, k.Next())
	f.hosts.SetBestLink(id, next, more)
	return nil
}

// releaseClaim releases the URL that a lease has claimed.
func (f *Frontier) releaseClaim(h *lease) {
	hash := h.claims
	c, ok := f.claims[hash]
	if !ok {
		return
	}
	delete(f.claims, hash)
	h.claims = 0
	if s := f.seen.get(hash); s.linkState() == inQueue {
		delete(f.hidden, s.sequence())
		id, _ := f.hosts.Find(hostOf(c.url))
		f.makeVisible(id, hosts.LinkKey{Rank: s.at, Seq: s.sequence()}, hash)
	}
}

// countClaimedWaiting returns how many claimed URLs would otherwise be waiting.
func (f *Frontier) countClaimedWaiting() (n int) {
	for hash := range f.claims {
		if s := f.seen.get(hash).linkState(); s == inQueue || s == inDue {
			n++
		}
	}
	return n
}

// maxSweep is the maximum number of links moved in one commit of a sweep.
const maxSweep = 10000

// sweepDueAndExpired moves due links into the queue and takes back expired leases. It sets aside links whose
// depth has no budget left.
func (t *txn) sweepDueAndExpired() error {
	if err := t.sweepDue(); err != nil {
		return err
	}
	if err := t.sweepLeases(); err != nil || t.b.len() > 0 {
		return err // links are set aside from the disk only: next time
	}
	return t.setOverBudgetAside()
}

func (t *txn) sweepDue() error {
	if t.nextDue == 0 || !t.o.NoWait && t.nextDue > t.now.UnixNano() {
		return nil
	}
	return t.moveDue(bucketKey{in: dueBucket}, func(at uint64) bool {
		return at != held && (t.o.NoWait || int64(at) <= t.now.UnixNano())
	})
}

// moveDue moves links from due into the queue, as long as may returns true for their time.
func (t *txn) moveDue(from bucketKey, may func(at uint64) bool) error {
	var places []bucketKey
	disk := &commitReader{tx: t.r.tx} // nothing of this batch is in due yet
	disk.scanKeys(from, func(p bucketKey) bool {
		if at, _ := p.splitDueKey(); !may(at) {
			return false
		}
		places = append(places, p)
		return len(places) < maxSweep
	})
	for _, p := range places {
		rec, err := t.r.recordAt(p)
		if err != nil {
			return err
		}
		t.b.delete(p)
		t.enqueue(t.hashURL(rec.URL), &rec)
	}
	t.times = true
	return nil
}

func (t *txn) sweepLeases() error {
	for t.forgetEnded(); len(t.ending) > 0 && t.ending[0].expiry <= t.now.UnixNano(); t.forgetEnded() {
		late := t.ending[0]
		h := t.leases[late.hash]
		t.releaseLease(late.hash, h)
		t.releaseClaim(h)
		t.hosts.CancelLease(h.host, t.now)
		t.late[late] = true
		if h.rec.Tries++; h.rec.Tries >= t.o.MaxTries {
			t.storeFinalOutcome(late.hash, h, crawler.Outcome{Fate: crawler.Gone, At: t.now, Reason: fmt.Sprintf("gave up after %d tries: no answer within %v", h.rec.Tries, t.o.LeaseTime)})
			continue
		}
		h.rec.Seq = t.count.seq
		t.count.seq++
		t.enqueue(late.hash, &h.rec)
	}
	return nil
}

// setOverBudgetAside moves the best links of available hosts out of the queue while the budget of their depth
// is used up.
func (t *txn) setOverBudgetAside() error {
	if t.o.PerDepth == 0 {
		return nil
	}
	disk := &commitReader{tx: t.r.tx}
	for range maxSweep {
		id, ok := t.hosts.BestHost(t.now)
		if !ok {
			return nil
		}
		k, _ := t.hosts.BestLink(id)
		p := queueKey(id, k)
		rec, err := t.r.recordAt(p)
		if err != nil || !t.isDepthSpent(&rec) {
			return err
		}
		t.b.delete(p)
		rec.Held = true
		t.addWaiting(t.hashURL(rec.URL), &rec)
		next, more := t.firstWaitingLink(disk, id, k.Next())
		t.hosts.SetBestLink(id, next, more)
		t.stale = append(t.stale, id)
	}
	return nil
}

// requeueLeased returns the leased links to the queue, to be the first next time.
func (t *txn) requeueLeased() error {
	hashes := make([]uint64, 0, len(t.leases))
	for hash := range t.leases {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b uint64) int { return int(t.leases[a].rec.Seq) - int(t.leases[b].rec.Seq) })
	for _, hash := range hashes {
		h := t.leases[hash]
		t.releaseLease(hash, h)
		h.rec.Interrupted = true
		t.enqueue(hash, &h.rec)
		t.hosts.CancelLease(h.host, t.now)
	}
	return nil
}

// requeueInterrupted queues the links leased when the last process ended, before all others. Those
// interrupted too often are Gone.
func (t *txn) requeueInterrupted() error {
	var places []bucketKey
	t.r.scanKeys(bucketKey{in: leaseBucket}, func(p bucketKey) bool {
		places = append(places, p)
		return true
	})
	for _, p := range places {
		rec, err := t.r.recordAt(p)
		if err != nil {
			return err
		}
		hash := t.hashURL(rec.URL)
		t.b.delete(p)
		if rec.Crashes++; rec.Crashes >= MaxCrashes {
			h := &lease{rec: rec}
			t.storeFinalOutcome(hash, h, crawler.Outcome{Fate: crawler.Gone, At: t.now, Reason: fmt.Sprintf("the process ended %d times while the link was being fetched", rec.Crashes)})
			continue
		}
		rec.Interrupted = t.o.Floor == 0 || rec.Score >= t.o.Floor
		t.enqueue(hash, &rec)
	}
	return nil
}

// restoreAffordable puts links back whose depth has budget again.
func (t *txn) restoreAffordable() (more bool, err error) {
	var places []bucketKey
	disk := &commitReader{tx: t.r.tx}
	disk.scanKeys(dueKey(held, 0), func(p bucketKey) bool {
		rec, e := disk.recordAt(p)
		if err = e; err != nil {
			return false
		}
		if !t.isDepthSpent(&rec) {
			places = append(places, p)
		}
		return len(places) < maxSweep
	})
	for _, p := range places {
		rec, err := t.r.recordAt(p)
		if err != nil {
			return false, err
		}
		t.b.delete(p)
		t.enqueue(t.hashURL(rec.URL), &rec)
	}
	return len(places) == maxSweep, err
}

// Reserve begins a request to a host from outside the crawl, such as for a slice, if the host may
// be requested now. Otherwise it returns when to try again; the time is a lower bound while another
// request to the host is outstanding. Until Release the host counts as leased: the crawl does not
// request it. The request counts against no budget.
func (f *Frontier) Reserve(host webgraph.Host) (wait time.Duration, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return hosts.TryAgain, false
	}
	now := f.o.Now()
	return f.hosts.Reserve(f.hostID(host, now), now)
}

// Release ends a request that Reserve began. The host rests as after a page of the crawl, and
// longer if o says so; o.Unasked says that no request was made. It does nothing if the frontier is
// closed or does not know the request.
func (f *Frontier) Release(host webgraph.Host, o crawler.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, known := f.hosts.Find(host)
	if f.err != nil || !known {
		return
	}
	f.hosts.EndRequest(id, o, f.o.Now())
	f.wakeWaiting()
}
