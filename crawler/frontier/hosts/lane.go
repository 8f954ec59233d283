package hosts

import (
	containerheap "container/heap"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A lane is the set of hosts of a registered domain or an address, of which only some may be
// requested at once. With ByDomain and ByAddress it is one host, and they share the delay.
type lane struct {
	ready heap[*entry] // those that may be requested, ignoring the lane's limits
	due   int64        // of the shared pause
	turn  int64        // time of the last request to one of its hosts
	busy  int32        // outstanding requests
	rests bool         // due has not come
	spot
	in *heap[*lane]
}

// betterLane reports whether a's best host comes before b's.
func (s *Schedule) betterLane(a, b *lane) bool {
	x, y := a.ready.top(), b.ready.top()
	if s.exclusive && x.key.Rank == y.key.Rank && a.turn != b.turn {
		return a.turn < b.turn
	}
	return s.better(x, y)
}

// laneName names the lane of a host.
func (s *Schedule) laneName(h Host) string {
	switch {
	case !s.exclusive:
		return ""
	case s.group == ByAddress && h.Addr != "":
		return h.Addr
	}
	return webgraph.RegisteredDomain(h.Name)
}

// move puts a host, which is in no heap, into its lane and delays the lane with it. An outstanding
// request ends in the lane where it began.
func (s *Schedule) move(e *entry, h Host) {
	if e.lane == nil || s.group == ByAddress && e.inHand() == 0 {
		name := s.laneName(h)
		l := s.lanes[name]
		if l == nil {
			l = &lane{turn: e.turn}
			l.ready.before = s.before
			s.lanes[name] = l
		}
		if e.lane != nil {
			s.putLane(e.lane)
		}
		e.lane = l
	}
	if !h.Asked.IsZero() {
		s.restLane(e.lane, h.Asked.Add(s.pause(h)))
	}
}

// restLane delays the hosts of a lane with a shared delay until then.
func (s *Schedule) restLane(l *lane, until time.Time) {
	if !s.exclusive || s.group == ByHost || until.UnixNano() <= l.due {
		return
	}
	s.takeLane(l)
	l.due, l.rests = until.UnixNano(), true
	s.putLane(l)
}

// full reports whether the lane has reached its number of concurrent hosts.
func (l *lane) full(s *Schedule) bool {
	switch {
	case !s.exclusive:
		return false
	case s.group != ByHost:
		return l.busy > 0
	}
	return s.domainHosts > 0 && int(l.busy) >= s.domainHosts
}

func (s *Schedule) takeLane(l *lane) {
	if l.in != nil {
		l.in.remove(l)
		l.in = nil
	}
}

// putLane puts a lane into the right heap.
func (s *Schedule) putLane(l *lane) {
	s.takeLane(l)
	switch {
	case l.ready.top() == nil || l.full(s):
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

// count changes a domain's counts. If the budget becomes spent or available, all its hosts are
// updated.
func (s *Schedule) count(d *domain, fetched, busy int) {
	before := spent(d.fetched+d.busy, s.perDomain)
	d.fetched += fetched
	d.busy = max(d.busy+busy, 0)
	if spent(d.fetched+d.busy, s.perDomain) != before {
		for _, e := range d.hosts {
			s.put(e)
		}
	}
}

// A heap is a priority queue whose members store their index in it.
type heap[T placed] struct {
	items  []T
	before func(a, b T) bool
}

// placed are a heap's members.
type placed interface {
	comparable
	at() *spot
}

// A spot is a position in a heap.
type spot struct{ pos int32 }

func (p *spot) at() *spot { return p }

// top returns the first member, nil if there is none.
func (h *heap[T]) top() (first T) {
	if len(h.items) > 0 {
		first = h.items[0]
	}
	return first
}

func (h *heap[T]) push(x T)   { containerheap.Push((*slots[T])(h), x) }
func (h *heap[T]) remove(x T) { containerheap.Remove((*slots[T])(h), int(x.at().pos)) }

// slots is a heap as container/heap wants it.
type slots[T placed] heap[T]

func (s *slots[T]) Len() int           { return len(s.items) }
func (s *slots[T]) Less(i, j int) bool { return s.before(s.items[i], s.items[j]) }

func (s *slots[T]) Swap(i, j int) {
	s.items[i], s.items[j] = s.items[j], s.items[i]
	s.items[i].at().pos, s.items[j].at().pos = int32(i), int32(j)
}

func (s *slots[T]) Push(x any) {
	x.(T).at().pos = int32(len(s.items))
	s.items = append(s.items, x.(T))
}

func (s *slots[T]) Pop() any {
	var none T
	n := len(s.items) - 1
	x := s.items[n]
	s.items[n] = none
	s.items = s.items[:n]
	return x
}
