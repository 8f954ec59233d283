package frontier

import (
	"context"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// A claim says that a URL answered the lease of another.
type claim struct {
	url    string
	holder uint64 // hash of the leased URL
}

// Claim says that the answer to l came from url; see crawler.Frontier. What is
// claimed is as it was before if l does not end there.
func (f *Frontier) Claim(ctx context.Context, l crawler.Lease, url string) (mine bool, err error) {
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
	holder, hash := f.hash(l.URL), f.hash(url)
	h := f.leases[holder]
	if h == nil || !h.rec.Expiry.Equal(l.Expiry) {
		return false, nil // taken back: the answer is of no use
	}
	if c, claimed := f.claims[hash]; claimed {
		return c.holder == holder, nil
	}
	s := f.seen.get(hash)
	switch s.standing() {
	case unseen, inQueue, inDue, wasDropped:
	case isAway, wasSent:
		if !f.owns(hostOf(url)) {
			return false, nil // its owner fetches it
		}
	default:
		return s.standing() == wasGone || s.standing() == wasRefused, nil
	}
	f.unclaim(h)
	h.claims = hash
	f.claims[hash] = claim{url, holder}
	if s.standing() == inQueue {
		err = f.hide(s, url)
	}
	return err == nil, err
}

// hide keeps a link in the queue from being handed out.
func (f *Frontier) hide(s slot, url string) error {
	f.hidden[s.seq()] = struct{}{}
	id, _ := f.hosts.find(hostOf(url))
	k := linkKey{s.at, s.seq()}
	if best, ok := f.hosts.best(id); !ok || best != k {
		return nil
	}
	r, err := f.reader()
	if err != nil {
		return err
	}
	defer r.close()
	next, more := f.head(r, id, k.next())
	f.hosts.head(id, next, more)
	return nil
}

// unclaim lets go what a lease has claimed.
func (f *Frontier) unclaim(h *lease) {
	hash := h.claims
	c, ok := f.claims[hash]
	if !ok {
		return
	}
	delete(f.claims, hash)
	h.claims = 0
	if s := f.seen.get(hash); s.standing() == inQueue {
		delete(f.hidden, s.seq())
		id, _ := f.hosts.find(hostOf(c.url))
		f.show(id, linkKey{s.at, s.seq()}, hash)
	}
}

// claimedWaiting returns how many claimed URLs would wait if they were not.
func (f *Frontier) claimedWaiting() (n int) {
	for hash := range f.claims {
		if s := f.seen.get(hash).standing(); s == inQueue || s == inDue {
			n++
		}
	}
	return n
}
