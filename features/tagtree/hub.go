package tagtree

import (
	"cmp"

	"golang.org/x/net/html/atom"
)

// What a list of links worth following has, on a page that is a hub at least in
// part.
const (
	minHubLinks = 5   // links
	maxHubClean = 200 // bytes of its longest block that is no link: a description
	rowsPerLink = 2   // rows of a list or table for each link, at most
)

// promote makes hub areas of the lists of links on a page that is a hub or
// mixed: on such a page a list is what it is for, on any other it may be a
// committee whose members link their home pages. The highest element that holds
// links and what describes them, and no text of another kind, is one list.
//
// It reports whether there is any.
func (t *Tree) promote(kinds []AreaKind, s sums) bool {
	any := false
	pure, rows, prose := t.pure(kinds), t.rows(), t.proseBlocks()
	for i := int32(1); int(i) < len(t.elements); {
		e := &t.elements[i]
		v := s.values(e.Blocks, e.Links, 0)
		list := pure[i] && v.NumLinks >= minHubLinks && kinds[e.Blocks.Start] == Info &&
			prose[e.Blocks.End] == prose[e.Blocks.Start] &&
			(v.LinkText >= v.CleanText || cmp.Or(rows[e.End]-rows[i], e.Blocks.Len()) <= rowsPerLink*v.NumLinks)
		if !list {
			i++
			continue
		}
		any = true
		for b := e.Blocks.Start; b < e.Blocks.End; b++ {
			kinds[b] = Hub
		}
		i = max(e.End, i+1)
	}
	return any
}

// rows returns how many rows of lists and tables begin before each element.
func (t *Tree) rows() []int {
	rows := make([]int, len(t.elements)+1)
	for i := range t.elements {
		rows[i+1] = rows[i]
		switch t.elements[i].Node.DataAtom {
		case atom.Li, atom.Tr, atom.Dt:
			rows[i+1]++
		}
	}
	return rows
}

// proseBlocks returns how many blocks before each are the page's title or too
// long for a list.
func (t *Tree) proseBlocks() []int {
	n := make([]int, len(t.blocks)+1)
	for i, b := range t.blocks {
		n[i+1] = n[i]
		if b.Level == 1 || len(b.Text)-b.Linked > maxHubClean {
			n[i+1]++
		}
	}
	return n
}
