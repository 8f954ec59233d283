package wrapper

import (
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// induce returns a wrapper that has learned an initial set of pages, beginning with the largest
// page. That has most of the optional attributes (paper 004, section 5.1); the others follow in
// order. Further pages are given to Add one by one.
func induce(host, pattern string, initial []*tagtree.Tree) *Wrapper {
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

// batch returns the wrapper of all pages by partial tree alignment from scratch (Zhai and Liu, WWW 2005,
// section 5). The largest page is the seed; pages that do not fit completely are aligned again once all
// others were, as long as that places more of them. It is the baseline for incremental learning: repeated for
// each new page, its time grows with the square of the number of pages.
func batch(host, pattern string, pages []*tagtree.Tree) *Wrapper {
	w := induce(host, pattern, pages)
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

// maxRounds bounds how often batch aligns all pages again.
const maxRounds = 3

// alternatives returns the number of nodes that share their place with others.
func (w *Wrapper) alternatives() int {
	n := 0
	w.forEachNode(func(t, _ *templateNode) {
		for _, s := range t.Slots {
			if len(s.Nodes) > 1 && !s.Free {
				n += len(s.Nodes)
			}
		}
	})
	return n
}

// align matches a page again, to learn the order of its parts, and counts nothing.
func (w *Wrapper) align(t *tagtree.Tree) {
	p, _ := newPage(t)
	if p == nil || w.root == nil {
		return
	}
	p.setScopesBelow("")
	(&aligner{w: w}).matchNode(w.root, p)
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
		p.match.learnOrder(pairs)
		for _, c := range p.children {
			if c.match != nil {
				walk(c)
			}
		}
	}
	walk(p)
}

// String writes the children as the paper draws them: {b|c} alternatives, + repeated,
// ? optional. Nodes go by their first class, else by their name.
func (t *templateNode) String() string {
	var b strings.Builder
	for i, s := range t.Slots {
		if i > 0 {
			b.WriteByte(' ')
		}
		var names []string
		for _, n := range s.Nodes {
			name := n.Name
			if class, count := n.Classes.mostFrequent(); count > 0 {
				name = strings.TrimLeft(class, ".#")
			}
			if n.Repeats {
				name += "+"
			}
			if n.Pages < t.Pages || n.Items < t.Items {
				name += "?"
			}
			names = append(names, name)
		}
		if len(names) == 1 {
			b.WriteString(names[0])
		} else {
			fmt.Fprintf(&b, "{%s}", strings.Join(names, "|"))
		}
	}
	return b.String()
}
