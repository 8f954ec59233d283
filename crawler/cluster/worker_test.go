package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"eventseer/crawler"
	"eventseer/crawler/frontier"
	"eventseer/webgraph"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A web is pages 0 to pages-1 on some hosts, each with links to others; from page 0
// all can be reached. It counts who asks for what.
type web struct {
	pages, hosts int

	mu     sync.Mutex // guards below
	asked  map[string]int
	inHand map[webgraph.Host]string // who asks a host now
	broken []string                 // rules
}

func newWeb(pages, hosts int) *web {
	return &web{pages: pages, hosts: hosts, asked: map[string]int{}, inHand: map[webgraph.Host]string{}}
}

func (w *web) url(page int) string {
	return fmt.Sprintf("https://h%d.example/p%d", page*7919%w.hosts, page)
}

func (w *web) links(url string) (urls []string) {
	page, _ := strconv.Atoi(url[strings.LastIndex(url, "/p")+2:])
	for i := 1; i <= 3; i++ {
		if to := 3*page + i; to < w.pages {
			urls = append(urls, w.url(to))
		}
	}
	return append(urls, w.url((page*31+7)%w.pages), w.url(0))
}

// Visit implements crawler.Strategy.
func (w *web) Visit(_ context.Context, a crawler.Arrival) (v crawler.Verdict, err error) {
	if a.Tree == nil {
		return v, nil
	}
	for _, url := range w.links(a.Lease.URL) {
		v.Forward = append(v.Forward, crawler.Candidate{URL: url, Score: 1})
	}
	return v, nil
}

func (w *web) count() (once, more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.asked {
		if once++; n > 1 {
			more++
		}
	}
	return once, more
}

// A visitor is the web as one crawler's fetcher asks it.
type visitor struct {
	*web
	name string
}

func (v visitor) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	host := webgraph.HostOf(r.URL)
	v.mu.Lock()
	if by := v.inHand[host]; by != "" {
		v.broken = append(v.broken, fmt.Sprintf("%s is asked by %s and %s", host, by, v.name))
	}
	v.inHand[host] = v.name
	v.mu.Unlock()
	err := pause(ctx, time.Millisecond)
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.inHand, host)
	if err != nil {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.TryLater, HostFailed: true, Err: err}
	}
	v.asked[r.URL]++
	return &webgraph.Page{URL: r.URL, Requested: r.URL, Status: 200, FetchedAt: time.Now(), Header: http.Header{"Content-Type": {"text/html"}},
		Body: []byte("<p>page " + r.URL + strings.Repeat(" word", len(r.URL)))}, nil
}

// A crew is crawlers of one cluster, and the hand that writes what a manager would.
type crew struct {
	t   *testing.T
	bus *tmem
	web *web
	dir string
	// wrap makes the bus of a crawler another. It may be nil.
	wrap func(name string, b Bus) Bus
}

func newCrew(t *testing.T, parts int, lease time.Duration, w *web) *crew {
	c := &crew{t: t, bus: newTmem(), web: w, dir: t.TempDir()}
	c.set(confKey, Conf{Version: "v1", Partitions: parts, Lease: lease, Once: true})
	return c
}

func (c *crew) set(key string, v any) {
	c.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	for {
		e, _ := c.bus.End("manager").Get(c.t.Context(), key)
		if _, err = c.bus.End("manager").Set(c.t.Context(), key, data, e.Revision); err == nil {
			return
		}
	}
}

func (c *crew) part(n int) Part {
	e, _ := c.bus.End("manager").Get(c.t.Context(), partKey(n))
	var p Part
	_ = read(e, &p)
	return p
}

// edit changes a partition as a manager does, by compare-and-set.
func (c *crew) edit(n int, f func(*Part)) {
	for {
		e, _ := c.bus.End("manager").Get(c.t.Context(), partKey(n))
		var p Part
		_ = read(e, &p)
		f(&p)
		data, _ := json.Marshal(p)
		if _, err := c.bus.End("manager").Set(c.t.Context(), partKey(n), data, e.Revision); err == nil {
			return
		}
	}
}

func (c *crew) give(n int, to string) { c.edit(n, func(p *Part) { p.Next = to }) }

func (c *crew) beatOf(name string) (b Beat, rev uint64) {
	e, _ := c.bus.End("manager").Get(c.t.Context(), workerPrefix+name)
	_ = read(e, &b)
	return b, e.Revision
}

// lose does what a manager does with a dead crawler.
func (c *crew) lose(name string, parts int, next func(n int) string) {
	b, rev := c.beatOf(name)
	b.Revoked = true
	data, _ := json.Marshal(b)
	if _, err := c.bus.End("manager").Set(c.t.Context(), workerPrefix+name, data, rev); err != nil {
		c.t.Fatal("it lives:", err)
	}
	for n := range parts {
		if p := c.part(n); p.Owner == name {
			c.edit(n, func(p *Part) {
				if p.Owner == name {
					p.Token++
					p.Owner, p.State, p.Lost, p.Next = "", "", p.Token, next(n)
				}
			})
		}
	}
}

