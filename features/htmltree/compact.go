package htmltree

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Document is the tree of a page as the HTML standard builds it (§13.2), without pointers. Nodes
// are indices, and names, values and text are spans of the source. It is read-only after
// ParseCompact, until Release, and may be shared between goroutines.
type Document struct {
	source string
	nodes  []node
	attrs  []attribute
	pieces []textSpan
	cut    LeftOut
	quirks bool
}

// LeftOut describes what was left out of a page because of a limit.
type LeftOut uint8

// The reasons for leaving something out.
const (
	CutBytes      LeftOut = 1 << iota // content beyond MaxBody bytes
	CutTags                           // content beyond MaxTags tags
	CutNodes                          // content beyond maxNodes nodes
	CutClones                         // formatting elements were not opened again beyond maxClones
	CutDepth                          // elements deeper than maxOpen have no content of their own
	CutAttributes                     // attributes beyond maxAttributes of one element
)

// Limits of the standard's parser; those of a page are MaxBody and MaxTags.
const (
	maxOpen       = 512 // elements open at once except for parts of tables, as in x/net/html
	maxAttributes = 256 // attributes of an element
	maxNodes      = 2_000_000
	// maxClones is the maximum number of formatting elements that are reopened. Each paragraph
	// reopens all unclosed ones (HTML §13.2.4.3), so n tags can create n² elements.
	maxClones   = 10_000
	scopeMarker = -1 // marks the beginning of a scope in the list of active formatting elements
)

// A namespace is the namespace of an element.
type namespace uint8

const (
	htmlSpace namespace = iota
	mathSpace
	svgSpace
)

var spaceText = [...]string{"", "math", "svg"}

// A nodeFlag is a property of an element that the tree builder uses.
type nodeFlag uint8

const (
	isOpen         nodeFlag = 1 << iota // on the stack of open elements
	specialElement                      // of any namespace (HTML §13.2.4.2)
	scopeElement                        // stops "has an element in scope", in any namespace
	leadsToHTML                         // HTML integration point (§13.2.6)
	leadsToText                         // MathML text integration point
)

// A node is a node of a Document. For a text, first and last are its first and last additional piece, as
// indexes into Document.pieces plus 1. For elements and the document they are the first and last child.
// Index 0 is the document itself and therefore means no child or sibling.
type node struct {
	kind     html.NodeType
	tag      name // for elements of HTML; nameOther for others
	name     name // for elements in any namespace
	space    namespace
	flags    nodeFlag
	text     textFlag
	from, to int32 // span of the name as written, or of the text, comment or document type

	parent                  int32 // -1 for the document and for removed nodes
	first, last, prev, next int32
	attrFrom, attrTo        int32
}

// A textSpan is an additional span of a text.
type textSpan struct {
	from, to int32
	flags    textFlag
	next     int32
}

// documents is the pool of reusable Documents.
var documents = sync.Pool{New: func() any { return &Document{} }}

// maxReused is the maximum number of nodes of a Document that is reused.
const maxReused = 200_000

// Release makes the memory of d available to later calls of ParseCompact. Strings that were not decoded
// stay valid, but d must not be used afterwards.
func (d *Document) Release() {
	if cap(d.nodes) <= maxReused {
		d.source = ""
		documents.Put(d)
	}
}

// LeftOut returns what was left out of the tree.
func (d *Document) LeftOut() LeftOut { return d.cut }

// Len returns the number of created nodes, including the document and nodes removed from the tree.
func (d *Document) Len() int { return len(d.nodes) }

// Text returns the text of a text node, or the content of a comment.
func (d *Document) Text(n int32) string {
	t := &d.nodes[n]
	if t.kind != html.TextNode || t.first == 0 {
		return decodeText(d.source[t.from:t.to], t.text)
	}
	return string(d.appendText(nil, t))
}

// appendText appends all pieces of a text.
func (d *Document) appendText(b []byte, t *node) []byte {
	b = appendDecoded(b, d.source[t.from:t.to], t.text)
	for i := t.first; i != 0; i = d.pieces[i-1].next {
		p := &d.pieces[i-1]
		b = appendDecoded(b, d.source[p.from:p.to], p.flags)
	}
	return b
}

// nameOf returns the name of an element: the standard's spelling, in lower case except for some of
// SVG.
func (d *Document) nameOf(n *node) string {
	var s string
	if n.name != nameOther {
		s = nameText[n.name]
	} else {
		s = lowerASCII(d.source[n.from:n.to])
	}
	if n.space == svgSpace {
		if adjusted, ok := svgNames[s]; ok {
			return adjusted
		}
	}
	return s
}

// lowerASCII returns s with ASCII letters in lower case and U+FFFD for each NUL; s itself if nothing
// changes.
func lowerASCII(s string) string {
	for i := range len(s) {
		if byteClass[s[i]]&isUpperByte != 0 || s[i] == 0 {
			b := make([]byte, 0, len(s)+2*strings.Count(s, "\x00"))
			for _, c := range []byte(s) {
				if c == 0 {
					b = append(b, "\ufffd"...)
				} else {
					b = append(b, lowerByte[c])
				}
			}
			return string(b)
		}
	}
	return s
}

// attributeOf converts an attribute to the type of x/net/html.
func (d *Document) attributeOf(a *attribute) (out html.Attribute) {
	out.Val = decodeText(d.source[a.from:a.to], a.flags)
	if a.name != nameOther {
		out.Key = nameText[a.name]
	} else {
		out.Key = lowerASCII(d.source[a.nameFrom:a.nameTo])
	}
	if a.foreign != htmlSpace {
		adjustAttribute(&out, a.foreign)
	}
	return out
}

// Nodes returns the tree as nodes of x/net/html. They share memory with each other and
// with the source: their attributes must not be changed in place.
func (d *Document) Nodes() *html.Node {
	nodes := make([]html.Node, len(d.nodes))
	attrs := make([]html.Attribute, len(d.attrs))
	for i := range d.attrs {
		attrs[i] = d.attributeOf(&d.attrs[i])
	}
	at := func(i int32) *html.Node {
		if i == 0 {
			return nil
		}
		return &nodes[i]
	}
	for i := range d.nodes {
		n, out := &d.nodes[i], &nodes[i]
		out.Type = n.kind
		if n.parent >= 0 {
			out.Parent = &nodes[n.parent]
		}
		out.PrevSibling, out.NextSibling = at(n.prev), at(n.next)
		switch n.kind {
		case html.TextNode:
			out.Data = d.Text(int32(i))
			continue
		case html.ElementNode:
			out.Data = d.nameOf(n)
			out.Namespace = spaceText[n.space]
			if out.DataAtom = nameAtoms[n.name]; n.name == nameOther || n.space == svgSpace {
				out.DataAtom = atom.Lookup([]byte(out.Data))
			}
			if n.attrFrom < n.attrTo {
				out.Attr = attrs[n.attrFrom:n.attrTo:n.attrTo]
			}
		case html.CommentNode:
			out.Data = d.Text(int32(i))
		case html.DoctypeNode:
			t := readDoctype(d.source[n.from:n.to])
			out.Data, out.Attr = t.name, t.identifierAttributes()
		}
		out.FirstChild, out.LastChild = at(n.first), at(n.last)
	}
	return &nodes[0]
}
