package frontier

import (
	"sync"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// Reserve begins a request to a host from outside the crawl, such as that of a slice,
// if the host may be asked now. Otherwise it returns after how long to try again; the
// time is a lower bound while another request to the host is in hand. Until Release
// the host is in hand like that of a lease: the crawl does not ask it. The request
// counts against no budget.
func (f *Frontier) Reserve(host webgraph.Host) (wait time.Duration, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return tryAgain, false
	}
	now := f.o.Now()
	return f.hosts.reserve(f.hostID(host, now), now)
}

// Release ends a request that Reserve began. The host rests as after a page of the
// crawl, and longer if o says so; o.Unasked says that no request was made. Of a
// frontier that is closed or does not know the request it changes nothing.
func (f *Frontier) Release(host webgraph.Host, o crawler.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, known := f.hosts.find(host)
	if f.err != nil || !known {
		return
	}
	f.hosts.unreserve(id, o, f.o.Now())
	f.wake()
}

// tryAgain is the least time until a host is tried again whose request in hand may
// end at any time.
const tryAgain = 20 * time.Millisecond

// reserve begins a request of no lease, if the host may be asked now.
func (s *schedule) reserve(id hostID, now time.Time) (wait time.Duration, ok bool) {
	e := s.hosts[id]
	if s.wait {
		wait = time.Duration(max(e.due, e.lane.due) - now.UnixNano())
	}
	if e.inHand() > 0 && s.alone(e) || s.exclusive && s.group != ByHost && e.lane.full(s) {
		wait = max(wait, s.pause(e.record()), tryAgain) // it rests when that request ends
	}
	if wait > 0 {
		return wait, false
	}
	s.take(e)
	e.turn, e.lane.turn = now.UnixNano(), now.UnixNano()
	s.holdOutside(e, 1)
	return 0, true
}

// unreserve ends a request of no lease.
func (s *schedule) unreserve(id hostID, o crawler.Outcome, now time.Time) {
	e := s.hosts[id]
	if e.outside == 0 {
		return
	}
	s.take(e)
	s.holdOutside(e, -1)
	if !o.Unasked {
		s.update(e, now, func(h Host, now time.Time) Host { return s.ended(h, o, now) })
	}
}

// holdOutside changes the number of requests of no lease. Budgets do not count them.
func (s *schedule) holdOutside(e *entry, change int32) {
	e.outside += change
	e.lane.busy += change
	if e.outside > 0 {
		s.outside[e.id] = struct{}{}
	} else {
		delete(s.outside, e.id)
	}
	s.put(e)
}

// A HostTable says when hosts may be asked where there is no frontier, by the same
// rules. It is safe for concurrent use. It forgets hosts that may be asked at any time
// when it knows many.
type HostTable struct {
	o Options

	mu    sync.Mutex // guards hosts
	hosts *schedule
}

// maxHosts is of how many hosts a HostTable remembers that they may be asked.
const maxHosts = 1000

// NewHostTable returns an empty table. Of o it takes what concerns single hosts.
func NewHostTable(o Options) *HostTable {
	o = Options{
		HostDelay: o.HostDelay, MaxPause: o.MaxPause, DelayFactor: o.DelayFactor, Group: o.Group,
		DeadAfter: o.DeadAfter, Backoff: o.Backoff, Now: o.Now,
	}.withDefaults()
	return &HostTable{o: o, hosts: newSchedule(o)}
}

// Reserve begins a request to a host; see Frontier.Reserve.
func (t *HostTable) Reserve(host webgraph.Host) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.o.Now()
	id, known := t.hosts.find(host)
	if !known {
		if len(t.hosts.hosts) >= maxHosts {
			t.forget(now)
		}
		id = t.hosts.add(host, now)
	}
	return t.hosts.reserve(id, now)
}

// Release ends a request to a host; see Frontier.Release.
func (t *HostTable) Release(host webgraph.Host, o crawler.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, known := t.hosts.find(host); known {
		t.hosts.unreserve(id, o, t.o.Now())
	}
	t.hosts.dirty() // nothing is written
}

// forget drops the hosts that may be asked now. t.mu must be held.
func (t *HostTable) forget(now time.Time) {
	kept := newSchedule(t.o)
	for _, e := range t.hosts.hosts {
		if e.outside == 0 && max(e.due, e.lane.due) <= now.UnixNano() {
			continue
		}
		id := kept.enter(e.record(), now)
		if e.outside > 0 {
			kept.take(kept.hosts[id])
			kept.holdOutside(kept.hosts[id], e.outside)
		}
	}
	t.hosts = kept
}
