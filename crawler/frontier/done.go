package frontier

import (
	"context"
	"fmt"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// Claim says that the answer to l came from url; see crawler.Frontier.
func (f *Frontier) Claim(ctx context.Context, l crawler.Lease, url string) (mine bool, err error) {
	if url == l.URL || len(url) > webgraph.MaxURL || webgraph.HostOf(url) == "" {
		return true, ctx.Err()
	}
	err = f.update(ctx, 1, func(t *txn) error {
		holder, err := t.leased(l.URL)
		if err != nil {
			return err
		}
		old, err := t.record(url)
		if err != nil {
			return err
		}
		claim := Record{State: Claimed, Via: l.URL, Seq: t.count.seq, Score: l.Score, Parent: l.Parent, Anchor: l.Anchor, Depth: l.Depth, How: l.How}
		switch {
		case old == nil:
			t.count.seq++
		case old.State == Waiting || old.State == Dropped:
			claim.Seq = old.Seq
		default:
			mine = old.State == Claimed && old.Via == l.URL || old.State == Ended && !answered(old.Fate)
			return nil
		}
		mine = true
		if err := t.unclaim(l.URL, *holder, url); err != nil {
			return err
		}
		rec := *holder
		rec.FinalURL = url
		if err := t.put(l.URL, holder, rec); err != nil {
			return err
		}
		return t.put(url, old, claim)
	})
	return mine, err
}

// unclaim lets go what holder has claimed, unless that is keep: an interrupted
// fetch may lead elsewhere when it is tried again.
func (t *txn) unclaim(holder string, rec Record, keep string) error {
	if rec.FinalURL == "" || rec.FinalURL == keep {
		return nil
	}
	old, err := t.record(rec.FinalURL)
	if err != nil || old == nil || old.State != Claimed || old.Via != holder {
		return err
	}
	free := *old
	free.State, free.Via = Waiting, ""
	return t.put(rec.FinalURL, old, free)
}

// leased returns the record of a link that is leased, else an error.
func (t *txn) leased(url string) (*Record, error) {
	rec, err := t.record(url)
	if err == nil && (rec == nil || rec.State != Leased) {
		err = fmt.Errorf("%s is not leased", url)
	}
	return rec, err
}

// Done ends leases; see crawler.Frontier. Ending what is not leased is an error.
func (f *Frontier) Done(ctx context.Context, ends ...crawler.End) error {
	now := f.o.Now()
	return f.update(ctx, len(ends), func(t *txn) error {
		for _, e := range ends {
			if err := t.change(e.Changes); err != nil {
				return err
			}
			if e.Lease.URL == "" {
				continue
			}
			if err := f.done(t, e.Lease, e.Outcome, now); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *Frontier) done(t *txn, l crawler.Lease, o crawler.Outcome, now time.Time) error {
	old, err := t.leased(l.URL)
	if err != nil {
		return err
	}
	final := o.FinalURL
	if !answered(o.Fate) {
		final = ""
	}
	if err := t.unclaim(l.URL, *old, final); err != nil {
		return err
	}
	t.busy(string(webgraph.HostOf(l.URL)), -1)
	t.count.spent += o.Cost
	if err := t.putNotes(o.Notes); err != nil {
		return err
	}
	rec := *old
	rec.Owner, rec.Expiry, rec.Tries = "", time.Time{}, old.Tries+1
	if o.Fate == crawler.TryLater || o.Fate == crawler.Deferred {
		if o.Fate == crawler.Deferred {
			rec.Tries--
		}
		if rec.Tries < f.o.MaxTries {
			return f.later(t, l.URL, old, rec, o, now)
		}
		o.Fate, o.Reason = crawler.Gone, fmt.Sprintf("gave up after %d tries: %s", rec.Tries, o.Reason)
	}
	rec.end(o)
	if err := t.put(l.URL, old, rec); err != nil {
		return err
	}
	if answered(o.Fate) {
		if err := t.answered(l, o, rec, now, f.o.HostDelay); err != nil {
			return err
		}
	}
	return t.rest(string(webgraph.HostOf(l.URL)), now, f.o.HostDelay)
}

// later puts a link back at the end of its equals and lets its host rest: what
// makes a fetch fail for a time is most often the host's trouble.
func (f *Frontier) later(t *txn, url string, old *Record, rec Record, o crawler.Outcome, now time.Time) error {
	host := string(webgraph.HostOf(url))
	delay := f.o.Backoff << min(old.Tries, 16)
	if !o.NotBefore.IsZero() {
		delay = o.NotBefore.Sub(now)
	}
	if err := t.rest(host, now, min(max(delay, f.o.HostDelay), MaxPause)); err != nil {
		return err
	}
	rec.State, rec.Seq = Waiting, t.count.seq
	rec.Reason, rec.Status, rec.FinalURL = o.Reason, o.Status, ""
	t.count.seq++
	return t.put(url, old, rec)
}

// aliases marks the other addresses of an answer as seen.
func (t *txn) aliases(l crawler.Lease, o crawler.Outcome, rec Record) error {
	urls := []string{o.FinalURL}
	for _, hop := range o.Redirects {
		urls = append(urls, hop.From, hop.To)
	}
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil || url == l.URL {
			continue
		}
		old, err := t.record(url)
		if err != nil {
			return err
		}
		alias := Record{State: Alias, Via: l.URL, Fate: rec.Fate, Status: rec.Status, At: rec.At, Seq: t.count.seq, How: rec.How, Depth: rec.Depth}
		switch {
		case old == nil:
			t.count.seq++
		case old.open() || old.State == Claimed && old.Via == l.URL:
			alias.Seq, alias.Score, alias.Parent, alias.Anchor = old.Seq, old.Score, old.Parent, old.Anchor
		default:
			continue
		}
		if err := t.put(url, old, alias); err != nil {
			return err
		}
	}
	return nil
}

func answered(f crawler.Fate) bool { return f == crawler.Fetched || f == crawler.Unchanged }

// answered marks the addresses of an answer as seen, counts it for its host and
// lets that rest too.
func (t *txn) answered(l crawler.Lease, o crawler.Outcome, rec Record, now time.Time, delay time.Duration) error {
	if err := t.aliases(l, o, rec); err != nil {
		return err
	}
	host := string(webgraph.HostOf(l.URL))
	if h := webgraph.HostOf(o.FinalURL); h != "" {
		host = string(h)
	}
	h, err := t.hostInfo(host)
	if err != nil {
		return err
	}
	if h.Fetched++; h.Fetched == 1 {
		t.count.hosts++
	}
	if err := t.putHost(host, h); err != nil {
		return err
	}
	return t.rest(host, now, delay)
}

func (t *txn) putNotes(notes []crawler.Note) error {
	for _, n := range notes {
		var err error
		if len(n.Value) == 0 {
			err = t.note.Delete([]byte(n.Key))
		} else {
			err = t.note.Put([]byte(n.Key), n.Value)
		}
		if err != nil {
			return fmt.Errorf("note %q: %w", n.Key, err)
		}
	}
	return nil
}
