package slice

import (
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Node is a node of the tree that is sliced: the visible part of the page in document order. In addition to
// elements there are sections, paragraphs, lines, and the pieces of their text.
//
// An element with text that is broken by <br>, by line ends in pre or by block-level elements is not one unit
// for a reader; the body of an old page may contain everything. So its lines, the paragraphs between empty
// lines, and the sections from one heading to the next of its level become nodes between the element and its
// content, like the anonymous boxes of CSS and the outline of HTML. A node that would contain everything its
// parent contains is left out. Therefore distances do not depend on whether a page puts a p, div or section
// around each of them.
type Node struct {
	HTML    *html.Node // element, nil for lines, paragraphs, sections and plain text
	Text    string     // text of a piece
	Parent  int32      // index of the parent, -1 for the root
	End     int32      // index after the last node inside
	element int32      // index in Tree.Elements of the element or of the nearest one around
	Link    int32      // index in Tree.Links, or -1
	Tag     atom.Atom  // tag of an element; 0 for other nodes and for nonstandard names
	Kind    NodeKind
	broken  bool // true if the node contains line ends or block-level elements
	Blocks  bool // true if the node contains block-level elements
	lineEnd bool // true if the node ends a line
	pre     bool // true if white space in the node is significant
}

// NodeKind is the kind of a node.
type NodeKind uint8

const (
	ElementNode NodeKind = iota
	LineNode
	ParagraphNode
	SectionNode
	Piece
)

// nodesOf returns the tree of nodes of a page in linear time. Its root stands for the document.
func nodesOf(t *tagtree.Tree) []Node {
	if t.Root() == nil {
		return plainNodes(t)
	}
	b := nodeBuilder{tree: t, out: make([]Node, 1, 2*len(t.Elements())+1)}
	b.out[0] = Node{Parent: -1, Link: -1}
	b.addChildren(t.Root(), 0)
	b.out[0].End = int32(len(b.out))
	g := lineBuilder{in: b.out, out: make([]Node, 0, len(b.out)+len(b.out)/4)}
	g.copyNode(0, -1)
	return g.out
}

// maxPreLines is the maximum number of lines in pre elements that become nodes. The text after them is one
// piece. The number of other nodes is limited by the parser.
const maxPreLines = 100_000

// A nodeBuilder makes a list of a page's visible elements and pieces of text. Its recursion is as deep as the
// page's nesting, which the parsers limit.
type nodeBuilder struct {
	tree     *tagtree.Tree
	out      []Node
	element  int32 // next index in Tree.Elements
	spot     int   // next index in Tree.Links
	preLines int
}

func (b *nodeBuilder) addChildren(n *html.Node, parent int32) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !htmltree.IsFrame(n.DataAtom) {
				b.addPieces(c.Data, parent)
			}
		case html.ElementNode:
			b.addElement(c, parent)
		}
	}
}

// addElement adds an element with its content. Elements that are hidden or that the page analyzer did not read are
// skipped.
func (b *nodeBuilder) addElement(n *html.Node, parent int32) {
	t := b.tree
	for b.element < int32(len(t.Elements())) && t.Elements()[b.element].Node.Type != html.ElementNode {
		b.element++
	}
	if b.element == int32(len(t.Elements())) || t.Elements()[b.element].Node != n {
		return
	}
	e := b.element
	if b.element++; t.Elements()[e].Hidden {
		b.element = t.Elements()[e].End
		return
	}
	i := int32(len(b.out))
	b.out = append(b.out, Node{HTML: n, Parent: parent, element: e, Link: b.linkOf(e), Tag: n.DataAtom})
	if n.Namespace != "" {
		b.out[i].Tag = 0
	}
	kind, _, ok := tagtree.KindOf(n.DataAtom)
	b.out[i].pre = ok && kind == tagtree.Line || b.out[parent].pre
	b.out[i].lineEnd = n.DataAtom == atom.Br
	if block := htmltree.IsBlock(n.DataAtom) || htmltree.IsFrame(n.DataAtom); block || n.DataAtom == atom.Br {
		b.markBroken(parent, block)
	}
	b.addChildren(n, i)
	b.out[i].End = int32(len(b.out))
}

