package tagtree

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on what is read to name a block's style.
const (
	maxStyle         = 200 // bytes of a class or style attribute
	maxStyleNodes    = 20  // elements examined around a block's text
	maxStyleSiblings = 200 // siblings examined for each element, because many blocks may share a parent
)

// Style returns a name for the style of a block, such as "div.teaser b". It consists of the block's element,
// with classes and inline style, and of the elements inside it that contain all of its text. Blocks that look
// alike share a style. The style of plain text is "".
func (t *Tree) Style(block int) string {
	if t.root == nil || t.holders == nil {
		return ""
	}
	holder := t.elements[t.holders[block]]
	if holder.Node == nil {
		return ""
	}
	parts := []string{styleName(holder.Node)}
	for n, left := holder.Node, maxStyleNodes; left > 0; left-- {
		if n = t.onlyInlineChild(n, t.blocks[block].Text); n == nil {
			break
		}
		parts = append(parts, styleName(n))
	}
	return strings.Join(parts, " ")
}

// onlyInlineChild returns the inline child of n that contains all of text and nothing else, or nil.
func (t *Tree) onlyInlineChild(n *html.Node, text string) *html.Node {
	left, siblings := maxStyleNodes, maxStyleSiblings
	for c := n.FirstChild; c != nil && left > 0 && siblings > 0; c = c.NextSibling {
		siblings--
		if c.Type != html.ElementNode || htmltree.IsBlock(c.DataAtom) || htmltree.IsUnread(c) {
			continue
		}
		left--
		if hasExactText(c, text) {
			return c
		}
	}
	return nil
}

// hasExactText reports whether the text in n, with white space folded, is shown.
func hasExactText(n *html.Node, shown string) bool {
	var w TextWriter
	left := maxStyleNodes
	for c := htmltree.NodeAfter(n, n); c != nil && left > 0; c = htmltree.NodeAfter(c, n) {
		left--
		if c.Type == html.TextNode {
			w.Add(text.CutBytes(c.Data, 4*len(shown)+maxStyle), false, nil)
		}
		if len(w.out) > len(shown) {
			return false
		}
	}
	return string(w.out) == shown
}

// styleName returns the name of an element with its classes, inline style and font attributes.
func styleName(n *html.Node) string {
	var b strings.Builder
	b.WriteString(text.CutBytes(n.Data, htmltree.MaxName))
	for _, class := range strings.Fields(text.CutBytes(htmltree.Attr(n, "class"), maxStyle)) {
		b.WriteByte('.')
		b.WriteString(class)
	}
	for _, key := range [...]string{"style", "size", "color", "face"} {
		if v := htmltree.Attr(n, key); v != "" && (key == "style" || n.DataAtom == atom.Font) {
			b.WriteByte('[')
			b.WriteString(strings.Join(strings.Fields(strings.ToLower(text.CutBytes(v, maxStyle))), ""))
			b.WriteByte(']')
		}
	}
	return b.String()
}

// PathHash returns the FNV-1a hash of a tag path without the positions of its steps. Blocks in repeated
// structures share it.
func PathHash(path string) uint32 {
	h, inPlace := uint32(2166136261), false
	for i := range len(path) {
		switch c := path[i]; {
		case c == '[':
			inPlace = true
		case c == ']':
			inPlace = false
		case !inPlace:
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return h
}

// BlockElement returns the index of the element that contains a block.
func (t *Tree) BlockElement(block int) int32 { return t.holders[block] }

// Markup describes how a page was made rather than its content. It counts some elements, and some words in
// classes and ids.
type Markup struct {
	// Elements counts the elements of MarkupElements, in their order.
	Elements [len(markupElements)]int
	// Classes counts the class and id attributes that contain a word of MarkupClasses, in their order. Only
	// the first bytes of an attribute are examined.
	Classes [len(markupClasses)]int
	// Feeds is the number of links to feeds (RSS, Atom) that the page declares.
	Feeds int
	// Article means that a meta element declares the page an article. Generator means that a meta element
	// names the program that made the page.
	Article, Generator bool
	// All is the number of elements, including those that the parser adds.
	All int
}

// MarkupElements returns the names of the elements that Markup counts.
func MarkupElements() []string {
	var names []string
	for _, e := range markupElements {
		names = append(names, e.String())
	}
	return names
}

// MarkupClasses returns the words that Markup counts in classes and ids.
func MarkupClasses() []string { return slices.Clone(markupClasses[:]) }

var markupElements = [...]atom.Atom{
	atom.Article, atom.Time, atom.Form, atom.Input, atom.Img, atom.Script, atom.Table, atom.H1, atom.Font, atom.Center,
	atom.Hr, atom.Nav, atom.Section, atom.Pre, atom.Dl, atom.Div, atom.Meta, atom.P, atom.Br, atom.Address, atom.Blockquote,
}

// markupClasses has at most 32 words, because classWords returns a bit for each.
var markupClasses = [...]string{
	"post", "entry", "comment", "sidebar", "blog", "author", "tag", "categor", "archive", "widget", "menu", "article",
	"publication", "team", "event", "product", "cart", "speaker", "schedule", "wp-",
}

var markupClassParts = text.NewParts(markupClasses[:]...)

// maxMarkupNodes is the number of nodes that Markup examines.
const maxMarkupNodes = 100_000

// markupNumbers holds for each markup element its number plus 1, at a place that no other one has.
var markupNumbers = func() (numbers [atomPlaces]uint8) {
	for i, a := range markupElements {
		numbers[placeOfAtom(a)] = uint8(i + 1)
	}
	return numbers
}()

// placeOfAtom returns the place of an atom in markupNumbers: where its name begins in the table of all names.
func placeOfAtom(a atom.Atom) int { return int(a>>8) % atomPlaces }

const atomPlaces = 1 << 11

// Markup describes how the page was made. It returns the zero value for plain text. It examines the first
// 100,000 nodes.
func (t *Tree) Markup() Markup {
	var m Markup
	if t.root == nil {
		return m
	}
	left := maxMarkupNodes
	for n := t.root; n != nil && left > 0; n = htmltree.NodeAfter(n, t.root) {
		left--
		if n.Type != html.ElementNode {
			continue
		}
		m.All++
		if i := markupNumbers[placeOfAtom(n.DataAtom)]; i > 0 && markupElements[i-1] == n.DataAtom {
			m.Elements[i-1]++
		}
		for i := range n.Attr {
			m.countAttribute(n, &n.Attr[i])
		}
	}
	return m
}

// countAttribute counts an attribute.
func (m *Markup) countAttribute(n *html.Node, a *html.Attribute) {
	switch a.Key {
	case "class", "id":
		for words := classWords(a.Val); words != 0; words &= words - 1 {
			m.Classes[bits.TrailingZeros32(words)]++
		}
	case "type":
		if n.DataAtom == atom.Link && (strings.Contains(a.Val, "rss+xml") || strings.Contains(a.Val, "atom+xml")) {
			m.Feeds++
		}
	case "name":
		m.Generator = m.Generator || n.DataAtom == atom.Meta && strings.EqualFold(a.Val, "generator")
	case "content":
		m.Article = m.Article || n.DataAtom == atom.Meta && strings.EqualFold(a.Val, "article")
	}
}

// classWords returns a set of bits: bit i is set if names contains markupClasses[i].
func classWords(names string) uint32 {
	return uint32(markupClassParts.FindInLower(text.CutBytes(names, htmltree.MaxPath)))
}
