package hosts

import (
	"slices"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A ID numbers the hosts from 0, in order of first sight.
type ID uint32

// An entry is a host in the schedule.
type entry struct {
	id     ID
	name   webgraph.Host
	due    int64 // Unix nanoseconds, like all times here; 0: at any time
	asked  int64 // 0: never
	turn   int64 // time of its last request, or if there was none, when it was added
	bytes  int64
	pause  int64 // Crawl-delay, nanoseconds
	took   int64 // Latency, nanoseconds
	addr   string
	fail   *failure // nil if the last request succeeded
	group  *hostGroup
	domain *domain // nil if domains are not counted

	key     LinkKey // of its best link
	fetched int32
	busy    int32 // outstanding requests of leases
	outside int32 // outstanding requests without a lease, see table.go
	heapIndex
	in      *heap[*entry]
	waiting bool // has a link
	foreign bool // another crawler's
	rests   bool // due has not come
	live    bool
	dirty   bool
}

// A failure describes failures in a row.
type failure struct {
	n           int
	first, last int64
	reason      string
	dead        bool
}

// outstandingRequests returns the number of outstanding requests to a host.
func (e *entry) outstandingRequests() int32 { return e.busy + e.outside }

// updateHost changes a host's record.
func (s *Schedule) updateHost(e *entry, now time.Time, change func(Host, time.Time) Host) {
	old := e.toHost()
	h := change(old, now)
	if e.domain != nil && h.Fetched != old.Fetched {
		s.countDomain(e.domain, h.Fetched-old.Fetched, 0)
	}
	s.setFromRecord(e, h)
	s.markChanged(e)
}

// setFromRecord sets the entry from a record.
func (s *Schedule) setFromRecord(e *entry, h Host) {
	s.removeFromHeaps(e)
	e.due, e.asked = unixNanos(h.Due), unixNanos(h.Asked)
	e.rests = s.wait && e.due != 0
	e.fetched, e.bytes, e.addr = int32(h.Fetched), h.Bytes, h.Addr
	e.pause, e.took = int64(h.CrawlDelay), int64(h.Latency)
	e.fail = nil
	if h.Failures > 0 {
		e.fail = &failure{h.Failures, unixNanos(h.FirstFailure), unixNanos(h.LastFailure), h.Reason, h.Dead}
	}
	s.moveToGroup(e, h)
	s.insertIntoHeap(e)
}

// toHost returns the host's record.
func (e *entry) toHost() Host {
	h := Host{
		Name: e.name, Due: TimeOf(e.due), Asked: TimeOf(e.asked), Fetched: int(e.fetched), Bytes: e.bytes,
		CrawlDelay: time.Duration(e.pause), Latency: time.Duration(e.took), Addr: e.addr,
	}
	if f := e.fail; f != nil {
		h.Failures, h.FirstFailure, h.LastFailure, h.Reason, h.Dead = f.n, TimeOf(f.first), TimeOf(f.last), f.reason, f.dead
	}
	return h
}

// Host returns the record of a host.
func (s *Schedule) Host(id ID) Host { return s.hosts[id].toHost() }

func (s *Schedule) markChanged(e *entry) {
	if !e.dirty {
		e.dirty = true
		s.changed = append(s.changed, e.id)
	}
}

// TakeChanged returns the hosts whose records changed since the last call, in order.
func (s *Schedule) TakeChanged() []ID {
	ids := s.changed
	s.changed = nil
	slices.Sort(ids)
	for _, id := range ids {
		s.hosts[id].dirty = false
	}
	return ids
}

func unixNanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// TimeOf returns the time of Unix nanoseconds, the zero time of 0.
func TimeOf(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}
