package cluster

import (
	"context"
	"testing"
	"time"
)

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
			second <- Entry{Key: partKey(0), Value: []byte(`{"owner":"a","next":"a","token":1}`), Revision: 2}
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
		if err := b.take(Entry{Key: workerPrefix + "a", Value: []byte(`{"boot":"boot","version":"v1","beat":1,"doing":"crawl"}`), Revision: revision}, now); err != nil {
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
	b.parts[0] = partEntry{Part: Part{Owner: "a", Next: "a", Token: 1}, revision: 1}
	if ws := b.plan(conf, 1, now); len(ws) != 0 {
		t.Errorf("planned at once: %+v", ws)
	}
	now = now.Add(conf.Lease)
	ws := b.plan(conf, 1, now)
	if len(ws) != 1 || ws[0].key != workerPrefix+"a" || !ws[0].value.(Beat).Revoked {
		t.Fatalf("planned after a lease: %+v", ws)
	}
	data, err := ws[0].data()
	if err != nil || b.take(Entry{Key: ws[0].key, Value: data, Revision: 2}, now) != nil {
		t.Fatal(err)
	}
	ws = b.plan(conf, 1, now)
	if len(ws) != 1 || ws[0].key != partKey(0) || ws[0].value.(Part).Owner != "" || ws[0].value.(Part).Lost != 2 {
		t.Errorf("planned after it was revoked: %+v", ws)
	}
}
