package wrapper

import (
	"slices"

	"eventseer/features/tagtree"
	"eventseer/features/tagtree/template"
)

// Add learns a page and reads it: the template it has is matched with the page and
// grows by what is new, never from scratch. It is for one goroutine.
func (w *Wrapper) Add(t *tagtree.Tree) Reading {
	w.Pages++
	p := newPage(t)
	if p == nil {
		return w.read(t, nil, nil)
	}
	p.giveScopes("")
	if w.root == nil {
		w.root = w.newNode(p)
	}
	a := &aligner{w: w, learn: true, page: w.Pages}
	a.match(w.root, p)
	o := newObserver(w)
	o.level(p, 1)
	o.walk(p)
	w.learnViews(o, t.Page.URL)
	if w.Pages%staleAfter == 0 {
		w.forget()
	}
	w.listFields()
	return w.read(t, p, o)
}

// Apply reads a page by the template, without learning from it. It is safe for many
// goroutines while none learns.
func (w *Wrapper) Apply(t *tagtree.Tree) Reading {
	p := newPage(t)
	if p == nil || w.root == nil {
		return w.read(t, nil, nil)
	}
	p.giveScopes("")
	a := &aligner{w: w}
	a.match(w.root, p)
	listed := w.listed()
	o := newObserver(w)
	o.wanted = func(key viewKey) bool {
		v := w.views[key]
		return v != nil && listed[v.field]
	}
	o.walk(p)
	return w.read(t, p, o)
}

func (w *Wrapper) listed() map[*Field]bool {
	listed := make(map[*Field]bool, len(w.Fields))
	for _, f := range w.Fields {
		listed[f] = true
	}
	return listed
}

// read returns what was observed on a page, of the fields alone.
func (w *Wrapper) read(t *tagtree.Tree, p *pageNode, o *observer) Reading {
	r := Reading{URL: t.Page.URL, Values: make(map[*Field][]Value)}
	if p == nil {
		r.Unmatched = len(t.Blocks())
		return r
	}
	r.Matched, r.Unmatched = o.matched, o.unmatched
	listed := w.listed()
	for _, key := range o.keys {
		if v := w.views[key]; v != nil && listed[v.field] {
			r.Values[v.field] = o.found[key].values
		}
	}
	return r
}

// forget drops what one page alone had, long ago: memory stays bounded by what pages
// share.
func (w *Wrapper) forget() {
	w.root.forget(w.Pages)
	kept := make(map[int]bool)
	w.eachNode(func(t, _ *templateNode) { kept[t.id] = true })
	for id, keys := range w.byNode {
		var left []viewKey
		for _, key := range keys {
			v := w.views[key]
			stale := key.By != "" && v.pages == 1 && w.Pages-v.last > staleAfter
			if (kept[id] && !stale) || v.field.Meaning != "" && kept[id] {
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

// Learn learns a page and notes that it did.
func (w *Wrapper) Learn(t *tagtree.Tree) Reading {
	r := w.Add(t)
	w.Ledger.Learned = append(w.Ledger.Learned, t.Page.URL)
	if n := len(w.Ledger.Learned) - template.MaxClusterURLs; n > 0 {
		w.Ledger.Learned = slices.Delete(w.Ledger.Learned, 0, n)
	}
	return r
}

// Induce returns a wrapper that has learned an initial set of pages, beginning with
// the biggest (paper 004, section 5.1: it has most of the optional attributes), then
// in order. Further pages are given to Add one by one.
func Induce(host, pattern string, initial []*tagtree.Tree) *Wrapper {
	w := New(host, pattern)
	first := biggest(initial)
	for i := range initial {
		switch {
		case i == 0:
			w.Add(initial[first])
		case i <= first:
			w.Add(initial[i-1])
		default:
			w.Add(initial[i])
		}
	}
	return w
}

// biggest returns the index of the first page with the most nodes.
func biggest(pages []*tagtree.Tree) int {
	best, size := 0, -1
	for i, t := range pages {
		if root := t.Outline(); root != nil && root.Size > size {
			best, size = i, root.Size
		}
	}
	return best
}

// Batch returns the wrapper of all pages by partial tree alignment from scratch (Zhai
// and Liu, WWW 2005, section 5): the biggest page is the seed; pages that do not fit
// wholly are aligned again once all others were, as long as that places more of them.
// It is what incremental learning is compared with: done anew for each page that comes
// in, its time grows with the square of the pages.
func Batch(host, pattern string, pages []*tagtree.Tree) *Wrapper {
	w := Induce(host, pattern, pages)
	for range maxRounds {
		slots := w.alternatives()
		if slots == 0 {
			break
		}
		for _, t := range pages {
			w.align(t)
		}
		if w.alternatives() == slots {
			break
		}
	}
	return w
}

// maxRounds bounds how often Batch aligns all pages again.
const maxRounds = 3

// alternatives returns the number of nodes that share their place with others.
func (w *Wrapper) alternatives() int {
	n := 0
	w.eachNode(func(t, _ *templateNode) {
		for _, s := range t.slots {
			if len(s.nodes) > 1 && !s.free {
				n += len(s.nodes)
			}
		}
	})
	return n
}

// align matches a page again, to learn the order of what it has, and counts nothing.
func (w *Wrapper) align(t *tagtree.Tree) {
	p := newPage(t)
	if p == nil || w.root == nil {
		return
	}
	p.giveScopes("")
	(&aligner{w: w}).match(w.root, p)
	var walk func(p *pageNode)
	walk = func(p *pageNode) {
		pairs := pairing{moved: make([]bool, len(p.children)), away: make([]bool, len(p.children))}
		for _, c := range p.children {
			n := c.match
			if n != nil && p.match.slotOf(n) < 0 {
				n = nil
			}
			pairs.nodes = append(pairs.nodes, n)
		}
		p.match.order(pairs)
		for _, c := range p.children {
			if c.match != nil {
				walk(c)
			}
		}
	}
	walk(p)
}
