package hosts

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A bench is a schedule with a clock and links that never end, for tests.
type bench struct {
	*Schedule
	t   *testing.T
	now time.Time
	seq uint64
}

func newBench(t *testing.T, o Options, hosts ...webgraph.Host) *bench {
	b := &bench{Schedule: NewSchedule(o), t: t, now: noon}
	for _, h := range hosts {
		b.link(b.Add(h, b.now), 1)
	}
	return b
}

// link gives a host a link of this rank.
func (b *bench) link(id ID, rank uint64) {
	b.seq++
	b.SetBestLink(id, LinkKey{rank, b.seq}, true)
}

// lease leases a link of the next host, and gives that another; "" if no host
// may be asked.
func (b *bench) lease() string {
	b.t.Helper()
	id, ok := b.BestHost(b.now)
	if !ok {
		return ""
	}
	k, _ := b.BestLink(id)
	b.Schedule.BeginLease(id, b.now)
	b.link(id, k.Rank)
	b.valid()
	return string(b.Host(id).Name)
}

func (b *bench) leases(n int) string {
	b.t.Helper()
	var names []string
	for range n {
		names = append(names, b.lease())
	}
	return strings.Join(names, " ")
}

func (b *bench) done(name string, o crawler.Outcome) {
	b.t.Helper()
	id := b.ids[webgraph.Host(name)]
	b.EndLease(id, id, o, b.now)
	b.valid()
}

func (b *bench) valid() {
	b.t.Helper()
	for _, err := range b.Check() {
		b.t.Fatal(err)
	}
}

func (b *bench) want(got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("got %q, want %q", got, want)
	}
}

// Without a delay the order is that of one queue over all links.
func TestNoDelayIsOneQueue(t *testing.T) {
	for name, o := range map[string]Options{"no delay": {Workers: 4}, "replay": {HostDelay: time.Hour, NoWait: true, Group: ByDomain}} {
		b := newBench(t, o)
		x, y := b.Add("x.a.org", noon), b.Add("y.a.org", noon)
		b.SetBestLink(x, LinkKey{2, 1}, true)
		b.SetBestLink(y, LinkKey{2, 2}, true)
		for i, want := range []struct {
			host ID
			next LinkKey
		}{{x, LinkKey{2, 3}}, {y, LinkKey{1, 9}}, {y, LinkKey{2, 8}}, {x, LinkKey{2, 10}}, {y, LinkKey{}}} {
			got, ok := b.BestHost(noon)
			if !ok || got != want.host {
				t.Errorf("%s, lease %d: host %d, %v; want %d", name, i, got, ok, want.host)
			}
			b.Schedule.BeginLease(got, noon)
			b.SetBestLink(got, want.next, want.next != LinkKey{})
			b.valid()
		}
		if !b.GrantRequest(x, y, noon, true) {
			t.Errorf("%s: no turn", name)
		}
	}
}

// The better link goes first; equal ones take turns, domain by domain and host
// by host.
func TestEqualHostsTakeTurns(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second}, "a.one.org", "b.one.org", "two.org", "c.one.org")
	b.link(b.Add("best.org", noon), 0)
	var got []string
	for range 9 {
		h := b.lease()
		got = append(got, h)
		b.now = b.now.Add(time.Minute)
		b.done(h, ok)
		b.now = b.now.Add(time.Second)
		if h == "best.org" {
			b.SetBestLink(b.ids[webgraph.Host(h)], LinkKey{}, false)
		}
	}
	b.want(strings.Join(got, " "), "best.org a.one.org two.org b.one.org two.org c.one.org two.org a.one.org two.org")
}

