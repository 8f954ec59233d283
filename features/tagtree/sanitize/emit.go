// Package sanitize writes slices and pages as HTML that is safe to show. Only elements and attributes of its
// allow-lists are written.
package sanitize

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxOpen is the maximum number of open elements in the output, because parsers refuse more than 512 levels.
// Of deeper elements only the content is written.
const maxOpen = 400

// textChunk is the number of bytes of text that are written at a time.
const textChunk = 32 << 10

// pageHead precedes the title. Its policy lets the page load only pictures, wherever it is shown.
const pageHead = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src http: https:">` +
	`<meta name="referrer" content="no-referrer">`

// An emitter writes nodes as HTML that parses to the same tree. All text is escaped. Elements whose content
// parsers do not read as text, such as script, style, textarea and svg, are never written, so no markup can
// be hidden in them.
type emitter struct {
	slice.View
	Options
	out     *bufio.Writer
	err     error
	size    int
	open    []openedElement
	ink     int   // number of bytes of visible text and of pictures written
	mark    int   // index of the next mark in Slice.Marks
	after   []int // links for which Options.After is to be called
	bases   []webgraph.Resolver
	fresh   bool // true directly after the start tag of a pre element
	anchors int  // number of open links
	gapEnd  int  // size after the last space written for a gap
}

// An openedElement is an element whose start tag is written and whose end tag is not.
type openedElement struct {
	name string
	end  int32 // index after its last node
	link int32 // index of its link, or -1
	ink  int   // value of emitter.ink before the element was opened
	base bool  // true for a frame, which has its own base URL
}

func newEmitter(s *slice.Slice, out *bufio.Writer, o Options) *emitter {
	v := s.Content()
	return &emitter{View: v, Options: o, out: out, bases: []webgraph.Resolver{webgraph.NewResolver(v.Tree.Base())}}
}

// writeRaw writes markup without escaping it.
func (e *emitter) writeRaw(parts ...string) {
	for _, s := range parts {
		if e.err == nil {
			_, e.err = e.out.WriteString(s)
		}
		e.size += len(s)
	}
}

func (e *emitter) writeHead() {
	e.writeRaw("<!DOCTYPE html><html")
	if lang := e.Tree.Lang(); lang != "" {
		e.writeRaw(` lang="`, lang, `"`)
	}
	e.writeRaw("><head>", pageHead, "<title>")
	e.writeRaw(escape(e.Tree.Title()), "</title></head><body>")
}

// writeNodes writes all nodes of the slice.
func (e *emitter) writeNodes() {
	for i := int32(0); i < int32(len(e.Nodes)) && e.err == nil; {
		n := &e.Nodes[i]
		e.closeUntil(i)
		switch {
		case e.Shown[i] == slice.Absent:
			e.writeGap(n)
			i = n.End
			continue
		case n.Kind == slice.Piece:
			e.writePiece(i)
		case n.Kind == slice.ElementNode:
			e.writeElement(i)
		}
		i++
	}
	e.closeUntil(int32(len(e.Nodes)))
	e.flushPendingLinks()
}

// writeGap writes a space in place of an omitted inline node, so that the words around it stay separate.
func (e *emitter) writeGap(n *slice.Node) {
	inLine := n.Kind == slice.Piece || n.Kind == slice.ElementNode && !htmltree.IsBlock(n.Tag)
	if inLine && e.ink > 0 && e.size != e.gapEnd && contentOf[e.parentName()] != list && !isTableElement(e.parentName()) && !e.isFull() {
		e.writeRaw(" ")
		e.gapEnd = e.size
	}
}

// isFull reports whether the maximum number of bytes is written.
func (e *emitter) isFull() bool { return e.size >= maxRendered }

func (e *emitter) parentName() string {
	if len(e.open) == 0 {
		return ""
	}
	return e.open[len(e.open)-1].name
}

// writeElement writes the start tag of an element. An element without content is written completely.
func (e *emitter) writeElement(i int32) {
	n := &e.Nodes[i]
	name := shownAs[n.Tag]
	if e.isFull() {
		return
	}
	switch {
	case n.Link >= 0 && (n.Tag == atom.Area || htmltree.IsFrame(n.Tag)):
		e.writeBareLink(n)
	case name == "":
	case n.Tag == atom.Img:
		e.writeImage(n)
	case contentOf[name] == void:
		e.openTableParts(name, n.End)
		if name == "hr" {
			e.writeAfterLinks(name)
		}
		e.writeRaw("<", name, ">")
		e.writeAfterLinks(name)
	case n.HTML == nil:
		if n.Tag != atom.Body {
			e.writeStart(n, name)
		}
	case htmltree.IsFrame(n.Tag):
		if n.End > i+1 {
			e.openFrame(n, name)
		}
	case n.Tag == atom.Html || n.Tag == atom.Body:
		if htmltree.Attr(n.HTML, "dir") != "" || htmltree.Attr(n.HTML, "lang") != "" {
			e.writeStart(n, name)
		}
	case n.Tag == atom.A:
		e.openLink(n, name)
	case n.Tag == atom.P && n.Blocks: // a p element would end where a block begins
		e.writeStart(n, "div")
	default:
		e.writeStart(n, name)
	}
}

