package slice

import (
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Node is a node of the tree that is sliced: what of the page a reader
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
type Node struct {
	HTML    *html.Node // nil for lines, paragraphs and all of plain text
	Text    string     // of a piece
	Parent  int32      // -1 of the root
	End     int32      // of the nodes below
	element int32      // index into Tree.Elements of it or of the nearest around
	Link    int32      // index into Tree.Links, or -1
	Tag     atom.Atom  // for an element; 0 for others and for elements without a standard name
	Kind    NodeKind
	broken  bool // holds line ends or block-level elements
	Blocks  bool // holds block-level elements
	lineEnd bool // is one
	pre     bool // white space counts in it
}

// NodeKind says what a node is.
type NodeKind uint8

// The kinds of nodes.
const (
	ElementNode NodeKind = iota
	LineNode
	ParagraphNode
	SectionNode
	Piece
)

// nodesOf returns the tree of nodes of a page, made in linear time. Its root
// stands for the document.
func nodesOf(t *tagtree.Tree) []Node {
	if t.Root() == nil {
		return plainNodes(t)
	}
	b := nodeBuilder{tree: t, out: make([]Node, 1, 2*len(t.Elements())+1)}
	b.out[0] = Node{Parent: -1, Link: -1}
	b.children(t.Root(), 0)
	b.out[0].End = int32(len(b.out))
	g := lineBuilder{in: b.out, out: make([]Node, 0, len(b.out)+len(b.out)/4)}
	g.copy(0, -1)
	return g.out
}

// maxPreLines is how many lines of pre are nodes of their own; the text after
// them is read on in one piece. Other nodes are bounded by maxTags.
const maxPreLines = 100_000

// A nodeBuilder flattens a page's visible elements and pieces of text. It nests
// as deep as the page, which the parsers bound.
type nodeBuilder struct {
	tree     *tagtree.Tree
	out      []Node
	element  int32 // next of Tree.Elements
	spot     int   // next of the links
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
		b.breakUp(parent, block)
	}
	b.children(n, i)
	b.out[i].End = int32(len(b.out))
}

// linkOf returns the link that an element is, or -1.
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
	n := Node{
		Text: s, Parent: parent, End: int32(len(b.out) + 1), element: up.element, Link: -1,
		Kind: Piece, pre: up.pre, lineEnd: up.pre && strings.HasSuffix(s, "\n"),
	}
	b.out = append(b.out, n)
}

// breakUp records that i and the elements around it hold more than a line, or even blocks.
func (b *nodeBuilder) breakUp(i int32, blocks bool) {
	for i >= 0 && (!b.out[i].broken || blocks && !b.out[i].Blocks) {
		n := &b.out[i]
		n.broken, n.Blocks = true, n.Blocks || blocks
		i = n.Parent
	}
}

// plainNodes returns the tree of a page of plain text: lines in paragraphs, with
// the web addresses in them as links.
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

// A lineBuilder copies a tree of nodes and puts sections, paragraphs and lines in.
type lineBuilder struct{ in, out []Node }

// copy copies a node with all below it.
func (g *lineBuilder) copy(i, parent int32) {
	at := int32(len(g.out))
	n := g.in[i]
	n.Parent = parent
	g.out = append(g.out, n)
	if n.broken {
		g.paragraphs(i, at)
	} else {
		for c := i + 1; c < n.End; c = g.in[c].End {
			g.copy(c, at)
		}
	}
	g.out[at].End = int32(len(g.out))
}

// paragraphs copies what is in a broken element; it is first of all sections, then what is alone
// and paragraphs.
func (g *lineBuilder) paragraphs(i, parent int32) {
	end, first := g.in[i].End, int32(len(g.out))
	o := outline{lineBuilder: g, parent: parent}
	for c := i + 1; c < end; {
		parent = o.parent
		if g.stands(c) {
			if level := g.level(c); level > 0 && (int32(len(g.out)) > first || g.hasPeer(c, end, level)) {
				parent = o.begin(level)
			}
			g.copy(c, parent)
			c = g.in[c].End
			continue
		}
		last, lines := g.lines(c, end)
		if lines > 0 || g.in[i].pre {
			g.paragraph(c, last, lines, parent, int32(len(g.out)) == first && last == end)
		}
		c = last
	}
	o.endTo(0)
}

// lines returns where the paragraph that begins at c ends, and how many of its
// lines are not empty.
func (g *lineBuilder) lines(c, end int32) (last int32, lines int) {
	for c < end && !g.stands(c) {
		to, empty := g.line(c, end)
		if empty && lines > 0 {
			break
		}
		if c = to; !empty {
			lines++
		}
	}
	return c, lines
}

// paragraph copies the nodes from c to last, which are lines of one paragraph;
// alone says that their parent holds nothing else.
func (g *lineBuilder) paragraph(c, last int32, lines int, parent int32, alone bool) {
	if lines > 0 && !alone {
		parent = g.open(ParagraphNode, parent)
		defer g.close(parent)
	}
	for c < last {
		to, empty := g.line(c, last)
		holder := parent
		if !empty && lines > 1 {
			holder = g.open(LineNode, parent)
		}
		for ; c < to; c = g.in[c].End {
			g.copy(c, holder)
		}
		if holder != parent {
			g.close(holder)
		}
	}
}

// line returns where the line that begins at c ends, at the latest at end, and whether nothing is
// in it.
func (g *lineBuilder) line(c, end int32) (to int32, empty bool) {
	empty = true
	for c < end && !g.stands(c) {
		n := &g.in[c]
		empty = empty && (n.Kind == Piece && strings.TrimSpace(n.Text) == "" || n.lineEnd && n.Kind == ElementNode)
		c = n.End
		if n.lineEnd {
			break
		}
	}
	return c, empty
}

// stands reports whether a node is not part of a line.
func (g *lineBuilder) stands(c int32) bool {
	n := &g.in[c]
	return n.broken || n.Kind == ElementNode && (htmltree.IsBlock(n.Tag) || htmltree.IsFrame(n.Tag))
}

// level returns that of a heading, else 0.
func (g *lineBuilder) level(c int32) int {
	_, level, _ := tagtree.KindOf(g.in[c].Tag)
	return level
}

// hasPeer reports whether a heading of this level or above follows c before end.
func (g *lineBuilder) hasPeer(c, end int32, level int) bool {
	for c = g.in[c].End; c < end; c = g.in[c].End {
		if l := g.level(c); l > 0 && l <= level {
			return true
		}
	}
	return false
}

// An outline holds the sections open in one element, one in another.
type outline struct {
	*lineBuilder
	parent int32 // of what comes next
	levels []int // of the sections that are open
}

// begin begins the section of a heading and returns it.
func (o *outline) begin(level int) int32 {
	n := len(o.levels)
	for n > 0 && o.levels[n-1] >= level {
		n--
	}
	o.endTo(n)
	o.parent = o.open(SectionNode, o.parent)
	o.levels = append(o.levels, level)
	return o.parent
}

// endTo ends all sections but n.
func (o *outline) endTo(n int) {
	for ; len(o.levels) > n; o.levels = o.levels[:len(o.levels)-1] {
		o.close(o.parent)
		o.parent = o.out[o.parent].Parent
	}
}

func (g *lineBuilder) open(kind NodeKind, parent int32) int32 {
	up := &g.out[parent]
	g.out = append(g.out, Node{Parent: parent, element: up.element, Link: -1, Kind: kind, pre: up.pre})
	return int32(len(g.out) - 1)
}

func (g *lineBuilder) close(i int32) { g.out[i].End = int32(len(g.out)) }
