package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
	"github.com/eventseer/eventseer/crawler/cluster/manager"
)

// manage starts a manager of some crawlers. It returns a function that cuts the manager off for ever, a
// channel with the result of its Run, and the manager.
func (c *crew) manage(name string, conf cluster.Conf) (stop func(), ran chan error, m *manager.Manager) {
	c.t.Helper()
	m, err := manager.New(manager.Options{
		Bus: c.end(name), Name: name, Conf: conf, Log: slog.New(slog.NewTextHandler(c.t.Output(), nil)),
		Seeds: []crawler.Candidate{{URL: c.web.url(0), Score: crawler.MaxScore, How: crawler.Seed}}, Sink: c.sink,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran = make(chan error, 1)
	go func() { ran <- m.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			c.t.Error(name, err)
		}
		ran <- nil
	})
	c.t.Cleanup(stop)
	return stop, ran, m
}

// managed is a crew without a hand that writes what a manager does.
func managed(t *testing.T, w *web) *crew {
	return &crew{t: t, bus: clustertest.NewMemory(), web: w, dir: t.TempDir()}
}

func ended(t *testing.T, what string, ran chan error) {
	t.Helper()
	select {
	case err := <-ran:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		ran <- nil
	case <-time.After(time.Minute):
		t.Fatalf("%s does not end", what)
	}
}

// TestManagedCrawl crawls all of a web with three crawlers and a manager, whose death
// another takes over; crawlers join and leave.
func TestManagedCrawl(t *testing.T) { virtually(t, managedCrawl) }

func managedCrawl(t *testing.T) {
	c := managed(t, newWeb(2000, 200))
	conf := cluster.Conf{Version: "v1", Partitions: 16, Lease: 4 * time.Second, Settle: 200 * time.Millisecond, Once: true}
	stop, _, first := c.manage("m1", conf)
	c.until("m1 leads", func() bool { return first.Status().Leader == "m1" })
	_, ran, second := c.manage("m2", conf)
	a := c.start("a", "a")
	b := c.start("b", "b")
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 300 })
	stop()
	third := c.start("c", "c")
	if err := cluster.DrainWorker(t.Context(), c.bus.End("x"), "b", cluster.Drain{By: "test"}, false); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*member{a, b, third} {
		ended(t, w.o.Name, w.ran)
	}
	ended(t, "the manager", ran)
	c.check(0)
	s := second.Status()
	if s.Leader != "m2" || s.Term != 2 || !s.Finished || s.Parts.Owned != 16 || s.Parts.Moving != 0 || s.Lost != 0 || len(s.Workers) != 3 {
		t.Errorf("status %+v", s)
	}
	if s.Sum.Ended != c.web.pages {
		t.Errorf("%d pages ended, of %d", s.Sum.Ended, c.web.pages)
	}
	read, err := cluster.ReadStatus(t.Context(), c.bus.End("x"))
	if err != nil || read.Leader != "m2" {
		t.Errorf("status as read: %+v, %v", read, err)
	}
}

// A counter counts announcements.
type counter struct{ taken, marked atomic.Uint64 }

func (c *counter) LastStored(context.Context) (uint64, error) { return c.marked.Load(), nil }
func (c *counter) StoreAnnouncement(context.Context, cluster.Announcement) error {
	c.taken.Add(1)
	return nil
}
func (c *counter) SetLastStored(_ context.Context, n uint64) error { c.marked.Store(n); return nil }

// TestLastEventsAreTaken has a crawler announce its events long after its last page: the manager waits for
// them, and stores all before it ends.
func TestLastEventsAreTaken(t *testing.T) { virtually(t, lastEventsAreTaken) }

func lastEventsAreTaken(t *testing.T) {
	c := managed(t, newWeb(100, 10))
	var sink counter
	c.sink = &sink
	published := make(chan struct{})
	c.adjust = func(o *Options) { o.Published = published }
	_, ran, _ := c.manage("m", cluster.Conf{Version: "v1", Partitions: 4, Lease: time.Second, Once: true})
	a := c.start("a", "a")
	<-a.done
	time.Sleep(20 * time.Second) // many leases: it beats meanwhile
	const events = 300
	for i := range events {
		if err := a.PublishEvent(t.Context(), fmt.Sprint(i), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	close(published)
	ended(t, "a", a.ran)
	ended(t, "the manager", ran)
	if n := sink.taken.Load(); n != events {
		t.Errorf("%d events were taken, %d were found", n, events)
	}
	c.check(c.web.pages)
}

// TestDeadCrawlerIsReplaced loses a crawler for good: others crawl its partitions again.
func TestDeadCrawlerIsReplaced(t *testing.T) { virtually(t, deadCrawlerIsReplaced) }

func deadCrawlerIsReplaced(t *testing.T) {
	c := managed(t, newWeb(800, 60))
	conf := cluster.Conf{Version: "v1", Partitions: 8, Lease: time.Second, Once: true}
	_, ran, m := c.manage("m", conf)
	a := c.start("a", "a")
	b := c.start("b", "b")
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 150 })
	c.bus.Cut("b", true)
	ended(t, "a", a.ran)
	ended(t, "the manager", ran)
	b.stop()
	c.check(c.web.pages)
	if s := m.Status(); s.Lost == 0 || s.Parts.Owned != 8 {
		t.Errorf("status %+v", s)
	}
}

// TestLastCrawlerIsReplaced loses the only crawler for good. The crawl does not end without its links, and another
// crawler begins again with the seeds.
func TestLastCrawlerIsReplaced(t *testing.T) {
	virtually(t, func(t *testing.T) {
		c := managed(t, newWeb(800, 60))
		_, ran, m := c.manage("m", cluster.Conf{Version: "v1", Partitions: 8, Lease: time.Second, Once: true})
		a := c.start("a", "a")
		c.until("some pages", func() bool { n, _ := c.web.count(); return n > 150 })
		c.bus.Cut("a", true)
		a.stop()
		c.until("a is revoked", func() bool { return m.Status().Lost > 0 })
		b := c.start("b", "b")
		ended(t, "b", b.ran)
		ended(t, "the manager", ran)
		c.check(c.web.pages)
	})
}

func TestManagerKeepsBudgetAndVersion(t *testing.T) { virtually(t, managerKeepsBudgetAndVersion) }

func managerKeepsBudgetAndVersion(t *testing.T) {
	c := managed(t, newWeb(3000, 100))
	conf := cluster.Conf{Version: "v1", Partitions: 4, Lease: 2 * time.Second, Budget: 50}
	c.manage("m", conf)
	a := c.start("a", "a")
	ended(t, "a", a.ran)
	if n, _ := c.web.count(); n < 50 || n == c.web.pages {
		t.Errorf("%d pages were fetched of a budget of 50", n)
	}
	conf.Version = "v2"
	_, ran, _ := c.manage("other", conf)
	select {
	case err := <-ran:
		if !errors.Is(err, cluster.ErrVersion) || !strings.Contains(err.Error(), "v2") {
			t.Errorf("a manager of another version: %v", err)
		}
		ran <- nil
	case <-time.After(time.Minute):
		t.Fatal("a manager of another version manages")
	}
}
