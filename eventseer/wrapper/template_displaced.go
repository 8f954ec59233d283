package wrapper

// Bounds on where the place of a node that is not where it should be is looked for.
const (
	maxDisplaced = 4  // levels up
	maxLooked    = 64 // children of a child
	minDisplaced = 3  // nodes of its subtree
)

// A frame is a node of the template whose page node is being aligned, with those of
// its children that the page has.
type frame struct {
	t     *templateNode
	taken map[*templateNode]bool
}

// displaced pairs the groups that have no place in the innermost frame with nodes that
// the frames around it miss, or that one of its own missing children has: an element
// that is not closed swallows what follows it and shifts it down by a level, one that
// is closed too early shifts it up. So does a line where other pages have a text alone.
func (a *aligner) displaced(groups []group, p *pairing) {
	inner := a.frames[len(a.frames)-1]
	outer := a.frames[:len(a.frames)-1]
	outer = outer[max(0, len(outer)-maxDisplaced):]
	for j, g := range groups {
		if p.nodes[j] != nil || len(g) > 1 {
			continue
		}
		n := inner.below(g[0])
		for k := len(outer) - 1; k >= 0 && n == nil; k-- {
			if n = outer[k].missing(g[0], k == len(outer)-1 && inner.t.Name == lineName); n != nil {
				outer[k].taken[n] = true
			}
		}
		if n != nil {
			inner.taken[n] = true
			p.nodes[j], p.away[j] = n, true
		}
	}
}

// below returns the child of a child that the page has not, and that p is like; nil if
// there is none.
func (f frame) below(p *pageNode) *templateNode {
	for _, n := range f.t.children() {
		if f.taken[n] || len(n.Slots) > maxLooked {
			continue
		}
		if m := (frame{n, f.taken}).missing(p, n.Name == lineName); m != nil {
			return m
		}
	}
	return nil
}

// missing returns the child that most pages have once, that this one has not, and that
// p is like; nil if there is none. Within a line little has to speak for it.
func (f frame) missing(p *pageNode, line bool) *templateNode {
	if !line && (len(p.classes) == 0 || p.size < minDisplaced) {
		return nil
	}
	for _, n := range f.t.children() {
		if n.Name != p.name || f.taken[n] || n.Repeats || 2*n.Pages < f.t.Pages {
			continue
		}
		if sim := n.similarity(p); sim >= minAlike && len(n.Classes) > 0 || line && sim >= minSimilar {
			return n
		}
	}
	return nil
}
