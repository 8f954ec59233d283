package frontier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"
)

// waits runs a test in simulated time on a new frontier, and checks it in the end.
func waits(t *testing.T, o Options, test func(t *testing.T, f *Frontier)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.NoSync = true
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), o)
		defer closeClean(t, f)
		test(t, f)
	})
}

// wantNext wants a link after some time.
func wantNext(t *testing.T, f *Frontier, url string, after time.Duration) crawler.Lease {
	t.Helper()
	start := time.Now()
	l := next(t, f)
	if took := time.Since(start); l.URL != url || took != after {
		t.Errorf("%s after %v, want %s after %v", l.URL, took, url, after)
	}
	return l
}

func wantDrained(t *testing.T, f *Frontier) {
	t.Helper()
	start := time.Now()
	if l, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) || time.Since(start) != 0 {
		t.Errorf("%+v, %v after %v", l, err, time.Since(start))
	}
}

// A host that a lease has reserved, known or not, is not fetched by others until its delay after
// that lease is over.
func TestReservedHostRests(t *testing.T) {
	const delay = 10 * time.Second
	waits(t, Options{HostDelay: delay}, func(t *testing.T, f *Frontier) {
		push(t, f, "https://a.org/1", "https://b.org/1")
		l := wantNext(t, f, "https://a.org/1", 0)
		for host, want := range map[webgraph.Host]bool{"a.org": false, "b.org": true, "new.org": true} {
			if got := f.MayRequest(l, host); got != want {
				t.Errorf("turn of %s: %v", host, got)
			}
		}
		if f.MayRequest(l, "b.org") || f.MayRequest(l, "") || f.MayRequest(crawler.Lease{Candidate: crawler.Candidate{URL: "https://b.org/1"}}, "c.org") {
			t.Error("a turn that is nobody's")
		}
		time.Sleep(time.Minute)
		push(t, f, "https://new.org/1")
		done(t, f, l, fetched)
		wantNext(t, f, "https://b.org/1", delay)
		wantNext(t, f, "https://new.org/1", 0)
	})
}

func TestGroupsRest(t *testing.T) {
	urls := []string{"https://x.a.org/1", "https://y.a.org/1", "https://b.org/1"}
	for group, want := range map[hosts.Group][]string{
		hosts.ByHost:    {"https://x.a.org/1 0s", "https://y.a.org/1 0s", "https://b.org/1 0s"},
		hosts.ByDomain:  {"https://x.a.org/1 0s", "https://b.org/1 0s", "https://y.a.org/1 6s"},
		hosts.ByAddress: {"https://x.a.org/1 0s", "https://b.org/1 0s", "https://y.a.org/1 6s"},
	} {
		waits(t, Options{HostDelay: 5 * time.Second, Group: group}, func(t *testing.T, f *Frontier) {
			push(t, f, urls...)
			var first crawler.Lease
			for i, want := range want {
				if i == 2 {
					go func() {
						time.Sleep(time.Second)
						done(t, f, first, fetched)
					}()
				}
				start := time.Now()
				l := next(t, f)
				if got := fmt.Sprintf("%s %v", l.URL, time.Since(start)); got != want {
					t.Errorf("%s: %s, want %s", group, got, want)
				}
				if i == 0 {
					first = l
				}
			}
			synctest.Wait()
			time.Sleep(2 * time.Second)
		})
	}
}

// The delay that robots.txt demands counts from its first response on, up to MaxPause.
func TestCrawlDelay(t *testing.T) {
	for asks, want := range map[time.Duration]time.Duration{0: 5 * time.Second, 2 * time.Second: 5 * time.Second, 20 * time.Second: 20 * time.Second, time.Hour: time.Minute} {
		waits(t, Options{HostDelay: 5 * time.Second, MaxPause: time.Minute}, func(t *testing.T, f *Frontier) {
			push(t, f, "https://a.org/1", "https://a.org/2")
			o := fetched
			o.Pause = asks
			done(t, f, wantNext(t, f, "https://a.org/1", 0), o)
			wantNext(t, f, "https://a.org/2", want)
		})
	}
}

