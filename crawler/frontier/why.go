package frontier

import (
	"fmt"
	"slices"
	"time"

	"eventseer/webgraph"
)

// A HostState says whether a host may be asked.
type HostState string

// The states of a host, the first that holds.
const (
	Busy    HostState = "busy"    // a request is in hand
	Foreign HostState = "foreign" // another crawler's
	Spent   HostState = "spent"   // its budget or that of its domain
	Dead    HostState = "dead"    // too many failures in a row; asked once a day
	Idle    HostState = "idle"    // no link waits
	Resting HostState = "resting" // a pause, a back-off, or others of its group are asked
	Ready   HostState = "ready"   // it may be asked now
)

// HostCounts counts hosts by state; Known are all ever seen.
type HostCounts struct{ Known, Ready, Resting, Busy, Dead, Spent int }

// A HostStatus is a host and how it stands.
type HostStatus struct {
	Host
	State   HostState
	Waiting int    // links
	Why     string // it is not asked now; "" if it may be
}

// status counts the hosts and returns the top with the best links waiting. It
// looks at every host.
func (s *schedule) status(top int, now time.Time) (c HostCounts, best []HostStatus) {
	c.Known = len(s.hosts)
	var first []*entry // the best, in order
	for _, e := range s.hosts {
		switch s.state(e, now) {
		case Ready:
			c.Ready++
		case Resting:
			c.Resting++
		case Busy:
			c.Busy++
		case Dead:
			c.Dead++
		case Spent:
			c.Spent++
		}
		if !e.waiting || top <= 0 || len(first) == top && !e.key.less(first[top-1].key) {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, e, func(a, b *entry) int {
			if a.key.less(b.key) {
				return -1
			}
			return 1
		})
		first = slices.Insert(first, at, e)
		first = first[:min(len(first), top)]
	}
	for _, e := range first {
		best = append(best, HostStatus{Host: e.record(), State: s.state(e, now), Why: s.why(e.id, now)})
	}
	return c, best
}

func (s *schedule) state(e *entry, now time.Time) HostState {
	resting := s.wait && e.due > now.UnixNano() || s.exclusive && (e.lane.due > now.UnixNano() || e.lane.full(s))
	switch {
	case e.inHand() > 0:
		return Busy
	case e.foreign:
		return Foreign
	case s.overspent(e):
		return Spent
	case e.fail != nil && e.fail.dead:
		return Dead
	case !e.waiting:
		return Idle
	case resting:
		return Resting
	}
	return Ready
}

// why says in a clause what keeps a host from being asked now, "" if nothing does.
func (s *schedule) why(id hostID, now time.Time) string {
	e := s.hosts[id]
	h := e.record()
	until := func(nanos int64) string { return "rests until " + clock(timeOf(nanos), now) }
	switch {
	case e.inHand() > 0 && s.exclusive:
		return "a request to it is in hand"
	case e.foreign:
		return "it belongs to another crawler"
	case spent(int(e.fetched+e.busy), s.perHost):
		return fmt.Sprintf("its budget of %d pages is spent", s.perHost)
	case s.overspent(e):
		return fmt.Sprintf("the budget of %d pages of %s is spent", s.perDomain, webgraph.RegisteredDomain(e.name))
	case !s.wait:
		return ""
	case h.Dead:
		return fmt.Sprintf("dead since %s: %s; asked again at %s", clock(h.FirstFailure, now), h.Reason, clock(h.Due, now))
	case e.due > now.UnixNano() && h.Failures > 0 && h.Due.Sub(h.LastFailure) > s.pause(h):
		return fmt.Sprintf("%s after %s, the last at %s: %s", until(e.due), inARow(h.Failures), clock(h.LastFailure, now), h.Reason)
	case e.due > now.UnixNano():
		return until(e.due) + " because " + s.because(h)
	case !s.exclusive:
		return ""
	case e.lane.due > now.UnixNano():
		return until(e.lane.due) + " with the other hosts of " + s.laneName(h)
	case s.group != ByHost && e.lane.full(s):
		return "another host of " + s.laneName(h) + " is asked"
	case e.lane.full(s):
		return fmt.Sprintf("%d other hosts of %s are asked", e.lane.busy, s.laneName(h))
	}
	return ""
}

// because names what makes the pause of a host as long as it is.
func (r rules) because(h Host) string {
	switch pause := r.pause(h); {
	case h.Asked.IsZero():
		return "it may have been asked before the frontier was opened"
	case pause == r.delay:
		return fmt.Sprintf("the host delay is %v", r.delay)
	case pause == r.slowness(h) && pause != h.CrawlDelay:
		return fmt.Sprintf("its answers take %v", h.Latency.Round(time.Millisecond))
	case pause < h.CrawlDelay:
		return fmt.Sprintf("robots.txt asks for %v, of which %v are granted", h.CrawlDelay, pause)
	}
	return fmt.Sprintf("robots.txt asks for %v", h.CrawlDelay)
}

func inARow(n int) string {
	if n == 1 {
		return "a failure"
	}
	return fmt.Sprintf("%d failures in a row", n)
}

// clock tells a time, with its day if that is not today.
func clock(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
