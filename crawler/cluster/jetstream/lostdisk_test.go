package jetstream

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// A node comes back with an empty disk: it gets all from the two others, so that one of
// them may be lost next.
func TestLostDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("three nodes are started again and again")
	}
	n := threeNodes(t, nil)
	a := end(t, Options{URLs: n.urls(), Name: "a", MaxBytes: 8 << 20}, 3*time.Second)
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
	for i := range n.up { // in the end no node has a disk that it began with
		n.kill(i)
		if err := os.RemoveAll(n.opts[i].Dir); err != nil {
			t.Fatal(err)
		}
		n.start(i)
		n.awaitWhole(ctx, a)
	}
	if e, err := a.Get(ctx, "part.1"); err != nil || e.Revision != rev || string(e.Value) != "kept" {
		t.Errorf("%+v, %v; want revision %d", e, err, rev)
	}
	if b, err := a.Backlog(ctx); err != nil || b.Waiting != messages {
		t.Errorf("backlog %+v, %v; want %d", b, err, messages)
	}
	found, after := 0, uint64(0)
	for ; found < messages; found++ {
		if after, _, err = a.Announced(ctx, after); err != nil {
			t.Fatalf("after %d events: %v", found, err)
		}
	}
}

// awaitWhole waits until all nodes have all of every stream.
func (n *nodes) awaitWhole(ctx context.Context, b *bus) {
	n.t.Helper()
	for {
		whole := true
		for _, want := range b.streams() {
			limited, cancel := context.WithTimeout(ctx, callTimeout)
			s, err := b.js.Stream(limited, want.Name)
			cancel()
			if err != nil || s.CachedInfo().Cluster == nil || s.CachedInfo().Cluster.Leader == "" || len(s.CachedInfo().Cluster.Replicas) != len(n.up)-1 {
				whole = false
				break
			}
			for _, r := range s.CachedInfo().Cluster.Replicas {
				whole = whole && r.Current && !r.Offline
			}
		}
		if whole {
			return
		}
		if !pause(ctx, 100*time.Millisecond) {
			n.t.Fatal("a node does not get what it has lost")
		}
	}
}
