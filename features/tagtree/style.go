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

// Limits on what a style is read from.
const (
	maxStyle         = 200 // bytes of a class or style attribute
	maxStyleNodes    = 20  // elements looked at around a block's text
	maxStyleSiblings = 200 // nodes side by side looked at for them: many blocks may share a parent
)

// Style returns a name for the look of a block. It has the block's element with its classes and
// inline style, and those of each element around the whole of its text. An example is "div.teaser
// b". Blocks that look alike share a style; "" of plain text.
func (t *Tree) Style(block int) string {
	if t.root == nil || t.holders == nil {
		return ""
	}
	holder := t.elements[t.holders[block]]
	if holder.Node == nil {
		return ""
	}
	parts := []string{look(holder.Node)}
	for n, left := holder.Node, maxStyleNodes; left > 0; left-- {
		if n = t.around(n, t.blocks[block].Text); n == nil {
			break
		}
		parts = append(parts, look(n))
	}
	return strings.Join(parts, " ")
}

// around returns the child of n, not a block-level element, that shows all of
// text and nothing else, or nil.
func (t *Tree) around(n *html.Node, text string) *html.Node {
	left, siblings := maxStyleNodes, maxStyleSiblings
	for c := n.FirstChild; c != nil && left > 0 && siblings > 0; c = c.NextSibling {
		siblings--
		if c.Type != html.ElementNode || htmltree.IsBlock(c.DataAtom) || htmltree.IsUnread(c) {
			continue
		}
		left--
		if shows(c, text) {
			return c
		}
	}
	return nil
}

// shows reports whether the text within an element, white space folded, is shown.
func shows(n *html.Node, shown string) bool {
	var w TextWriter
	left := maxStyleNodes
	for c := htmltree.After(n, n); c != nil && left > 0; c = htmltree.After(c, n) {
		left--
		if c.Type == html.TextNode {
			w.Add(text.Cut(c.Data, 4*len(shown)+maxStyle), false, nil)
		}
		if len(w.out) > len(shown) {
			return false
		}
	}
	return string(w.out) == shown
}

// look names an element with its classes and inline style.
func look(n *html.Node) string {
	var b strings.Builder
	b.WriteString(text.Cut(n.Data, htmltree.MaxName))
	for _, class := range strings.Fields(text.Cut(htmltree.Attr(n, "class"), maxStyle)) {
		b.WriteByte('.')
		b.WriteString(class)
	}
	for _, key := range [...]string{"style", "size", "color", "face"} {
		if v := htmltree.Attr(n, key); v != "" && (key == "style" || n.DataAtom == atom.Font) {
			b.WriteByte('[')
			b.WriteString(strings.Join(strings.Fields(strings.ToLower(text.Cut(v, maxStyle))), ""))
			b.WriteByte(']')
		}
	}
	return b.String()
}

// PathHash returns FNV-1a of a tag path without the places of its steps: blocks that
// repeat one structure share it.
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

// BlockElement returns the index of the element that holds a block.
func (t *Tree) BlockElement(block int) int32 { return t.holders[block] }

// Markup describes how a page was made rather than what it says. It has the frequency of some
// elements, and of some words in the names of its classes.
type Markup struct {
	// Elements counts the elements of MarkupElements, in their order.
	Elements [len(markupElements)]int
	// Classes counts the class and id attributes that hold a word of
	// MarkupClasses anywhere in their first bytes, in their order.
	Classes [len(markupClasses)]int
	// Feeds counts the links to feeds (RSS, Atom) that the page declares.
	Feeds int
	// Article means that a meta element calls the page an article, Generator that one names the
	// program it was made with.
	Article, Generator bool
	// All is the number of elements, those included that the parser adds.
	All int
}

// MarkupElements returns the names of the elements that a Markup counts.
func MarkupElements() []string {
	var names []string
	for _, e := range markupElements {
		names = append(names, e.String())
	}
	return names
}

// MarkupClasses returns the words that a Markup looks for in the names of
// classes.
func MarkupClasses() []string { return slices.Clone(markupClasses[:]) }

var markupElements = [...]atom.Atom{
	atom.Article, atom.Time, atom.Form, atom.Input, atom.Img, atom.Script, atom.Table, atom.H1, atom.Font, atom.Center,
	atom.Hr, atom.Nav, atom.Section, atom.Pre, atom.Dl, atom.Div, atom.Meta, atom.P, atom.Br, atom.Address, atom.Blockquote,
}

// markupClasses are at most 32, a bit each.
var markupClasses = [...]string{
	"post", "entry", "comment", "sidebar", "blog", "author", "tag", "categor", "archive", "widget", "menu", "article",
	"publication", "team", "event", "product", "cart", "speaker", "schedule", "wp-",
}

// Limits on what a Markup is taken from.
const (
	maxMarkupNodes = 100_000
	maxClassNames  = 10_000 // values of attributes whose words are remembered
)

// Markup returns how the page was made; of plain text, the zero value. Of a page
// of more than 100,000 nodes the first are looked at.
func (t *Tree) Markup() Markup {
	var m Markup
	if t.root == nil {
		return m
	}
	left := maxMarkupNodes
	classes := make(map[string]uint32)
	for n := t.root; n != nil && left > 0; n = htmltree.After(n, t.root) {
		left--
		if n.Type != html.ElementNode {
			continue
		}
		m.All++
		if i := slices.Index(markupElements[:], n.DataAtom); i >= 0 {
			m.Elements[i]++
		}
		for _, a := range n.Attr {
			m.attribute(n, a, classes)
		}
	}
	return m
}

// attribute counts an attribute; classes remembers the words of those seen.
func (m *Markup) attribute(n *html.Node, a html.Attribute, classes map[string]uint32) {
	switch a.Key {
	case "class", "id":
		words, ok := classes[a.Val]
		if !ok {
			words = classWords(a.Val)
			if len(classes) < maxClassNames {
				classes[a.Val] = words
			}
		}
		for ; words != 0; words &= words - 1 {
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

// classWords returns which of markupClasses, by bit, the names of classes hold.
func classWords(names string) uint32 {
	names = strings.ToLower(text.Cut(names, htmltree.MaxPath))
	var words uint32
	for i, word := range markupClasses {
		if strings.Contains(names, word) {
			words |= 1 << i
		}
	}
	return words
}
