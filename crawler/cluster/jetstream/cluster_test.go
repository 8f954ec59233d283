package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/freeport"
)

// nodes is a cluster in this process whose nodes may be ended and started again.
type nodes struct {
	t    testing.TB
	opts []ServerOptions
	up   []*Server
}

// threeNodes starts a cluster.
func threeNodes(t testing.TB, change func(i int, o *ServerOptions)) *nodes {
	t.Helper()
	n := &nodes{t: t, up: make([]*Server, 3)}
	var clients, routes []string
	for range 3 {
		clients, routes = append(clients, freeport.Addr(t, "127.0.0.1")), append(routes, freeport.Addr(t, "127.0.0.1"))
	}
	for i := range 3 {
		o := ServerOptions{Name: fmt.Sprint("n", i), Listen: clients[i], Cluster: routes[i], Routes: routes, Dir: t.TempDir(), MaxStore: 8 << 30}
		if change != nil {
			change(i, &o)
		}
		n.opts = append(n.opts, o)
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { n.start(i) })
	}
	wg.Wait()
	t.Cleanup(func() {
		for i := range n.up {
			n.kill(i)
		}
	})
	n.awaitLeader()
	return n
}

// awaitLeader waits until a node leads: before that, requests are lost.
func (n *nodes) awaitLeader() {
	n.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, s := range n.up {
			if s != nil && s.s.JetStreamIsLeader() {
				return
			}
		}
	}
	n.t.Fatal("no node leads after a minute")
}

func (n *nodes) start(i int) {
	s, err := StartServer(n.opts[i])
	if err != nil {
		n.t.Error(err)
		return
	}
	n.up[i] = s
}

func (n *nodes) kill(i int) {
	if n.up[i] != nil {
		n.up[i].Close()
		n.up[i] = nil
	}
}

func (n *nodes) urls() (all []string) {
	for _, o := range n.opts {
		all = append(all, "nats://"+o.Listen)
	}
	return all
}

// leader is the node that leads a stream.
func (n *nodes) leader(b *bus, stream string) int {
	n.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(n.t.Context(), callTimeout)
		s, err := b.js.Stream(ctx, stream)
		cancel()
		if err != nil {
			continue
		}
		for i, o := range n.opts {
			if o.Name == s.CachedInfo().Cluster.Leader {
				return i
			}
		}
	}
	n.t.Fatalf("%s has no leader", stream)
	panic("unreachable")
}