// A member is a running crawler.
type member struct {
	*Worker
	front *frontier.Frontier
	stop  func()
	ran   chan error
	done  chan struct{} // of the crawl
}

func (c *crew) options(name string, f Local) WorkerOptions {
	var bus Bus = c.bus.End(name)
	if c.wrap != nil {
		bus = c.wrap(name, bus)
	}
	return WorkerOptions{Bus: bus, Name: name, Local: f, Version: func(Conf) (string, error) { return "v1", nil },
		Log: slog.New(slog.NewTextHandler(c.t.Output(), nil))}
}

func (c *crew) open(disk string) *frontier.Frontier {
	f, err := frontier.Open(filepath.Join(c.dir, disk), frontier.Options{NoSync: true, HostDelay: 2 * time.Millisecond})
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

func (c *crew) start(name, disk string) *member {
	c.t.Helper()
	f := c.open(disk)
	w, err := Join(c.t.Context(), c.options(name, f))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &member{Worker: w, front: f, ran: make(chan error, 1), done: make(chan struct{})}
	cr, err := crawler.New(crawler.Options{Frontier: w.Frontier(), Fetcher: w.Guard(visitor{c.web, name}), Strategy: c.web, Workers: 4, NoTraps: true})
	if err != nil {
		c.t.Fatal(err)
	}
	go func() { m.ran <- w.Run(ctx) }()
	go func() {
		defer close(m.done)
		if _, err := cr.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			c.t.Error(name, err)
		}
	}()
	m.stop = sync.OnceFunc(func() {
		cancel()
		<-m.done
		if err := <-m.ran; err != nil {
			c.t.Error(name, err)
		}
		if errs := f.Close(); errs != nil {
			c.t.Error(name, errs)
		}
	})
	c.t.Cleanup(m.stop)
	return m
}

func (c *crew) seed() {
	data, err := packLinks([]crawler.Candidate{{URL: c.web.url(0), Score: crawler.MaxScore, How: crawler.Seed}})
	if err != nil {
		c.t.Fatal(err)
	}
	n := PartitionOf(webgraph.HostOf(c.web.url(0)), c.conf().Partitions)
	if err := c.bus.End("manager").Publish(c.t.Context(), n, "seed", data); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crew) conf() (conf Conf) {
	e, _ := c.bus.End("manager").Get(c.t.Context(), confKey)
	_ = read(e, &conf)
	return conf
}

func (c *crew) until(what string, f func() bool) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); !f(); {
		if time.Now().After(end) {
			c.t.Fatal("not after a minute: ", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// idle reports what a manager concludes the end of the crawl from.
func (c *crew) idle(names ...string) bool {
	before, _ := c.bus.End("manager").Backlog(c.t.Context())
	for _, name := range names {
		if b, _ := c.beatOf(name); !b.Idle {
			return false
		}
	}
	after, _ := c.bus.End("manager").Backlog(c.t.Context())
	return before.Waiting+after.Waiting == 0 && before.Ever == after.Ever
}

func (c *crew) check(duplicates int) {
	c.t.Helper()
	once, more := c.web.count()
	if once != c.web.pages || more > duplicates {
		c.t.Errorf("%d pages of %d were fetched, %d of them again, at most %d may be", once, c.web.pages, more, duplicates)
	}
	c.web.mu.Lock()
	defer c.web.mu.Unlock()
	for _, b := range c.web.broken[:min(len(c.web.broken), 5)] {
		c.t.Error(b)
	}
}

func (c *crew) owned(n int, by string) func() bool {
	return func() bool { return c.part(n).Owner == by }
}

func TestCrewFetchesEveryPageOnce(t *testing.T) {
	const parts = 16
	c := newCrew(t, parts, 5*time.Second, newWeb(2000, 200))
	names := []string{"a", "b", "c"}
	for n := range parts {
		c.give(n, names[n%3])
	}
	var crew []*member
	for _, name := range names {
		crew = append(crew, c.start(name, name))
	}
	c.seed()
	for i := range 24 { // hand over while they crawl
		time.Sleep(10 * time.Millisecond)
		c.give(i*5%parts, names[i%3])
	}
	c.until("all idle", func() bool { return c.idle(names...) })
	c.check(0)
	c.set(orderKey, Order{Do: DoFinish})
	for _, m := range crew {
		<-m.done
		if err := <-m.ran; err != nil {
			t.Error(err)
		}
		m.ran <- nil
	}
}

func TestRevokedCrawlerGivesUpAndComesBack(t *testing.T) {
	const parts = 8
	c := newCrew(t, parts, time.Second, newWeb(1500, 60))
	for n := range parts {
		c.give(n, []string{"a", "b"}[n%2])
	}
	c.start("a", "a")
	c.start("b", "b")
	c.seed()
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 200 })
	c.bus.Cut("b", true)
	time.Sleep(time.Second) // the lease
	asked := func() (n int) {
		c.web.mu.Lock()
		defer c.web.mu.Unlock()
		for h, by := range c.web.inHand {
			if by == "b" {
				t.Errorf("%s is asked past the fence", h)
			}
		}
		return n
	}
	asked()
	c.lose("b", parts, func(int) string { return "a" })
	c.until("all taken over", func() bool {
		for n := range parts {
			if c.part(n).Owner != "a" {
				return false
			}
		}
		return true
	})
	c.bus.Cut("b", false)
	c.until("b is back", func() bool { b, _ := c.beatOf("b"); return !b.Revoked })
	c.until("all idle", func() bool { return c.idle("a", "b") })
	c.check(c.web.pages)
	if a, _ := c.beatOf("a"); a.Counts.Adopted != parts/2 {
		t.Errorf("a has taken in %d partitions of b, want %d", a.Counts.Adopted, parts/2)
	}
	if n := len(c.bus.obj); n > 0 {
		t.Errorf("%d objects are left", n)
	}
}

// What a crawler has fetched that was thought dead is not fetched again, if it comes
// back before the next owner has got to it.
func TestLateStateSavesFetching(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, time.Second, newWeb(600, 40))
	for n := range parts {
		c.give(n, "b")
	}
	b := c.start("b", "b")
	c.seed()
	c.until("b is idle", func() bool { return c.idle("b") })
	b.stop()
	c.lose("b", parts, func(int) string { return "a" })
	c.start("b", "b")
	c.until("b has sent what it knows", func() bool { l, _ := c.bus.End("manager").Backlog(t.Context()); return l.Waiting >= parts })
	c.start("a", "a")
	c.until("all idle", func() bool { return c.idle("a", "b") && c.part(0).Owner == "a" })
	c.seed()
	c.until("all idle again", func() bool { return c.idle("a", "b") })
	c.check(0)
}