// linkOf returns the index of the link that element e is, or -1. It must be called in order of e.
func (b *nodeBuilder) linkOf(e int32) int32 {
	t := b.tree
	links := len(t.Links())
	for b.spot < links && t.LinkElement(b.spot) < e {
		b.spot++
	}
	if b.spot < links && t.LinkElement(b.spot) == e {
		return int32(b.spot)
	}
	return -1
}

// addPieces adds the content of a text node, in pre elements line by line.
func (b *nodeBuilder) addPieces(s string, parent int32) {
	for s != "" {
		line := s
		if end := strings.IndexByte(s, '\n') + 1; end > 0 && b.out[parent].pre && b.preLines < maxPreLines {
			line = s[:end]
			b.preLines++
			b.markBroken(parent, false)
		}
		b.addPiece(line, parent)
		s = s[len(line):]
	}
}

func (b *nodeBuilder) addPiece(s string, parent int32) {
	up := &b.out[parent]
	n := Node{
		Text: s, Parent: parent, End: int32(len(b.out) + 1), element: up.element, Link: -1,
		Kind: Piece, pre: up.pre, lineEnd: up.pre && strings.HasSuffix(s, "\n"),
	}
	b.out = append(b.out, n)
}

// markBroken marks node i and the nodes around it as broken. blocks means that they contain block-level
// elements.
func (b *nodeBuilder) markBroken(i int32, blocks bool) {
	for i >= 0 && (!b.out[i].broken || blocks && !b.out[i].Blocks) {
		n := &b.out[i]
		n.broken, n.Blocks = true, n.Blocks || blocks
		i = n.Parent
	}
}

// plainNodes returns the tree of a page of plain text: paragraphs, their lines, and the web addresses in them
// as links.
func plainNodes(t *tagtree.Tree) []Node {
	var out []Node
	add := func(n Node) int32 {
		out = append(out, n)
		return int32(len(out) - 1)
	}
	root := add(Node{Parent: -1, Link: -1, Tag: atom.Body, broken: true})
	spot, paragraph := 0, root
	for i, b := range t.Blocks() {
		holder := t.BlockElement(i)
		if i == 0 || holder != t.BlockElement(i-1) {
			out[paragraph].End = int32(len(out))
			paragraph = add(Node{Parent: root, element: holder, Link: -1, Tag: atom.P, broken: true})
		}
		line := add(Node{Parent: paragraph, element: holder, Link: -1, Kind: LineNode})
		from := 0
		for ; spot < len(t.Links()) && t.LinkBlock(spot) == i; spot++ {
			s := t.LinkText(spot)
			start, end := s.Start-b.Start, s.End-b.Start
			if start < from || end > len(b.Text) {
				continue
			}
			addPiece(&out, b.Text[from:start], line)
			a := add(Node{Parent: line, element: t.LinkElement(spot), Link: int32(spot), Tag: atom.A})
			addPiece(&out, b.Text[start:end], a)
			out[a].End = int32(len(out))
			from = end
		}
		addPiece(&out, b.Text[from:], line)
		add(Node{Parent: line, element: holder, Link: -1, Tag: atom.Br, End: int32(len(out) + 1), lineEnd: true})
		out[line].End = int32(len(out))
	}
	out[paragraph].End = int32(len(out))
	out[root].End = int32(len(out))
	return out
}

func addPiece(out *[]Node, s string, parent int32) {
	if s != "" {
		n := Node{Text: s, Parent: parent, element: (*out)[parent].element, Link: -1, Kind: Piece, End: int32(len(*out) + 1)}
		*out = append(*out, n)
	}
}

// A lineBuilder copies a tree of nodes and inserts sections, paragraphs and lines.
type lineBuilder struct{ in, out []Node }

// copyNode copies node i with everything inside it.
func (g *lineBuilder) copyNode(i, parent int32) {
	at := int32(len(g.out))
	n := g.in[i]
	n.Parent = parent
	g.out = append(g.out, n)
	if n.broken {
		g.copyParagraphs(i, at)
	} else {
		for c := i + 1; c < n.End; c = g.in[c].End {
			g.copyNode(c, at)
		}
	}
	g.out[at].End = int32(len(g.out))
}

