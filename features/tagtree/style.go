package tagtree

import (
	"strings"

	"eventseer/features/htmltree"
	"eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on what a style is read from.
const (
	maxStyle         = 200 // bytes of a class or style attribute
	maxStyleNodes    = 20  // elements looked at around a block's text
	maxStyleSiblings = 200 // nodes side by side looked at for them: many blocks may share a parent
)

// Style names how a block looks: its element, with the classes and inline style
// of that and of each element around the whole of its text, such as
// "div.teaser b". Blocks that look alike share a style; "" of plain text.
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

// LinkText returns where the text of Tree.Links()[i] stands in Tree.Text; empty
// for a picture.
func (t *Tree) LinkText(i int) Span { return Span{int(t.spots[i].start), int(t.spots[i].end)} }

// LinkBlock returns the index of the block that shows Tree.Links()[i] or, where
// none does, of the first one after it; len(Blocks()) at the end.
func (t *Tree) LinkBlock(i int) int { return int(t.spots[i].block) }

// LinkElement returns the index of the element that Tree.Links()[i] is, in plain text
// of its paragraph.
func (t *Tree) LinkElement(i int) int32 { return t.spots[i].element }

// BlockElement returns the index of the element that holds a block.
func (t *Tree) BlockElement(block int) int32 { return t.holders[block] }

// Teaser returns the blocks that belong to Tree.Links()[i]: those of the largest
// element around it all of whose links lead to the same page, of a link that
// has no such text around it the blocks without links that follow, at most
// maxTeaser. The range is empty where there are none.
func (t *Tree) Teaser(i int) Range {
	target := t.links[i].Target
	record := Range{}
	for e := t.spots[i].element; e >= 0 && t.leadsOnly(t.elements[e].Links, target); e = t.elements[e].Parent {
		if t.elements[e].Blocks.Len() > maxTeaser {
			break
		}
		record = t.elements[e].Blocks
	}
	if record.Len() > 1 {
		return record
	}
	next := Range{min(int(t.spots[i].block)+1, len(t.blocks)), min(int(t.spots[i].block)+1, len(t.blocks))}
	for next.End < len(t.blocks) && next.Len() < maxTeaser {
		if b := t.blocks[next.End]; b.Kind == Heading || b.Linked > 0 {
			break
		}
		next.End++
	}
	return next
}

// maxTeaser is how many blocks the text that goes with a link has at most.
const maxTeaser = 10

// leadsOnly reports whether all links of a range lead to one page. It looks at
// a few only: a record repeats its link as picture, title and "read more".
func (t *Tree) leadsOnly(links Range, target string) bool {
	if links.Len() > maxTeaser {
		return false
	}
	for _, l := range t.links[links.Start:links.End] {
		if l.Target != target {
			return false
		}
	}
	return true
}
