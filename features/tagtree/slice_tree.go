package tagtree

import (
	"strings"

	"eventseer/features/htmltree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A sliceNode is a node of the tree that is sliced: what of the page a reader
// may see, in document order. Beside elements there are lines and paragraphs,
// and the pieces of text that belong to them.
//
// An element that holds text broken by <br>, by line ends in pre or by
// block-level elements is not one piece to a reader; the body of an old page is
// all of it. Its lines, the paragraphs between empty lines, and the sections
// from one heading to the next of its rank are nodes between it and what they
// hold, as CSS makes anonymous boxes and HTML an outline of them; one that would
// hold all that its parent holds is left out. So distances are the same whether
// or not a page puts a p, div or section around each.
type sliceNode struct {
	html    *html.Node // nil of lines, paragraphs and all of plain text
	text    string     // of a piece
	parent  int32      // -1 of the root
	end     int32      // of the nodes below
	element int32      // index into Tree.elements of it or of the nearest around
	link    int32      // index into Tree.links, or -1
	tag     atom.Atom  // of an element; 0 of others and of elements without a standard name
	kind    sliceKind
	broken  bool // holds line ends or block-level elements
	blocks  bool // holds block-level elements
	lineEnd bool // is one
	pre     bool // white space counts in it
}

type sliceKind uint8

const (
	elementNode sliceKind = iota
	lineNode
	paragraphNode
	sectionNode
	piece
)

// sliceNodes returns the tree of nodes of a page, made in linear time. Its root
// stands for the document.
func (t *Tree) sliceNodes() []sliceNode {
	if t.root == nil {
		return t.plainNodes()
	}
	b := nodeBuilder{tree: t, out: make([]sliceNode, 1, 2*len(t.elements)+1)}
	b.out[0] = sliceNode{parent: -1, link: -1}
	b.children(t.root, 0)
	b.out[0].end = int32(len(b.out))
	g := lineBuilder{in: b.out, out: make([]sliceNode, 0, len(b.out)+len(b.out)/4)}
	g.copy(0, -1)
	return g.out
}

// maxPreLines is how many lines of pre are nodes of their own; the text after
// them is read on in one piece. Other nodes are bounded by maxTags.
const maxPreLines = 100_000

// A nodeBuilder flattens a page's visible elements and pieces of text. It nests
// as deep as the page, which the parsers bound.
type nodeBuilder struct {
	tree     *Tree
	out      []sliceNode
	element  int32 // next of tree.elements
	spot     int   // next of tree.spots
	preLines int
}

func (b *nodeBuilder) children(n *html.Node, parent int32) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !htmltree.IsFrame(n.DataAtom) {
				b.pieces(c.Data, parent)
			}
		case html.ElementNode:
			b.add(c, parent)
		}
	}
}

// add adds an element that the analyzer has read and that is not hidden.
func (b *nodeBuilder) add(n *html.Node, parent int32) {
	t := b.tree
	for b.element < int32(len(t.elements)) && t.elements[b.element].Node.Type != html.ElementNode {
		b.element++
	}
	if b.element == int32(len(t.elements)) || t.elements[b.element].Node != n {
		return
	}
	e := b.element
	if b.element++; t.elements[e].Hidden {
		b.element = t.elements[e].End
		return
	}
	i := int32(len(b.out))
	b.out = append(b.out, sliceNode{html: n, parent: parent, element: e, link: b.linkOf(e), tag: n.DataAtom})
	if n.Namespace != "" {
		b.out[i].tag = 0
	}
	kind, _, ok := kindOf(n.DataAtom)
	b.out[i].pre = ok && kind == Line || b.out[parent].pre
	b.out[i].lineEnd = n.DataAtom == atom.Br
	if block := htmltree.IsBlock(n.DataAtom) || htmltree.IsFrame(n.DataAtom); block || n.DataAtom == atom.Br {
		b.breakUp(parent, block)
	}
	b.children(n, i)
	b.out[i].end = int32(len(b.out))
}

// linkOf returns the link that an element is, or -1.
func (b *nodeBuilder) linkOf(e int32) int32 {
	t := b.tree
	for b.spot < len(t.spots) && t.spots[b.spot].element < e {
		b.spot++
	}
	if b.spot < len(t.spots) && t.spots[b.spot].element == e {
		return int32(b.spot)
	}
	return -1
}

// pieces adds the content of a text node, in pre line by line.
func (b *nodeBuilder) pieces(s string, parent int32) {
	for s != "" {
		line := s
		if end := strings.IndexByte(s, '\n') + 1; end > 0 && b.out[parent].pre && b.preLines < maxPreLines {
			line = s[:end]
			b.preLines++
			b.breakUp(parent, false)
		}
		b.piece(line, parent)
		s = s[len(line):]
	}
}

func (b *nodeBuilder) piece(s string, parent int32) {
	up := &b.out[parent]
	n := sliceNode{
		text: s, parent: parent, end: int32(len(b.out) + 1), element: up.element, link: -1,
		kind: piece, pre: up.pre, lineEnd: up.pre && strings.HasSuffix(s, "\n"),
	}
	b.out = append(b.out, n)
}

// breakUp notes that i and the elements around it hold more than a line, or
// even blocks.
func (b *nodeBuilder) breakUp(i int32, blocks bool) {
	for i >= 0 && (!b.out[i].broken || blocks && !b.out[i].blocks) {
		n := &b.out[i]
		n.broken, n.blocks = true, n.blocks || blocks
		i = n.parent
	}
}

// plainNodes returns the tree of a page of plain text: lines in paragraphs, with
// the web addresses in them as links.
func (t *Tree) plainNodes() []sliceNode {
	var out []sliceNode
	add := func(n sliceNode) int32 {
		out = append(out, n)
		return int32(len(out) - 1)
	}
	root := add(sliceNode{parent: -1, link: -1, tag: atom.Body, broken: true})
	spot, paragraph := 0, root
	for i, b := range t.blocks {
		if i == 0 || t.holders[i] != t.holders[i-1] {
			out[paragraph].end = int32(len(out))
			paragraph = add(sliceNode{parent: root, element: t.holders[i], link: -1, tag: atom.P, broken: true})
		}
		line := add(sliceNode{parent: paragraph, element: t.holders[i], link: -1, kind: lineNode})
		from := 0
		for ; spot < len(t.spots) && int(t.spots[spot].block) == i; spot++ {
			s := t.spots[spot]
			start, end := int(s.start)-b.Start, int(s.end)-b.Start
			if start < from || end > len(b.Text) {
				continue
			}
			t.addPiece(&out, b.Text[from:start], line)
			a := add(sliceNode{parent: line, element: s.element, link: int32(spot), tag: atom.A})
			t.addPiece(&out, b.Text[start:end], a)
			out[a].end = int32(len(out))
			from = end
		}
		t.addPiece(&out, b.Text[from:], line)
		add(sliceNode{parent: line, element: t.holders[i], link: -1, tag: atom.Br, end: int32(len(out) + 1), lineEnd: true})
		out[line].end = int32(len(out))
	}
	out[paragraph].end = int32(len(out))
	out[root].end = int32(len(out))
	return out
}

func (t *Tree) addPiece(out *[]sliceNode, s string, parent int32) {
	if s != "" {
		n := sliceNode{text: s, parent: parent, element: (*out)[parent].element, link: -1, kind: piece, end: int32(len(*out) + 1)}
		*out = append(*out, n)
	}
}
