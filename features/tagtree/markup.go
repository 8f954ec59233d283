package tagtree

import (
	"math/bits"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Markup says how a page was made rather than what it says: how often it uses
// some elements, and some words in the names of its classes.
type Markup struct {
	// Elements counts the elements of MarkupElements, in their order.
	Elements [len(MarkupElements)]int
	// Classes counts the class and id attributes that hold a word of
	// MarkupClasses, in their order.
	Classes [len(MarkupClasses)]int
	// Feeds are links to feeds of the page, Article says that it calls itself an
	// article, Generator that it names the program it was made with.
	Feeds     int
	Article   bool
	Generator bool
	// All is the number of elements.
	All int
}

// MarkupElements are the elements that a Markup counts.
var MarkupElements = [...]atom.Atom{
	atom.Article, atom.Time, atom.Form, atom.Input, atom.Img, atom.Script, atom.Table, atom.H1, atom.Font, atom.Center,
	atom.Hr, atom.Nav, atom.Section, atom.Pre, atom.Dl, atom.Div, atom.Meta, atom.P, atom.Br, atom.Address, atom.Blockquote,
}

// MarkupClasses are the words that a Markup looks for in the names of classes.
var MarkupClasses = [...]string{
	"post", "entry", "comment", "sidebar", "blog", "author", "tag", "categor", "archive", "widget", "menu", "article",
	"publication", "team", "event", "product", "cart", "speaker", "schedule", "wp-",
}

// maxMarkupNodes bounds the nodes a Markup is taken from.
const maxMarkupNodes = 100_000

// elementNumber finds an element in MarkupElements.
var elementNumber = func() map[atom.Atom]int {
	numbers := make(map[atom.Atom]int)
	for i, a := range MarkupElements {
		numbers[a] = i
	}
	return numbers
}()

// Markup returns how the page was made; of plain text, nothing.
func (t *Tree) Markup() Markup {
	var m Markup
	if t.root == nil {
		return m
	}
	left := maxMarkupNodes
	classes := make(map[string]uint32)
	for n := t.root; n != nil && left > 0; n = after(n, t.root) {
		left--
		if n.Type != html.ElementNode {
			continue
		}
		m.All++
		if i, ok := elementNumber[n.DataAtom]; ok {
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
			classes[a.Val] = words
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

// classWords returns which of MarkupClasses, by bit, the names of classes hold.
func classWords(names string) uint32 {
	names = strings.ToLower(cut(names, maxPath))
	var words uint32
	for i, word := range MarkupClasses {
		if strings.Contains(names, word) {
			words |= 1 << i
		}
	}
	return words
}