// Where the host is at fault all its links wait, where the page is, only that.
func TestHostAndPageFailures(t *testing.T) {
	for name, test := range map[string]struct {
		o     crawler.Outcome
		next  string
		after time.Duration
	}{
		"the host's":          {crawler.Outcome{Fate: crawler.TryLater, Status: 503, HostFailed: true}, "https://a.org/2", time.Minute},
		"the host's, until":   {crawler.Outcome{Fate: crawler.TryLater, Status: 429, HostFailed: true, NotBefore: time.Date(2000, 1, 1, 0, 5, 0, 0, time.UTC)}, "https://a.org/2", 5 * time.Minute},
		"the page's":          {crawler.Outcome{Fate: crawler.TryLater}, "https://a.org/2", 5 * time.Second},
		"nobody's: robots":    {crawler.Outcome{Fate: crawler.Refused}, "https://a.org/2", 5 * time.Second},
		"nobody is asked":     {crawler.Outcome{Fate: crawler.Refused, Unasked: true, Reason: "robots.txt disallows it"}, "https://a.org/2", 0},
		"nobody's: a turn":    {crawler.Outcome{Fate: crawler.Deferred}, "https://a.org/1", 5 * time.Second},
		"the page's: unread":  {crawler.Outcome{Fate: crawler.Refused, Status: 200}, "https://a.org/2", 5 * time.Second},
		"the host's: no name": {crawler.Outcome{Fate: crawler.Gone, HostFailed: true}, "https://a.org/2", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			waits(t, Options{HostDelay: 5 * time.Second}, func(t *testing.T, f *Frontier) {
				push(t, f, "https://a.org/1", "https://a.org/2")
				done(t, f, wantNext(t, f, "https://a.org/1", 0), test.o)
				wantNext(t, f, test.next, test.after)
			})
		})
	}
}

// The crawl ends while links of a dead host wait. The host is dead in the next run too, and a day
// later it is tried again with one link.
func TestDeadHostEndsTheCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, o := filepath.Join(t.TempDir(), "f.db"), Options{HostDelay: time.Second, LeaseTime: 48 * time.Hour}
		f := openAt(t, path, o)
		for i := range 8 {
			push(t, f, fmt.Sprintf("https://dead.org/%d", i))
		}
		for i, after := range []time.Duration{0, 1, 2, 4, 8} {
			done(t, f, wantNext(t, f, fmt.Sprintf("https://dead.org/%d", i), after*time.Minute), crawler.Outcome{Fate: crawler.Gone, HostFailed: true, Reason: "no such host"})
		}
		wantDrained(t, f)
		s, err := f.Story("https://dead.org/7")
		if want := "It waits behind 2 links of its host, which is not requested now: dead since 00:00:00: no such host; requested again at 2000-01-02 00:15:00."; err != nil || s.Why != want {
			t.Errorf("%v; got  %s\nwant %s", err, s.Why, want)
		}
		closeClean(t, f)
		f = openAt(t, path, o)
		defer closeClean(t, f)
		wantDrained(t, f)
		push(t, f, "https://alive.org/")
		wantNext(t, f, "https://alive.org/", time.Second) // rests after Open, then is leased for days
		done(t, f, wantNext(t, f, "https://dead.org/5", 24*time.Hour-time.Second), fetched)
		wantNext(t, f, "https://dead.org/6", time.Second)
	})
}

// What a budget holds back stays, and is fetched when there is more.
func TestBudgetsHoldBack(t *testing.T) {
	for name, test := range map[string]struct {
		o    Options
		want int
	}{
		"none":       {Options{}, 9},
		"per host":   {Options{PerHost: 2}, 6},
		"per domain": {Options{PerDomain: 3}, 6},
		"both":       {Options{PerDomain: 3, PerHost: 1}, 3},
		"replay":     {Options{PerHost: 2, NoWait: true}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f.db")
				f := openAt(t, path, test.o)
				for i := range 3 {
					push(t, f, fmt.Sprintf("https://x.a.org/%d", i), fmt.Sprintf("https://y.a.org/%d", i), fmt.Sprintf("https://b.org/%d", i))
				}
				if n := crawl(t, f); n != test.want {
					t.Errorf("%d pages, want %d", n, test.want)
				}
				if p, _ := f.Progress(t.Context()); p.Waiting != 9-test.want {
					t.Errorf("%+v", p)
				}
				closeClean(t, f)
				f = openAt(t, path, test.o)
				if n := crawl(t, f); n != 0 {
					t.Errorf("%d pages more in the next run", n)
				}
				closeClean(t, f)
				f = openAt(t, path, Options{})
				if n := crawl(t, f); n != 9-test.want {
					t.Errorf("%d pages without a budget", n)
				}
				closeClean(t, f)
			})
		})
	}
}

// crawl fetches everything and returns how many pages that were.
func crawl(t *testing.T, f *Frontier) (n int) {
	t.Helper()
	for ; ; n++ {
		l, err := f.Next(t.Context())
		if errors.Is(err, crawler.ErrDrained) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		done(t, f, l, fetched)
	}
}