// copyParagraphs copies the content of a broken element. It groups the content into sections, and their content
// into paragraphs and nodes that are not part of a line.
func (g *lineBuilder) copyParagraphs(i, parent int32) {
	end, first := g.in[i].End, int32(len(g.out))
	o := sectionStack{lineBuilder: g, parent: parent}
	for c := i + 1; c < end; {
		parent = o.parent
		if g.isOutsideLine(c) {
			if level := g.headingLevel(c); level > 0 && (int32(len(g.out)) > first || g.hasPeer(c, end, level)) {
				parent = o.beginSection(level)
			}
			g.copyNode(c, parent)
			c = g.in[c].End
			continue
		}
		last, lines := g.paragraphEnd(c, end)
		if lines > 0 || g.in[i].pre {
			g.copyParagraph(c, last, lines, parent, int32(len(g.out)) == first && last == end)
		}
		c = last
	}
	o.endSectionsTo(0)
}

// paragraphEnd returns where the paragraph that begins at c ends, and the number of its lines that are not empty.
func (g *lineBuilder) paragraphEnd(c, end int32) (last int32, lines int) {
	for c < end && !g.isOutsideLine(c) {
		to, empty := g.lineEnd(c, end)
		if empty && lines > 0 {
			break
		}
		if c = to; !empty {
			lines++
		}
	}
	return c, lines
}

// copyParagraph copies the nodes from c to last, which are the lines of one paragraph. alone means that their
// parent has no other content, so that no paragraph node is needed.
func (g *lineBuilder) copyParagraph(c, last int32, lines int, parent int32, alone bool) {
	if lines > 0 && !alone {
		parent = g.openNode(ParagraphNode, parent)
		defer g.closeNode(parent)
	}
	for c < last {
		to, empty := g.lineEnd(c, last)
		holder := parent
		if !empty && lines > 1 {
			holder = g.openNode(LineNode, parent)
		}
		for ; c < to; c = g.in[c].End {
			g.copyNode(c, holder)
		}
		if holder != parent {
			g.closeNode(holder)
		}
	}
}

// lineEnd returns where the line that begins at c ends, at most end, and whether the line is empty.
func (g *lineBuilder) lineEnd(c, end int32) (to int32, empty bool) {
	empty = true
	for c < end && !g.isOutsideLine(c) {
		n := &g.in[c]
		empty = empty && (n.Kind == Piece && strings.TrimSpace(n.Text) == "" || n.lineEnd && n.Kind == ElementNode)
		c = n.End
		if n.lineEnd {
			break
		}
	}
	return c, empty
}

// isOutsideLine reports whether a node cannot be part of a line.
func (g *lineBuilder) isOutsideLine(c int32) bool {
	n := &g.in[c]
	return n.broken || n.Kind == ElementNode && (htmltree.IsBlock(n.Tag) || htmltree.IsFrame(n.Tag))
}

// headingLevel returns the level of a heading, 0 for other nodes.
func (g *lineBuilder) headingLevel(c int32) int {
	_, level, _ := tagtree.KindOf(g.in[c].Tag)
	return level
}

// hasPeer reports whether a heading of the same or a higher rank follows c before end.
func (g *lineBuilder) hasPeer(c, end int32, level int) bool {
	for c = g.in[c].End; c < end; c = g.in[c].End {
		if l := g.headingLevel(c); l > 0 && l <= level {
			return true
		}
	}
	return false
}

// A sectionStack is the stack of open, nested sections in one element.
type sectionStack struct {
	*lineBuilder
	parent int32 // parent of the next node
	levels []int // heading levels of the open sections
}

// beginSection begins a section for a heading of the given level and returns its index. It ends open sections of the
// same or a lower rank.
func (o *sectionStack) beginSection(level int) int32 {
	n := len(o.levels)
	for n > 0 && o.levels[n-1] >= level {
		n--
	}
	o.endSectionsTo(n)
	o.parent = o.openNode(SectionNode, o.parent)
	o.levels = append(o.levels, level)
	return o.parent
}

// endSectionsTo ends the innermost sections until n are open.
func (o *sectionStack) endSectionsTo(n int) {
	for ; len(o.levels) > n; o.levels = o.levels[:len(o.levels)-1] {
		o.closeNode(o.parent)
		o.parent = o.out[o.parent].Parent
	}
}

func (g *lineBuilder) openNode(kind NodeKind, parent int32) int32 {
	up := &g.out[parent]
	g.out = append(g.out, Node{Parent: parent, element: up.element, Link: -1, Kind: kind, pre: up.pre})
	return int32(len(g.out) - 1)
}

func (g *lineBuilder) closeNode(i int32) { g.out[i].End = int32(len(g.out)) }