// writeStart writes a start tag, preceded by the start tags of missing table parts. It writes nothing if too many
// elements are open.
func (e *emitter) writeStart(n *slice.Node, name string) {
	if len(e.open) >= maxOpen && !isTableElement(e.parentName()) {
		return
	}
	name, before := nesting(name, e.parentName())
	e.writeAfterLinks(name)
	for _, part := range before {
		e.pushElement(part, n.End)
		e.writeRaw("<", part, ">")
	}
	e.pushElement(name, n.End)
	e.writeRaw("<", name)
	if name == "a" {
		e.anchors++
		e.open[len(e.open)-1].link = n.Link
		e.writeRaw(` href="`, escape(e.Tree.Links()[n.Link].Target), linkRel)
	}
	if n.HTML != nil {
		e.writeAttributes(name, n.HTML.Attr)
	}
	e.writeRaw(">")
	e.fresh = name == "pre"
}

// openFrame opens the element that is written in place of a frame.
func (e *emitter) openFrame(n *slice.Node, name string) {
	depth := len(e.open)
	e.writeStart(n, name)
	if len(e.open) == depth {
		return
	}
	e.bases = append(e.bases, webgraph.NewResolver(e.Tree.FrameBase(n.HTML)))
	e.open[len(e.open)-1].base = true
}

func (e *emitter) pushElement(name string, end int32) {
	e.open = append(e.open, openedElement{name: name, end: end, link: -1, ink: e.ink})
}

// openTableParts opens the table parts that are missing between the innermost element and text or an element of the
// given name.
func (e *emitter) openTableParts(name string, end int32) {
	for _, part := range missingTableParts(name, e.parentName()) {
		e.pushElement(part, end)
		e.writeRaw("<", part, ">")
	}
	e.fresh = false
}

// writeAttributes writes the allowed attributes. If a name is repeated, the first one is written.
func (e *emitter) writeAttributes(name string, attrs []html.Attribute) {
	written := 0
	for _, a := range attrs {
		if k := allowedRule(name, a); k >= 0 && written&(1<<k) == 0 {
			written |= 1 << k
			e.writeRaw(" ", a.Key, `="`, escape(a.Val), `"`)
		}
	}
}

// writeImage writes an image, or its alternative text if images are not allowed.
func (e *emitter) writeImage(n *slice.Node) {
	alt := text.CutBytes(htmltree.Attr(n.HTML, "alt"), maxShownTitle)
	src, err := e.bases[len(e.bases)-1].Resolve(strings.TrimSpace(htmltree.Attr(n.HTML, "src")))
	switch {
	case e.Images && err == nil && htmltree.Attr(n.HTML, "src") != "":
		e.openTableParts("img", n.End)
		e.writeRaw(`<img src="`, escape(src), `" alt="`, escape(alt), `" loading="lazy"`)
		e.writeAttributes("img", n.HTML.Attr)
		e.writeRaw(">")
		e.ink++
	case strings.TrimSpace(alt) != "":
		e.openTableParts("img", n.End)
		e.writeText(" " + alt + " ")
	}
}

// writePiece writes a piece of text with its highlighted matches.
func (e *emitter) writePiece(i int32) {
	n := &e.Nodes[i]
	for e.mark < len(e.Marks) && e.Marks[e.mark].Piece < i {
		e.mark++
	}
	if e.Shown[i] != slice.Whole || e.isFull() {
		return
	}
	if strings.TrimSpace(n.Text) == "" && (isTableElement(e.parentName()) || contentOf[e.parentName()] == list) {
		return
	}
	if e.fresh && strings.HasPrefix(n.Text, "\n") {
		e.writeRaw("\n") // parsers drop the first newline
	}
	e.openTableParts("", n.End)
	from := 0
	for ; e.Mark && e.mark < len(e.Marks) && e.Marks[e.mark].Piece == i; e.mark++ {
		m := e.Marks[e.mark]
		e.writeText(n.Text[from:m.From])
		e.writeRaw("<mark>")
		e.writeText(n.Text[m.From:m.To])
		e.writeRaw("</mark>")
		from = int(m.To)
	}
	e.writeText(n.Text[from:])
}

// writeText writes escaped text up to the limit of the output.
func (e *emitter) writeText(s string) {
	for s != "" && !e.isFull() && e.err == nil {
		part := text.CutBytes(s, textChunk)
		if part == "" { // s is not UTF-8
			return
		}
		s = s[len(part):]
		e.writeRaw(escape(part))
		e.ink += len(strings.TrimSpace(part))
	}
}

// escape returns s escaped as text or as an attribute's value.
func escape(s string) string { return html.EscapeString(strings.ReplaceAll(s, "\x00", "")) }