func TestShortCutLosesNothing(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, 5*time.Second, newWeb(600, 40))
	for n := range parts {
		c.give(n, []string{"a", "b"}[n%2])
	}
	c.start("a", "a")
	c.start("b", "b")
	c.seed()
	for range 3 {
		time.Sleep(50 * time.Millisecond)
		c.bus.Cut("b", true)
		time.Sleep(100 * time.Millisecond)
		c.bus.Cut("b", false)
	}
	c.until("all idle", func() bool { return c.idle("a", "b") })
	c.check(0)
}

func TestLostDiskIsResent(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, time.Second, newWeb(800, 40))
	for n := range parts {
		c.give(n, []string{"a", "b"}[n%2])
	}
	c.start("a", "a")
	b := c.start("b", "b")
	c.seed()
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 150 })
	b.stop()
	c.start("b", "another disk")
	c.until("all idle", func() bool { return c.idle("a", "b") })
	c.check(c.web.pages)
	for n := 1; n < parts; n += 2 {
		if p := c.part(n); p.Owner == "b" && p.Lost == 0 {
			t.Errorf("partition %d lost its state and does not say so: %+v", n, p)
		}
	}
}

func TestDrainedCrawlerEnds(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, 5*time.Second, newWeb(800, 40))
	for n := range parts {
		c.give(n, []string{"a", "b"}[n%2])
	}
	c.start("a", "a")
	b := c.start("b", "b")
	c.seed()
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 100 })
	c.set(drainPrefix+"b", Drain{By: "test"})
	c.until("b let go", func() bool { return c.part(1).Owner == "" && c.part(3).Owner == "" })
	c.give(1, "a")
	c.give(3, "a")
	<-b.done
	if err := <-b.ran; err != nil {
		t.Error(err)
	}
	b.ran <- nil
	c.until("all idle", func() bool { return c.idle("a") })
	c.check(0)
}

func TestStopOrderAndNameTaken(t *testing.T) {
	c := newCrew(t, 2, time.Second, newWeb(300, 20))
	c.give(0, "a")
	c.give(1, "a")
	c.set(orderKey, Order{Do: DoStop})
	c.start("a", "a")
	c.seed()
	c.until("owned", c.owned(1, "a"))
	f := c.open("other")
	defer f.Close()
	if _, err := Join(t.Context(), c.options("a", f)); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("two crawlers of one name: %v", err)
	}
	if n, _ := c.web.count(); n > 0 {
		t.Errorf("%d pages were fetched against the order to stop", n)
	}
	o := c.options("z", f)
	o.Version = func(Conf) (string, error) { return "v2", nil }
	if _, err := Join(t.Context(), o); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "v1") || !strings.Contains(err.Error(), "v2") {
		t.Errorf("a crawler of another version: %v", err)
	}
	c.set(orderKey, Order{Do: DoCrawl})
	c.until("all idle", func() bool { return c.idle("a") })
	c.check(0)
}
