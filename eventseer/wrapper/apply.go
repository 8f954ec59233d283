package wrapper

import (
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/template"
)

// Add reads a page and learns from it. The template is matched with the page and extended by what is new. It
// must not be called concurrently with any other method.
func (w *Wrapper) Add(t *tagtree.Tree) Reading {
	w.Pages++
	p, leftOut := newPage(t)
	w.LeftOut += leftOut
	if p == nil {
		return w.readValues(t, nil, nil)
	}
	p.setScopesBelow("")
	if w.root == nil {
		w.root = w.newNode(p)
	}
	a := &aligner{w: w, learn: true, page: w.Pages}
	a.matchNode(w.root, p)
	o := newObserver(w, true)
	o.recordLevel(p, 1)
	o.observeTree(p)
	w.learnViews(o, t.Page.URL)
	if w.Pages%staleAfter == 0 {
		w.removeStale()
	}
	w.listFields()
	return w.readValues(t, p, o)
}

// Apply reads a page by the template without learning from it. It may be called concurrently, but not
// together with methods that learn.
func (w *Wrapper) Apply(t *tagtree.Tree) Reading {
	p, _ := newPage(t)
	if p == nil || w.root == nil {
		return w.readValues(t, nil, nil)
	}
	p.setScopesBelow("")
	a := &aligner{w: w}
	a.matchNode(w.root, p)
	o := newObserver(w, false)
	o.observeTree(p)
	return w.readValues(t, p, o)
}

// readValues returns the values of fields that o found on page p. p is nil for a page without a tree.
func (w *Wrapper) readValues(t *tagtree.Tree, p *pageNode, o *observer) Reading {
	r := Reading{URL: t.Page.URL, Values: make(map[*Field][]Value)}
	if p == nil {
		r.Unmatched = len(t.Blocks())
		return r
	}
	r.Matched, r.Unmatched = o.matched, o.unmatched
	for _, key := range o.keys {
		if v := w.views[key]; v != nil && v.Listed {
			r.Values[v.Field] = o.found[key].values
		}
	}
	return r
}

// removeStale removes what a single page had, more than staleAfter or forgetAfter pages ago. So memory is bounded
// by what pages share.
func (w *Wrapper) removeStale() {
	w.root.removeStale(w.Pages)
	kept := make(map[int]bool)
	w.forEachNode(func(t, _ *templateNode) { kept[t.ID] = true })
	for id, keys := range w.byNode {
		var left []viewKey
		for _, key := range keys {
			v := w.views[key]
			stale := key.By != "" && v.Pages == 1 && w.Pages-v.Last > staleAfter
			if (kept[id] && !stale) || v.Field.Meaning != "" && kept[id] {
				left = append(left, key)
			} else {
				delete(w.views, key)
			}
		}
		if w.byNode[id] = left; len(left) == 0 {
			delete(w.byNode, id)
		}
	}
}

// Learn is like Add but also records the page's URL in the ledger.
func (w *Wrapper) Learn(t *tagtree.Tree) Reading {
	r := w.Add(t)
	w.Ledger.Learned = append(w.Ledger.Learned, t.Page.URL)
	if n := len(w.Ledger.Learned) - template.MaxClusterURLs; n > 0 {
		w.Ledger.Learned = slices.Delete(w.Ledger.Learned, 0, n)
	}
	return r
}