// A host is asked by one at a time and rests from the end of the request.
func TestHostRests(t *testing.T) {
	b := newBench(t, Options{HostDelay: 5 * time.Second}, "a.org")
	b.want(b.leases(2), "a.org ")
	b.now = noon.Add(time.Hour)
	b.want(b.lease(), "")
	b.done("a.org", ok)
	b.want(b.lease(), "")
	if at, live := b.NextDue(); !at.Equal(b.now.Add(5*time.Second)) || !live {
		t.Errorf("due %v, %v", at, live)
	}
	b.now = b.now.Add(5 * time.Second)
	b.want(b.lease(), "a.org")
	b.CancelLease(0, b.now)
	b.want(b.lease(), "")
	b.want(fmt.Sprint(b.TakeChanged(), b.TakeChanged()), "[0] []")
}

// Half of the outstanding fetches, and no more, go to one domain.
func TestShareOfADomain(t *testing.T) {
	var hosts []webgraph.Host
	for i := range 20 {
		hosts = append(hosts, webgraph.Host(fmt.Sprintf("h%d.trap.org", i)))
	}
	for workers, want := range map[int]int{0: 20, 1: 1, 2: 1, 3: 1, 4: 2, 16: 8} {
		b := newBench(t, Options{HostDelay: time.Second, Workers: workers}, hosts...)
		n := 0
		for b.lease() != "" {
			n++
		}
		if n != want {
			t.Errorf("%d workers: %d hosts of a domain asked at once, want %d", workers, n, want)
		}
		b.link(b.Add("other.org", noon), 1)
		b.want(b.lease(), "other.org")
		b.done("h0.trap.org", ok)
		if got := b.lease(); workers > 0 && !strings.HasSuffix(got, ".trap.org") {
			t.Errorf("%d workers: then %q", workers, got)
		}
	}
}

func TestByDomain(t *testing.T) {
	b := newBench(t, Options{HostDelay: 5 * time.Second, Group: ByDomain}, "a.one.org", "b.one.org", "two.org", "alice.github.io", "bob.github.io")
	b.want(b.leases(5), "a.one.org two.org alice.github.io bob.github.io ")
	b.done("a.one.org", ok)
	b.want(b.lease(), "")
	if !strings.HasPrefix(b.WaitReason(1, b.now), "rests until 12:00:05 like the other hosts of one.org") {
		t.Error(b.WaitReason(1, b.now))
	}
	b.now = b.now.Add(5 * time.Second)
	b.want(b.leases(2), "b.one.org ")
	if got := b.WaitReason(0, b.now); got != "another host of one.org is being requested" {
		t.Error(got)
	}
	b.done("b.one.org", busy) // its own trouble
	b.now = b.now.Add(5 * time.Second)
	b.want(b.leases(2), "a.one.org ")
}

func TestByAddress(t *testing.T) {
	b := newBench(t, Options{HostDelay: 5 * time.Second, Group: ByAddress}, "one.org", "two.org", "three.org", "www.three.org")
	b.want(b.leases(4), "one.org two.org three.org ") // not known: by domain
	at := func(addr string) crawler.Outcome {
		o := ok
		o.Addr = addr
		return o
	}
	b.done("one.org", at("192.0.2.1"))
	b.now = b.now.Add(2 * time.Second)
	b.done("two.org", at("192.0.2.1"))
	b.done("three.org", at("192.0.2.3"))
	b.now = b.now.Add(4 * time.Second)
	b.want(b.lease(), "") // the address rests until 5 s after two.org
	b.now = b.now.Add(time.Second)
	b.want(b.leases(4), "www.three.org one.org three.org ")
	b.done("one.org", at("192.0.2.9")) // it has moved: both addresses rest, then both are asked
	b.now = b.now.Add(5 * time.Second)
	b.want(b.leases(3), "two.org one.org ")
}

