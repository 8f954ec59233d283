package frontier

import (
	"container/heap"
	"time"
)

// A schedule orders the hosts that have links waiting. Hosts that are due
// stand in ready, the one with the best link first; the others in later, by
// due time. A host with a fetch in hand stands in neither if fetches exclude
// each other.
type schedule struct {
	exclusive bool // one fetch a host at a time
	hosts     map[string]*hostQueue
	ready     hostHeap
	later     hostHeap
}

// A hostQueue is a host's entry; it lives while links wait or a fetch is in hand.
type hostQueue struct {
	head
	in  *hostHeap // nil while in neither
	pos int
}

func newSchedule(exclusive bool) *schedule {
	return &schedule{
		exclusive: exclusive,
		hosts:     make(map[string]*hostQueue),
		ready:     hostHeap{before: func(a, b *hostQueue) bool { return a.key.before(b.key) }},
		later: hostHeap{before: func(a, b *hostQueue) bool {
			return a.due < b.due || a.due == b.due && a.key.before(b.key)
		}},
	}
}

func (k linkKey) before(l linkKey) bool { return k.rank < l.rank || k.rank == l.rank && k.seq < l.seq }

// apply takes over what a transaction changed.
func (s *schedule) apply(heads []head) {
	for _, h := range heads {
		q := s.hosts[h.host]
		if q == nil {
			q = &hostQueue{head: head{host: h.host}}
			s.hosts[h.host] = q
		}
		if h.busy != 0 {
			q.busy += h.busy
		} else {
			q.due, q.waiting, q.key = h.due, h.waiting, h.key
		}
		s.place(q)
	}
}

// place puts a host where it belongs.
func (s *schedule) place(q *hostQueue) {
	if q.in != nil {
		heap.Remove(q.in, q.pos)
	}
	switch {
	case !q.waiting && q.busy <= 0:
		delete(s.hosts, q.host)
	case !q.waiting || s.exclusive && q.busy > 0:
	case q.due == 0:
		heap.Push(&s.ready, q)
	default:
		heap.Push(&s.later, q)
	}
}

// pick returns the due host with the best link, or nil.
func (s *schedule) pick(now time.Time) *hostQueue {
	for len(s.later.qs) > 0 && s.later.qs[0].due <= now.UnixNano() {
		heap.Push(&s.ready, heap.Pop(&s.later))
	}
	if len(s.ready.qs) == 0 {
		return nil
	}
	return s.ready.qs[0]
}

// due returns when the next host becomes due, and false if none waits for it.
func (s *schedule) due() (time.Time, bool) {
	if len(s.later.qs) == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, s.later.qs[0].due), true
}

// A hostHeap is a container/heap whose members know their place.
type hostHeap struct {
	qs     []*hostQueue
	before func(a, b *hostQueue) bool
}

func (h *hostHeap) Len() int           { return len(h.qs) }
func (h *hostHeap) Less(i, j int) bool { return h.before(h.qs[i], h.qs[j]) }

func (h *hostHeap) Swap(i, j int) {
	h.qs[i], h.qs[j] = h.qs[j], h.qs[i]
	h.qs[i].pos, h.qs[j].pos = i, j
}

func (h *hostHeap) Push(x any) {
	q := x.(*hostQueue)
	q.in, q.pos = h, len(h.qs)
	h.qs = append(h.qs, q)
}

func (h *hostHeap) Pop() any {
	q := h.qs[len(h.qs)-1]
	h.qs[len(h.qs)-1] = nil
	h.qs = h.qs[:len(h.qs)-1]
	q.in = nil
	return q
}
