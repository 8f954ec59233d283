package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/crawler/cluster"
)

func set(t *testing.T, b cluster.Bus, key, value string, last uint64) uint64 {
	t.Helper()
	rev, err := b.Set(limited(t), key, []byte(value), last)
	must(t, err)
	return rev
}

func wantEntry(t *testing.T, b cluster.Bus, key, value string, rev uint64) {
	t.Helper()
	e, err := b.Get(limited(t), key)
	if err != nil || e.Key != key || string(e.Value) != value || e.Revision != rev {
		t.Errorf("%s: %s %.40q %d, %v; want %.40q %d", key, e.Key, e.Value, e.Revision, err, value, rev)
	}
}

func compareAndSet(t *testing.T, open func(string) cluster.Bus) {
	ctx, a, b := limited(t), open("a"), open("b")
	if _, err := a.Get(ctx, "part.1"); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("a key that is not there: %v", err)
	}
	conflict := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, cluster.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", what, err)
		}
	}
	_, err := a.Set(ctx, "part.1", []byte("x"), 7)
	conflict("changing what is not there", err)
	r1 := set(t, a, "part.1", "one", 0)
	wantEntry(t, b, "part.1", "one", r1)
	_, err = b.Set(ctx, "part.1", []byte("x"), 0)
	conflict("creating what is there", err)
	other := set(t, b, "part.2", "other", 0)
	if other <= r1 {
		t.Errorf("revision %d after %d", other, r1)
	}
	r2 := set(t, b, "part.1", "two", r1)
	if r2 <= other {
		t.Errorf("revision %d after %d", r2, other)
	}
	_, err = a.Set(ctx, "part.1", []byte("x"), r1)
	conflict("an old revision", err)
	_, err = a.Set(ctx, "part.1", []byte("x"), r2+100)
	conflict("a revision to come", err)
	wantEntry(t, a, "part.1", "two", r2)

	conflict("deleting an old revision", a.Delete(ctx, "part.1", r1))
	conflict("deleting what is not there", a.Delete(ctx, "part.3", r1))
	must(t, a.Delete(ctx, "part.1", r2))
	if _, err := b.Get(ctx, "part.1"); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("a deleted key: %v", err)
	}
	conflict("deleting twice", a.Delete(ctx, "part.1", r2))
	_, err = a.Set(ctx, "part.1", []byte("x"), r2)
	conflict("changing what was deleted", err)
	r3 := set(t, b, "part.1", "three", 0)
	if r3 <= r2 {
		t.Errorf("revision %d after %d", r3, r2)
	}
	wantEntry(t, a, "part.1", "three", r3)
	wantEntry(t, a, "part.2", "other", other)
}

