package engine

import (
	"bytes"
	"container/list"
	"context"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// An onceModel is a model that is opened once for all cells of a laboratory. The zero value is empty; it
// is safe for concurrent use.
type onceModel[M any] struct {
	mu    sync.Mutex // guards below
	model M
	open  bool
}

// openOnce returns the model; the first call opens it with open.
func (m *onceModel[M]) openOnce(open func() (M, error)) (M, error) {
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

// A urlMemo caches computed values by URL. The zero value is empty; it is safe for concurrent use.
// Concurrent calls for one URL compute it twice with equal results. Callers must not change the
// values.
type urlMemo[V any] struct {
	mu    sync.Mutex // guards known
	known map[string]V
}

// cachedOrComputed returns the cached value of a page if it fits, otherwise the result of compute.
func (m *urlMemo[V]) cachedOrComputed(t *tagtree.Tree, fits func(V) bool, compute func() V) V {
	m.mu.Lock()
	v, ok := m.known[t.Page.URL]
	m.mu.Unlock()
	if ok && fits(v) {
		return v
	}
	v = compute()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]V{}
	}
	m.known[t.Page.URL] = v
	return v
}

func alwaysFits[V any](V) bool { return true }

// linkMemo scores links once for all cells of a laboratory.
type linkMemo struct {
	model strategy.LinkModel
	known urlMemo[[]float64]
}

// LinkProbabilities scores the links of a page; see strategy.LinkModel.
func (m *linkMemo) LinkProbabilities(t *tagtree.Tree) []float64 {
	fits := func(scores []float64) bool { return len(scores) == len(t.Links()) }
	return m.known.cachedOrComputed(t, fits, func() []float64 { return m.model.LinkProbabilities(t) })
}

// layerMemo computes the layers of pages once for all cells of a laboratory.
type layerMemo struct {
	strategy.LayerModel
	known urlMemo[[]float64]
}

// Layers returns the layers of a page; see strategy.LayerModel.
func (m *layerMemo) Layers(t *tagtree.Tree) []float64 {
	return m.known.cachedOrComputed(t, alwaysFits, func() []float64 { return m.LayerModel.Layers(t) })
}

// A Memo caches the work on pages for all cells of a laboratory, which see the same pages. It is
// safe for concurrent use.
type Memo struct {
	fetcher   crawler.Fetcher
	judge     strategy.Judge
	extractor eventseer.Extractor
	links     onceModel[*linkMemo]
	layers    onceModel[*layerMemo]
	judged    urlMemo[classify.Judgement]
	extracted urlMemo[extraction]

	mu     sync.Mutex // guards below
	pages  map[string]*list.Element
	recent *list.List // of *memoPage, latest first
	held   int64      // approximate memory of trees in bytes
}

// A memoPage is a page with its tree.
type memoPage struct {
	url    string // requested
	page   *webgraph.Page
	tree   *tagtree.Tree // nil until parsed
	memory int64
}

// maxMemoMemory is the memory limit for cached trees in bytes. The judgements of all pages are cached, because
// they are small.
const maxMemoMemory = 768 << 20

// NewMemo returns a memo over the fetcher, judge and extractor of a laboratory.
func NewMemo(f crawler.Fetcher, j strategy.Judge, x eventseer.Extractor) *Memo {
	return &Memo{fetcher: f, judge: j, extractor: x, pages: map[string]*list.Element{}, recent: list.New()}
}

// Fetch returns a page from memory if it was fetched before. Failures are requested again, because
// they are cheap.
func (m *Memo) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	m.mu.Lock()
	if e, ok := m.pages[r.URL]; ok {
		m.recent.MoveToFront(e)
		m.mu.Unlock()
		return e.Value.(*memoPage).page, nil
	}
	m.mu.Unlock()
	page, err := m.fetcher.Fetch(ctx, r)
	if err != nil || r.ETag != "" || r.LastModified != "" {
		return page, err
	}
	m.addPage(&memoPage{url: r.URL, page: page, memory: int64(len(page.Body)) + 1000})
	return page, nil
}

// addPage adds a page, and removes the least recently used ones.
func (m *Memo) addPage(p *memoPage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.pages[p.url]; ok {
		return
	}
	m.pages[p.url] = m.recent.PushFront(p)
	m.addMemoryUse(p.memory)
}

// addMemoryUse adds to the memory in use. mu must be held.
func (m *Memo) addMemoryUse(more int64) {
	for m.held += more; m.held > maxMemoMemory && m.recent.Len() > 1; {
		e := m.recent.Back()
		p := m.recent.Remove(e).(*memoPage)
		delete(m.pages, p.url)
		m.held -= p.memory
	}
}

// parse returns the tree of a page; see crawler.Options.Parse.
func (m *Memo) parse(page *webgraph.Page) (*tagtree.Tree, error) {
	m.mu.Lock()
	e, ok := m.pages[page.Requested]
	if ok && e.Value.(*memoPage).page == page && e.Value.(*memoPage).tree != nil {
		m.mu.Unlock()
		return e.Value.(*memoPage).tree, nil
	}
	m.mu.Unlock()
	tree, err := tagtree.Parse(page)
	if err != nil || !ok {
		return tree, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := e.Value.(*memoPage); p.page == page && p.tree == nil && m.pages[page.Requested] == e {
		memory := 300 * int64(bytes.Count(page.Body, []byte("<")))
		p.tree, p.memory = tree, p.memory+memory
		m.addMemoryUse(memory)
	}
	return tree, nil
}

// JudgePage judges a page; see strategy.Judge. The caller must not change the scores.
func (m *Memo) JudgePage(t *tagtree.Tree) classify.Judgement {
	return m.judged.cachedOrComputed(t, alwaysFits, func() classify.Judgement { return m.judge.JudgePage(t) })
}

// Extract reads a page; see eventseer.Extractor.
func (m *Memo) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	r := m.extracted.cachedOrComputed(t, alwaysFits, func() extraction {
		event, ok := m.extractor.Extract(t)
		return extraction{event, ok}
	})
	return r.event, r.ok
}
