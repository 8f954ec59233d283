// Package slice extracts the part of a page that is relevant to a query (paper 003). The slice consists of
// the nodes of the page's tree that are near to matches of the query.
package slice

import (
	"math"
	"slices"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Options control what belongs to a slice.
type Options struct {
	// Precision is the maximum distance of a relevant node from a key node, in edges of the tree up and down.
	// 0 means the key nodes alone; negative values mean 0.
	Precision int
	// Metadata also searches the title and values that the page does not show. These are meta elements that
	// describe the page (description, keywords, og:title and others), microdata and RDFa.
	Metadata bool
}

// A Slice is the part of a page that matches a query (paper 003, algorithm 1). It is read-only and
// may be shared between goroutines.
type Slice struct {
	tree     *tagtree.Tree
	nodes    []Node
	distance []int32 // distance of each node from the nearest key node; far or more if there is none
	shown    []State
	keys     []int32
	marks    []Mark // in text order, not overlapping
}

// far is larger than any distance in a tree.
const far = math.MaxInt32 - 1

// State reports whether and how a node is in a slice.
type State uint8

// States of nodes.
const (
	Absent   State = iota // not in the slice
	Ancestor              // its tags are in the slice, its own text is not
	Whole                 // relevant, or inside a relevant node
)

// NewSlice returns the slice of the page for query q. It consists of the key nodes, all nodes within distance
// o.Precision of them, everything inside these nodes, and all their ancestors. Key nodes are nodes whose
// label matches q. Of takes time linear in the size of the page.
//
// Nodes are the visible elements. In an element with several of them, each section from a heading to the
// next, each paragraph between empty lines and each line of text is also a node. A relevant element shows its
// own text; an element that is only an ancestor does not. Labels are the text and the attributes alt,
// longdesc, src, title and aria-label. Hidden elements, scripts, templates and comments are not nodes.
//
// Metadata in the head describes the page as a whole and is near to no node of the body. If only metadata
// matches, the slice has no links.
func NewSlice(t *tagtree.Tree, q *Query, o Options) *Slice {
	s := &Slice{tree: t}
	if o.Metadata {
		s.nodes = metadataNodes(t)
	}
	s.addNodes(nodesOf(t))
	s.findKeyNodes(q, o.Metadata)
	s.measureDistances()
	s.chooseNodes(int32(min(max(o.Precision, 0), far-1)))
	return s
}

// WholePage returns the whole page as a slice. Its marks are the matches of q.
func WholePage(t *tagtree.Tree, q *Query) *Slice {
	s := &Slice{tree: t, nodes: nodesOf(t)}
	s.findKeyNodes(q, false)
	s.distance = make([]int32, len(s.nodes))
	s.chooseNodes(math.MaxInt32)
	return s
}

// A View is the content of a slice, for writers. Callers must not change it.
type View struct {
	Tree  *tagtree.Tree
	Nodes []Node
	Shown []State // state of each node
	Marks []Mark  // in text order, not overlapping
}

// Content returns the content of the slice.
func (s *Slice) Content() View {
	return View{Tree: s.tree, Nodes: s.nodes, Shown: s.shown, Marks: s.marks}
}

// addNodes appends a tree of nodes.
func (s *Slice) addNodes(nodes []Node) {
	n := int32(len(s.nodes))
	if n == 0 {
		s.nodes = nodes
		return
	}
	for _, node := range nodes {
		if node.End += n; node.Parent >= 0 {
			node.Parent += n
		}
		s.nodes = append(s.nodes, node)
	}
}

// findKeyNodes sets the key nodes (step 1 of the algorithm) and the marks.
func (s *Slice) findKeyNodes(q *Query, metadata bool) {
	l := readLabels(s.nodes, q, metadata)
	a := newQueryAnswer(q, l)
	key := make([]bool, len(s.nodes))
	for _, h := range l.hits {
		key[h.node] = key[h.node] || a.matchesNode(q.root, h.terms, l.lines[h.line])
	}
	for i, is := range key {
		if is {
			s.keys = append(s.keys, int32(i))
		}
	}
	for _, m := range l.marks {
		if a.matchesNode(q.root, 1<<m.term, l.lines[m.line]) {
			s.marks = append(s.marks, m)
		}
	}
	s.marks = tidyMarks(s.marks)
}

// tidyMarks sorts marks and merges overlapping ones.
func tidyMarks(marks []Mark) []Mark {
	slices.SortFunc(marks, func(a, b Mark) int {
		if a.Piece != b.Piece {
			return int(a.Piece - b.Piece)
		}
		return int(a.From - b.From)
	})
	out := marks[:0]
	for _, m := range marks {
		if n := len(out); n > 0 && out[n-1].Piece == m.Piece && m.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, m.To)
			continue
		}
		out = append(out, m)
	}
	return out
}

