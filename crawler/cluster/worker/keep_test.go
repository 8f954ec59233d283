package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/webgraph"

	"pgregory.net/rapid"
)

// A shaky bus fails for good from some step of a hand-over on.
type shaky struct {
	cluster.Bus
	steps *atomic.Int64 // until it fails
	after bool          // the step that fails is done, and its answer is lost
}

var errShaky = errors.New("the bus is gone")

func (s shaky) step(do func() error) error {
	left := s.steps.Add(-1)
	if left > 0 {
		return do()
	}
	if left == 0 && s.after {
		_ = do() // its answer is lost
	}
	return errShaky
}

func (s shaky) Set(ctx context.Context, key string, value []byte, last uint64) (rev uint64, err error) {
	if !strings.HasPrefix(key, cluster.PartPrefix) {
		return s.Bus.Set(ctx, key, value, last)
	}
	err = s.step(func() (err error) { rev, err = s.Bus.Set(ctx, key, value, last); return err })
	return rev, err
}

func (s shaky) PutObject(ctx context.Context, name string, r io.Reader) error {
	return s.step(func() error { return s.Bus.PutObject(ctx, name, r) })
}

func (s shaky) GetObject(ctx context.Context, name string) (r io.ReadCloser, err error) {
	err = s.step(func() (err error) { r, err = s.Bus.GetObject(ctx, name); return err })
	return r, err
}

func (s shaky) DeleteObject(ctx context.Context, name string) error {
	return s.step(func() error { return s.Bus.DeleteObject(ctx, name) })
}

// TestHandOverIsRepeatedAfterEveryStep ends the giver or the taker at each step of a
// hand-over, before and after the step took effect.
func TestHandOverIsRepeatedAfterEveryStep(t *testing.T) {
	for _, who := range []string{"a", "b"} {
		for step := range int64(3) {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprint(who, step+1, after), func(t *testing.T) {
					virtually(t, func(t *testing.T) { endInHandOver(t, who, step+1, after) })
				})
			}
		}
	}
}

func endInHandOver(t *testing.T, who string, step int64, after bool) {
	c := newCrew(t, 2, 5*time.Second, newWeb(150, 12))
	c.givePart(0, "a")
	c.givePart(1, "b")
	left := new(atomic.Int64)
	left.Store(1 << 40)
	c.wrap = func(name string, b cluster.Bus) cluster.Bus {
		if name == who {
			return shaky{b, left, after}
		}
		return b
	}
	crew := map[string]*member{"a": c.start("a", "a"), "b": c.start("b", "b")}
	c.seed()
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 30 && c.part(0).Owner == "a" && c.part(1).Owner == "b" })
	left.Store(step)
	c.givePart(0, "b")
	c.until("the step is reached, or there is none", func() bool { return left.Load() <= 0 || c.part(0).Owner == "b" })
	crew[who].stop()
	c.wrap = nil
	c.start(who, who)
	c.until("handed over", c.owned(0, "b"))
	c.until("all idle", func() bool { return c.idle("a", "b") })
	c.check(0)
	if p := c.part(0); p.Lost != 0 {
		t.Errorf("the state was lost: %+v", p)
	}
	c.until("no state is left behind", func() bool { return c.bus.Objects() == 0 })
}

func TestBrokenMessageIsLeftOut(t *testing.T) { virtually(t, brokenMessageIsLeftOut) }

func brokenMessageIsLeftOut(t *testing.T) {
	c := newCrew(t, 1, 5*time.Second, newWeb(50, 5))
	c.givePart(0, "a")
	if err := c.bus.End("manager").Publish(t.Context(), 0, "broken", []byte("no links")); err != nil {
		t.Fatal(err)
	}
	c.start("a", "a")
	c.seed()
	c.until("all idle", func() bool { return c.idle("a") })
	c.check(0)
	if b, _ := c.beatOf("a"); !strings.Contains(b.Error, "cannot be read") {
		t.Errorf("nobody is told of a broken message: %q", b.Error)
	}
}

