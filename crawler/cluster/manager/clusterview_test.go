package manager

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
)

// A broken bus ends the watch of a manager while it announces that it leads, and the next watch ends after
// the partitions.
type torn struct {
	*clustertest.End
	watches chan chan cluster.Entry
	leads   func()
}

func (b torn) Watch(context.Context) (<-chan cluster.Entry, error) { return <-b.watches, nil }

func (b torn) Set(ctx context.Context, k string, v []byte, last uint64) (uint64, error) {
	if k == cluster.LeaderKey {
		b.leads()
	}
	return b.End.Set(ctx, k, v, last)
}

// TestHalfABoardTakesNothingOver restarts the watch in the middle of a turn: crawlers that have not been seen
// yet do not count as dead.
func TestHalfABoardTakesNothingOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, halfABoardTakesNothingOver)
}

func halfABoardTakesNothingOver(t *testing.T) {
	conf := cluster.Conf{Version: "v1", Partitions: 1, Lease: 10 * time.Second, Once: true}
	bus := clustertest.NewMemory().End("m")
	set := func(key string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bus.Set(t.Context(), key, data, 0); err != nil {
			t.Fatal(err)
		}
	}
	set(cluster.ConfKey, conf)
	set(cluster.PartKey(0), cluster.Part{Owner: "a", Next: "a", Token: 1})
	set(cluster.WorkerPrefix+"a", cluster.Beat{Boot: "boot", Version: "v1", Beat: 1, Doing: cluster.DoCrawl})
	first, second := make(chan cluster.Entry), make(chan cluster.Entry)
	b := torn{bus, make(chan chan cluster.Entry, 2), func() {
		close(first)
		for range 2 { // the second is read after the first was taken in
			second <- cluster.Entry{Key: cluster.PartKey(0), Value: []byte(`{"owner":"a","next":"a","token":1}`), Revision: 2}
		}
	}}
	b.watches <- first
	b.watches <- second
	m, err := New(Options{Bus: b, Name: "m", Conf: conf})
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
	for _, key := range []string{cluster.ConfKey, cluster.PartKey(0), cluster.WorkerPrefix + "a"} {
		e, _ := bus.Get(t.Context(), key)
		first <- e
	}
	first <- cluster.Entry{}
	synctest.Wait()
	if !m.view.ready {
		t.Fatal("all was sent, and not seen")
	}
	if err := m.makeTurn(t.Context()); err != nil {
		t.Error(err)
	}
	e, err := bus.Get(t.Context(), cluster.PartKey(0))
	var p cluster.Part
	if err != nil || cluster.Decode(e, &p) != nil {
		t.Fatal(err)
	}
	if p.Owner != "a" || p.Lost != 0 {
		t.Errorf("taken over from the living: %+v", p)
	}
	close(second)
	<-watched
}

// TestClusterViewRefill fills a new view while the old one continues: neither affects the other.
func TestClusterViewRefill(t *testing.T) {
	began := time.Unix(0, 0)
	old := newClusterView()
	beat := func(b *clusterView, revision uint64, now time.Time) {
		if err := b.applyEntry(cluster.Entry{Key: cluster.WorkerPrefix + "a", Value: []byte(`{"boot":"boot","version":"v1","beat":1,"doing":"crawl"}`), Revision: revision}, now); err != nil {
			t.Fatal(err)
		}
	}
	beat(&old, 1, began)
	fresh := old.emptyCopy()
	beat(&old, 2, began.Add(time.Minute))
	beat(&fresh, 1, began.Add(time.Hour))
	if w := fresh.workers["a"]; !w.changed.Equal(began) || !w.workingSince.Equal(began) {
		t.Errorf("unchanged since %v, at work since %v", w.changed, w.workingSince)
	}
	if w := old.workers["a"]; w.revision != 2 {
		t.Errorf("revision %d", w.revision)
	}
}

// TestOwnerWithoutEntryHasItsLease deletes a crawler's entry by hand. The crawler may make requests
// until its lease ends, so no other may before.
func TestOwnerWithoutEntryHasItsLease(t *testing.T) {
	conf := cluster.Conf{Version: "v1", Partitions: 1, Lease: 10 * time.Second}
	now := time.Unix(1e9, 0)
	b := newClusterView()
	b.parts[0] = cluster.PartEntry{Part: cluster.Part{Owner: "a", Next: "a", Token: 1}, Revision: 1}
	if ws := b.planWrites(conf, 1, now); len(ws) != 0 {
		t.Errorf("planned at once: %+v", ws)
	}
	now = now.Add(conf.Lease)
	ws := b.planWrites(conf, 1, now)
	if len(ws) != 1 || ws[0].key != cluster.WorkerPrefix+"a" || !ws[0].value.(cluster.Beat).Revoked {
		t.Fatalf("planned after a lease: %+v", ws)
	}
	data, err := ws[0].encodedValue()
	if err != nil || b.applyEntry(cluster.Entry{Key: ws[0].key, Value: data, Revision: 2}, now) != nil {
		t.Fatal(err)
	}
	ws = b.planWrites(conf, 1, now)
	if len(ws) != 1 || ws[0].key != cluster.PartKey(0) || ws[0].value.(cluster.Part).Owner != "" || ws[0].value.(cluster.Part).Lost != 2 {
		t.Errorf("planned after it was revoked: %+v", ws)
	}
}
