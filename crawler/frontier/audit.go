package frontier

import (
	"errors"
	"fmt"
)

// check looks at every host and lane and returns what stands in the wrong place.
func (s *schedule) check() (errs []error) {
	live, busy := 0, make(map[*lane]int32)
	for _, e := range s.hosts {
		if err := s.checkHost(e); err != nil {
			errs = append(errs, fmt.Errorf("host %s: %w", e.name, err))
		}
		if e.live {
			live++
		}
		busy[e.lane] += e.inHand()
	}
	if live != s.live {
		errs = append(errs, fmt.Errorf("%d hosts keep the crawl from ending, counted are %d", live, s.live))
	}
	if !s.later.ordered() || !s.ready.ordered() || !s.resting.ordered() {
		errs = append(errs, errors.New("a heap of the schedule is out of order"))
	}
	for l, n := range busy {
		if err := s.checkLane(l, n); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (s *schedule) checkHost(e *entry) error {
	want := (*heap[*entry])(nil)
	switch {
	case !e.waiting || e.foreign || s.overspent(e) || e.inHand() > 0 && s.alone(e):
	case e.rests:
		want = &s.later
	default:
		want = &e.lane.ready
	}
	switch {
	case e.in != want:
		return errors.New("stands in the wrong heap")
	case want != nil && want.items[e.pos] != e:
		return errors.New("is not where it stands in its heap")
	case e.live != (e.waiting && !e.foreign && !s.overspent(e) && !s.away(e)):
		return errors.New("is counted wrongly among those that a crawl waits for")
	}
	return nil
}

func (s *schedule) checkLane(l *lane, busy int32) error {
	want := (*heap[*lane])(nil)
	switch {
	case len(l.ready.items) == 0 || l.full(s):
	case l.rests:
		want = &s.resting
	default:
		want = &s.ready
	}
	name := "of no host"
	if e := l.ready.top(); e != nil {
		name = s.laneName(e.record())
	}
	switch {
	case l.busy != busy:
		return fmt.Errorf("lane %s: %d requests are in hand, its hosts say %d", name, l.busy, busy)
	case l.in != want || want != nil && want.items[l.pos] != l:
		return fmt.Errorf("lane %s stands in the wrong heap", name)
	case !l.ready.ordered():
		return fmt.Errorf("lane %s is out of order", name)
	}
	return nil
}

// ordered reports whether no member comes before its parent.
func (h *heap[T]) ordered() bool {
	for i := 1; i < len(h.items); i++ {
		if h.before(h.items[i], h.items[(i-1)/2]) {
			return false
		}
	}
	return true
}
