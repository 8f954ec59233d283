package fetch

import (
	"context"
	"math/rand/v2"
	"sync"
)

// A boundedCache caches values by key, bounded in number and weight. A full memo admits only a share of the
// new values, each replacing a random one. If hosts are requested in turn and do not all fit,
// replacing the least recently used value would never give a hit. A memo is safe for concurrent
// use.
type boundedCache[V any] struct {
	fresh    func(V) bool // reports whether a value may still be used; false for the zero V
	weight   func(V) int
	maxKeys  int
	maxTotal int // weight

	mu      sync.Mutex // guards below
	entries map[string]*cacheEntry[V]
	all     []*cacheEntry[V]
	dice    *rand.Rand
	total   int
}

type cacheEntry[V any] struct {
	key    string
	place  int           // index in all; guarded by the memo's mu
	turn   chan struct{} // holds one token, for the goroutine that may read and load the value
	value  V
	weight int // of the value, as counted in total; guarded by the memo's mu
}

// admitted is the number of new values of which one is stored if the cache is full.
const admitted = 8

func newBoundedCache[V any](maxKeys, maxTotal int, fresh func(V) bool, weight func(V) int) *boundedCache[V] {
	return &boundedCache[V]{
		fresh: fresh, weight: weight, maxKeys: maxKeys, maxTotal: maxTotal,
		entries: map[string]*cacheEntry[V]{}, dice: rand.New(rand.NewPCG(1, 1)),
	}
}

// get returns the value of a key, loaded if there is no fresh one. Of concurrent callers one loads
// it and the others wait. The error is ctx's or load's. Errors of load are not cached.
func (m *boundedCache[V]) get(ctx context.Context, key string, load func(old V) (V, error)) (V, error) {
	var none V
	e := m.entryOf(key)
	select {
	case <-e.turn:
		defer func() { e.turn <- struct{}{} }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	if m.fresh(e.value) {
		return e.value, nil
	}
	value, err := load(e.value)
	if err != nil {
		return none, err
	}
	e.value = value
	m.updateTotal(e, m.weight(value))
	return value, nil
}

// updateTotal updates total after an entry was loaded and removes entries beyond the limits.
func (m *boundedCache[V]) updateTotal(e *cacheEntry[V], weight int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[e.key] != e {
		return // removed while it was loaded
	}
	m.total += weight - e.weight
	e.weight = weight
	if m.total > m.maxTotal && m.dice.IntN(admitted) > 0 {
		m.removeEntry(e)
	}
	for m.total > m.maxTotal {
		m.removeEntry(m.randomEntry())
	}
}

// randomEntry returns a random entry. m.mu must be held.
func (m *boundedCache[V]) randomEntry() *cacheEntry[V] { return m.all[m.dice.IntN(len(m.all))] }

// removeEntry removes an entry. m.mu must be held.
func (m *boundedCache[V]) removeEntry(e *cacheEntry[V]) {
	last := m.all[len(m.all)-1]
	m.all[e.place], last.place = last, e.place
	m.all[len(m.all)-1] = nil
	m.all = m.all[:len(m.all)-1]
	delete(m.entries, e.key)
	m.total -= e.weight
}

func (m *boundedCache[V]) entryOf(key string) *cacheEntry[V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[key]; ok {
		return e
	}
	e := &cacheEntry[V]{key: key, turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	if len(m.all) >= m.maxKeys {
		if m.dice.IntN(admitted) > 0 {
			return e
		}
		m.removeEntry(m.randomEntry())
	}
	e.place = len(m.all)
	m.entries[key] = e
	m.all = append(m.all, e)
	return e
}

// peek returns the value of a key, fresh or not, if it is known and not being loaded.
func (m *boundedCache[V]) peek(key string) (v V) {
	m.mu.Lock()
	e, ok := m.entries[key]
	m.mu.Unlock()
	if !ok {
		return v
	}
	select {
	case <-e.turn:
		v = e.value
		e.turn <- struct{}{}
	default:
	}
	return v
}
