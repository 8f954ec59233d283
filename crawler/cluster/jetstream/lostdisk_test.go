package jetstream

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/nightly"

	"github.com/nats-io/nats-server/v2/server"
)

// A node comes back with an empty disk. It gets all from the two others, so that one of them may be
// lost next, as happens to all three in .ci/nightly.
func TestLostDisk(t *testing.T) {
	t.Parallel()
	lost := 1
	if nightly.Enabled() {
		lost = 3
	}
	n := threeNodes(t, nil)
	a := end(t, Options{URLs: n.urls(), Name: "a", MaxBytes: 8 << 20}, acked(3*time.Second))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	const messages = 50
	for i := range messages {
		id := fmt.Sprint(i)
		if err := a.Publish(ctx, 1, id, []byte(id)); err != nil {
			t.Fatal(err)
		}
		if err := a.Announce(ctx, id, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	rev, err := a.Set(ctx, "part.1", []byte("kept"), 0)
	if err != nil {
		t.Fatal(err)
	}
	n.awaitWhole(ctx)
	for i := range lost { // with 3, no node has its original disk at the end
		n.kill(i)
		if err := os.RemoveAll(n.opts[i].Dir); err != nil {
			t.Fatal(err)
		}
		n.start(i)
		if n.up[i] == nil {
			t.FailNow()
		}
		n.awaitWhole(ctx)
	}
	if e, err := a.Get(ctx, "part.1"); err != nil || e.Revision != rev || string(e.Value) != "kept" {
		t.Errorf("%+v, %v; want revision %d", e, err, rev)
	}
	if b, err := a.Backlog(ctx); err != nil || b.Waiting != messages {
		t.Errorf("backlog %+v, %v; want %d", b, err, messages)
	}
	found, after := 0, uint64(0)
	for ; found < messages; found++ {
		e, err := a.Announced(ctx, after)
		if err != nil {
			t.Fatalf("after %d events: %v", found, err)
		}
		after = e.Number
	}
}

// awaitWhole waits until each node has all data, by its own report and by its contents.
func (n *nodes) awaitWhole(ctx context.Context) {
	n.t.Helper()
	for {
		lack := n.lack()
		if lack == nil {
			return
		}
		if crawler.WaitFor(ctx, 100*time.Millisecond) != nil {
			n.t.Fatalf("a node does not get what it has lost: %v", lack)
		}
	}
}

// lack lists what a node does not have, or has in another state than the others.
func (n *nodes) lack() error {
	var all []string
	for i, s := range n.up {
		if err := s.MissingData(); err != nil {
			return fmt.Errorf("n%d: %w", i, err)
		}
		z, err := s.s.Jsz(&server.JSzOptions{Streams: true, Consumer: true})
		if err != nil {
			return fmt.Errorf("n%d: %w", i, err)
		}
		var holds []string
		for _, account := range z.AccountDetails {
			for _, stream := range account.Streams {
				holds = append(holds, fmt.Sprint(stream.Name, " ", stream.State.Msgs, " to ", stream.State.LastSeq, ", ", len(stream.Consumer), " consumers"))
			}
		}
		slices.Sort(holds)
		all = append(all, strings.Join(holds, "; "))
		if all[i] != all[0] || all[i] == "" {
			return fmt.Errorf("n%d has %q, n0 %q", i, all[i], all[0])
		}
	}
	return nil
}
