package hosts

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A State describes whether a host may be requested.
type State string

// The states of a host; the first that applies.
const (
	Busy    State = "busy"    // a request is outstanding
	Foreign State = "foreign" // another crawler's
	Spent   State = "spent"   // its budget or that of its domain is spent
	Dead    State = "dead"    // too many failures in a row; tried once a day
	Idle    State = "idle"    // no link waits
	Resting State = "resting" // in a delay or back-off, or other hosts of its group are being requested
	Ready   State = "ready"   // it may be requested now
)

// Counts counts hosts by state; Known is the number of all hosts seen.
type Counts struct{ Known, Ready, Resting, Busy, Dead, Spent int }

// A Status is a host and its state.
type Status struct {
	Host
	State   State
	Waiting int    // links
	Why     string // why it is not requested now; "" if it may be
}

// Status counts the hosts and returns the top hosts with the best waiting links. It examines every
// host.
func (s *Schedule) Status(top int, now time.Time) (c Counts, best []Status) {
	c.Known = len(s.hosts)
	var first []*entry // the best, in order
	for _, e := range s.hosts {
		switch s.stateOf(e, now) {
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
		if !e.waiting || top <= 0 || len(first) == top && !e.key.Less(first[top-1].key) {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, e, func(a, b *entry) int {
			if a.key.Less(b.key) {
				return -1
			}
			return 1
		})
		first = slices.Insert(first, at, e)
		first = first[:min(len(first), top)]
	}
	for _, e := range first {
		best = append(best, Status{Host: e.toHost(), State: s.stateOf(e, now), Why: s.WaitReason(e.id, now)})
	}
	return c, best
}

func (s *Schedule) stateOf(e *entry, now time.Time) State {
	resting := s.wait && e.due > now.UnixNano() || s.exclusive && (e.group.due > now.UnixNano() || e.group.isFull(s))
	switch {
	case e.outstandingRequests() > 0:
		return Busy
	case e.foreign:
		return Foreign
	case s.isOverBudget(e):
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

// WaitReason returns a clause on why a host is not requested now, "" if it may be.
func (s *Schedule) WaitReason(id ID, now time.Time) string {
	e := s.hosts[id]
	h := e.toHost()
	until := func(nanos int64) string { return "rests until " + timeText(TimeOf(nanos), now) }
	switch {
	case e.outstandingRequests() > 0 && s.exclusive:
		return "a request to it has not ended"
	case e.foreign:
		return "it belongs to another crawler"
	case isSpent(int(e.fetched+e.busy), s.perHost):
		return fmt.Sprintf("its budget of %d pages is used up", s.perHost)
	case s.isOverBudget(e):
		return fmt.Sprintf("the budget of %d pages of %s is used up", s.perDomain, webgraph.RegisteredDomain(e.name))
	case !s.wait:
		return ""
	case h.Dead:
		return fmt.Sprintf("dead since %s: %s; requested again at %s", timeText(h.FirstFailure, now), h.Reason, timeText(h.Due, now))
	case e.due > now.UnixNano() && h.Failures > 0 && h.Due.Sub(h.LastFailure) > s.delayOf(h):
		return fmt.Sprintf("%s after %s, the last one at %s: %s", until(e.due), timesInARow(h.Failures), timeText(h.LastFailure, now), h.Reason)
	case e.due > now.UnixNano():
		return until(e.due) + " because " + s.delayReason(h)
	case !s.exclusive:
		return ""
	case e.group.due > now.UnixNano():
		return until(e.group.due) + " like the other hosts of " + s.groupName(h)
	case s.group != ByHost && e.group.isFull(s):
		return "another host of " + s.groupName(h) + " is being requested"
	case e.group.isFull(s):
		return fmt.Sprintf("%d other hosts of %s are being requested", e.group.busy, s.groupName(h))
	}
	return ""
}

// delayReason returns what determines the length of a host's delay.
func (r delayRules) delayReason(h Host) string {
	switch pause := r.delayOf(h); {
	case h.Asked.IsZero():
		return "it may have been requested before the frontier was opened"
	case pause == r.delay:
		return fmt.Sprintf("the host delay is %v", r.delay)
	case pause == r.slownessDelay(h) && pause != h.CrawlDelay:
		return fmt.Sprintf("its answers take %v", h.Latency.Round(time.Millisecond))
	case pause < h.CrawlDelay:
		return fmt.Sprintf("robots.txt asks for %v, and the delay is limited to %v", h.CrawlDelay, pause)
	}
	return fmt.Sprintf("robots.txt asks for %v", h.CrawlDelay)
}

func timesInARow(n int) string {
	if n == 1 {
		return "a failure"
	}
	return fmt.Sprintf("%d failures in a row", n)
}

// timeText formats a time, with its day if that is not today.
func timeText(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// Check returns inconsistencies of all hosts and host groups.
func (s *Schedule) Check() (errs []error) {
	live, busy := 0, make(map[*hostGroup]int32)
	for _, e := range s.hosts {
		if err := s.checkHost(e); err != nil {
			errs = append(errs, fmt.Errorf("host %s: %w", e.name, err))
		}
		if e.live {
			live++
		}
		busy[e.group] += e.outstandingRequests()
	}
	if live != s.live {
		errs = append(errs, fmt.Errorf("%d hosts keep the crawl from ending, but %d are counted", live, s.live))
	}
	if !s.later.isOrdered() || !s.ready.isOrdered() || !s.resting.isOrdered() {
		errs = append(errs, errors.New("a heap of the host schedule is out of order"))
	}
	for l, n := range busy {
		if err := s.checkHostGroup(l, n); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (s *Schedule) checkHost(e *entry) error {
	want := (*heap[*entry])(nil)
	switch {
	case !e.waiting || e.foreign || s.isOverBudget(e) || e.outstandingRequests() > 0 && s.isExclusive(e):
	case e.rests:
		want = &s.later
	default:
		want = &e.group.ready
	}
	switch {
	case e.in != want:
		return errors.New("it is in the wrong heap")
	case want != nil && want.items[e.pos] != e:
		return errors.New("it is not at its position in its heap")
	case e.live != (e.waiting && !e.foreign && !s.isOverBudget(e) && !s.isBackedOffLong(e)):
		return errors.New("it is counted wrongly among the hosts that a crawl waits for")
	}
	return nil
}

func (s *Schedule) checkHostGroup(l *hostGroup, busy int32) error {
	want := (*heap[*hostGroup])(nil)
	switch {
	case len(l.ready.items) == 0 || l.isFull(s):
	case l.rests:
		want = &s.resting
	default:
		want = &s.ready
	}
	name := "of no host"
	if e := l.ready.first(); e != nil {
		name = s.groupName(e.toHost())
	}
	switch {
	case l.busy != busy:
		return fmt.Errorf("group %s: it counts %d requests that have not ended, its hosts %d", name, l.busy, busy)
	case l.in != want || want != nil && want.items[l.pos] != l:
		return fmt.Errorf("group %s is in the wrong heap", name)
	case !l.ready.isOrdered():
		return fmt.Errorf("group %s is out of order", name)
	}
	return nil
}

// isOrdered reports whether no member comes before its parent.
func (h *heap[T]) isOrdered() bool {
	for i := 1; i < len(h.items); i++ {
		if h.before(h.items[i], h.items[(i-1)/2]) {
			return false
		}
	}
	return true
}
