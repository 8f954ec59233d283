package record

import (
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// Constants of MDR (Liu, Grossman and Zhai 2003, sections 3.1 and 3.2).
const (
	mdrNodes     = 10  // most nodes of a generalised node (K)
	mdrThreshold = 0.3 // edit distance up to which generalised nodes are similar (T)
	mdrTags      = 150 // tags of a node that are compared; the rest is left out
)

// MDR returns the data regions of the page by the plain algorithm of Liu, Grossman and Zhai (KDD
// 2003). Generalised nodes have up to ten children, neighbours are compared by the normalised edit
// distance of their tag strings, and the region that covers most children wins; its generalised
// nodes are the records. It is the baseline for Regions.
func MDR(t *tagtree.Tree) []Region {
	root := shownOutline(t)
	if root == nil {
		return nil
	}
	m := mdr{links: newLinkReader(t.Base()), names: make(map[string]uint32)}
	m.find(root)
	return m.regions
}

type mdr struct {
	links   *linkReader
	names   map[string]uint32 // of tags → their numbers
	row     []int             // of editDistance
	regions []Region
}

// mdrRegion is size nodes a generalised node, from start, count nodes in all.
type mdrRegion struct{ size, start, count int }

// find reads the regions among the children of a node, and those within what none covers.
func (m *mdr) find(n *tagtree.Node) {
	var children []*tagtree.Node
	for _, c := range n.Children {
		if c.Name != "" && !c.Hidden && c.Name != "head" {
			children = append(children, c)
		}
	}
	covered := make([]bool, len(children))
	s := m.newSiblings(children)
	for from := 0; from < len(children); {
		best := s.best(from)
		if best.count == 0 {
			break
		}
		region := Region{Path: n.Path()}
		size := best.size
		if s.allAlike(best) {
			size = 1
		}
		for i := best.start; i < best.start+best.count; i += size {
			nodes := children[i : i+size]
			region.Records = append(region.Records, Record{Nodes: nodes, Links: m.links.links(nodes)})
			for j := range nodes {
				covered[i+j] = true
			}
		}
		alignFields(region.Records)
		m.regions = append(m.regions, region)
		from = best.start + best.count
	}
	for i, c := range children {
		if !covered[i] {
			m.find(c)
		}
	}
}

// mdrSiblings are the children of a node as MDR compares them.
type mdrSiblings struct {
	m    *mdr
	tags []uint32 // of all children, at most mdrTags each
	ends []int    // ends[i] is where in tags child i begins; ends[len(children)] is its end
	// next holds the results of the last searches, by size and by the remainder of their start. A
	// result is the first start found there whose generalised node is like the following one. A
	// search further right goes on from there, so that all of them together are linear.
	next [mdrNodes + 1][mdrNodes]int
}

func (m *mdr) newSiblings(children []*tagtree.Node) *mdrSiblings {
	s := &mdrSiblings{m: m, ends: make([]int, 1, len(children)+1)}
	for _, c := range children {
		s.tags = m.appendTags(s.tags, len(s.tags)+mdrTags, c)
		s.ends = append(s.ends, len(s.tags))
	}
	for size := range s.next {
		for start := range s.next[size] {
			s.next[size][start] = -1
		}
	}
	return s
}

// best returns the first region from a child on that covers most children (IdentDRs).
func (s *mdrSiblings) best(from int) mdrRegion {
	var best mdrRegion
	for size := 1; size <= min(mdrNodes, (s.len()-from)/2); size++ {
		for start := from; start < from+size; start++ {
			run := mdrRegion{size: size, start: s.firstAlike(size, start)}
			if run.start+2*size > s.len() || best.count > 0 && run.start > best.start {
				continue
			}
			for run.count = size; s.areAlike(size, run.start+run.count-size); {
				run.count += size
			}
			if run.count > best.count {
				best = run
			}
		}
	}
	return best
}

func (s *mdrSiblings) len() int { return len(s.ends) - 1 }

// firstAlike returns the first start, of start, start+size and so on, of a generalised node like its
// neighbour. It returns one beyond the last if there is none.
func (s *mdrSiblings) firstAlike(size, start int) int {
	known := &s.next[size][start%size]
	if *known < start {
		*known = start
		for *known+2*size <= s.len() && !s.areAlike(size, *known) {
			*known += size
		}
	}
	return *known
}

// areAlike reports whether the generalised node of some size that begins at a child is like the one
// that follows it.
func (s *mdrSiblings) areAlike(size, at int) bool {
	return at+2*size <= s.len() && s.m.similar(s.tagsOf(at, size), s.tagsOf(at+size, size))
}

// tagsOf returns the tag string of a generalised node.
func (s *mdrSiblings) tagsOf(at, size int) []uint32 {
	tags := s.tags[s.ends[at]:s.ends[at+size]]
	return tags[:min(len(tags), mdrTags)]
}

// allAlike reports whether each node of a region is like its neighbour: then each is a
// record (section 3.3).
func (s *mdrSiblings) allAlike(r mdrRegion) bool {
	for i := r.start; i+1 < r.start+r.count; i++ {
		if !s.areAlike(1, i) {
			return false
		}
	}
	return true
}

// appendTags appends the tags of a node and what is below it, until tags has limit.
func (m *mdr) appendTags(tags []uint32, limit int, n *tagtree.Node) []uint32 {
	if n.Name == "" || n.Hidden || len(tags) == limit {
		return tags
	}
	number, ok := m.names[n.Name]
	if !ok {
		number = uint32(len(m.names))
		m.names[n.Name] = number
	}
	tags = append(tags, number)
	for _, c := range n.Children {
		tags = m.appendTags(tags, limit, c)
	}
	return tags
}

// similar reports whether Levenshtein's distance of two tag strings is at most mdrThreshold of the longer.
func (m *mdr) similar(a, b []uint32) bool {
	longer, shorter := float64(max(len(a), len(b))), float64(min(len(a), len(b)))
	if slices.Equal(a, b) {
		return true
	}
	if (longer-shorter)/longer > mdrThreshold {
		return false
	}
	if cap(m.row) <= len(b) {
		m.row = make([]int, mdrTags+1)
	}
	row := m.row[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j := range b {
			cost := diagonal + b2i(a[i] != b[j])
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
			least = min(least, row[j+1])
		}
		if float64(least)/longer > mdrThreshold {
			return false // distances never become less
		}
	}
	return float64(row[len(b)])/longer <= mdrThreshold
}
