package frontier

import (
	"time"

	"eventseer/webgraph"
)

// Own says which hosts are this crawler's: only they are asked, and links to others
// that are pushed from now on go to the outbox. A host that comes to be owned rests
// its pause first, since another may just have asked it. Before the first call, and
// after one with nil, all hosts are owned. mine is kept: it must always give the same
// answer, and must not call the frontier.
func (f *Frontier) Own(mine func(webgraph.Host) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hosts.own(mine, f.o.Now())
	f.wake()
}

// owns reports whether a host, known or not, is this crawler's.
func (f *Frontier) owns(host webgraph.Host) bool { return f.hosts.owns(host) }

// InHand counts the requests in hand to some hosts: leases, the turns that leases of
// other hosts had there, and those of Reserve.
func (f *Frontier) InHand(of func(webgraph.Host) bool) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.leases {
		if of(hostOf(h.rec.URL)) {
			n++
		}
		for _, other := range f.hosts.held[h.host] {
			if of(f.hosts.hosts[other].name) {
				n++
			}
		}
	}
	for id := range f.hosts.outside {
		if e := f.hosts.hosts[id]; of(e.name) {
			n += int(e.outside)
		}
	}
	return n
}

// Changed is closed at the next commit, or sooner: when hosts come to be owned.
func (f *Frontier) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

func (s *schedule) owns(name webgraph.Host) bool {
	if s.mine == nil {
		return true
	}
	if id, ok := s.ids[name]; ok {
		return !s.hosts[id].foreign
	}
	return s.mine(name)
}

// own looks at all hosts again. Those first seen from now on may have been asked by
// their last owner, as after a crash.
func (s *schedule) own(mine func(webgraph.Host) bool, now time.Time) {
	s.mine, s.opened = mine, now
	for _, e := range s.hosts {
		foreign := mine != nil && !mine(e.name)
		if foreign == e.foreign {
			continue
		}
		s.take(e)
		if e.foreign = foreign; foreign {
			s.put(e)
			continue
		}
		h := e.record()
		asked := h.Asked
		h = s.rest(h, now)
		h.Asked = asked
		s.set(e, h)
		s.restLane(e.lane, now.Add(s.pause(h)))
	}
}
