package wrapper

// maxDisplaced is how many levels up the place of a node is looked for.
const maxDisplaced = 4

// A frame is a node of the template whose page node is being aligned, with those of
// its children that the page has.
type frame struct {
	t     *templateNode
	taken map[*templateNode]bool
}

// displaced pairs the groups that have no place in the innermost frame with nodes that
// the frames around it miss: an element that is not closed swallows what follows it,
// and shifts it down by a level.
func (a *aligner) displaced(groups []group, p *pairing) {
	outer := a.frames[:len(a.frames)-1]
	outer = outer[max(0, len(outer)-maxDisplaced):]
	for j, g := range groups {
		if p.nodes[j] != nil || len(g) > 1 || len(g[0].classes) == 0 || g[0].size < 3 {
			continue
		}
		for k := len(outer) - 1; k >= 0 && p.nodes[j] == nil; k-- {
			if n := outer[k].missing(g[0]); n != nil {
				outer[k].taken[n] = true
				p.nodes[j], p.away[j] = n, true
			}
		}
	}
}

// missing returns the child that most pages have once, that this one has not, and that
// p is like; nil if there is none.
func (f frame) missing(p *pageNode) *templateNode {
	for _, s := range f.t.slots {
		for _, n := range s.nodes {
			if n.name == p.name && !f.taken[n] && !n.repeats && 2*n.pages >= f.t.pages &&
				len(n.classes) > 0 && n.similarity(p) >= minAlike {
				return n
			}
		}
	}
	return nil
}