// A turn is given for a host that is idle and due; it is held until the lease
// ends, and rests from then on.
func TestGrantRequest(t *testing.T) {
	delay := 5 * time.Second
	b := newBench(t, Options{HostDelay: delay}, "a.org")
	other := b.Add("b.org", noon)
	a := b.ids[webgraph.Host(b.lease())]
	if b.GrantRequest(a, a, b.now, true) {
		t.Error("a turn of the host in hand")
	}
	if !b.GrantRequest(a, other, b.now, true) || b.GrantRequest(a, other, b.now, true) {
		t.Error("not one turn of the other")
	}
	b.link(other, 1)
	b.now = b.now.Add(time.Hour)
	b.want(b.lease(), "")
	b.done("a.org", ok)
	if got := b.Host(other); !got.Due.Equal(b.now.Add(delay)) || got.Fetched != 0 {
		t.Errorf("%+v", got)
	}
	b.now = b.now.Add(delay)
	b.want(b.leases(3), "a.org b.org ")
	b.EndLease(other, a, ok, b.now) // a redirect without a reserved turn
	if b.Host(a).Fetched != 2 || b.Host(other).Fetched != 0 {
		t.Error("the page does not count for the host that answered")
	}
}

func TestTurnOfAGroup(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second, Group: ByDomain}, "a.one.org", "two.org")
	sister, www := b.Add("b.one.org", noon), b.Add("www.two.org", noon)
	b.want(b.lease(), "a.one.org")
	if b.GrantRequest(0, sister, b.now, true) {
		t.Error("a turn while the domain is asked")
	}
	if !b.GrantRequest(0, www, b.now, true) {
		t.Error("no turn of another domain")
	}
	b.want(b.lease(), "")
	b.done("a.one.org", ok)
	if b.GrantRequest(1, sister, b.now, true) {
		t.Error("a turn while the domain rests")
	}
	b.now = b.now.Add(time.Second)
	b.want(b.leases(3), "two.org a.one.org ")
}

// The only request of a lease may go to another host of its group.
func TestTurnInPlace(t *testing.T) {
	delay := 5 * time.Second
	for _, group := range []Group{ByDomain, ByAddress} {
		b := newBench(t, Options{HostDelay: delay, Group: group}, "one.org")
		www := b.Add("www.one.org", noon)
		b.want(b.lease(), "one.org")
		if !b.GrantRequest(0, www, b.now, false) || b.GrantRequest(0, www, b.now, false) {
			t.Errorf("%s: not one turn", group)
		}
		b.valid()
		b.done("one.org", waitTurn)
		b.want(b.lease(), "")
		b.now = b.now.Add(delay)
		b.want(b.lease(), "one.org")
	}
}

func TestBudgets(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second, PerHost: 2, PerDomain: 3}, "a.one.org", "b.one.org", "c.one.org", "two.org")
	n := map[string]int{}
	for range 20 {
		var in []string
		for h := b.lease(); h != ""; h = b.lease() {
			in = append(in, h)
		}
		for _, h := range in {
			n[h]++
			b.done(h, ok)
		}
		b.now = b.now.Add(time.Second)
	}
	if n["two.org"] != 2 || n["a.one.org"]+n["b.one.org"]+n["c.one.org"] != 3 || n["a.one.org"] > 2 {
		t.Errorf("asked %v", n)
	}
	if at, live := b.NextDue(); live || !at.IsZero() {
		t.Errorf("a crawl would wait until %v, live %v", at, live)
	}
	if c, _ := b.Status(0, b.now); c.Spent != 4 {
		t.Errorf("%+v", c)
	}
	b.want(b.WaitReason(3, b.now), "its budget of 2 pages is used up")
	b.want(b.WaitReason(2, b.now), "the budget of 3 pages of one.org is used up")
}

// Outstanding requests count, but only as long as they may become a page.
func TestBudgetInHand(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second, PerDomain: 1}, "a.one.org", "b.one.org")
	b.want(b.leases(2), "a.one.org ")
	b.done("a.one.org", crawler.Outcome{Fate: crawler.Refused, Reason: "robots.txt"})
	b.want(b.leases(2), "b.one.org ")
	b.done("b.one.org", ok)
	b.now = b.now.Add(time.Hour)
	b.want(b.lease(), "")
}

