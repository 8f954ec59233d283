package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A weighed value has the weight that it states and is fresh until a time.
type weighed struct {
	weight  int
	expires time.Time
}

func newWeighedMemo(maxKeys, maxTotal int, now func() time.Time) *boundedCache[weighed] {
	return newBoundedCache(maxKeys, maxTotal,
		func(w weighed) bool { return now().Before(w.expires) },
		func(w weighed) int { return w.weight })
}

// Fifty callers at once: one loads, and if it gives up, another one does.
func TestMemoLoadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int32
		m := newWeighedMemo(10, 10, time.Now)
		done := make(chan error)
		ask := func(ctx context.Context) {
			_, err := m.get(ctx, "a", func(weighed) (weighed, error) {
				loads.Add(1)
				select {
				case <-time.After(time.Second):
					return weighed{expires: time.Now().Add(time.Hour)}, nil
				case <-ctx.Done():
					return weighed{}, ctx.Err()
				}
			})
			done <- err
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		go ask(impatient)
		synctest.Wait()
		for range 50 {
			go ask(t.Context())
		}
		failed := 0
		for range 51 {
			if <-done != nil {
				failed++
			}
		}
		if failed != 1 || loads.Load() != 2 {
			t.Errorf("%d failed, %d loads; want 1, 2", failed, loads.Load())
		}
	})
}

// Heavy values are forgotten sooner, also where one grows.
func TestMemoIsBoundedInWeight(t *testing.T) {
	now, weight := time.Time{}, 25
	m := newWeighedMemo(1000, 100, func() time.Time { return now })
	get := func(key string) {
		if _, err := m.get(t.Context(), key, func(weighed) (weighed, error) {
			return weighed{weight, now.Add(time.Hour)}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 9 {
		get(fmt.Sprint(i))
	}
	if len(m.all) > 4 || len(m.entries) != len(m.all) || m.total != 25*len(m.all) {
		t.Errorf("%d entries of weight %d, want at most 4 of 100", len(m.all), m.total)
	}
	now, weight = now.Add(2*time.Hour), 50
	get(m.all[0].key)
	if len(m.all) > 3 || m.total > 100 || m.total%25 != 0 {
		t.Errorf("%d entries of weight %d after one has grown, want at most 3 of 100", len(m.all), m.total)
	}
}

func TestMemoIsBoundedInNumber(t *testing.T) {
	m := newWeighedMemo(100, 1000, func() time.Time { return time.Time{} })
	found, all := map[string]int{}, 0
	const rounds = 60
	for range rounds {
		for i := range 300 {
			key, loaded := fmt.Sprint(i), false
			_, err := m.get(t.Context(), key, func(weighed) (weighed, error) {
				loaded = true
				return weighed{1, time.Time{}.Add(time.Hour)}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !loaded {
				found[key]++
				all++
			}
		}
	}
	if len(m.all) != 100 || len(m.entries) != 100 || m.total != 100 {
		t.Errorf("%d entries, %d in the list, weight %d", len(m.entries), len(m.all), m.total)
	}
	for i, e := range m.all {
		if e.place != i || m.entries[e.key] != e {
			t.Fatalf("%s is at %d, not %d", e.key, i, e.place)
		}
	}
	// Three times as many as there is room for, asked in turn: all are found at times.
	if len(found) < 290 || all < 300*rounds/4 {
		t.Errorf("%d of 300 were found again in %d rounds, %d times", len(found), rounds, all)
	}
}

// Failures are not cached, and loading entries are not visible.
func TestCachePeek(t *testing.T) {
	m := newWeighedMemo(10, 10, func() time.Time { return time.Time{} })
	if _, err := m.get(t.Context(), "a", func(weighed) (weighed, error) {
		return weighed{weight: 7}, errors.New("no")
	}); err == nil || m.peek("a").weight != 0 {
		t.Errorf("a failure is remembered: %v, %v", m.peek("a"), err)
	}
	_, _ = m.get(t.Context(), "a", func(weighed) (weighed, error) {
		if got := m.peek("a"); got != (weighed{}) {
			t.Errorf("seen while it was loaded: %v", got)
		}
		return weighed{weight: 3}, nil
	})
	if got := m.peek("a"); got.weight != 3 {
		t.Errorf("peek: %v", got)
	}
}
