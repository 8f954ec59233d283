package engine

import (
	"sync"

	"eventseer/crawler/strategy"
	"eventseer/features/tagtree"
)

// A made is a model that is opened once for all cells of a laboratory. The zero
// value is empty; it is safe for concurrent use.
type made[M any] struct {
	mu    sync.Mutex // guards below
	model M
	open  bool
}

// get returns the model, opened by open at first.
func (m *made[M]) get(open func() (M, error)) (M, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open {
		return m.model, nil
	}
	model, err := open()
	if err == nil {
		m.model, m.open = model, true
	}
	return model, err
}

// A scoreMemo remembers what a model says of pages. The zero value is empty; it
// is safe for concurrent use. Callers do not change the scores.
type scoreMemo struct {
	mu     sync.Mutex           // guards scores
	scores map[string][]float64 // by URL
}

// of returns what score says of a page: what it said before, if that is right for
// the page.
func (m *scoreMemo) of(t *tagtree.Tree, score func(*tagtree.Tree) []float64, right func([]float64) bool) []float64 {
	m.mu.Lock()
	scores, ok := m.scores[t.Page.URL]
	m.mu.Unlock()
	if ok && right(scores) {
		return scores
	}
	scores = score(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scores == nil {
		m.scores = map[string][]float64{}
	}
	m.scores[t.Page.URL] = scores
	return scores
}

// linkMemo has links scored once for all cells of a laboratory.
type linkMemo struct {
	model strategy.LinkModel
	known scoreMemo
}

// Links scores the links of a page; see strategy.LinkModel.
func (m *linkMemo) Links(t *tagtree.Tree) []float64 {
	return m.known.of(t, m.model.Links, func(scores []float64) bool { return len(scores) == len(t.Links()) })
}

// layerMemo has the layers of pages told once for all cells of a laboratory.
type layerMemo struct {
	strategy.LayerModel
	known scoreMemo
}

// Layers tells the layer of a page; see strategy.LayerModel.
func (m *layerMemo) Layers(t *tagtree.Tree) []float64 {
	return m.known.of(t, m.LayerModel.Layers, func([]float64) bool { return true })
}