// After a crash not even the disk knows which host was fetched last. No host is fetched before its
// delay is over.
func TestCrashRests(t *testing.T) {
	const delay = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		dir, o := t.TempDir(), Options{HostDelay: delay}
		f := openAt(t, filepath.Join(dir, "f.db"), o)
		defer f.Close()
		push(t, f, "https://a.org/", "https://b.org/", "https://slow.org/1", "https://slow.org/2")
		slow := fetched
		slow.Pause = time.Minute
		l := next(t, f)
		done(t, f, next(t, f), fetched)
		done(t, f, next(t, f), slow)
		f.MayRequest(l, "never-seen.org")
		time.Sleep(time.Hour)
		b, err := os.ReadFile(filepath.Join(dir, "f.db"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "copy.db"), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		g := openAt(t, filepath.Join(dir, "copy.db"), o)
		defer closeClean(t, g)
		push(t, g, "https://never-seen.org/")
		wantNext(t, g, "https://a.org/", delay)
		wantNext(t, g, "https://never-seen.org/", 0)
		wantNext(t, g, "https://slow.org/2", time.Minute-delay)
	})
}

// Many workers, slow hosts, redirects with turns: no server sees two requests
// at once, or one before the pause after the last is over.
func TestWorkersArePolite(t *testing.T) {
	const delay, sites, pages, workers = 2 * time.Second, 12, 6, 8
	for _, group := range []hosts.Group{hosts.ByHost, hosts.ByDomain, hosts.ByAddress} {
		waits(t, Options{HostDelay: delay, Group: group, Workers: workers}, func(t *testing.T, f *Frontier) {
			for i := range sites * pages {
				push(t, f, fmt.Sprintf("https://h%d.d%d.org/%d", i%sites, i%sites/3, i))
			}
			servers := &servers{t: t, last: make(map[string]time.Time), busy: make(map[string]bool), delay: delay, group: group}
			var wg sync.WaitGroup
			for worker := range workers {
				wg.Go(func() { servers.work(f, rand.New(rand.NewPCG(uint64(worker), 7)), sites) })
			}
			wg.Wait()
			if servers.n < sites*pages {
				t.Errorf("%s: %d requests for %d pages", group, servers.n, sites*pages)
			}
		})
	}
}

// servers are the servers of the hosts; they see each other's visits if they are in one group.
type servers struct {
	t     *testing.T
	delay time.Duration
	group hosts.Group

	mu   sync.Mutex // guards below
	n    int
	last map[string]time.Time
	busy map[string]bool
}

// name is the unit that gets one request at a time. All sites of a domain have the same address.
func (s *servers) name(host webgraph.Host) string {
	if s.group == hosts.ByHost {
		return string(host)
	}
	return webgraph.RegisteredDomain(host)
}

func (s *servers) begin(host webgraph.Host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.name(host)
	if last, asked := s.last[name]; s.busy[name] || asked && time.Since(last) < s.delay {
		s.t.Errorf("%s: asked %v after the last request, busy: %v", name, time.Since(last), s.busy[name])
	}
	s.n++
	s.busy[name] = true
}

func (s *servers) end(host webgraph.Host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy[s.name(host)], s.last[s.name(host)] = false, time.Now()
}

// work fetches pages until there are none.
func (s *servers) work(f *Frontier, rnd *rand.Rand, hosts int) {
	ctx := context.WithoutCancel(s.t.Context())
	for {
		l, err := f.Next(ctx)
		if err != nil {
			if !errors.Is(err, crawler.ErrDrained) {
				s.t.Error(err)
			}
			return
		}
		ask := func(host webgraph.Host) {
			s.begin(host)
			time.Sleep(time.Duration(rnd.IntN(3000)) * time.Millisecond)
			s.end(host)
		}
		host, n := webgraph.HostOf(l.URL), rnd.IntN(hosts)
		other := webgraph.Host(fmt.Sprintf("h%d.d%d.org", n, n/3))
		o := fetched
		o.Addr = webgraph.RegisteredDomain(host)
		if rnd.IntN(4) == 0 && f.MayRequest(l, other) {
			o = crawler.Outcome{Fate: crawler.Deferred}
			ask(other)
		} else {
			f.MayRequest(l, host)
			ask(host)
		}
		if f.MayRequest(l, other) {
			ask(other)
		}
		if err := f.Done(ctx, crawler.End{Lease: l, Outcome: o}); err != nil {
			s.t.Error(err)
		}
	}
}
