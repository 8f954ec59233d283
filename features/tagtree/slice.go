package tagtree

import (
	"math"
	"slices"

	"eventseer/features/htmltree"
)

// SliceOptions say what belongs to a slice.
type SliceOptions struct {
	// Precision is the greatest distance in the tree, counted in edges up and
	// down, at which a node is relevant: 0 for the key nodes alone. What is below
	// 0 is 0.
	Precision int
	// Metadata makes labels of the title and of meta elements that describe the
	// page (description, keywords, og:title and others), and of microdata and
	// RDFa values that it does not show.
	Metadata bool
}

// A Slice is the part of a page that a query asks for (paper 003, algorithm 1).
// It is read-only and may be shared between goroutines.
type Slice struct {
	tree     *Tree
	nodes    []sliceNode
	distance []int32 // of each node to the nearest key node; far beyond the precision
	shown    []state
	keys     []int32
	marks    []mark // in the order of the text, disjoint
}

// far is more than any distance.
const far = math.MaxInt32 - 1

type state uint8

const (
	absent   state = iota // not in the slice
	ancestor              // its tags are, its text is not
	whole                 // relevant, or a successor of what is
)

// Slice returns the part of the page that q asks for: the key nodes, whose label
// contains what q looks for; all nodes within o.Precision of them; all below
// those; and the ancestors of all. It takes time linear in the size of the page.
//
// Nodes are the elements that a reader may see and, within an element that holds
// several, each section from a heading to the next, each paragraph between empty
// lines and each line of text. The text of an element belongs to it: a relevant element shows its text, one
// that is there as an ancestor only does not. Labels are the text and the alt,
// longdesc, src, title and aria-label attributes. Hidden elements, scripts,
// templates and comments are no nodes.
//
// Metadata in the head describes the page as a whole, hence is near to nothing
// in the body: a page with key nodes there only has a slice without links.
func (t *Tree) Slice(q *Query, o SliceOptions) *Slice {
	s := &Slice{tree: t}
	if o.Metadata {
		s.nodes = t.metadataNodes()
	}
	s.addNodes(t.sliceNodes())
	s.find(q, o.Metadata)
	s.measure()
	s.choose(int32(min(max(o.Precision, 0), far-1)))
	return s
}

// addNodes appends a tree to the nodes.
func (s *Slice) addNodes(nodes []sliceNode) {
	n := int32(len(s.nodes))
	if n == 0 {
		s.nodes = nodes
		return
	}
	for _, node := range nodes {
		if node.end += n; node.parent >= 0 {
			node.parent += n
		}
		s.nodes = append(s.nodes, node)
	}
}

// find sets the key nodes (step 1) and the marks.
func (s *Slice) find(q *Query, metadata bool) {
	l := readLabels(s.nodes, q, metadata)
	a := newAnswer(q, l)
	key := make([]bool, len(s.nodes))
	for _, h := range l.hits {
		key[h.node] = key[h.node] || a.holds(q.root, h.terms, l.lines[h.line])
	}
	for i, is := range key {
		if is {
			s.keys = append(s.keys, int32(i))
		}
	}
	for _, m := range l.marks {
		if a.holds(q.root, 1<<m.term, l.lines[m.line]) {
			s.marks = append(s.marks, m)
		}
	}
	s.marks = tidyMarks(s.marks)
}

// tidyMarks orders marks and joins those that overlap.
func tidyMarks(marks []mark) []mark {
	slices.SortFunc(marks, func(a, b mark) int {
		if a.piece != b.piece {
			return int(a.piece - b.piece)
		}
		return int(a.from - b.from)
	})
	out := marks[:0]
	for _, m := range marks {
		if n := len(out); n > 0 && out[n-1].piece == m.piece && m.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, m.to)
			continue
		}
		out = append(out, m)
	}
	return out
}

// measure sets the distance of each node to the nearest key node. In a tree two
// passes suffice: what is nearest below comes up, then what is nearest above
// or beside comes down.
func (s *Slice) measure() {
	s.distance = make([]int32, len(s.nodes))
	for i := range s.distance {
		s.distance[i] = far
	}
	for _, k := range s.keys {
		s.distance[k] = 0
	}
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if n := &s.nodes[i]; n.parent >= 0 && n.kind != piece {
			s.distance[n.parent] = min(s.distance[n.parent], s.distance[i]+1)
		}
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.parent >= 0 {
			s.distance[i] = min(s.distance[i], s.distance[n.parent]+1)
		}
	}
}

// choose sets which nodes are in the slice: the relevant ones (step 2), their
// successors (step 4), and the ancestors (step 3). The edges (step 5) are those
// of the tree.
func (s *Slice) choose(precision int32) {
	s.shown = make([]state, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.kind != piece && s.distance[i] <= precision || n.parent >= 0 && s.shown[n.parent] == whole {
			s.shown[i] = whole
		}
	}
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if p := s.nodes[i].parent; s.shown[i] != absent && p >= 0 && s.shown[p] == absent {
			s.shown[p] = ancestor
		}
	}
}

// Empty reports whether nothing on the page is what the query asks for.
func (s *Slice) Empty() bool { return len(s.keys) == 0 }

// Keys returns how many key nodes there are.
func (s *Slice) Keys() int { return len(s.keys) }

// KeyPaths returns the tag paths of the key nodes, as Block.Path, in document
// order. A line or paragraph has the path of the element that holds it;
// metadata has that of the document, "".
func (s *Slice) KeyPaths() []string {
	paths := make([]string, len(s.keys))
	for i, k := range s.keys {
		paths[i] = s.tree.pathOf(s.nodes[k].element)
	}
	return paths
}

// Nodes returns how many nodes the slice has.
func (s *Slice) Nodes() int {
	count := 0
	for i, state := range s.shown {
		if state != absent && s.nodes[i].kind != piece {
			count++
		}
	}
	return count
}

// A SliceLink is a link that lies in a slice.
type SliceLink struct {
	// Link is its index into Tree.Links.
	Link int
	// Distance is that to the nearest key node in the tree, d_T of paper 003,
	// definition 6: 0 where the link is a key node.
	Distance int
}

// Links returns the links of the slice in document order. A link that holds
// what is relevant is in the slice as its ancestor.
func (s *Slice) Links() []SliceLink {
	var links []SliceLink
	for i, state := range s.shown {
		if l := s.nodes[i].link; state != absent && l >= 0 {
			links = append(links, SliceLink{Link: int(l), Distance: int(s.distance[i])})
		}
	}
	return links
}

// Text returns the text of the slice with white space folded, a line each. It
// is cut where that of a page would be.
func (s *Slice) Text() string {
	var w writer
	for i, state := range s.shown {
		n := &s.nodes[i]
		switch {
		case n.kind == piece && state == whole:
			w.add(n.text, false, nil)
		case n.kind == piece:
			w.add(" ", false, nil) // what stood between is left out
		case n.kind != piece && (n.kind != elementNode || n.lineEnd || htmltree.IsBlock(n.tag)):
			w.flush(Block{})
		}
	}
	w.flush(Block{})
	text, _ := w.result()
	return text
}
