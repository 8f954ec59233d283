package tagtree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Text returns the informational text: that of the informational areas, a line
// a block.
func (a *Analysis) Text() string {
	var blocks []int
	for i, n := range a.ofBlock {
		if n >= 0 && a.Areas[n].Kind == Info {
			blocks = append(blocks, i)
		}
	}
	return a.tree.joined(blocks)
}

// blockKinds tells what each block is for.
func (t *Tree) blockKinds(s sums) []AreaKind {
	kinds := make([]AreaKind, len(t.blocks))
	aside := t.asides()
	for i, b := range t.blocks {
		switch {
		case aside[t.holders[i]]:
			kinds[i] = Navigation
		case b.Linked > len(b.Text)/2 && len(strings.Fields(b.Text)) < 3:
			kinds[i] = Navigation
		case b.Linked > len(b.Text)/2:
			kinds[i] = Hub
		}
	}
	return kinds
}

// asides tells for every element whether it lies in one that is by its name no
// part of the page's own matter.
func (t *Tree) asides() []bool {
	aside := make([]bool, len(t.elements))
	for i, e := range t.elements {
		switch e.node.DataAtom {
		case atom.Nav, atom.Aside, atom.Footer:
			aside[i] = true
		default:
			aside[i] = e.parent >= 0 && aside[e.parent]
		}
	}
	return aside
}