// A dead host is requested once a day, with one link, and does not make a crawl wait.
func TestDeadHost(t *testing.T) {
	for name, delay := range map[string]time.Duration{"delay": time.Second, "no delay": 0} {
		b := newBench(t, Options{HostDelay: delay}, "dead.org", "busy.org")
		b.SetBestLink(1, LinkKey{}, false)
		for range 5 {
			if _, live := b.NextDue(); !live {
				t.Fatal("given up too early")
			}
			b.want(b.lease(), "dead.org")
			b.done("dead.org", noHost)
			b.now = b.Host(0).Due
		}
		at, live := b.NextDue()
		if live || !at.Equal(b.now) {
			t.Errorf("%s: live %v, due %v", name, live, at)
		}
		b.want(b.WaitReason(0, b.now.Add(-time.Hour)), "dead since 2026-11-21 12:00:00: no such host; requested again at 12:15:00")
		if c, _ := b.Status(0, b.now); c.Dead != 1 {
			t.Errorf("%s: %+v", name, c)
		}
		b.want(b.leases(2), "dead.org ") // half open
		b.done("dead.org", ok)
		if _, live := b.NextDue(); !live || b.Host(0).Dead {
			t.Errorf("%s: still dead", name)
		}
	}
}

// A server that demands hours does not keep a crawl from ending, one that demands minutes does.
func TestLongBackOff(t *testing.T) {
	for asks, want := range map[time.Duration]bool{10 * time.Minute: true, 3 * time.Hour: false} {
		b := newBench(t, Options{HostDelay: time.Second}, "a.org")
		b.lease()
		b.done("a.org", busyUntil(b.now.Add(asks)))
		if at, live := b.NextDue(); live != want || !at.Equal(b.now.Add(asks)) {
			t.Errorf("%v: live %v, due %v", asks, live, at)
		}
	}
}

// After a crash it is unknown which host was last fetched: all rest.
func TestRestore(t *testing.T) {
	for _, group := range []Group{ByHost, ByDomain, ByAddress} {
		b := newBench(t, Options{HostDelay: 5 * time.Second, Group: group})
		b.Restore(Host{Name: "slow.org", Asked: noon.Add(-time.Hour), CrawlDelay: 20 * time.Second, Addr: "192.0.2.1"}, noon)
		b.Restore(Host{Name: "away.org", Due: noon.Add(time.Hour), Failures: 6, Asked: noon, LastFailure: noon}, noon)
		b.Restore(Host{Name: "known.org"}, noon)
		for id := range b.hosts {
			b.link(ID(id), 1)
		}
		b.link(b.Add("new.org", noon.Add(time.Second)), 1)
		var got []string
		for range 5 {
			at, _ := b.NextDue()
			b.now = at
			got = append(got, fmt.Sprint(b.lease(), " ", at.Sub(noon)))
			if h := b.lease(); h != "" {
				got = append(got, h)
			}
			if len(got) >= 4 {
				break
			}
		}
		want := []string{"known.org 5s", "new.org", "slow.org 20s", "away.org 1h0m0s"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", group, diff)
		}
	}
}

// A crawl with only hosts that failed yesterday requests each of them again before it ends. A host whose
// back-off continues does not keep a crawl from ending.
func TestRestoreAsksAgain(t *testing.T) {
	day := 24 * time.Hour
	for name, h := range map[string]Host{
		"failed": {Failures: 4, FirstFailure: noon.Add(-3 * day), LastFailure: noon.Add(-day), Due: noon.Add(-day + 8*time.Minute)},
		"dead":   {Failures: 9, Dead: true, FirstFailure: noon.Add(-9 * day), LastFailure: noon.Add(-day - time.Minute), Due: noon.Add(-time.Minute)},
	} {
		b := newBench(t, Options{HostDelay: 5 * time.Second})
		h.Name, h.Reason = "down.org", "no such host"
		b.link(b.Restore(h, noon), 1)
		at, live := b.NextDue()
		if !live || !at.Equal(noon.Add(5*time.Second)) {
			t.Errorf("%s: live %v, due %v", name, live, at)
		}
		if b.now = at; b.lease() != "down.org" {
			t.Errorf("%s: is not asked", name)
		}
		b.done("down.org", crawler.Outcome{Fate: crawler.Gone, HostFailed: true, Reason: "no such host"})
		if at, live := b.NextDue(); name == "dead" && (live || at.Before(noon.Add(day))) {
			t.Errorf("%s, once more: live %v, due %v", name, live, at)
		}
	}
	b := newBench(t, Options{HostDelay: 5 * time.Second})
	b.link(b.Restore(Host{Name: "down.org", Failures: 9, Dead: true, LastFailure: noon.Add(-time.Hour), Due: noon.Add(23 * time.Hour)}, noon), 1)
	if _, live := b.NextDue(); live {
		t.Error("a host that rests for a day keeps a crawl from ending")
	}
}

