package hosts

import (
	containerheap "container/heap"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A hostGroup is the set of hosts of a registered domain or an address, of which only some may be
// requested at once. With ByDomain and ByAddress it is one host, and they share the delay.
type hostGroup struct {
	ready heap[*entry] // those that may be requested, ignoring the host group's limits
	due   int64        // of the shared pause
	turn  int64        // time of the last request to one of its hosts
	busy  int32        // outstanding requests
	rests bool         // due has not come
	heapIndex
	in *heap[*hostGroup]
}

// isBetterGroup reports whether a's best host comes before b's.
func (s *Schedule) isBetterGroup(a, b *hostGroup) bool {
	x, y := a.ready.first(), b.ready.first()
	if s.exclusive && x.key.Rank == y.key.Rank && a.turn != b.turn {
		return a.turn < b.turn
	}
	return s.isBetter(x, y)
}

// groupName names the host group of a host.
func (s *Schedule) groupName(h Host) string {
	switch {
	case !s.exclusive:
		return ""
	case s.group == ByAddress && h.Addr != "":
		return h.Addr
	}
	return webgraph.RegisteredDomain(h.Name)
}

// moveToGroup puts a host, which is in no heap, into its host group and delays the host group with it. An outstanding
// request ends in the host group where it began.
func (s *Schedule) moveToGroup(e *entry, h Host) {
	if e.group == nil || s.group == ByAddress && e.outstandingRequests() == 0 {
		name := s.groupName(h)
		l := s.lanes[name]
		if l == nil {
			l = &hostGroup{turn: e.turn}
			l.ready.before = s.before
			s.lanes[name] = l
		}
		if e.group != nil {
			s.insertGroup(e.group)
		}
		e.group = l
	}
	if !h.Asked.IsZero() {
		s.delayGroup(e.group, h.Asked.Add(s.delayOf(h)))
	}
}

// delayGroup delays the hosts of a host group with a shared delay until then.
func (s *Schedule) delayGroup(l *hostGroup, until time.Time) {
	if !s.exclusive || s.group == ByHost || until.UnixNano() <= l.due {
		return
	}
	s.removeGroup(l)
	l.due, l.rests = until.UnixNano(), true
	s.insertGroup(l)
}

// isFull reports whether the host group has reached its number of concurrent hosts.
func (l *hostGroup) isFull(s *Schedule) bool {
	switch {
	case !s.exclusive:
		return false
	case s.group != ByHost:
		return l.busy > 0
	}
	return s.domainHosts > 0 && int(l.busy) >= s.domainHosts
}

func (s *Schedule) removeGroup(l *hostGroup) {
	if l.in != nil {
		l.in.remove(l)
		l.in = nil
	}
}

// insertGroup puts a host group into the right heap.
func (s *Schedule) insertGroup(l *hostGroup) {
	s.removeGroup(l)
	switch {
	case l.ready.first() == nil || l.isFull(s):
	case l.rests:
		l.in = &s.resting
	default:
		l.in = &s.ready
	}
	if l.in != nil {
		l.in.push(l)
	}
}

// A domain counts the pages of a registered domain against the budget of the domain.
type domain struct {
	fetched, busy int
	hosts         []*entry
}

func (s *Schedule) domainOf(name webgraph.Host) *domain {
	key := webgraph.RegisteredDomain(name)
	d := s.domains[key]
	if d == nil {
		d = &domain{}
		s.domains[key] = d
	}
	return d
}

// countDomain changes a domain's counts. If the budget becomes spent or available, all its hosts are
// updated.
func (s *Schedule) countDomain(d *domain, fetched, busy int) {
	before := isSpent(d.fetched+d.busy, s.perDomain)
	d.fetched += fetched
	d.busy = max(d.busy+busy, 0)
	if isSpent(d.fetched+d.busy, s.perDomain) != before {
		for _, e := range d.hosts {
			s.insertIntoHeap(e)
		}
	}
}

// A heap is a priority queue whose members store their index in it.
type heap[T heapMember] struct {
	items  []T
	before func(a, b T) bool
}

// heapMember are a heap's members.
type heapMember interface {
	comparable
	index() *heapIndex
}

// A heapIndex is a position in a heap.
type heapIndex struct{ pos int32 }

func (p *heapIndex) index() *heapIndex { return p }

// first returns the first member, nil if there is none.
func (h *heap[T]) first() (first T) {
	if len(h.items) > 0 {
		first = h.items[0]
	}
	return first
}

func (h *heap[T]) push(x T)   { containerheap.Push((*heapSlots[T])(h), x) }
func (h *heap[T]) remove(x T) { containerheap.Remove((*heapSlots[T])(h), int(x.index().pos)) }

// heapSlots implements the interface of container/heap.
type heapSlots[T heapMember] heap[T]

func (s *heapSlots[T]) Len() int           { return len(s.items) }
func (s *heapSlots[T]) Less(i, j int) bool { return s.before(s.items[i], s.items[j]) }

func (s *heapSlots[T]) Swap(i, j int) {
	s.items[i], s.items[j] = s.items[j], s.items[i]
	s.items[i].index().pos, s.items[j].index().pos = int32(i), int32(j)
}

func (s *heapSlots[T]) Push(x any) {
	x.(T).index().pos = int32(len(s.items))
	s.items = append(s.items, x.(T))
}

func (s *heapSlots[T]) Pop() any {
	var none T
	n := len(s.items) - 1
	x := s.items[n]
	s.items[n] = none
	s.items = s.items[:n]
	return x
}
