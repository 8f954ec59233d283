package hosts

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A world is a crawl in simulated time over hosts that are slow, fail and share addresses. It keeps a
// separate record of all requests, and finds the next host by looking at all of them.
type world struct {
	*Schedule
	t        *testing.T
	rnd      *rand.Rand
	o        Options
	now      time.Time
	seq      uint64
	hosts    []*simHost
	leases   []*simLease
	inHand   map[string]int       // by group, and by domain where that is counted
	fetched  map[string]int       // by domain
	restsTo  map[string]time.Time // by group
	lastTurn map[string]time.Time // by host group
	log      map[string][]visit   // the observations of the servers, by host and by domain
	asked    int
}

type simHost struct {
	h      Host
	domain string
	addr   string
	asks   time.Duration // Crawl-delay
	speed  time.Duration
	sick   bool
	links  []LinkKey // best first
	busy   bool
	turn   time.Time
}

type simLease struct {
	id    ID
	turns []ID
	ends  time.Time
	start time.Time
}

type visit struct{ start, end time.Time }

func newWorld(t *testing.T, seed uint64, o Options) *world {
	o.Group = cmp.Or(o.Group, ByHost)
	w := &world{
		Schedule: NewSchedule(o), t: t, rnd: rand.New(rand.NewPCG(seed, 1)), o: o, now: noon,
		inHand: make(map[string]int), fetched: make(map[string]int), restsTo: make(map[string]time.Time),
		lastTurn: make(map[string]time.Time), log: make(map[string][]visit),
	}
	for i := range 200 {
		domain := fmt.Sprintf("d%d.org", w.rnd.IntN(1+w.rnd.IntN(60)))
		s := &simHost{h: Host{Name: webgraph.Host(fmt.Sprintf("h%d.%s", i, domain))}, domain: domain, turn: noon}
		s.addr = fmt.Sprintf("192.0.2.%d", w.rnd.IntN(60))
		s.speed = time.Duration(1 + w.rnd.IntN(int(4*time.Second)))
		s.sick = w.rnd.IntN(5) == 0
		if w.rnd.IntN(4) == 0 {
			s.asks = time.Duration(w.rnd.IntN(20)) * time.Second
		}
		w.hosts = append(w.hosts, s)
		w.Add(s.h.Name, noon)
		w.enterLane(s)
	}
	return w
}

// laneOf names the hosts that take turns as one, group those whose requests exclude each other.
func (w *world) laneOf(s *simHost) string {
	if w.o.Group == ByAddress && s.h.Addr != "" {
		return s.h.Addr
	}
	return s.domain
}

func (w *world) groupOf(s *simHost) string {
	if w.o.Group == ByHost {
		return string(s.h.Name)
	}
	return w.laneOf(s)
}

func (w *world) enterLane(s *simHost) {
	if _, known := w.lastTurn[w.laneOf(s)]; !known {
		w.lastTurn[w.laneOf(s)] = s.turn
	}
}

// free reports whether a host may be asked.
func (w *world) free(s *simHost) bool {
	pages, domainPages := s.h.Fetched, w.fetched[s.domain]+w.inHand["in "+s.domain]
	if s.busy {
		pages++
	}
	return !s.busy && w.inHand[w.groupOf(s)] == 0 && !s.h.Due.After(w.now) && !w.restsTo[w.groupOf(s)].After(w.now) &&
		(w.o.PerHost == 0 || pages < w.o.PerHost) && (w.o.PerDomain == 0 || domainPages < w.o.PerDomain)
}

// best finds the next host to be requested.
func (w *world) best() *simHost {
	var free []*simHost
	for _, s := range w.hosts {
		share := w.o.Group != ByHost || w.o.Workers == 0 || w.inHand["in "+s.domain] < max(1, w.o.Workers/2)
		if len(s.links) > 0 && w.free(s) && share {
			free = append(free, s)
		}
	}
	if len(free) == 0 {
		return nil
	}
	return slices.MinFunc(free, func(a, b *simHost) int {
		return cmp.Or(
			cmp.Compare(a.links[0].Rank, b.links[0].Rank),
			w.lastTurn[w.laneOf(a)].Compare(w.lastTurn[w.laneOf(b)]),
			a.turn.Compare(b.turn),
			cmp.Compare(a.links[0].Seq, b.links[0].Seq))
	})
}

// ask records that a request begins.
func (w *world) ask(s *simHost) {
	w.asked++
	s.busy, s.turn = true, w.now
	w.lastTurn[w.laneOf(s)] = w.now
	w.inHand[w.groupOf(s)]++
	w.inHand["in "+s.domain]++
}

