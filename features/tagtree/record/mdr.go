package record

import (
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// Constants of MDR (Liu, Grossman and Zhai 2003, sections 3.1 and 3.2).
const (
	mdrNodes     = 10  // maximum number of nodes in a generalised node (K)
	mdrThreshold = 0.3 // maximum normalised edit distance of similar generalised nodes (T)
	mdrTags      = 150 // maximum number of tags of a node that are compared
)

// FindMDR returns the data regions of the page by the algorithm of Liu, Grossman and Zhai (KDD 2003). Generalised
// nodes have up to ten children, and neighbours are compared by the normalised edit distance of their tag
// strings. The region that covers most children wins, and its generalised nodes are the records. It is the
// baseline for Find.
func FindMDR(t *tagtree.Tree) []Region {
	root := shownOutline(t)
	if root == nil {
		return nil
	}
	m := mdr{links: newLinkReader(t.Base()), names: make(map[string]uint32)}
	m.findRegions(root)
	return m.regions
}

type mdr struct {
	links   *linkReader
	names   map[string]uint32 // numbers of tags by name
	row     []int             // row of the edit distance, reused
	regions []Region
}

// An mdrRegion is count adjacent children from start on, where each generalised node has size children.
type mdrRegion struct{ size, start, count int }

// findRegions adds the regions among the children of a node, then those inside the children that no region covers.
func (m *mdr) findRegions(n *tagtree.Node) {
	var children []*tagtree.Node
	for _, c := range n.Children {
		if c.Name != "" && !c.Hidden && c.Name != "head" {
			children = append(children, c)
		}
	}
	covered := make([]bool, len(children))
	s := m.newSiblings(children)
	for from := 0; from < len(children); {
		best := s.bestRegion(from)
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
			region.Records = append(region.Records, Record{Nodes: nodes, Links: m.links.linksIn(nodes)})
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
			m.findRegions(c)
		}
	}
}

// mdrSiblings are the children of a node, prepared for comparison.
type mdrSiblings struct {
	m    *mdr
	tags []uint32 // tags of all children, at most mdrTags of each
	ends []int    // child i has the tags from ends[i] to ends[i+1]
	// next caches searches, by size and by start modulo size. It holds the first start found whose
	// generalised node is like the following one. A search from further right continues there, so that all
	// searches together take linear time.
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

// bestRegion returns the region from child from on that covers most children (IdentDRs). Its count is 0 if there is
// none.
func (s *mdrSiblings) bestRegion(from int) mdrRegion {
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

// firstAlike returns the first of start, start+size and so on whose generalised node is like the next one. It
// returns an index beyond the last possible start if there is none.
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

// areAlike reports whether the generalised node of the given size at a child is like the next one.
func (s *mdrSiblings) areAlike(size, at int) bool {
	return at+2*size <= s.len() && s.m.areSimilar(s.tagsOf(at, size), s.tagsOf(at+size, size))
}

// tagsOf returns the tag string of a generalised node, cut to mdrTags.
func (s *mdrSiblings) tagsOf(at, size int) []uint32 {
	tags := s.tags[s.ends[at]:s.ends[at+size]]
	return tags[:min(len(tags), mdrTags)]
}

// allAlike reports whether each node of a region is like the next one. Then each node is a record (section
// 3.3).
func (s *mdrSiblings) allAlike(r mdrRegion) bool {
	for i := r.start; i+1 < r.start+r.count; i++ {
		if !s.areAlike(1, i) {
			return false
		}
	}
	return true
}

// appendTags appends the tags of a node and its descendants until tags has limit elements.
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

// areSimilar reports whether the Levenshtein distance of two tag strings is at most mdrThreshold of the longer
// one's length.
func (m *mdr) areSimilar(a, b []uint32) bool {
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
			cost := diagonal + boolToInt(a[i] != b[j])
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
			least = min(least, row[j+1])
		}
		if float64(least)/longer > mdrThreshold {
			return false // the minimum of a row never decreases
		}
	}
	return float64(row[len(b)])/longer <= mdrThreshold
}
