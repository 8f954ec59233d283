// Package hosts is the host table of a crawl: the state of each host, its delay, and which host is
// requested next. Politeness is implemented here (pace.go): by Schedule for the frontier and by
// Table for fetches without one. It is in memory only; the frontier stores the records on disk.
package hosts

import (
	"math"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A Schedule knows every host and decides which may be requested. It is in memory only and not safe
// for concurrent use.
//
// Hosts are in host groups (hostgroup.go): with a host delay a host group is a registered domain or an address,
// otherwise there is one host group for all. A host with a link waiting is in one of two heaps: in later,
// by due time, or in the heap of its host group, best first. Lanes with a host that may be requested are
// in ready, the one with the best host first; those whose hosts share a delay wait for its end in
// resting. Every step is O(log n) in the number of hosts.
//
// Best is the link with the higher score. Without a host delay, equal scores are served first come,
// first served, as in one queue over all hosts. With a delay, domains (or addresses) with equal
// scores are served round-robin, and within a domain its hosts. So a domain with thousands of hosts
// gets no more requests than one with a single host. Besides, at most half of the concurrent
// fetches go to one registered domain (Options.Workers), so that a domain with slow hosts does not
// use all workers.
//
// A host takes about 350 bytes with its name, domain and places in the heaps; see
// BenchmarkSchedule.
type Schedule struct {
	delayRules
	mine   func(webgraph.Host) bool // nil: all hosts are
	opened time.Time                // when hosts were restored or became owned; zero in a new frontier

	hosts   []*entry // by id
	ids     map[webgraph.Host]ID
	lanes   map[string]*hostGroup
	domains map[string]*domain // nil without a domain budget

	before  func(a, b *entry) bool // better
	ready   heap[*hostGroup]
	resting heap[*hostGroup]
	later   heap[*entry]

	worst   uint64          // the rank of the worst link that may be leased
	live    int             // hosts that prevent the end of the crawl
	held    map[ID][]ID     // hosts requested for the lease of a host by GrantRequest
	outside map[ID]struct{} // hosts with outstanding requests without a lease
	changed []ID            // records changed since the last Dirty
}

// NewSchedule returns a schedule without hosts.
func NewSchedule(o Options) *Schedule {
	s := &Schedule{
		delayRules: o.delayRules(), ids: make(map[webgraph.Host]ID), lanes: make(map[string]*hostGroup),
		held: make(map[ID][]ID), outside: make(map[ID]struct{}), worst: math.MaxUint64,
	}
	if o.Floor != 0 {
		s.worst = Rank(o.Floor)
	}
	if s.perDomain > 0 {
		s.domains = make(map[string]*domain)
	}
	s.later.before = func(a, b *entry) bool { return a.due < b.due || a.due == b.due && s.isBetter(a, b) }
	s.ready.before = s.isBetterGroup
	s.before = s.isBetter
	s.resting.before = func(a, b *hostGroup) bool { return a.due < b.due }
	return s
}

// isBetter reports whether a's best link comes before b's in their host group.
func (s *Schedule) isBetter(a, b *entry) bool {
	if s.exclusive && a.key.Rank == b.key.Rank && a.turn != b.turn {
		return a.turn < b.turn
	}
	return a.key.Less(b.key)
}

// Restore adds a host of an earlier run. A crash may have lost its last requests, so its delay
// begins now. Delays are limited to those of this package, because a clock may have been wrong.
func (s *Schedule) Restore(h Host, now time.Time) ID {
	asked := h.Asked
	if most := now.Add(MaxBackoff); h.Due.After(most) {
		h.Due = most
	}
	h = s.startDelay(h, now)
	h.Asked = asked
	s.opened = now
	id := s.addHost(h, now)
	s.delayGroup(s.hosts[id].group, now.Add(s.delayOf(h)))
	return id
}

// Add adds a new host. An earlier run may have requested it before a crash, without a record.
func (s *Schedule) Add(name webgraph.Host, now time.Time) ID {
	h := Host{Name: name}
	if due := s.opened.Add(s.delayOf(h)); due.After(now) {
		h.Due = due
	}
	id := s.addHost(h, now)
	s.markChanged(s.hosts[id])
	return id
}

func (s *Schedule) addHost(h Host, now time.Time) ID {
	e := &entry{id: ID(len(s.hosts)), name: h.Name, turn: now.UnixNano(), foreign: s.mine != nil && !s.mine(h.Name)}
	s.hosts = append(s.hosts, e)
	s.ids[h.Name] = e.id
	if !h.Asked.IsZero() {
		e.turn = h.Asked.UnixNano()
	}
	s.setFromRecord(e, h)
	if s.domains != nil {
		e.domain = s.domainOf(h.Name)
		e.domain.hosts = append(e.domain.hosts, e)
		s.countDomain(e.domain, h.Fetched, 0)
		s.insertIntoHeap(e) // count updates its hosts only when the budget ends
	}
	return e.id
}

// Find returns the id of a host, and false if it was never seen.
func (s *Schedule) Find(name webgraph.Host) (ID, bool) {
	id, ok := s.ids[name]
	return id, ok
}

// SetBestLink sets the key of a host's best link, or that none waits. A link below the floor is ignored.
func (s *Schedule) SetBestLink(id ID, k LinkKey, waiting bool) {
	e := s.hosts[id]
	waiting = waiting && k.Rank <= s.worst
	if e.waiting == waiting && e.key == k {
		return
	}
	s.removeFromHeaps(e)
	e.key, e.waiting = k, waiting
	s.insertIntoHeap(e)
}

// BestLink returns the key of a host's best link, and false if none waits.
func (s *Schedule) BestLink(id ID) (LinkKey, bool) { return s.hosts[id].key, s.hosts[id].waiting }

// BestHost returns the host with the best link among those that may be requested now, and false if
// there is none.
func (s *Schedule) BestHost(now time.Time) (ID, bool) {
	for e := s.later.first(); e != nil && e.due <= now.UnixNano(); e = s.later.first() {
		e.rests = false
		s.insertIntoHeap(e)
	}
	for l := s.resting.first(); l != nil && l.due <= now.UnixNano(); l = s.resting.first() {
		l.rests = false
		s.insertGroup(l)
	}
	if l := s.ready.first(); l != nil {
		return l.ready.first().id, true
	}
	return 0, false
}

// NextDue returns when the next host becomes due by itself, zero if none does. live reports whether
// some host with a link is neither dead, spent, nor in a long back-off.
func (s *Schedule) NextDue() (at time.Time, live bool) {
	next := int64(0)
	if e := s.later.first(); e != nil {
		next = e.due
	}
	if l := s.resting.first(); l != nil && (next == 0 || l.due < next) {
		next = l.due
	}
	return TimeOf(next), s.live > 0
}

// BeginLease records that a request for a host's best link begins.
func (s *Schedule) BeginLease(id ID, now time.Time) {
	s.beginRequest(s.hosts[id], now)
}

// beginRequest records that a request to a host begins.
func (s *Schedule) beginRequest(e *entry, now time.Time) {
	s.removeFromHeaps(e)
	e.turn, e.group.turn = now.UnixNano(), now.UnixNano()
	s.addOutstanding(e, 1)
}

// CancelLease records that a lease of a host ended without a result.
func (s *Schedule) CancelLease(id ID, now time.Time) {
	s.releaseLease(id, now)
	s.updateHost(s.hosts[id], now, s.startDelay)
}

// EndLease records that a lease of host id ended with a response of host by.
func (s *Schedule) EndLease(id, by ID, o crawler.Outcome, now time.Time) {
	s.releaseLease(id, now)
	if o.Unasked {
		return
	}
	s.updateHost(s.hosts[id], now, func(h Host, now time.Time) Host { return s.afterRequest(h, o, now) })
	s.updateHost(s.hosts[by], now, func(h Host, now time.Time) Host { return s.afterResponse(h, o, now) })
}

// releaseLease ends the requests of a host's lease, to the host itself and to others, and starts their
// delays.
func (s *Schedule) releaseLease(id ID, now time.Time) {
	s.addOutstanding(s.hosts[id], -1)
	for _, other := range s.held[id] {
		s.addOutstanding(s.hosts[other], -1)
		s.updateHost(s.hosts[other], now, s.startDelay)
	}
	delete(s.held, id)
}

// GrantRequest grants the lease of host l a request to another host, if that may be requested now. The
// other host stays reserved until the lease ends, because the end of the request is not reported.
// If the two share a delay, the lease's own request is used, if unused: asked reports whether it
// was used.
func (s *Schedule) GrantRequest(l, other ID, now time.Time, asked bool) bool {
	if !s.exclusive {
		return true
	}
	e := s.hosts[other]
	shared := s.group != ByHost && e.group == s.hosts[l].group
	switch {
	case e.outstandingRequests() > 0 || e.due > now.UnixNano() || s.isOverBudget(e) || e.group.due > now.UnixNano():
		return false
	case shared && (asked || e.group.busy > 1), s.group != ByHost && !shared && e.group.isFull(s):
		return false
	}
	s.held[l] = append(s.held[l], other)
	s.beginRequest(e, now)
	return true
}

// addOutstanding changes the number of outstanding requests to a host.
func (s *Schedule) addOutstanding(e *entry, change int32) {
	e.busy = max(e.busy+change, 0)
	e.group.busy = max(e.group.busy+change, 0)
	if e.domain != nil {
		s.countDomain(e.domain, 0, int(change))
	}
	s.insertIntoHeap(e)
}

// removeFromHeaps removes a host and its host group from the heaps, before their order changes.
func (s *Schedule) removeFromHeaps(e *entry) {
	if e.in != nil {
		e.in.remove(e)
		e.in = nil
	}
	if e.group != nil {
		s.removeGroup(e.group)
	}
}

// insertIntoHeap puts a host, and so its host group, into the right heap.
func (s *Schedule) insertIntoHeap(e *entry) {
	s.removeFromHeaps(e)
	over := s.isOverBudget(e)
	if live := e.waiting && !e.foreign && !over && !s.isBackedOffLong(e); live != e.live {
		e.live = live
		if live {
			s.live++
		} else {
			s.live--
		}
	}
	switch {
	case !e.waiting || e.foreign || over || e.outstandingRequests() > 0 && s.isExclusive(e):
	case e.rests:
		e.in = &s.later
	default:
		e.in = &e.group.ready
	}
	if e.in != nil {
		e.in.push(e)
	}
	s.insertGroup(e.group)
}

// isExclusive reports whether a host gets one request at a time, as a failed host does.
func (s *Schedule) isExclusive(e *entry) bool { return s.exclusive || s.wait && e.fail != nil }

// isBackedOffLong reports whether a host's back-off is so long that a crawl does not wait for it. A host whose
// back-off had ended when the schedule was restored is waited for: otherwise a crawl with only such
// hosts would end before requesting any.
func (s *Schedule) isBackedOffLong(e *entry) bool {
	if !s.wait || e.fail == nil || !e.fail.dead && time.Duration(e.due-e.fail.last) <= patience {
		return false
	}
	return s.opened.IsZero() || e.due > s.opened.Add(s.delayOf(e.toHost())).UnixNano()
}

// isOverBudget reports whether the budget of a host or its domain is spent or leased.
func (s *Schedule) isOverBudget(e *entry) bool {
	return isSpent(int(e.fetched+e.busy), s.perHost) || e.domain != nil && isSpent(e.domain.fetched+e.domain.busy, s.perDomain)
}
