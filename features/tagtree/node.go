package tagtree

import (
	"math"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Node is an element of a page or a run of its text. Nodes serve to compare pages by their trees. They are
// read-only and may be shared between goroutines.
type Node struct {
	// Name is the name of the element in lower case, or "" for text.
	Name string
	// Text is the text of a run with white space folded to single spaces, also at its ends. It always
	// contains more than white space.
	Text string
	// Attrs are the attributes as written, in order.
	Attrs []Attr
	// Hidden means that readers do not see the node and its content.
	Hidden bool
	// Apart means that white space precedes the node.
	Apart    bool
	Parent   *Node
	Children []*Node
	// Place is the position among the siblings with the same name, from 1, or 0 for an only one.
	Place int
	// Size is the number of nodes in the subtree, including this node.
	Size int
	// HTML is the parsed element, nil for text. Callers must not change it.
	HTML *html.Node
}

// An Attr is an attribute of an element.
type Attr struct{ Name, Value string }

func buildNode(n *html.Node, parent *Node, place int, hidden bool) *Node {
	own, _ := htmltree.StyleOf(n)
	out := &Node{Name: n.Data, Hidden: hidden || own, Parent: parent, Place: place, Size: 1, HTML: n}
	for _, a := range n.Attr {
		out.Attrs = append(out.Attrs, Attr{Name: a.Key, Value: a.Val})
	}
	var siblings htmltree.Siblings
	siblings.CountChildren(n)
	apart := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		var child *Node
		switch c.Type {
		case html.TextNode:
			if text := foldEnds(c.Data); text != "" {
				child = &Node{Text: text, Hidden: out.Hidden, Parent: out, Size: 1}
			} else {
				apart = true
			}
		case html.ElementNode:
			place := siblings.NextPlace(c.Data)
			if !htmltree.IsUnread(c) || c.DataAtom == atom.Title || htmltree.IsFrame(c.DataAtom) {
				child = buildNode(c, out, place, out.Hidden)
			}
		}
		if child != nil {
			child.Apart, apart = apart, false
			out.Children = append(out.Children, child)
			out.Size += child.Size
		}
	}
	return out
}

// foldEnds folds white space to single spaces, also at the ends. It returns "" if s is only white space.
func foldEnds(s string) string {
	folded := strings.Join(strings.Fields(s), " ")
	if folded == "" {
		return ""
	}
	if strings.TrimLeft(s, " \t\r\n\f") != s {
		folded = " " + folded
	}
	if strings.TrimRight(s, " \t\r\n\f") != s {
		folded += " "
	}
	return folded
}

// Path returns the tag path of an element, in the form of Block.Path but never shortened. For text it is the
// path of its element.
func (n *Node) Path() string {
	if n.Name == "" {
		if n.Parent == nil {
			return ""
		}
		return n.Parent.Path()
	}
	step := htmltree.StepText(n.Name, n.Place)
	if n.Parent == nil {
		return step
	}
	return n.Parent.Path() + "/" + step
}

// Attr returns the value of an attribute, or "" if the node does not have it.
func (n *Node) Attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Content returns the text of the subtree in one line with white space folded. Block-level elements, line
// breaks and table cells are separated by a space.
func (n *Node) Content() string { return n.CutContent(math.MaxInt) }

// CutContent returns the first limit bytes of Content, cut between characters. It visits at most limit nodes,
// which keeps calls for many nested nodes cheap.
func (n *Node) CutContent(limit int) string {
	c := contentReader{letters: limit, nodes: limit}
	c.readNode(n)
	return text.CutBytes(strings.Join(strings.Fields(c.text.String()), " "), limit)
}

// A contentReader collects the text of a subtree up to its limits.
type contentReader struct {
	text    strings.Builder
	letters int // number of characters that may still be collected, white space not counted
	nodes   int // number of nodes that may still be visited
}

func (c *contentReader) readNode(n *Node) {
	if c.nodes--; c.nodes < 0 || c.letters < 0 {
		return
	}
	if n.Apart {
		c.text.WriteByte(' ')
	}
	if n.Name == "" {
		c.text.WriteString(n.Text)
		for _, r := range n.Text {
			if !unicode.IsSpace(r) {
				c.letters--
			}
		}
		return
	}
	name := atom.Lookup([]byte(n.Name))
	apart := htmltree.IsBlock(name) || name == atom.Br || name == atom.Td || name == atom.Th
	if apart {
		c.text.WriteByte(' ')
	}
	for _, child := range n.Children {
		if c.nodes <= 0 {
			break
		}
		c.readNode(child)
	}
	if apart {
		c.text.WriteByte(' ')
	}
}
