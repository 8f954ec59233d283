package main

import (
	"sync"

	"eventseer/crawler/strategy"
	"eventseer/features/tagtree"
)

// linkMemo has links scored once for all cells of a laboratory. The zero value
// is empty; it is safe for concurrent use.
type linkMemo struct {
	open   sync.Mutex // guards model
	model  strategy.LinkModel
	mu     sync.Mutex // guards scores
	scores map[string][]float64
}

// with returns m around the model that open opens, once.
func (m *linkMemo) with(open func() (strategy.LinkModel, error)) (strategy.LinkModel, error) {
	m.open.Lock()
	defer m.open.Unlock()
	if m.model == nil {
		model, err := open()
		if err != nil {
			return nil, err
		}
		m.model, m.scores = model, map[string][]float64{}
	}
	return m, nil
}

// Links scores the links of a page; see strategy.LinkModel. The caller does not
// change the scores.
func (m *linkMemo) Links(t *tagtree.Tree) []float64 {
	id := t.Page.URL
	m.mu.Lock()
	scores, ok := m.scores[id]
	m.mu.Unlock()
	if ok && len(scores) == len(t.Links()) {
		return scores
	}
	scores = m.model.Links(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scores[id] = scores
	return scores
}
