package wrapper

import (
	"slices"
)

// An aligner matches one page with the template. If learn is set, it also extends the template.
type aligner struct {
	w     *Wrapper
	learn bool
	page  int
	// frames are the template nodes around the one that is being aligned, outermost first.
	frames []alignedFrame
}

// matchNode pairs p with the template node t and aligns their children.
func (a *aligner) matchNode(t *templateNode, p *pageNode) {
	p.match = t
	groups := siblingGroups(p.children)
	pairs, taken := t.pairGroups(groups)
	a.frames = append(a.frames, alignedFrame{t, taken})
	a.pairDisplaced(groups, &pairs)
	if a.learn {
		t.countItem(p, a.page)
		a.addGroups(t, groups, &pairs)
		t.learnOrder(pairs)
	}
	a.matchItems(groups, pairs)
	a.frames = a.frames[:len(a.frames)-1]
}

// matchItems matches the items of the groups with their nodes, and counts them.
func (a *aligner) matchItems(groups []siblingGroup, pairs pairing) {
	count := make(map[*templateNode]int)
	for j, n := range pairs.nodes {
		if n == nil {
			continue
		}
		count[n] += len(groups[j])
		for _, item := range groups[j] {
			a.matchNode(n, item)
		}
	}
	if a.learn {
		for n, k := range count {
			n.Repeats = n.Repeats || k > 1
			n.Most = max(n.Most, k)
			if n.Least == 0 || k < n.Least {
				n.Least = k
			}
		}
	}
}

// addGroups adds unpaired groups to the template. If the position between the paired neighbours is unique, the
// group gets a new slot there (partial tree alignment). Otherwise it becomes an alternative in the slot after
// its left neighbour.
func (a *aligner) addGroups(t *templateNode, groups []siblingGroup, pairs *pairing) {
	inOrder := func(j int) bool { return pairs.nodes[j] != nil && !pairs.moved[j] && !pairs.away[j] }
	next := make([]int, len(groups)) // index of the next group in order with a node
	for j, at := len(groups)-1, len(groups); j >= 0; j-- {
		if next[j] = at; inOrder(j) {
			at = j
		}
	}
	left := -1 // index of the slot of the last group in order
	for j, g := range groups {
		if n := pairs.nodes[j]; n != nil {
			if inOrder(j) {
				left = max(left, t.slotOf(n))
			}
			continue
		}
		if a.w.nodes >= maxTemplateNodes {
			a.w.LeftOut += sizeOf(g)
			continue
		}
		right := len(t.Slots)
		for k := next[j]; k < len(groups); k = next[k] {
			if slot := t.slotOf(pairs.nodes[k]); slot > left {
				right = slot
				break
			}
		}
		unique := right-left == 1
		switch {
		case unique && len(t.Slots) < maxSlots:
			n := a.w.newNode(g[0])
			t.Slots = slices.Insert(t.Slots, left+1, &childSlot{Nodes: []*templateNode{n}})
			pairs.nodes[j] = n
			left++
		case !unique && len(t.Slots[left+1].Nodes) < maxAlternatives:
			n := a.w.newNode(g[0])
			t.Slots[left+1].Nodes = append(t.Slots[left+1].Nodes, n)
			pairs.nodes[j] = n
		default:
			a.w.LeftOut += sizeOf(g)
		}
	}
}

// sizeOf returns the number of nodes in a group.
func sizeOf(g siblingGroup) (n int) {
	for _, p := range g {
		n += p.size
	}
	return n
}

func (t *templateNode) slotOf(n *templateNode) int {
	return slices.IndexFunc(t.Slots, func(s *childSlot) bool { return slices.Contains(s.Nodes, n) })
}

// learnOrder learns the order of alternatives from a page. Alternatives whose order is known get slots of their
// own. Slots whose order differs between pages are merged into a free slot, a disjunction (paper 004, t6).
func (t *templateNode) learnOrder(pairs pairing) {
	var met []*templateNode
	seen := make(map[*templateNode]bool)
	for i, n := range pairs.nodes {
		if n != nil && !pairs.away[i] && !seen[n] {
			seen[n] = true
			met = append(met, n)
		}
	}
	for i, n := range pairs.nodes {
		if n != nil && pairs.moved[i] {
			t.mergeSlots(n, met)
		}
	}
	for i := 0; i < len(t.Slots); i++ {
		s := t.Slots[i]
		if len(s.Nodes) > 1 && !s.Free {
			s.recordOrder(met)
			t.Slots = slices.Replace(t.Slots, i, i+1, s.splitByOrder()...)
		}
	}
}

// mergeSlots merges the slots from the one of n to that of a node which is on the other side of n on the page. met
// has the nodes in the order of the page.
func (t *templateNode) mergeSlots(n *templateNode, met []*templateNode) {
	from := t.slotOf(n)
	to, i := from, slices.Index(met, n)
	for _, b := range met[:i] {
		to = max(to, t.slotOf(b))
	}
	if to == from {
		for _, b := range met[i+1:] {
			from = min(from, t.slotOf(b))
		}
	}
	merged := &childSlot{Free: true}
	for _, s := range t.Slots[from : to+1] {
		merged.Nodes = append(merged.Nodes, s.Nodes...)
	}
	if len(merged.Nodes) > 1 && len(merged.Nodes) <= maxAlternatives {
		t.Slots = slices.Replace(t.Slots, from, to+1, merged)
	}
}