// The leader of the links dies in the middle of publishing and consuming, and comes back. Nothing
// acknowledged is lost, and the bucket continues.
func TestLeaderDies(t *testing.T) {
	t.Parallel()
	n := threeNodes(t, nil)
	a := end(t, Options{URLs: n.urls(), Name: "a"}, acked(3*time.Second))
	b := end(t, Options{URLs: n.urls(), Name: "b"}, acked(3*time.Second))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	n.awaitWhole(ctx) // two nodes elect no leader of what one of them never had
	entries, err := b.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := a.Set(ctx, "part.1", []byte("before"), 0)
	if err != nil {
		t.Fatal(err)
	}

	const messages, callers = 2000, 16
	got, all := map[string]int{}, make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // one consumer
		defer close(all)
		c, err := b.Consume(ctx, 3)
		if err != nil {
			t.Error(err)
			return
		}
		for len(got) < messages {
			ms, err := c.Next(ctx, 64, time.Second)
			if err != nil {
				t.Error(err)
				return
			}
			for _, m := range ms {
				got[string(m.Data)]++
				if err := m.Ack(); err != nil {
					t.Log(err) // it comes again
				}
			}
		}
	})
	half := make(chan struct{})
	var once sync.Once
	for k := range callers {
		wg.Go(func() {
			for i := range messages / callers {
				if i == messages/callers/2 {
					once.Do(func() { close(half) })
				}
				id := fmt.Sprint(k, ".", i)
				if err := a.Publish(ctx, 3, id, []byte(id)); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	<-half
	dead := n.leader(a, a.linkStream())
	n.kill(dead)
	if got, err := a.Get(ctx, "part.1"); err != nil || got.Revision != rev {
		t.Errorf("%+v, %v", got, err)
	}
	last, err := a.Set(ctx, "part.2", []byte("two of three nodes"), 0)
	if err != nil {
		t.Error(err)
	}
	n.start(dead)
	wg.Wait()
	<-all
	again := 0
	for _, times := range got {
		again += times - 1
	}
	t.Logf("%d messages, %d came again, traffic %+v", len(got), again, b.Traffic())
	if len(got) != messages {
		t.Errorf("%d of %d came", len(got), messages)
	}
	for e := range entries {
		if e.Revision == last {
			break
		}
	}
	// The restarted node has everything it missed: another node may stop now.
	n.kill((dead + 1) % 3)
	if e, err := a.Get(ctx, "part.2"); err != nil || !strings.HasPrefix(string(e.Value), "two") {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := a.Set(ctx, "part.2", []byte("again"), last); err != nil {
		t.Error(err)
	}
}

// The node of an end's connection is cut off from the two others, and accepts nothing. The end
// connects to one of them; the node, back again, catches up.
func TestCutAway(t *testing.T) {
	t.Parallel()
	n := threeNodes(t, nil)
	wait := usual
	wait.call, wait.move = 2*time.Second, time.Second
	a := end(t, Options{URLs: n.urls(), Name: "a"}, wait)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// Two nodes elect no leader of what one of them never had: it may have lost its disk.
	n.awaitWhole(ctx)
	entries, err := a.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for i, url := range n.urls() {
		if url == a.nc.ConnectedUrl() {
			cut = i
		}
	}
	one, two := (cut+1)%3, (cut+2)%3
	n.kill(one)
	n.kill(two)
	short, done := context.WithTimeout(ctx, time.Second)
	if err := a.Publish(short, 1, "0", nil); err == nil {
		t.Error("one of three nodes took a message")
	}
	done()
	// They come back at addresses that the third does not know.
	n.opts[one].Cluster, n.opts[two].Cluster = freeport.Addr(t, "127.0.0.1"), freeport.Addr(t, "127.0.0.1")
	routes := []string{n.opts[one].Cluster, n.opts[two].Cluster}
	n.opts[one].Routes, n.opts[two].Routes = routes, routes
	n.start(one)
	n.start(two)
	// A call ends with an error after a while, however long the nodes take to find each other.
	insist(ctx, t, "publish", func() error { return a.Publish(ctx, 1, "1", []byte("x")) })
	insist(ctx, t, "get what is not there", func() error { // by either side's leader
		if _, err := a.Get(ctx, "x"); !errors.Is(err, cluster.ErrNoKey) {
			return fmt.Errorf("want ErrNoKey: %w", err)
		}
		return nil
	})
	rev := uint64(0)
	insist(ctx, t, "set", func() (err error) {
		if rev, err = a.Set(ctx, "x", nil, 0); errors.Is(err, cluster.ErrConflict) { // an earlier call was taken and not answered
			var e cluster.Entry
			e, err = a.Get(ctx, "x")
			rev = e.Revision
		}
		return err
	})
	for e := range entries {
		if e.Revision == rev {
			break
		}
	}
	n.kill(cut)
	n.opts[cut].Routes = routes
	n.start(cut)
	n.kill(one)
	var last error
	for ctx.Err() == nil {
		e, err := a.Get(ctx, "x")
		if err == nil && e.Revision == rev {
			return
		}
		last = fmt.Errorf("revision %d, want %d: %v", e.Revision, rev, err)
	}
	t.Errorf("the node that was cut away does not catch up: %v", last)
}

// insist calls do until it returns no error, or ctx ends.
func insist(ctx context.Context, t *testing.T, what string, do func() error) {
	t.Helper()
	for {
		err := do()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// A server stops and restarts at the same place: ends of the bus continue.
func TestRestart(t *testing.T) {
	t.Parallel()
	o := ServerOptions{Name: "n1", Listen: freeport.Addr(t, "127.0.0.1"), Dir: t.TempDir()}
	s, err := StartServer(o)
	if err != nil {
		t.Fatal(err)
	}
	a := end(t, Options{URLs: []string{s.URL()}, MaxBytes: 8 << 20}, usual)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	entries, err := a.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	<-entries // the marker
	c, err := a.Consume(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Publish(ctx, 0, "1", []byte("before")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	down, done := context.WithTimeout(ctx, 300*time.Millisecond)
	if err := a.Publish(down, 0, "2", nil); err == nil {
		t.Error("nobody took this message")
	}
	done()
	if s, err = StartServer(o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := a.Publish(ctx, 0, "3", []byte("after")); err != nil {
		t.Error(err)
	}
	got := map[string]bool{}
	for !got["before"] || !got["after"] {
		ms, err := c.Next(ctx, 10, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			got[string(m.Data)] = true
		}
	}
	rev, err := a.Set(ctx, "x", []byte("after"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for e := range entries {
		if e.Revision == rev {
			break
		}
	}
	if tr := a.Traffic(); tr.Reconnects == 0 {
		t.Errorf("%+v", tr)
	}
}
