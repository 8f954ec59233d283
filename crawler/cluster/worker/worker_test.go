package worker

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCrewFetchesEveryPageOnce(t *testing.T) { virtually(t, crewFetchesEveryPageOnce) }

func crewFetchesEveryPageOnce(t *testing.T) {
	const parts = 16
	c := newCrew(t, parts, 5*time.Second, newWeb(2000, 200))
	names := []string{"a", "b", "c"}
	for n := range parts {
		c.givePart(n, names[n%3])
	}
	var crew []*member
	for _, name := range names {
		crew = append(crew, c.start(name, name))
	}
	c.seed()
	for i := range 24 { // hand over while they crawl
		time.Sleep(10 * time.Millisecond)
		c.givePart(i*5%parts, names[i%3])
	}
	c.until("all idle", func() bool { return c.idle(names...) })
	c.check(0)
	c.set(cluster.OrderKey, cluster.Order{Do: cluster.DoFinish})
	for _, m := range crew {
		<-m.done
		if err := <-m.ran; err != nil {
			t.Error(err)
		}
		m.ran <- nil
	}
}

func TestRevokedCrawlerGivesUpAndComesBack(t *testing.T) {
	virtually(t, revokedCrawlerGivesUpAndComesBack)
}

func revokedCrawlerGivesUpAndComesBack(t *testing.T) {
	const parts = 8
	c := newCrew(t, parts, time.Second, newWeb(1500, 60))
	for n := range parts {
		c.givePart(n, []string{"a", "b"}[n%2])
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
	if n := c.bus.Objects(); n > 0 {
		t.Errorf("%d objects are left", n)
	}
}

// What a crawler has fetched that was thought dead is not fetched again, if it comes
// back before the next owner has got to it.
func TestLateStateSavesFetching(t *testing.T) { virtually(t, lateStateSavesFetching) }

func lateStateSavesFetching(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, time.Second, newWeb(600, 40))
	for n := range parts {
		c.givePart(n, "b")
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

func TestShortCutLosesNothing(t *testing.T) { virtually(t, shortCutLosesNothing) }

func shortCutLosesNothing(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, 5*time.Second, newWeb(600, 40))
	for n := range parts {
		c.givePart(n, []string{"a", "b"}[n%2])
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

func TestLostDiskIsResent(t *testing.T) { virtually(t, lostDiskIsResent) }

func lostDiskIsResent(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, time.Second, newWeb(800, 40))
	for n := range parts {
		c.givePart(n, []string{"a", "b"}[n%2])
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

func TestDrainedCrawlerEnds(t *testing.T) { virtually(t, drainedCrawlerEnds) }

func drainedCrawlerEnds(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, 5*time.Second, newWeb(800, 40))
	for n := range parts {
		c.givePart(n, []string{"a", "b"}[n%2])
	}
	c.start("a", "a")
	b := c.start("b", "b")
	c.seed()
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 100 })
	c.set(cluster.DrainPrefix+"b", cluster.Drain{By: "test"})
	c.until("b let go", func() bool { return c.part(1).Owner == "" && c.part(3).Owner == "" })
	c.givePart(1, "a")
	c.givePart(3, "a")
	<-b.done
	if err := <-b.ran; err != nil {
		t.Error(err)
	}
	b.ran <- nil
	c.until("all idle", func() bool { return c.idle("a") })
	c.check(0)
}

func TestStopOrderAndNameTaken(t *testing.T) { virtually(t, stopOrderAndNameTaken) }

func stopOrderAndNameTaken(t *testing.T) {
	c := newCrew(t, 2, time.Second, newWeb(300, 20))
	c.givePart(0, "a")
	c.givePart(1, "a")
	c.set(cluster.OrderKey, cluster.Order{Do: cluster.DoStop})
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
	o.Version = func(cluster.Conf) (string, error) { return "v2", nil }
	if _, err := Join(t.Context(), o); !errors.Is(err, cluster.ErrVersion) || !strings.Contains(err.Error(), "v1") || !strings.Contains(err.Error(), "v2") {
		t.Errorf("a crawler of another version: %v", err)
	}
	c.set(cluster.OrderKey, cluster.Order{Do: cluster.DoCrawl})
	c.until("all idle", func() bool { return c.idle("a") })
	c.check(0)
}

// A turn ends at the order of another, without outstanding leases. In one of visits no crawler is
// idle, whatever waits; the next continues where the first was.
func TestTurns(t *testing.T) { virtually(t, turns) }

func turns(t *testing.T) {
	const parts = 4
	c := newCrew(t, parts, time.Second, newWeb(800, 40))
	for n := range parts {
		c.givePart(n, "a")
	}
	c.adjust = func(o *Options) { o.Until = func(o cluster.Order) bool { return o.Do == cluster.DoMonitor } }
	a := c.start("a", "a")
	c.seed()
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 100 })
	c.set(cluster.OrderKey, cluster.Order{Do: cluster.DoMonitor})
	<-a.done
	a.ran <- <-a.ran
	if a.IsDone() || !a.IsOver() || a.front.CountOutstanding(allHosts) > 0 {
		t.Errorf("after the turn: done %v, over %v, %d outstanding", a.IsDone(), a.IsOver(), a.front.CountOutstanding(allHosts))
	}
	a.stop()
	for n := range parts {
		if p := c.part(n); p.Owner != "a" {
			t.Errorf("partition %d is %q's", n, p.Owner)
		}
	}
	before, _ := c.web.count()

	c.adjust = func(o *Options) {
		o.Visits, o.Until = true, func(o cluster.Order) bool { return o.Do == cluster.DoCrawl }
	}
	c.floor = crawler.MaxDueScore // nothing is above it
	f := c.open("a")
	c.floor = 0
	w, err := Join(t.Context(), c.options("a", f))
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan error)
	go func() { ran <- w.Run(t.Context()) }()
	c.until("it owns all", func() bool { return w.Owns(c.web.url(1)) })
	if _, err := w.Frontier().Next(t.Context()); !errors.Is(err, crawler.ErrDrained) || w.IsOver() {
		t.Errorf("where nothing is due: %v", err)
	}
	if err := w.sendHeartbeat(t.Context()); err != nil {
		t.Error(err)
	}
	if b, _ := c.beatOf("a"); b.Idle {
		t.Error("who visits says it is idle")
	}
	if n, _ := c.web.count(); n != before {
		t.Errorf("%d pages in a turn of visits", n-before)
	}
	c.set(cluster.OrderKey, cluster.Order{Do: cluster.DoCrawl})
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}

	c.adjust = nil
	c.start("a", "a")
	c.until("all idle", func() bool { return c.idle("a") })
	c.check(0)
}