// A clock that was wrong once does not silence a host for years.
func TestRestoreBoundsDue(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second})
	id := b.Restore(Host{Name: "a.org", Due: noon.Add(10000 * time.Hour), Asked: noon.Add(9999 * time.Hour)}, noon)
	if got := b.Host(id).Due; !got.Equal(noon.Add(MaxBackoff)) {
		t.Errorf("rests until %v", got)
	}
}

func TestWaitReason(t *testing.T) {
	const s = time.Second
	for want, h := range map[string]Host{
		"rests until 12:00:05 because the host delay is 5s":                                          {Asked: noon, Due: noon.Add(5 * s)},
		"rests until 12:00:10 because robots.txt asks for 10s":                                       {Asked: noon, Due: noon.Add(10 * s), CrawlDelay: 10 * s},
		"rests until 12:05:00 because robots.txt asks for 1h0m0s, and the delay is limited to 5m0s":  {Asked: noon, Due: noon.Add(300 * s), CrawlDelay: time.Hour},
		"rests until 12:00:08 because its answers take 4s":                                           {Asked: noon, Due: noon.Add(8 * s), Latency: 4 * s},
		"rests until 12:04:00 after 3 failures in a row, the last one at 12:00:00: status 503":       {Due: noon.Add(240 * s), Failures: 3, LastFailure: noon, Reason: "status 503"},
		"dead since 2026-11-20 12:00:00: gone: no such host; requested again at 2026-11-22 12:00:00": {Dead: true, Failures: 9, FirstFailure: noon.Add(-24 * time.Hour), LastFailure: noon, Due: noon.Add(24 * time.Hour), Reason: "gone: no such host"},
		"rests until 12:00:05 because it may have been requested before the frontier was opened":     {Due: noon.Add(5 * s)},
		"": {Asked: noon.Add(-time.Hour), Due: noon.Add(-time.Hour)},
	} {
		b := newBench(t, Options{HostDelay: 5 * s, DelayFactor: 2})
		h.Name = "a.org"
		b.want(b.WaitReason(b.addHost(h, noon), noon), want)
	}
}

func TestStatus(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second}, "a.org", "b.org", "c.org", "d.org")
	b.link(3, 0)
	b.SetBestLink(0, LinkKey{}, false)
	b.want(b.leases(2), "d.org b.org")
	b.done("b.org", ok)
	c, top := b.Status(2, b.now)
	if diff := cmp.Diff(Counts{Known: 4, Ready: 1, Resting: 1, Busy: 1}, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(top) != 2 || top[0].Name != "d.org" || top[0].State != Busy || top[1].Name != "c.org" || top[1].State != Ready {
		t.Errorf("%+v", top)
	}
}

// Hosts are kept by the million.
func TestEntrySize(t *testing.T) {
	if size := unsafe.Sizeof(entry{}); size > 160 {
		t.Errorf("an entry takes %d bytes", size)
	}
	if size := unsafe.Sizeof(hostGroup{}); size > 80 {
		t.Errorf("a lane takes %d bytes", size)
	}
}
