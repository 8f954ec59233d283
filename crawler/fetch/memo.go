package fetch

import (
	"container/list"
	"context"
	"sync"
)

// A memo remembers values by key: those used last, a bounded number and weight of
// them. It is safe for concurrent use.
type memo[V any] struct {
	fresh    func(V) bool // whether a value may still be used; false for the zero V
	weight   func(V) int
	maxKeys  int
	maxTotal int // weight

	mu      sync.Mutex // guards below
	entries map[string]*list.Element
	used    *list.List // of *memoEntry[V], the last used first
	total   int
}

type memoEntry[V any] struct {
	key    string
	turn   chan struct{} // holds one token, for whoever may look at and load value
	value  V
	weight int // of value, as counted in total; guarded by the memo's mu
}

func newMemo[V any](maxKeys, maxTotal int, fresh func(V) bool, weight func(V) int) *memo[V] {
	return &memo[V]{
		fresh: fresh, weight: weight, maxKeys: maxKeys, maxTotal: maxTotal,
		entries: map[string]*list.Element{}, used: list.New(),
	}
}

// get returns the value of a key, loaded if there is no fresh one. However many
// ask at a time, one loads it and the others wait. The error is ctx's, or load's,
// which is not remembered: the next one loads.
func (m *memo[V]) get(ctx context.Context, key string, load func(old V) (V, error)) (V, error) {
	var none V
	e := m.entry(key)
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
	m.count(e, m.weight(value))
	return value, nil
}

// count brings total up to date with an entry that was loaded, and forgets the
// entries that are too much.
func (m *memo[V]) count(e *memoEntry[V], weight int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if el, ok := m.entries[e.key]; !ok || el.Value != e {
		return // forgotten while it was loaded
	}
	m.total += weight - e.weight
	e.weight = weight
	for m.total > m.maxTotal {
		m.forgetOldest()
	}
}

// forgetOldest forgets the entry that was not used for longest. It is called
// with mu held.
func (m *memo[V]) forgetOldest() {
	e := m.used.Remove(m.used.Back()).(*memoEntry[V])
	delete(m.entries, e.key)
	m.total -= e.weight
}

func (m *memo[V]) entry(key string) *memoEntry[V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if el, ok := m.entries[key]; ok {
		m.used.MoveToFront(el)
		return el.Value.(*memoEntry[V])
	}
	if m.used.Len() >= m.maxKeys {
		m.forgetOldest()
	}
	e := &memoEntry[V]{key: key, turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	m.entries[key] = m.used.PushFront(e)
	return e
}

// peek returns the value of a key, fresh or not, if it is known and nobody is
// loading it.
func (m *memo[V]) peek(key string) (v V) {
	m.mu.Lock()
	el, ok := m.entries[key]
	m.mu.Unlock()
	if !ok {
		return v
	}
	e := el.Value.(*memoEntry[V])
	select {
	case <-e.turn:
		v = e.value
		e.turn <- struct{}{}
	default:
	}
	return v
}
