package cluster

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"eventseer/crawler"
)

// manage starts a manager of a crew, and returns what cuts it off for ever and what
// its end says.
func (c *crew) manage(name string, conf Conf) (stop func(), ran chan error, m *Manager) {
	c.t.Helper()
	m, err := NewManager(ManagerOptions{
		Bus: c.end(name), Name: name, Conf: conf, Log: slog.New(slog.NewTextHandler(c.t.Output(), nil)),
		Seeds: []crawler.Candidate{{URL: c.web.url(0), Score: crawler.MaxScore, How: crawler.Seed}},
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
	return &crew{t: t, bus: newTmem(), web: w, dir: t.TempDir()}
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
	conf := Conf{Version: "v1", Partitions: 16, Lease: 4 * time.Second, Settle: 200 * time.Millisecond, Once: true}
	stop, _, first := c.manage("m1", conf)
	c.until("m1 leads", func() bool { return first.Status().Leader == "m1" })
	_, ran, second := c.manage("m2", conf)
	a := c.start("a", "a")
	b := c.start("b", "b")
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 300 })
	stop()
	third := c.start("c", "c")
	if err := DrainWorker(t.Context(), c.bus.End("x"), "b", Drain{By: "test"}, false); err != nil {
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
	read, err := ReadStatus(t.Context(), c.bus.End("x"))
	if err != nil || read.Leader != "m2" {
		t.Errorf("status as read: %+v, %v", read, err)
	}
}

// TestDeadCrawlerIsReplaced loses a crawler for good: what it owned is crawled anew by
// others.
func TestDeadCrawlerIsReplaced(t *testing.T) { virtually(t, deadCrawlerIsReplaced) }

func deadCrawlerIsReplaced(t *testing.T) {
	c := managed(t, newWeb(800, 60))
	conf := Conf{Version: "v1", Partitions: 8, Lease: time.Second, Once: true}
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

func TestManagerKeepsBudgetAndVersion(t *testing.T) { virtually(t, managerKeepsBudgetAndVersion) }

func managerKeepsBudgetAndVersion(t *testing.T) {
	c := managed(t, newWeb(3000, 100))
	conf := Conf{Version: "v1", Partitions: 4, Lease: 2 * time.Second, Budget: 50}
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
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "v2") {
			t.Errorf("a manager of another version: %v", err)
		}
		ran <- nil
	case <-time.After(time.Minute):
		t.Fatal("a manager of another version manages")
	}
}

func TestOrders(t *testing.T) {
	b := newTmem().End("x")
	ctx := t.Context()
	if err := Give(ctx, b, Order{Do: "dance"}); err == nil {
		t.Error("an order to dance is given")
	}
	for range 2 {
		if err := Give(ctx, b, Order{Do: DoStop}); err != nil {
			t.Error(err)
		}
	}
	if err := DrainWorker(ctx, b, "nobody", Drain{}, false); !errors.Is(err, ErrNoWorker) {
		t.Error(err)
	}
	if _, err := ReadStatus(ctx, b); !errors.Is(err, ErrNoCluster) {
		t.Error(err)
	}
	if err := Page(ctx, b, "https://a.example/", nil); !errors.Is(err, ErrNoCluster) {
		t.Error(err)
	}
}

// A torn bus ends the watch of a manager while it says that it leads, and the next one
// stops after the partitions.
type torn struct {
	*tend
	watches chan chan Entry
	leads   func()
}

func (b torn) Watch(context.Context) (<-chan Entry, error) { return <-b.watches, nil }

func (b torn) Set(ctx context.Context, k string, v []byte, last uint64) (uint64, error) {
	if k == leaderKey {
		b.leads()
	}
	return b.tend.Set(ctx, k, v, last)
}

// TestHalfABoardTakesNothingOver watches anew in the middle of a turn: that the crawlers
// have not been seen yet does not make them dead.
func TestHalfABoardTakesNothingOver(t *testing.T) { virtually(t, halfABoardTakesNothingOver) }