// release records that a request ends, if its group is unchanged, and when it began, if it was made.
func (w *world) release(s *simHost, start time.Time) {
	s.busy = false
	w.inHand[w.groupOf(s)]--
	w.inHand["in "+s.domain]--
	if start.IsZero() {
		return
	}
	w.log[string(s.h.Name)] = append(w.log[string(s.h.Name)], visit{start, w.now})
	w.log[s.domain] = append(w.log[s.domain], visit{start, w.now})
}

// become notes what a host is from now on.
func (w *world) become(s *simHost, h Host) {
	w.fetched[s.domain] += h.Fetched - s.h.Fetched
	s.h = h
	w.enterLane(s)
	until := w.now.Add(w.delayOf(h))
	if group := w.groupOf(s); until.After(w.restsTo[group]) {
		w.restsTo[group] = until
	}
}

func (w *world) push() {
	for range w.rnd.IntN(3) {
		id := ID(w.rnd.IntN(len(w.hosts)))
		w.seq++
		w.hosts[id].links = append(w.hosts[id].links, LinkKey{Rank: uint64(1 + w.rnd.IntN(3)), Seq: w.seq})
		w.show(id)
	}
}

func (w *world) show(id ID) {
	s := w.hosts[id]
	slices.SortFunc(s.links, func(a, b LinkKey) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Seq, b.Seq)) })
	if len(s.links) == 0 {
		w.SetBestLink(id, LinkKey{}, false)
		return
	}
	w.SetBestLink(id, s.links[0], true)
}

// lease asks the next host, if there is one, and perhaps others on its way.
func (w *world) lease() bool {
	id, ok := w.BestHost(w.now)
	want := w.best()
	switch {
	case ok != (want != nil):
		w.t.Fatalf("%v: host %d, %v; want %+v", w.now, id, ok, want)
	case !ok:
		return false
	case w.hosts[id] != want:
		w.t.Fatalf("%v: %+v goes first, want %+v", w.now, w.hosts[id], want)
	}
	w.Schedule.BeginLease(id, w.now)
	w.ask(want)
	want.links = want.links[1:]
	w.show(id)
	l := &simLease{id: id, start: w.now, ends: w.now.Add(time.Duration(1 + w.rnd.Int64N(int64(2*want.speed))))}
	for range w.rnd.IntN(3) {
		other := ID(w.rnd.IntN(len(w.hosts)))
		may := w.free(w.hosts[other])
		if got := w.GrantRequest(id, other, w.now, true); got != may {
			w.t.Fatalf("%v: turn of %+v: %v, want %v; %s", w.now, w.hosts[other], got, may, w.WaitReason(other, w.now))
		}
		if may {
			w.ask(w.hosts[other])
			l.turns = append(l.turns, other)
		}
	}
	w.leases = append(w.leases, l)
	return true
}

func (w *world) outcome(s *simHost) crawler.Outcome {
	os := []crawler.Outcome{ok, ok, ok, ok, noPage, timeout, waitTurn, unread}
	if s.sick {
		os = []crawler.Outcome{busy, noHost, timeout, ok, busyUntil(w.now.Add(time.Duration(w.rnd.IntN(7200)) * time.Second))}
	}
	o := os[w.rnd.IntN(len(os))]
	if o.Status != 0 {
		o.Took, o.Pause = s.speed, s.asks
		if o.Addr = s.addr; w.rnd.IntN(20) == 0 {
			s.addr = fmt.Sprintf("192.0.2.%d", w.rnd.IntN(60))
		}
	}
	return o
}

// finish ends a lease.
func (w *world) finish(l *simLease) {
	s := w.hosts[l.id]
	o := w.outcome(s)
	by := l.id
	if len(l.turns) > 0 && o.Fate.HasResponse() && w.rnd.IntN(2) == 0 {
		by = l.turns[0]
	}
	what := w.rnd.IntN(30)
	if what == 1 {
		l.start = time.Time{}
	}
	w.release(s, l.start)
	for _, other := range l.turns {
		x := w.hosts[other]
		w.release(x, l.start)
		w.become(x, w.startDelay(x.h, w.now))
	}
	switch what {
	case 0:
		w.CancelLease(l.id, w.now)
		w.become(s, w.startDelay(s.h, w.now))
	case 1:
		w.EndLease(l.id, l.id, unasked, w.now)
	default:
		w.EndLease(l.id, by, o, w.now)
		w.become(s, w.afterRequest(s.h, o, w.now))
		w.become(w.hosts[by], w.afterResponse(w.hosts[by].h, o, w.now))
	}
	for _, id := range append(l.turns, l.id, by) {
		if got := w.Host(id); got != w.hosts[id].h {
			w.t.Fatalf("%v: host is %+v, want %+v", w.now, got, w.hosts[id].h)
		}
	}
}

