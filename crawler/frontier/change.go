package frontier

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Push adds links; see crawler.Frontier. Links without a host and those longer than webgraph.MaxURL
// are left out. A link waiting for another attempt or visit keeps its time; otherwise the earlier
// time counts.
func (f *Frontier) Push(ctx context.Context, cs []crawler.Candidate) error {
	if err := ctx.Err(); err != nil || len(cs) == 0 {
		return err
	}
	return f.commit(nil, func(t *txn) error { return t.applyChanges(crawler.Changes{Push: cs}) })
}

// applyChanges applies the changes of one page.
func (t *txn) applyChanges(ch crawler.Changes) error {
	for i := range ch.Push {
		if err := t.pushLink(&ch.Push[i]); err != nil {
			return err
		}
	}
	for _, c := range ch.Rescore {
		if err := t.rescoreLink(c); err != nil {
			return err
		}
	}
	for _, url := range ch.Drop {
		if err := t.dropLink(url); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) pushLink(c *crawler.Candidate) error {
	if len(c.URL) > webgraph.MaxURL {
		return nil
	}
	hash, score := t.hashURL(c.URL), crawler.ClampDueScore(c.Score)
	s := t.seen.get(hash)
	switch st := s.linkState(); {
	case st == unseen:
		if hostOf(c.URL) == "" {
			return nil
		}
		rec := Record{URL: c.URL, Seq: t.count.seq, Due: c.Due}
		t.count.seq++
		rec.setOrigin(*c, score)
		t.addLink(hash, &rec)
		return nil
	case st == isAway || st == wasSent:
		return t.pushForeignLink(hash, s, c, score)
	case st == inQueue && s.at != 0 && hosts.Rank(score) < s.at, st == inDue:
		return t.raiseScore(hash, s, c, score)
	case (st.isEnded() || st == wasDropped || st == isAlias) && c.How == crawler.Monitor:
		return t.requeueEnded(hash, s, c, score, 0)
	case st.isEnded() && c.How == crawler.Seed && !c.Again.IsZero():
		return t.visitSeedAgain(hash, s, c, score)
	}
	return nil
}

// visitSeedAgain queues a seed again that was fetched before Candidate.Again, or that failed and
// whose back-off, which doubles with its attempts, has passed.
func (t *txn) visitSeedAgain(hash uint64, s tableEntry, c *crawler.Candidate, score float64) error {
	rec, ok, err := t.recordOf(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	tries := 0
	if rec.Fate == crawler.Gone {
		tries = max(1, rec.Tries)
		if t.now.Before(rec.At.Add(min(t.o.Backoff<<min(tries-1, 16), MaxRetry))) {
			return nil
		}
	} else if !rec.At.Before(c.Again) {
		return nil
	}
	return t.requeueEnded(hash, s, c, score, tries)
}

// raiseScore raises the score of a waiting link, or makes it due earlier.
func (t *txn) raiseScore(hash uint64, s tableEntry, c *crawler.Candidate, score float64) error {
	old, ok, err := t.recordOf(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	rec := old
	if score > rec.Score {
		if rec.Score = score; score > rec.Proposed {
			rec.setOrigin(*c, score)
		}
	}
	fixed := rec.Tries > 0 || rec.Fate != "" && c.How != crawler.Monitor
	if !fixed && c.Due.Before(rec.Due) {
		rec.Due = c.Due
	}
	if rec.Score == old.Score && rec.Due.Equal(old.Due) {
		return nil
	}
	t.removeRecord(s, c.URL)
	t.putBackWaiting(hash, s, &rec)
	return nil
}

// requeueEnded queues an ended link for another visit, or a dropped or alias link for its first. tries is
// its new number of attempts.
func (t *txn) requeueEnded(hash uint64, s tableEntry, c *crawler.Candidate, score float64, tries int) error {
	rec, ok, err := t.recordOf(t.r, s, c.URL)
	if err != nil || !ok {
		return err
	}
	t.removeRecord(s, c.URL)
	rec.Seq, rec.Tries, rec.Crashes, rec.Due, rec.Via = t.count.seq, tries, 0, c.Due, ""
	t.count.seq++
	rec.setOrigin(*c, score)
	if s.linkState().isEnded() {
		t.addWaiting(hash, &rec)
	} else {
		t.addLink(hash, &rec)
	}
	return nil
}

// isWaiting reports whether the link is waiting and may be changed.
func (s tableEntry) isWaiting() bool {
	return s.linkState() == inQueue && s.at != 0 || s.linkState() == inDue
}

// isChangeable reports whether Rescore and Drop may change the link.
func (s tableEntry) isChangeable() bool { return s.isWaiting() || s.linkState() == isAway }

func (t *txn) rescoreLink(c crawler.Candidate) error {
	hash, score := t.hashURL(c.URL), crawler.ClampDueScore(c.Score)
	s := t.seen.get(hash)
	if !s.isChangeable() {
		return nil
	}
	rec, ok, err := t.recordOf(t.r, s, c.URL)
	if err != nil || !ok || rec.Score == score || rec.How == crawler.Seed {
		return err
	}
	t.removeRecord(s, c.URL)
	rec.Score = score
	rec.Explained = cmp.Or(text.CutValid(c.Why, crawler.MaxWhy), rec.Explained)
	t.putBackWaiting(hash, s, &rec)
	return nil
}

func (t *txn) dropLink(url string) error {
	hash := t.hashURL(url)
	s := t.seen.get(hash)
	if !s.isChangeable() {
		return nil
	}
	rec, ok, err := t.recordOf(t.r, s, url)
	if err != nil || !ok {
		return err
	}
	t.removeRecord(s, url)
	rec.State, rec.Due, rec.Held = Dropped, time.Time{}, false
	t.addEnded(hash, &rec)
	return nil
}

// Done ends leases; see crawler.Frontier. Ending a URL that is not leased is an error and changes
// nothing. If the lease had expired, the changes, notes and cost of its End are applied, but its
// link is not changed.
func (f *Frontier) Done(ctx context.Context, ends ...crawler.End) error {
	if err := ctx.Err(); err != nil || len(ends) == 0 {
		return err
	}
	check := func(t *txn) error { return t.checkEnds(ends) }
	return f.commitEnds(len(ends), check, func(t *txn) error {
		for i := range ends {
			if err := t.applyChanges(ends[i].Changes); err != nil {
				return err
			}
			if ends[i].Lease.URL == "" {
				t.b.notes = append(t.b.notes, ends[i].Outcome.Notes...)
				continue
			}
			if err := t.endLease(&ends[i].Lease, ends[i].Outcome); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkEnds rejects invalid ends.
func (t *txn) checkEnds(ends []crawler.End) error {
	twice := make(map[string]bool, len(ends))
	for _, e := range ends {
		if err := checkNotes(e.Outcome.Notes); err != nil {
			return err
		}
		if e.Lease.URL == "" {
			continue
		}
		hash := t.hashURL(e.Lease.URL)
		h := t.leases[hash]
		mine := h != nil && h.rec.Expiry.Equal(e.Lease.Expiry)
		if twice[e.Lease.URL] || !mine && !t.late[leaseID{hash, e.Lease.Expiry.UnixNano()}] {
			return fmt.Errorf("frontier: the link %s is not leased", e.Lease.URL)
		}
		twice[e.Lease.URL] = true
	}
	return nil
}

func (t *txn) endLease(l *crawler.Lease, o crawler.Outcome) error {
	hash := t.hashURL(l.URL)
	t.count.spent += o.Cost
	t.b.notes = append(t.b.notes, o.Notes...)
	late := leaseID{hash, l.Expiry.UnixNano()}
	if t.late[late] {
		delete(t.late, late)
		return nil
	}
	h := t.leases[hash]
	t.releaseLease(hash, h)
	t.reportToSchedule(h, &o)
	if o.Fate != crawler.Deferred {
		h.rec.Tries++
	}
	if o.Fate == crawler.TryLater && h.rec.Tries >= t.o.MaxTries {
		o.Fate, o.Reason = crawler.Gone, fmt.Sprintf("gave up after %d tries: %s", h.rec.Tries, o.Reason)
	}
	switch o.Fate {
	case crawler.Deferred:
		t.enqueue(hash, &h.rec)
	case crawler.TryLater:
		t.requeueLater(hash, &h.rec, o)
	default:
		t.storeFinalOutcome(hash, h, o)
	}
	if o.Fate.HasResponse() {
		if err := t.markAliases(h, &o); err != nil {
			return err
		}
		if err := t.storeFirstText(hash, h); err != nil {
			return err
		}
	}
	t.releaseClaim(h)
	return nil
}

// reportToSchedule reports the result of a lease to the schedule.
func (t *txn) reportToSchedule(h *lease, o *crawler.Outcome) {
	by := h.host
	if host := hostOf(o.FinalURL); o.Fate.HasResponse() && host != "" {
		by = t.hostID(host, t.now)
	}
	fetched := t.hosts.Host(by).Fetched
	if t.hosts.EndLease(h.host, by, *o, t.now); fetched == 0 && t.hosts.Host(by).Fetched > 0 {
		t.count.hosts++
	}
}

// storeFinalOutcome writes an outcome that is permanently.
func (t *txn) storeFinalOutcome(hash uint64, h *lease, o crawler.Outcome) {
	clips := len(h.rec.Clips)
	h.rec.applyOutcome(o)
	t.count.ended++
	t.count.clips += uint64(len(h.rec.Clips) - clips)
	t.count.depth[depthOf(&h.rec)]++
	t.addEnded(hash, &h.rec)
}

// requeueLater requeues a link. If the host failed, the host must wait, otherwise only the link.
func (t *txn) requeueLater(hash uint64, rec *Record, o crawler.Outcome) {
	rec.Seq = t.count.seq
	t.count.seq++
	rec.Reason, rec.Status = text.CutValid(o.Reason, MaxReason), o.Status
	if !o.HostFailed {
		delay := t.o.Backoff << min(rec.Tries-1, 16)
		if !o.NotBefore.IsZero() {
			delay = o.NotBefore.Sub(t.now)
		}
		rec.Due = t.now.Add(min(delay, MaxRetry))
	}
	t.addWaiting(hash, rec)
}

// markAliases marks the other addresses of a response as seen.
func (t *txn) markAliases(h *lease, o *crawler.Outcome) error {
	if o.FinalURL == "" && len(o.Redirects) == 0 {
		return nil
	}
	urls := []string{o.FinalURL}
	for _, hop := range o.Redirects {
		urls = append(urls, hop.From, hop.To)
	}
	for i, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil || url == h.rec.URL {
			continue
		}
		if i > 0 && !t.isOwned(hostOf(url)) {
			continue // not fetched here: its owner must still get it
		}
		if err := t.markAlias(h, url); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) markAlias(h *lease, url string) error {
	hash := t.hashURL(url)
	s := t.seen.get(hash)
	claimed := h.claims == hash
	rec := Record{URL: url, Seq: t.count.seq, How: h.rec.How, Depth: h.rec.Depth}
	switch st := s.linkState(); {
	case st == unseen:
		t.count.seq++
	case s.isWaiting(), claimed && (st == inQueue || st == wasDropped), (st == isAway || st == wasSent) && t.isOwned(hostOf(url)):
		old, ok, err := t.recordOf(t.r, s, url)
		if err != nil || !ok {
			return err
		}
		t.removeRecord(s, url)
		rec = old
	default:
		return nil
	}
	rec.State, rec.Via, rec.Due, rec.Held = Alias, h.rec.URL, time.Time{}, false
	rec.Fate, rec.Status, rec.At, rec.Reason = h.rec.Fate, h.rec.Status, h.rec.At, ""
	t.addEnded(hash, &rec)
	return nil
}

// servingHost returns the host that served the page of a record.
func servingHost(r *Record) webgraph.Host {
	if h := hostOf(r.FinalURL); h != "" {
		return h
	}
	return hostOf(r.URL)
}

// storeFirstText stores a page as the first of its host with its text, if it is.
func (t *txn) storeFirstText(hash uint64, h *lease) error {
	if h.rec.Text == 0 {
		return nil
	}
	host := servingHost(&h.rec)
	p := textKey(host, h.rec.Text)
	if rec, err := t.firstWithText(t.r, host, h.rec.Text); err != nil || rec != nil && rec.URL != h.rec.URL {
		return err
	}
	v := binary.BigEndian.AppendUint32(bigEndian64(hash), uint32(h.host))
	t.b.setValue(p, v)
	return nil
}

// firstWithText returns the first page of a host with a text, nil if there is none. It may be
// leased at present.
func (f *Frontier) firstWithText(r *commitReader, host webgraph.Host, text uint64) (*Record, error) {
	v := r.get(textKey(host, text))
	if len(v) != 12 {
		return nil, nil
	}
	hash, id := binary.BigEndian.Uint64(v), hosts.ID(binary.BigEndian.Uint32(v[8:]))
	s := f.seen.get(hash)
	if h := f.leases[hash]; h != nil {
		rec := h.rec
		return recordIfDuplicate(&rec, host, text), nil
	}
	p, ok := f.placeOf(s, "")
	if s.linkState() == inQueue {
		p, ok = queueKey(id, hosts.LinkKey{Rank: s.at, Seq: s.sequence()}), true
	}
	if !ok {
		return nil, nil
	}
	rec, err := r.recordAt(p)
	return recordIfDuplicate(&rec, host, text), err
}

// recordIfDuplicate returns a record if its page has that host and text, otherwise nil.
func recordIfDuplicate(r *Record, host webgraph.Host, text uint64) *Record {
	if r.Text != text || servingHost(r) != host {
		return nil
	}
	return r
}

// FirstWithText returns the first page of a host with that text; see crawler.Frontier.
func (f *Frontier) FirstWithText(ctx context.Context, host webgraph.Host, text uint64) (string, error) {
	if err := ctx.Err(); err != nil || text == 0 || host == "" {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return "", f.err
	}
	r, err := f.beginReading()
	if err != nil {
		return "", err
	}
	defer r.close()
	rec, err := f.firstWithText(r, host, text)
	if rec == nil || err != nil {
		return "", err
	}
	if rec.FinalURL != "" {
		return rec.FinalURL, nil
	}
	return rec.URL, nil
}