// recordOrder records the order in which the page has the alternatives.
func (s *childSlot) recordOrder(met []*templateNode) {
	var here []*templateNode
	for _, n := range met {
		if slices.Contains(s.Nodes, n) {
			here = append(here, n)
		}
	}
	for i, n := range here {
		for _, m := range here[i+1:] {
			if s.Free = s.Free || slices.Contains(s.Before, [2]int{m.ID, n.ID}); s.Free {
				return
			}
			if pair := [2]int{n.ID, m.ID}; !slices.Contains(s.Before, pair) {
				s.Before = append(s.Before, pair)
			}
		}
	}
}

// splitByOrder returns the slot, preceded and followed by slots of the alternatives that are known to come first or
// last.
func (s *childSlot) splitByOrder() []*childSlot {
	var first, last []*childSlot
	for !s.Free && len(s.Nodes) > 1 {
		if i := s.indexOfOrdered(func(n, m *templateNode) [2]int { return [2]int{n.ID, m.ID} }); i >= 0 {
			first = append(first, &childSlot{Nodes: []*templateNode{s.Nodes[i]}})
			s.Nodes = slices.Delete(s.Nodes, i, i+1)
		} else if i := s.indexOfOrdered(func(n, m *templateNode) [2]int { return [2]int{m.ID, n.ID} }); i >= 0 {
			last = append([]*childSlot{{Nodes: []*templateNode{s.Nodes[i]}}}, last...)
			s.Nodes = slices.Delete(s.Nodes, i, i+1)
		} else {
			break
		}
	}
	if len(s.Nodes) == 1 {
		s.Before = nil
	}
	return append(append(first, s), last...)
}

// indexOfOrdered returns the index of the alternative whose pair with every other one is in Before, or -1.
func (s *childSlot) indexOfOrdered(pair func(n, m *templateNode) [2]int) int {
	return slices.IndexFunc(s.Nodes, func(n *templateNode) bool {
		return !slices.ContainsFunc(s.Nodes, func(m *templateNode) bool {
			return m != n && !slices.Contains(s.Before, pair(n, m))
		})
	})
}

// removeStale removes the nodes that only one page had, more than forgetAfter pages ago.
func (t *templateNode) removeStale(page int) {
	for _, s := range t.Slots {
		s.Nodes = slices.DeleteFunc(s.Nodes, func(n *templateNode) bool {
			return n.Pages == 1 && page-n.Last > forgetAfter
		})
		for _, n := range s.Nodes {
			n.removeStale(page)
		}
	}
	t.Slots = slices.DeleteFunc(t.Slots, func(s *childSlot) bool { return len(s.Nodes) == 0 })
}

// Limits on the search for displaced nodes.
const (
	maxDisplaced = 4     // levels upwards
	maxLooked    = 64    // children of a child
	maxShifted   = 1_000 // groups of one parent that are searched for
	minDisplaced = 3     // minimum number of nodes in the displaced subtree
)

// An alignedFrame is a template node that is being aligned. taken has its children that the page has.
type alignedFrame struct {
	t     *templateNode
	taken map[*templateNode]bool
}

// pairDisplaced pairs unpaired groups of the innermost frame with missing nodes of the frames around it, or with
// children of its own missing nodes. An unclosed element moves what follows it down by a level; an element
// that is closed too early moves it up. A line has the same effect if other pages have a single text in its
// place.
func (a *aligner) pairDisplaced(groups []siblingGroup, p *pairing) {
	inner := a.frames[len(a.frames)-1]
	outer := a.frames[:len(a.frames)-1]
	outer = outer[max(0, len(outer)-maxDisplaced):]
	parents := inner.absentParents()
	looked := 0
	for j, g := range groups {
		if p.nodes[j] != nil || len(g) > 1 {
			continue
		}
		if looked++; looked > maxShifted {
			return
		}
		n := inner.childOfAbsent(parents, g[0])
		for k := len(outer) - 1; k >= 0 && n == nil; k-- {
			if n = outer[k].missingChild(g[0], k == len(outer)-1 && inner.t.Name == lineName); n != nil {
				outer[k].taken[n] = true
			}
		}
		if n != nil {
			inner.taken[n] = true
			p.nodes[j], p.away[j] = n, true
		}
	}
}

// absentParents returns the children that the page lacks and that have children themselves.
func (f alignedFrame) absentParents() []*templateNode {
	return slices.DeleteFunc(f.t.children(), func(n *templateNode) bool {
		return f.taken[n] || len(n.Slots) == 0 || len(n.Slots) > maxLooked
	})
}

// childOfAbsent returns the child of one of the absent parents that is similar to p, or nil.
func (f alignedFrame) childOfAbsent(parents []*templateNode, p *pageNode) *templateNode {
	for _, n := range parents {
		if f.taken[n] {
			continue
		}
		if m := (alignedFrame{n, f.taken}).missingChild(p, n.Name == lineName); m != nil {
			return m
		}
	}
	return nil
}

// missingChild returns the child that most pages have once, that this page lacks, and that is similar to p, or
// nil. In a line, a lower similarity is enough.
func (f alignedFrame) missingChild(p *pageNode, line bool) *templateNode {
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