// Of all that change one revision, one does.
func setRaces(t *testing.T, open func(string) cluster.Bus) {
	ctx := limited(t)
	const ends, rounds = 4, 5
	var last uint64
	buses := make([]cluster.Bus, ends)
	for i := range buses {
		buses[i] = open(fmt.Sprint("end", i))
	}
	for range rounds {
		var mu sync.Mutex
		var won []uint64
		var wg sync.WaitGroup
		for i, b := range buses {
			wg.Go(func() {
				rev, err := b.Set(ctx, "leader", []byte(fmt.Sprint(i)), last)
				if err != nil {
					if !errors.Is(err, cluster.ErrConflict) {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				defer mu.Unlock()
				won = append(won, rev)
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("%d of %d changed the same revision", len(won), ends)
		}
		last = won[0]
	}
}

func entrySizes(t *testing.T, open func(string) cluster.Bus) {
	ctx, b := limited(t), open("a")
	big := sample(cluster.MaxEntry)
	rev, err := b.Set(ctx, "conf", big, 0)
	must(t, err)
	e, err := b.Get(ctx, "conf")
	if err != nil || !bytes.Equal(e.Value, big) {
		t.Errorf("%d bytes came back, %v", len(e.Value), err)
	}
	if _, err := b.Set(ctx, "conf", make([]byte, cluster.MaxEntry+1), rev); err == nil || errors.Is(err, cluster.ErrConflict) {
		t.Errorf("an entry larger than MaxEntry: %v", err)
	}
	empty := set(t, b, "empty", "", 0)
	wantEntry(t, b, "empty", "", empty)
	if e, err := b.Get(ctx, "empty"); err != nil || e.Value == nil {
		t.Errorf("an empty value is as one deleted: %v", err)
	}
	for _, key := range []string{"", "with space", ".dot", "star.*"} {
		if _, err := b.Set(ctx, key, nil, 0); err == nil {
			t.Errorf("the key %q was taken", key)
		}
	}
}

// next receives an entry from a watch.
func next(t *testing.T, w <-chan cluster.Entry) cluster.Entry {
	t.Helper()
	select {
	case e, ok := <-w:
		if !ok {
			t.Fatal("the watch ended")
		}
		return e
	case <-limited(t).Done():
		t.Fatal("no entry came")
	}
	panic("unreachable")
}

func startWatch(t *testing.T, ctx context.Context, b cluster.Bus) <-chan cluster.Entry {
	t.Helper()
	w, err := b.Watch(ctx)
	must(t, err)
	return w
}

func wantNext(t *testing.T, w <-chan cluster.Entry, key, value string, rev uint64) {
	t.Helper()
	if e := next(t, w); e.Key != key || string(e.Value) != value || e.Revision != rev {
		t.Errorf("watched %s %.40q %d, want %s %.40q %d", e.Key, e.Value, e.Revision, key, value, rev)
	}
}

func watchInitial(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	if e := next(t, startWatch(t, limited(t), b)); e.Key != "" {
		t.Errorf("an empty bucket has %q", e.Key)
	}
	revs := map[string]uint64{}
	for i := range 20 {
		key := fmt.Sprint("part.", i)
		revs[key] = set(t, a, key, key, 0)
	}
	revs["part.3"] = set(t, a, "part.3", "part.3", revs["part.3"])
	must(t, a.Delete(limited(t), "part.4", revs["part.4"]))
	delete(revs, "part.4")
	w := startWatch(t, limited(t), b)
	for e := next(t, w); e.Key != ""; e = next(t, w) {
		if e.Value == nil { // deleted keys may arrive, marked as deleted
			continue
		}
		if revs[e.Key] != e.Revision || string(e.Value) != e.Key {
			t.Errorf("%s %q at %d, want %d", e.Key, e.Value, e.Revision, revs[e.Key])
		}
		delete(revs, e.Key)
	}
	if len(revs) > 0 {
		t.Errorf("before the marker these never came: %v", revs)
	}
}

func watchChanges(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	first := set(t, a, "x", "1", 0)
	w, own := startWatch(t, limited(t), b), startWatch(t, limited(t), a)
	for _, w := range []<-chan cluster.Entry{w, own} {
		wantNext(t, w, "x", "1", first)
		wantNext(t, w, "", "", 0)
	}
	last := first
	for i := range 50 {
		value := fmt.Sprint("v", i)
		last = set(t, a, "x", value, last)
		wantNext(t, w, "x", value, last)
		wantNext(t, own, "x", value, last)
	}
	y := set(t, b, "y", "new", 0)
	wantNext(t, w, "y", "new", y)
	must(t, a.Delete(limited(t), "x", last))
	if e := next(t, w); e.Key != "x" || e.Value != nil || e.Revision <= y {
		t.Errorf("deleted: %+v", e)
	}
	last = set(t, a, "x", "", 0)
	if e := next(t, w); e.Key != "x" || e.Value == nil || e.Revision != last {
		t.Errorf("made again, empty: %+v", e)
	}
}

// A slow reader blocks no other, and sees the last of all keys.
func watchSlow(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	w := startWatch(t, limited(t), b)
	const keys, rounds = 5, 200
	last := map[string]uint64{}
	for i := range rounds {
		for k := range keys {
			key := fmt.Sprint("worker.", k)
			last[key] = set(t, a, key, fmt.Sprint(i), last[key])
		}
	}
	seen, marker := map[string]uint64{}, false
	for left := keys; left > 0; {
		e := next(t, w)
		if e.Key == "" {
			marker = true
			continue
		}
		if e.Revision <= seen[e.Key] {
			t.Errorf("%s goes back from %d to %d", e.Key, seen[e.Key], e.Revision)
		}
		if seen[e.Key] = e.Revision; e.Revision == last[e.Key] {
			left--
		}
	}
	if !marker {
		t.Error("all changes came before the marker")
	}
}

func watchEnds(t *testing.T, open func(string) cluster.Bus) {
	a := open("a")
	set(t, a, "x", "1", 0)
	ctx, cancel := context.WithCancel(limited(t))
	w := startWatch(t, ctx, a)
	next(t, w)
	other := startWatch(t, limited(t), a)
	cancel()
	soon(t, "a watch whose ctx ended", func() {
		for range w {
		}
	})
	next(t, other)
	must(t, a.Close())
	soon(t, "a watch of a closed bus", func() {
		for range other {
		}
	})
	if _, err := open("b").Watch(ctx); err == nil {
		t.Error("a watch with a ctx that has ended")
	}
}
