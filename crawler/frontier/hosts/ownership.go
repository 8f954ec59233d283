package hosts

import (
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// CountOutsideLeases counts the outstanding requests to some hosts outside their own leases: those made
// for leases of other hosts, and those of Reserve.
func (s *Schedule) CountOutsideLeases(of func(webgraph.Host) bool) (n int) {
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

// ForeignHosts returns the known hosts for which of returns true, and the name of one of them that is
// owned, "" if none is.
func (s *Schedule) ForeignHosts(of func(webgraph.Host) bool) (ids []ID, owned webgraph.Host) {
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

// ClearFetched clears the counts of a host owned by another crawler, and reports whether pages had been
// fetched.
func (s *Schedule) ClearFetched(id ID) (fetched bool) {
	e := s.hosts[id]
	if !e.foreign || e.fetched == 0 && e.bytes == 0 {
		return false
	}
	h := e.toHost()
	fetched = h.Fetched > 0
	h.Fetched, h.Bytes = 0, 0
	s.replaceHost(e, h)
	return fetched
}

// MergeHost merges the state of a host from another crawler with the local one. It reports whether these
// are the host's first fetched pages. The delay begins now, since clocks may differ.
func (s *Schedule) MergeHost(id ID, in Host, now time.Time) (first bool) {
	e := s.hosts[id]
	h := JoinHosts(e.toHost(), in.LimitTimes(now))
	first = e.fetched == 0 && h.Fetched > 0
	asked := h.Asked
	h = s.startDelay(h, now)
	h.Asked = asked
	s.replaceHost(e, h)
	return first
}

// replaceHost replaces a host's record.
func (s *Schedule) replaceHost(e *entry, h Host) {
	s.updateHost(e, time.Time{}, func(Host, time.Time) Host { return h })
}

// CountHosts returns how many hosts are known; their ids are below it.
func (s *Schedule) CountHosts() int { return len(s.hosts) }

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

// SetOwned reclassifies all hosts. Hosts first seen from now on may have been requested by their last
// owner, as after a crash.
func (s *Schedule) SetOwned(mine func(webgraph.Host) bool, now time.Time) {
	s.mine, s.opened = mine, now
	for _, e := range s.hosts {
		foreign := mine != nil && !mine(e.name)
		if foreign == e.foreign {
			continue
		}
		s.removeFromHeaps(e)
		if e.foreign = foreign; foreign {
			s.insertIntoHeap(e)
			continue
		}
		h := e.toHost()
		asked := h.Asked
		h = s.startDelay(h, now)
		h.Asked = asked
		s.setFromRecord(e, h)
		s.delayGroup(e.group, now.Add(s.delayOf(h)))
	}
}