// crash forgets outstanding requests; the hosts are restored from their records.
func (w *world) crash() {
	old := w.Schedule
	w.Schedule = NewSchedule(w.o)
	for _, l := range w.leases {
		for _, id := range append(l.turns, l.id) {
			w.release(w.hosts[id], l.start)
		}
	}
	w.leases = nil
	clear(w.lastTurn)
	clear(w.restsTo)
	for i, s := range w.hosts {
		h := old.Host(ID(i)) // that its record keeps all of it: frontier.TestHostRecord
		if h != s.h {
			w.t.Fatalf("%v: %+v comes back as %+v", w.now, s.h, h)
		}
		w.Restore(h, w.now)
		if s.turn = s.h.Asked; s.turn.IsZero() {
			s.turn = w.now
		}
		asked := h.Asked
		h = w.startDelay(h, w.now)
		h.Asked = asked
		w.become(s, h)
		w.show(ID(i))
	}
}

// step advances the clock until something happens, and lets it happen. It returns false if nothing can happen
// any more.
func (w *world) step(workers int) bool {
	for len(w.leases) < workers && w.lease() {
	}
	next, _ := w.NextDue()
	if !next.After(w.now) { // a host is due, but no worker is free
		next = time.Time{}
	}
	for _, l := range w.leases {
		if next.IsZero() || l.ends.Before(next) {
			next = l.ends
		}
	}
	if next.IsZero() {
		return false
	}
	if next.After(w.now) {
		w.now = next
	}
	for i := 0; i < len(w.leases); i++ {
		if l := w.leases[i]; !l.ends.After(w.now) {
			w.leases = slices.Delete(w.leases, i, i+1)
			i--
			w.finish(l)
		}
	}
	return true
}

// polite checks the observations of the servers.
func (w *world) polite() {
	names := []webgraph.Host(nil)
	for _, s := range w.hosts {
		names = append(names, s.h.Name)
		if w.o.Group == ByDomain {
			names = append(names, webgraph.Host(s.domain))
		}
	}
	for _, name := range names {
		visits := w.log[string(name)]
		slices.SortFunc(visits, func(a, b visit) int { return a.start.Compare(b.start) })
		for i := 1; i < len(visits); i++ {
			if gap := visits[i].start.Sub(visits[i-1].end); gap < w.o.HostDelay {
				w.t.Errorf("%s was asked again after %v", name, gap)
			}
		}
	}
}

// Whatever hosts, groups, turns and crashes do, the host chosen is the one that a full search would
// choose. No host is fetched within its delay, and every host with a link is fetched in the end.
func TestSimulation(t *testing.T) {
	const delay = 2 * time.Second
	for name, o := range map[string]Options{
		"hosts":     {HostDelay: delay, DelayFactor: 3, Workers: 8},
		"domains":   {HostDelay: delay, Group: ByDomain, MaxPause: 10 * time.Second},
		"addresses": {HostDelay: delay, Group: ByAddress, DelayFactor: 1},
		"budgets":   {HostDelay: delay, PerHost: 9, PerDomain: 30, Workers: 4},
		"all":       {HostDelay: delay, Group: ByAddress, PerHost: 12, PerDomain: 40},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				w := newWorld(t, seed, o)
				w.run(2500)
				w.polite()
				t.Logf("seed %d: %d requests in %v", seed, w.asked, w.now.Sub(noon))
			}
		})
	}
}

func (w *world) run(steps int) {
	for i := range steps {
		w.push()
		w.step(12)
		if i%10 == 0 {
			w.valid()
		}
		if w.rnd.IntN(500) == 0 {
			w.crash()
		}
		w.now = w.now.Add(time.Duration(w.rnd.IntN(200)) * time.Millisecond)
	}
	for w.step(12) {
	}
	w.valid()
	for i, s := range w.hosts {
		if len(s.links) > 0 && w.free(s) {
			w.t.Errorf("%s still waits with %d links; %s", s.h.Name, len(s.links), w.WaitReason(ID(i), w.now))
		}
	}
	if _, live := w.NextDue(); live {
		w.t.Error("somebody is waited for at the end")
	}
}

func (w *world) valid() {
	w.t.Helper()
	for _, err := range w.Check() {
		w.t.Fatalf("%v: %v", w.now, err)
	}
}
