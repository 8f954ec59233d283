package frontier

import (
	"context"
	"fmt"
	"time"

	"eventseer/crawler"

	"go.etcd.io/bbolt"
)

// Next leases the best link that is due; see crawler.Frontier.
func (f *Frontier) Next(ctx context.Context) (crawler.Lease, error) {
	for {
		l, p, err := f.try(ctx)
		if err != nil || p == nil {
			return l, err
		}
		if err := p.wait(ctx); err != nil {
			return crawler.Lease{}, err
		}
	}
}

// A pause lasts until the frontier changes or a host becomes due.
type pause struct {
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

// try leases a link, or says how long to wait for one.
func (f *Frontier) try(ctx context.Context) (l crawler.Lease, p *pause, err error) {
	if err := ctx.Err(); err != nil {
		return l, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	if !f.foreign.IsZero() && !f.foreign.After(now) {
		if err := f.reclaim(func(r Record) bool { return r.Owner != f.o.Owner && !r.Expiry.After(now) }); err != nil {
			return l, nil, err
		}
	}
	q := f.hosts.pick(now)
	switch {
	case q != nil:
		l, err = f.lease(q, now)
		return l, nil, err
	case f.count.waiting == 0 && f.count.leased == 0:
		return l, nil, crawler.ErrDrained
	}
	return l, f.pause(now), nil
}

func (f *Frontier) pause(now time.Time) *pause {
	p := &pause{changed: f.changed}
	next, ok := f.hosts.due()
	if !f.foreign.IsZero() && (!ok || f.foreign.Before(next)) {
		next, ok = f.foreign, true
	}
	if ok {
		p.length = max(next.Sub(now), time.Nanosecond)
	}
	return p
}

// lease hands out the first link of q's host.
func (f *Frontier) lease(q *hostQueue, now time.Time) (l crawler.Lease, err error) {
	host := q.host
	err = f.commit(func(t *txn) error {
		url := string(t.queue.Get(queueKey(host, q.key)))
		old, err := t.record(url)
		if err != nil {
			return err
		}
		if old == nil {
			return fmt.Errorf("the queue of %s names %q, which has no record; run eventseer check", host, url)
		}
		rec := *old
		rec.State, rec.Interrupted, rec.Owner, rec.Expiry = Leased, false, f.o.Owner, now.Add(f.o.LeaseTime)
		l = crawler.Lease{
			Candidate: crawler.Candidate{URL: url, Score: rec.Score, Parent: rec.Parent, Anchor: rec.Anchor, Depth: rec.Depth, How: rec.How},
			Owner:     rec.Owner, Expiry: rec.Expiry, Tries: rec.Tries,
		}
		t.busy(host, 1)
		if err := t.rest(host, now, f.o.HostDelay); err != nil {
			return err
		}
		return t.put(url, old, rec)
	})
	return l, err
}

// rest moves a host's due time to at least delay from now.
func (t *txn) rest(host string, now time.Time, delay time.Duration) error {
	if delay <= 0 || t.noWait {
		return nil
	}
	h, err := t.hostInfo(host)
	if err != nil {
		return err
	}
	if due := now.Add(delay); due.After(h.Due) {
		h.Due = due
	}
	return t.putHost(host, h)
}

// reclaim puts back the leases that gone says nobody works on, before all
// other links, and finds when the next lease of another owner ends.
func (f *Frontier) reclaim(gone func(Record) bool) error {
	foreign := time.Time{}
	err := f.commit(func(t *txn) error {
		urls, err := keys(t.lease)
		if err != nil {
			return err
		}
		for _, url := range urls {
			old, err := t.record(url)
			if err != nil {
				return err
			}
			if old == nil || !gone(*old) {
				if old != nil && old.Owner != f.o.Owner && (foreign.IsZero() || old.Expiry.Before(foreign)) {
					foreign = old.Expiry
				}
				continue
			}
			rec := *old
			rec.State, rec.Interrupted, rec.Owner, rec.Expiry = Waiting, true, "", time.Time{}
			if err := t.put(url, old, rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		f.foreign = foreign
	}
	return err
}

func keys(b *bbolt.Bucket) (urls []string, err error) {
	err = b.ForEach(func(k, _ []byte) error {
		urls = append(urls, string(k))
		return nil
	})
	return urls, err
}