// measureDistances sets the distance of each node from the nearest key node. In a tree two passes are enough: upwards
// for the nearest key node below, then downwards for the nearest one elsewhere.
func (s *Slice) measureDistances() {
	s.distance = make([]int32, len(s.nodes))
	for i := range s.distance {
		s.distance[i] = far
	}
	for _, k := range s.keys {
		s.distance[k] = 0
	}
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if n := &s.nodes[i]; n.Parent >= 0 && n.Kind != Piece {
			s.distance[n.Parent] = min(s.distance[n.Parent], s.distance[i]+1)
		}
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.Parent >= 0 {
			s.distance[i] = min(s.distance[i], s.distance[n.Parent]+1)
		}
	}
}

// chooseNodes sets which nodes are in the slice: the relevant nodes (step 2), their successors (step 4) and the
// ancestors (step 3). The edges (step 5) are those of the tree.
func (s *Slice) chooseNodes(precision int32) {
	s.shown = make([]State, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.Kind != Piece && s.distance[i] <= precision || n.Parent >= 0 && s.shown[n.Parent] == Whole {
			s.shown[i] = Whole
		}
	}
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if p := s.nodes[i].Parent; s.shown[i] != Absent && p >= 0 && s.shown[p] == Absent {
			s.shown[p] = Ancestor
		}
	}
}

// IsEmpty reports whether nothing on the page matches the query.
func (s *Slice) IsEmpty() bool { return len(s.keys) == 0 }

// CountKeys returns the number of key nodes.
func (s *Slice) CountKeys() int { return len(s.keys) }

// KeyPaths returns the tag paths of the key nodes in document order, in the form of Block.Path. A line,
// paragraph or section has the path of its element. Metadata has the path of the document, "".
func (s *Slice) KeyPaths() []string {
	paths := make([]string, len(s.keys))
	for i, k := range s.keys {
		paths[i] = s.tree.ElementPath(int(s.nodes[k].element))
	}
	return paths
}

// CountNodes returns the number of nodes in the slice, pieces of text not counted.
func (s *Slice) CountNodes() int {
	count := 0
	for i, state := range s.shown {
		if state != Absent && s.nodes[i].Kind != Piece {
			count++
		}
	}
	return count
}

// A Link is a link in a slice.
type Link struct {
	// Link is the index in Tree.Links.
	Link int
	// Distance is the distance from the nearest key node, d_T of paper 003, definition 6. It is 0 if the link
	// is a key node.
	Distance int
}

// Links returns the links of the slice in document order. A link around relevant content is included, because
// it is an ancestor.
func (s *Slice) Links() []Link {
	var links []Link
	for i, state := range s.shown {
		if l := s.nodes[i].Link; state != Absent && l >= 0 {
			links = append(links, Link{Link: int(l), Distance: int(s.distance[i])})
		}
	}
	return links
}

// Text returns the text of the slice with white space folded, one block per line. It has the same maximum
// length as the text of a page.
func (s *Slice) Text() string {
	var w tagtree.TextWriter
	for i, state := range s.shown {
		n := &s.nodes[i]
		switch {
		case n.Kind == Piece && state == Whole:
			w.Add(n.Text, false, nil)
		case n.Kind == Piece:
			w.Add(" ", false, nil) // separates the texts around omitted text
		case n.Kind != Piece && (n.Kind != ElementNode || n.lineEnd || htmltree.IsBlock(n.Tag)):
			w.Flush(tagtree.Block{})
		}
	}
	w.Flush(tagtree.Block{})
	text, _ := w.Result()
	return text
}