// closeUntil writes the end tags of the elements that end before node i.
func (e *emitter) closeUntil(i int32) {
	for len(e.open) > 0 && e.open[len(e.open)-1].end <= i {
		o := e.open[len(e.open)-1]
		if o.link >= 0 {
			if e.ink == o.ink { // a link without visible text, such as a picture
				e.writeText(e.Tree.Links()[o.link].Anchor)
			}
			e.anchors--
			e.after = append(e.after, int(o.link))
		}
		if contentOf[o.name] == flow {
			e.flushPendingLinks()
		}
		e.writeRaw("</", o.name, ">")
		e.fresh = false
		if o.base {
			e.bases = e.bases[:len(e.bases)-1]
		}
		e.open = e.open[:len(e.open)-1]
		e.writeAfterLinks(o.name)
	}
}

// isTableElement reports whether an element of this name may only contain parts of a table.
func isTableElement(name string) bool {
	return contentOf[name] == tableRows || contentOf[name] == tableRow
}

const linkRel = `" rel="nofollow noopener noreferrer"`

// openLink opens a link. If the link is inside another or too deeply nested, only its content is written.
// Options.After is called for it in any case.
func (e *emitter) openLink(n *slice.Node, name string) {
	if n.Link < 0 {
		return
	}
	depth := len(e.open)
	if e.anchors == 0 {
		e.writeStart(n, name)
	}
	if len(e.open) == depth {
		e.after = append(e.after, int(n.Link))
	}
}

// writeBareLink writes a link without content, such as a frame or an image map area.
func (e *emitter) writeBareLink(n *slice.Node) {
	if e.anchors > 0 {
		e.after = append(e.after, int(n.Link))
		return
	}
	e.openTableParts("a", n.End)
	e.writeRaw(`<a href="`, escape(e.Tree.Links()[n.Link].Target), linkRel, ">")
	if l := e.Tree.Links()[n.Link]; l.Anchor != "" {
		e.writeText(l.Anchor)
	} else {
		e.writeText(l.Target)
	}
	e.writeRaw("</a> ")
	e.after = append(e.after, int(n.Link))
}

// writeAfterLinks calls Options.After for the links before an element of this name, if a line ends there.
func (e *emitter) writeAfterLinks(name string) {
	if kind := contentOf[name]; kind != inline && name != "img" && name != "wbr" && contentOf[e.parentName()] == flow {
		e.flushPendingLinks()
	}
}

// flushPendingLinks calls Options.After for the pending links. It does nothing inside a link, because After may write
// links, and parsers end a link at the next one.
func (e *emitter) flushPendingLinks() {
	if e.anchors > 0 {
		return
	}
	slices.Sort(e.after) // an inner link ends before the outer one
	for _, link := range e.after {
		if e.After != nil && e.err == nil {
			e.err = e.After(e.out, link)
		}
	}
	e.after = e.after[:0]
}

// maxRendered is the maximum number of bytes written for a page or slice. The rest is omitted, but open
// elements are closed.
const maxRendered = 8 << 20

// Options control how a slice or page is written.
type Options struct {
	// Fragment omits the document around the body's content. A fragment is flow content and may be placed in
	// a div, section or td.
	Fragment bool
	// Images writes img elements that load pictures from the original site. Otherwise alt texts are written.
	Images bool
	// Mark puts matches of the query into mark elements, in a page the first 100,000.
	Mark bool
	// After, if not nil, is called once for each link whose content is written, in document order, with its
	// index in Tree.Links. It is called at the end of the link's line, paragraph or table cell, where blocks
	// are allowed. Its output becomes part of the page unchecked and must be well-formed flow content, such
	// as a Fragment. Its error stops the writing.
	After func(w io.Writer, link int) error
}

// Write writes a slice as a valid page with the structure of the original, such as tables and links. Elements
// and attributes that are not in the allow-lists are omitted: no scripts, styles, forms, identifiers or event
// handlers are written. Links are absolute, http or https, and marked nofollow, noopener and noreferrer.
// Parsing the output gives the tree that was written. The output has about 8 MB at most. Errors are those of
// w and o.After.
func Write(w io.Writer, s *slice.Slice, o Options) error {
	out := bufio.NewWriter(w)
	e := newEmitter(s, out, o)
	if !o.Fragment {
		e.writeHead()
	}
	e.writeNodes()
	if !o.Fragment {
		e.writeRaw("</body></html>")
	}
	if e.err == nil {
		e.err = out.Flush()
	}
	if e.err != nil {
		return fmt.Errorf("write slice of %s: %w", s.Content().Tree.Page.URL, e.err)
	}
	return nil
}

// WriteHighlighted writes the whole page, like Write, with matches of q in mark elements (paper 003, figure
// 3).
func WriteHighlighted(w io.Writer, t *tagtree.Tree, q *slice.Query, o Options) error {
	o.Mark = true
	return Write(w, slice.WholePage(t, q), o)
}