func TestFullOutboxPauses(t *testing.T) { virtually(t, fullOutboxPauses) }

func fullOutboxPauses(t *testing.T) {
	c := newCrew(t, 2, 5*time.Second, newWeb(50, 5))
	f, err := frontier.Open(t.TempDir()+"/f", frontier.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := c.options("a", f)
	o.MaxOutbox = 1
	w, err := Join(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.stopAll(t.Context(), nil)
	if open, _, _ := w.leasingState(); !open {
		t.Fatal("an empty outbox pauses")
	}
	err = f.Push(t.Context(), []crawler.Candidate{{URL: "https://x.example/"}, {URL: "https://y.example/"}})
	if err != nil || f.OutboxLen() != 2 {
		t.Fatal(f.OutboxLen(), err)
	}
	if open, _, _ := w.leasingState(); open {
		t.Error("a full outbox does not pause")
	}
}

// TestNobodyAsksPastTheFence plays beats that arrive or are lost, and orders, in any order, and compares with
// the last known state.
func TestNobodyAsksPastTheFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		w := &Worker{o: Options{Name: "a", Now: func() time.Time { return now }}, conf: cluster.Conf{Partitions: 4, Lease: 10 * time.Second},
			seen: newBucketView(), changed: make(chan struct{}), requests: map[*activeRequest]struct{}{}}
		defer w.stopTimer()
		host := webgraph.Host("x.example")
		n := cluster.PartitionOf(host, 4)
		var began time.Time
		ours := false
		t.Repeat(map[string]func(*rapid.T){
			"time": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)
			},
			"beat": func(t *rapid.T) {
				began = now
				now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "answer ms")) * time.Millisecond)
				w.moveFence(began, 1)
			},
			"part": func(t *rapid.T) {
				ours = rapid.Bool().Draw(t, "ours")
				p := cluster.Part{Owner: "b"}
				if ours {
					p.Owner = "a"
				}
				w.seen.parts[n] = cluster.PartEntry{Part: p}
				w.own.add(n)
			},
			"": func(t *rapid.T) {
				want := ours && !began.IsZero() && now.Sub(began) < 8*time.Second
				if got := w.mayRequest(host); got != want {
					t.Fatalf("may ask: %v %s after the last beat began, owned: %v", got, now.Sub(began), ours)
				}
			},
		})
	})
}

func TestRequestsAreCutAtTheFence(t *testing.T) { virtually(t, requestsAreCutAtTheFence) }

func requestsAreCutAtTheFence(t *testing.T) {
	w := &Worker{o: Options{Name: "a", Now: time.Now}, conf: cluster.Conf{Partitions: 1, Lease: 100 * time.Millisecond},
		seen: newBucketView(), changed: make(chan struct{}), requests: map[*activeRequest]struct{}{}}
	w.own.add(0)
	w.seen.parts[0] = cluster.PartEntry{Part: cluster.Part{Owner: "a"}}
	w.moveFence(time.Now(), 1)
	g := w.GuardFetcher(hanging{})
	_, err := g.Fetch(t.Context(), crawler.Request{URL: "https://x.example/"})
	var fe *crawler.FetchError
	if !errors.As(err, &fe) || fe.Fate != crawler.Deferred || fe.Unasked {
		t.Errorf("a request on its way at the fence: %v", err)
	}
	_, err = g.Fetch(t.Context(), crawler.Request{URL: "https://x.example/"})
	if !errors.As(err, &fe) || fe.Fate != crawler.Deferred || !fe.Unasked {
		t.Errorf("a request past the fence: %v", err)
	}
}

// hanging answers when no caller waits any more.
type hanging struct{}

func (hanging) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	<-ctx.Done()
	return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.TryLater, HostFailed: true, Err: ctx.Err()}
}
