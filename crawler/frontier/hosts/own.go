package hosts

import (
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// CountBeside counts the outstanding requests to some hosts outside their own leases: those made
// for leases of other hosts, and those of Reserve.
func (s *Schedule) CountBeside(of func(webgraph.Host) bool) (n int) {
	for _, held := range s.held {
		for _, other := range held {
			if of(s.hosts[other].name) {
				n++
			}
		}
	}
	for id := range s.outside {
		if e := s.hosts[id]; of(e.name) {
			n += int(e.outside)
		}
	}
	return n
}

// Foreign returns the known hosts for which of returns true, and the name of one of them that is
// owned, "" if none is.
func (s *Schedule) Foreign(of func(webgraph.Host) bool) (ids []ID, owned webgraph.Host) {
	for _, e := range s.hosts {
		if !of(e.name) {
			continue
		}
		if !e.foreign {
			return nil, e.name
		}
		ids = append(ids, e.id)
	}
	return ids, ""
}

// Empty clears the counts of a host owned by another crawler, and reports whether pages had been
// fetched.
func (s *Schedule) Empty(id ID) (fetched bool) {
	e := s.hosts[id]
	if !e.foreign || e.fetched == 0 && e.bytes == 0 {
		return false
	}
	h := e.record()
	fetched = h.Fetched > 0
	h.Fetched, h.Bytes = 0, 0
	s.become(e, h)
	return fetched
}

// Join merges the state of a host from another crawler with the local one. It reports whether these
// are the host's first fetched pages. The delay begins now, since clocks may differ.
func (s *Schedule) Join(id ID, in Host, now time.Time) (first bool) {
	e := s.hosts[id]
	h := JoinHosts(e.record(), in.Within(now))
	first = e.fetched == 0 && h.Fetched > 0
	asked := h.Asked
	h = s.rest(h, now)
	h.Asked = asked
	s.become(e, h)
	return first
}

// become replaces a host's record.
func (s *Schedule) become(e *entry, h Host) {
	s.update(e, time.Time{}, func(Host, time.Time) Host { return h })
}

// Number returns how many hosts are known; their ids are below it.
func (s *Schedule) Number() int { return len(s.hosts) }

// Owns reports whether a host, known or not, is this crawler's.
func (s *Schedule) Owns(name webgraph.Host) bool {
	if s.mine == nil {
		return true
	}
	if id, ok := s.ids[name]; ok {
		return !s.hosts[id].foreign
	}
	return s.mine(name)
}

// Own reclassifies all hosts. Hosts first seen from now on may have been requested by their last
// owner, as after a crash.
func (s *Schedule) Own(mine func(webgraph.Host) bool, now time.Time) {
	s.mine, s.opened = mine, now
	for _, e := range s.hosts {
		foreign := mine != nil && !mine(e.name)
		if foreign == e.foreign {
			continue
		}
		s.takeOut(e)
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