func halfABoardTakesNothingOver(t *testing.T) {
	c := newCrew(t, 1, 10*time.Second, newWeb(1, 1))
	c.set(partKey(0), Part{Owner: "a", Next: "a", Token: 1})
	c.set(workerPrefix+"a", Beat{Boot: "boot", Version: "v1", Beat: 1, Doing: DoCrawl})
	first, second := make(chan Entry), make(chan Entry)
	b := torn{c.bus.End("m"), make(chan chan Entry, 2), func() {
		close(first)
		for range 2 { // the second is read after the first was taken in
			second <- Entry{partKey(0), []byte(`{"owner":"a","next":"a","token":1}`), 2}
		}
	}}
	b.watches <- first
	b.watches <- second
	m, err := NewManager(ManagerOptions{Bus: b, Name: "m", Conf: c.conf()})
	if err != nil {
		t.Fatal(err)
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for range 2 {
			_ = m.watchOnce(t.Context()) // that it ended
		}
	}()
	for _, key := range []string{confKey, partKey(0), workerPrefix + "a"} {
		e, _ := c.bus.End("m").Get(t.Context(), key)
		first <- e
	}
	first <- Entry{}
	c.until("all was seen", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.seen.ready })
	if err := m.turn(t.Context()); err != nil {
		t.Error(err)
	}
	if p := c.part(0); p.Owner != "a" || p.Lost != 0 {
		t.Errorf("taken over from the living: %+v", p)
	}
	close(second)
	<-watched
}

// TestBoardAnew fills a board anew while the one before goes on: neither is the other's.
func TestBoardAnew(t *testing.T) {
	began := time.Unix(0, 0)
	old := newBoard()
	beat := func(b *board, revision uint64, now time.Time) {
		if err := b.take(Entry{workerPrefix + "a", []byte(`{"boot":"boot","version":"v1","beat":1,"doing":"crawl"}`), revision}, now); err != nil {
			t.Fatal(err)
		}
	}
	beat(&old, 1, began)
	fresh := old.again()
	beat(&old, 2, began.Add(time.Minute))
	beat(&fresh, 1, began.Add(time.Hour))
	if w := fresh.workers["a"]; !w.changed.Equal(began) || !w.arrived.Equal(began) {
		t.Errorf("unchanged since %v, at work since %v", w.changed, w.arrived)
	}
	if w := old.workers["a"]; w.revision != 2 {
		t.Errorf("revision %d", w.revision)
	}
}

// TestOwnerWithoutEntryHasItsLease deletes what a crawler says of itself by hand: it may
// ask hosts until its lease ends, so nobody else may before.
func TestOwnerWithoutEntryHasItsLease(t *testing.T) {
	conf := Conf{Version: "v1", Partitions: 1, Lease: 10 * time.Second}
	now := time.Unix(1e9, 0)
	b := newBoard()
	b.parts[0] = partEntry{Part{Owner: "a", Next: "a", Token: 1}, 1}
	if ws := b.plan(conf, 1, now); len(ws) != 0 {
		t.Errorf("planned at once: %+v", ws)
	}
	now = now.Add(conf.Lease)
	ws := b.plan(conf, 1, now)
	if len(ws) != 1 || ws[0].key != workerPrefix+"a" || !ws[0].value.(Beat).Revoked {
		t.Fatalf("planned after a lease: %+v", ws)
	}
	data, err := ws[0].data()
	if err != nil || b.take(Entry{ws[0].key, data, 2}, now) != nil {
		t.Fatal(err)
	}
	ws = b.plan(conf, 1, now)
	if len(ws) != 1 || ws[0].key != partKey(0) || ws[0].value.(Part).Owner != "" || ws[0].value.(Part).Lost != 2 {
		t.Errorf("planned after it was revoked: %+v", ws)
	}
}
