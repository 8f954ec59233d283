package hosts

import (
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// TryAgain is the minimum time between attempts for a host whose outstanding request may end at any
// time.
const TryAgain = 20 * time.Millisecond

// Reserve begins a request without a lease, if the host may be requested now.
func (s *Schedule) Reserve(id ID, now time.Time) (wait time.Duration, ok bool) {
	e := s.hosts[id]
	if s.wait {
		wait = time.Duration(max(e.due, e.group.due) - now.UnixNano())
	}
	if e.outstandingRequests() > 0 && s.isExclusive(e) || s.exclusive && s.group != ByHost && e.group.isFull(s) {
		wait = max(wait, s.delayOf(e.toHost()), TryAgain) // the delay begins when that request ends
	}
	if wait > 0 {
		return wait, false
	}
	s.removeFromHeaps(e)
	e.turn, e.group.turn = now.UnixNano(), now.UnixNano()
	s.addOutsideLeases(e, 1)
	return 0, true
}

// EndRequest ends a request without a lease.
func (s *Schedule) EndRequest(id ID, o crawler.Outcome, now time.Time) {
	e := s.hosts[id]
	if e.outside == 0 {
		return
	}
	s.removeFromHeaps(e)
	s.addOutsideLeases(e, -1)
	if !o.Unasked {
		s.updateHost(e, now, func(h Host, now time.Time) Host { return s.afterRequest(h, o, now) })
	}
}

// addOutsideLeases changes the number of requests without a lease. Budgets do not count them.
func (s *Schedule) addOutsideLeases(e *entry, change int32) {
	e.outside += change
	e.group.busy += change
	if e.outside > 0 {
		s.outside[e.id] = struct{}{}
	} else {
		delete(s.outside, e.id)
	}
	s.insertIntoHeap(e)
}

// A Table decides when hosts may be requested without a frontier, by the same rules. It is safe for
// concurrent use. When it has many hosts, it removes those whose delay is over.
type Table struct {
	o   Options
	now func() time.Time

	mu    sync.Mutex // guards hosts
	hosts *Schedule
}

// maxHosts is the number of hosts beyond which a Table removes those whose delay is over.
const maxHosts = 1000

// NewTable returns an empty table. now is its clock; nil means time.Now.
func NewTable(o Options, now func() time.Time) *Table {
	if now == nil {
		now = time.Now
	}
	return &Table{o: o, now: now, hosts: NewSchedule(o)}
}

// Reserve begins a request to a host; see Reserve in package frontier.
func (t *Table) Reserve(host webgraph.Host) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	id, known := t.hosts.Find(host)
	if !known {
		if len(t.hosts.hosts) >= maxHosts {
			t.removeRequestable(now)
		}
		id = t.hosts.Add(host, now)
	}
	return t.hosts.Reserve(id, now)
}

// Release ends a request to a host; see Release in package frontier.
func (t *Table) Release(host webgraph.Host, o crawler.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, known := t.hosts.Find(host); known {
		t.hosts.EndRequest(id, o, t.now())
	}
	t.hosts.TakeChanged() // nothing is written
}

// removeRequestable removes the hosts that may be requested now. t.mu must be held.
func (t *Table) removeRequestable(now time.Time) {
	kept := NewSchedule(t.o)
	for _, e := range t.hosts.hosts {
		if e.outside == 0 && max(e.due, e.group.due) <= now.UnixNano() {
			continue
		}
		id := kept.addHost(e.toHost(), now)
		if e.outside > 0 {
			kept.removeFromHeaps(kept.hosts[id])
			kept.addOutsideLeases(kept.hosts[id], e.outside)
		}
	}
	t.hosts = kept
}
