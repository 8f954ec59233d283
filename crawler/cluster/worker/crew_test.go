package worker

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
	"github.com/eventseer/eventseer/crawler/cluster/manager"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/webgraph"
)

// virtually runs a test in parallel with others, by a clock of its own that advances when all its
// goroutines wait. No machine is too slow for it.
func virtually(t *testing.T, test func(*testing.T)) {
	t.Parallel()
	synctest.Test(t, test)
}

// A crew is crawlers of one cluster, and the hand that writes what a manager would.
type crew struct {
	t   *testing.T
	bus *clustertest.Memory
	web *web
	dir string
	// wrap makes the bus of a crawler or a manager another. It may be nil.
	wrap func(name string, b cluster.Bus) cluster.Bus
	// adjust changes the options of a crawler. It may be nil.
	adjust func(*Options)
	// sink takes what crawlers announce, in every manager. It may be nil.
	sink manager.Sink
	// floor is that of frontiers opened from now on.
	floor float64
}

func newCrew(t *testing.T, parts int, lease time.Duration, w *web) *crew {
	c := &crew{t: t, bus: clustertest.NewMemory(), web: w, dir: t.TempDir()}
	c.set(cluster.ConfKey, cluster.Conf{Version: "v1", Partitions: parts, Lease: lease, Once: true})
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

func (c *crew) part(n int) cluster.Part {
	e, _ := c.bus.End("manager").Get(c.t.Context(), cluster.PartKey(n))
	var p cluster.Part
	_ = cluster.Decode(e, &p)
	return p
}

// edit changes a partition as a manager does, by compare-and-set.
func (c *crew) edit(n int, f func(*cluster.Part)) {
	for {
		e, _ := c.bus.End("manager").Get(c.t.Context(), cluster.PartKey(n))
		var p cluster.Part
		_ = cluster.Decode(e, &p)
		f(&p)
		data, _ := json.Marshal(p)
		if _, err := c.bus.End("manager").Set(c.t.Context(), cluster.PartKey(n), data, e.Revision); err == nil {
			return
		}
	}
}

func (c *crew) givePart(n int, to string) { c.edit(n, func(p *cluster.Part) { p.Next = to }) }

func (c *crew) beatOf(name string) (b cluster.Beat, rev uint64) {
	e, _ := c.bus.End("manager").Get(c.t.Context(), cluster.WorkerPrefix+name)
	_ = cluster.Decode(e, &b)
	return b, e.Revision
}

// lose does what a manager does with a dead crawler.
func (c *crew) lose(name string, parts int, next func(n int) string) {
	b, rev := c.beatOf(name)
	b.Revoked = true
	data, _ := json.Marshal(b)
	if _, err := c.bus.End("manager").Set(c.t.Context(), cluster.WorkerPrefix+name, data, rev); err != nil {
		c.t.Fatal("it lives:", err)
	}
	for n := range parts {
		if p := c.part(n); p.Owner == name {
			c.edit(n, func(p *cluster.Part) {
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

// end is the end of the bus that a crawler or a manager has.
func (c *crew) end(name string) cluster.Bus {
	if c.wrap != nil {
		return c.wrap(name, c.bus.End(name))
	}
	return c.bus.End(name)
}

func (c *crew) options(name string, f *frontier.Frontier) Options {
	o := Options{Bus: c.end(name), Name: name, Local: f, Version: func(cluster.Conf) (string, error) { return "v1", nil },
		Log: slog.New(slog.NewTextHandler(c.t.Output(), nil))}
	if c.adjust != nil {
		c.adjust(&o)
	}
	return o
}

func (c *crew) open(disk string) *frontier.Frontier {
	f, err := frontier.Open(filepath.Join(c.dir, disk), frontier.Options{NoSync: true, HostDelay: 2 * time.Millisecond, Floor: c.floor})
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
	cr, err := crawler.New(crawler.Options{Frontier: w.Frontier(), Fetcher: w.GuardFetcher(visitor{c.web, name}), Strategy: c.web, Workers: 4, NoTraps: true})
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
	data, err := cluster.PackLinks([]crawler.Candidate{{URL: c.web.url(0), Score: crawler.MaxScore, How: crawler.Seed}})
	if err != nil {
		c.t.Fatal(err)
	}
	n := cluster.PartitionOf(webgraph.HostOf(c.web.url(0)), c.conf().Partitions)
	if err := c.bus.End("manager").Publish(c.t.Context(), n, "seed", data); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crew) conf() (conf cluster.Conf) {
	e, _ := c.bus.End("manager").Get(c.t.Context(), cluster.ConfKey)
	_ = cluster.Decode(e, &conf)
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
