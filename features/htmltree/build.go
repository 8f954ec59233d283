package htmltree

import (
	"strings"

	"golang.org/x/net/html"
)

// A builder builds the tree of a document from its tokens (HTML §13.2.6).
type builder struct {
	*Document
	z    tokenizer
	mode mode
	// original is the mode to return to after text.
	original mode
	// open is the stack of open elements. opened is the number of open elements with each name, and
	// foreign the number of open elements that are not HTML.
	open    []int32
	opened  [numNames]int32
	foreign int
	// active is the list of active formatting elements; it also contains scopeMarker.
	active        []int32
	templateModes []mode
	head, form    int32
	scripting     bool
	framesetOK    bool
	fostering     bool
	skipsLineFeed bool // a line feed at the beginning of the next token is dropped
	usedAttrs     int  // number of attributes stored in nodes
	maxNodes      int
	clones        int
	tags          int

	fragment bool
	context  node // the context element of a fragment
}

// ParseCompact builds the tree of s by the HTML standard, without scripts. It never fails: content
// beyond the limits on bytes, tags, nodes, depth and attributes is left out and reported by
// Document.Cut. Time is linear in the length of s times maxOpen at worst.
func ParseCompact(s string) *Document {
	d := documents.Get().(*Document)
	b := newBuilder(d, s)
	b.readTokens()
	return d
}

// newBuilder returns a builder of the document d of s.
func newBuilder(d *Document, s string) *builder {
	*d = Document{nodes: d.nodes[:0], attrs: d.attrs[:0], pieces: d.pieces[:0]}
	if len(s) > MaxBody {
		s, d.cut = s[:MaxBody], CutBytes
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = withLineFeeds(s)
	}
	d.source = s
	d.nodes = append(d.nodes, node{kind: html.DocumentNode, parent: -1})
	b := &builder{Document: d, mode: initialMode, framesetOK: true, maxNodes: maxNodes}
	b.z = tokenizer{source: s, anyNUL: strings.IndexByte(s, 0) >= 0, attrs: d.attrs, maxAttrs: maxAttributes}
	b.open = make([]int32, 0, 64)
	return b
}

// withLineFeeds returns s with "\n" for each line end "\r\n" or "\r" (HTML §13.2.3.5).
func withLineFeeds(s string) string {
	out := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\r')
		if i < 0 {
			break
		}
		out = append(append(out, s[:i]...), '\n')
		if s = s[i+1:]; s != "" && s[0] == '\n' {
			s = s[1:]
		}
	}
	return string(append(out, s...))
}

// readTokens reads all tokens.
func (b *builder) readTokens() {
	for {
		b.z.allowCDATA = b.foreign > 0 && b.adjustedCurrent().space != htmlSpace
		b.z.attrs = b.z.attrs[:b.usedAttrs]
		b.z.nextToken()
		if b.skipsLineFeed {
			b.skipsLineFeed = false
			if b.skipLineFeed() {
				continue
			}
		}
		if b.z.tok.kind == startTag || b.z.tok.kind == endTag {
			if b.tags++; b.tags > MaxTags {
				b.stopInput(CutTags)
			}
		}
		if len(b.nodes) >= b.maxNodes {
			b.stopInput(CutNodes)
		}
		b.processToken()
		if b.z.tok.kind == endOfFile {
			break
		}
	}
	b.attrs = b.z.attrs[:b.usedAttrs]
	b.cut |= b.z.cut
}

// stopInput ends the input before the current token.
func (b *builder) stopInput(why LeftOut) {
	if b.z.tok.kind != endOfFile {
		b.cut |= why
	}
	b.z.at = len(b.z.source)
	b.z.tok = token{kind: endOfFile}
}

// skipLineFeed skips a line feed at the beginning of the token, and reports whether the token had
// nothing else.
func (b *builder) skipLineFeed() bool {
	t := &b.z.tok
	if t.kind != textToken {
		return false
	}
	s := b.source[t.from:t.to]
	if s[0] == '\n' {
		t.from++
	} else if t.text&hasReference != 0 && s[0] == '&' {
		if r, more, n := readReference(s, false); n > 0 && (r == '\n' || more == "\n") {
			t.from += int32(n)
		}
	}
	return t.from == t.to
}

// processToken runs the current token through the modes until it is consumed.
func (b *builder) processToken() {
	for {
		if b.foreign > 0 && b.isForeignContent() {
			if b.processForeign() {
				return
			}
		} else if b.inMode() {
			return
		}
	}
}

// processImplied processes a tag without attributes as if it stood before the current token.
func (b *builder) processImplied(kind tokenKind, n name) {
	tok := b.z.tok
	b.z.tok = token{kind: kind, name: n}
	b.processToken()
	b.z.tok = tok
}

// currentNode returns the current node: the innermost open element, or the document.
func (b *builder) currentNode() int32 {
	if len(b.open) == 0 {
		return 0
	}
	return b.open[len(b.open)-1]
}

// adjustedCurrent returns the current node; at the root of a fragment it returns the context element.
func (b *builder) adjustedCurrent() *node {
	if b.fragment && len(b.open) == 1 {
		return &b.context
	}
	return &b.nodes[b.currentNode()]
}

// currentIs reports whether the current node is an HTML element with this name.
func (b *builder) currentIs(n name) bool { return b.nodes[b.currentNode()].tag == n }

// newNode creates a node that is not yet in the tree.
func (b *builder) newNode(kind html.NodeType) int32 {
	b.nodes = append(b.nodes, node{kind: kind, parent: -1})
	return int32(len(b.nodes) - 1)
}

// appendChild appends a node without parent as the last child of parent.
func (b *builder) appendChild(parent, child int32) {
	p, c := &b.nodes[parent], &b.nodes[child]
	c.parent, c.prev = parent, p.last
	if p.last != 0 {
		b.nodes[p.last].next = child
	} else {
		p.first = child
	}
	p.last = child
}

// insertBefore puts a node without parent before a child of parent.
func (b *builder) insertBefore(parent, child, next int32) {
	c, x := &b.nodes[child], &b.nodes[next]
	c.parent, c.next, c.prev = parent, next, x.prev
	if x.prev != 0 {
		b.nodes[x.prev].next = child
	} else {
		b.nodes[parent].first = child
	}
	x.prev = child
}

// detach removes a node from its parent.
func (b *builder) detach(child int32) {
	c := &b.nodes[child]
	if c.parent < 0 {
		return
	}
	p := &b.nodes[c.parent]
	if c.prev != 0 {
		b.nodes[c.prev].next = c.next
	} else {
		p.first = c.next
	}
	if c.next != 0 {
		b.nodes[c.next].prev = c.prev
	} else {
		p.last = c.prev
	}
	c.parent, c.prev, c.next = -1, 0, 0
}

// placeNode inserts a node at the appropriate place for inserting a node (HTML §13.2.6.1).
func (b *builder) placeNode(n int32) {
	top := b.currentNode()
	if b.fostering && traits[b.nodes[top].tag]&fosters != 0 {
		if parent, next := b.fosterPlace(); next != 0 {
			b.insertBefore(parent, n, next)
		} else {
			b.appendChild(parent, n)
		}
		return
	}
	b.appendChild(top, n)
}

// fosterPlace returns the foster parent, and the child before which to insert a node, 0 to append it.
func (b *builder) fosterPlace() (parent, next int32) {
	for i := len(b.open) - 1; i > 0; i-- {
		switch n := b.open[i]; b.nodes[n].tag {
		case tagTemplate:
			return n, 0
		case tagTable:
			if p := b.nodes[n].parent; p >= 0 {
				return p, n
			}
			return b.open[i-1], 0
		}
	}
	return b.open[0], 0
}

// insertText inserts the text source[from:to].
func (b *builder) insertText(from, to int32, flags textFlag) {
	if from == to {
		return
	}
	top := b.currentNode()
	before := b.nodes[top].last
	if b.fostering && traits[b.nodes[top].tag]&fosters != 0 {
		parent, next := b.fosterPlace()
		if before = b.nodes[parent].last; next != 0 {
			before = b.nodes[next].prev
		}
	}
	if before != 0 && b.nodes[before].kind == html.TextNode {
		b.extendText(&b.nodes[before], from, to, flags)
		return
	}
	n := b.newNode(html.TextNode)
	t := &b.nodes[n]
	t.from, t.to, t.text = from, to, flags
	b.placeNode(n)
}

// extendText appends the span source[from:to] to a text node.
func (b *builder) extendText(t *node, from, to int32, flags textFlag) {
	if t.first == 0 && t.to == from && (t.text^flags)&keepsNUL == 0 && t.text&hasReference == flags&hasReference {
		t.to = to
		t.text |= flags
		return
	}
	b.pieces = append(b.pieces, textSpan{from: from, to: to, flags: flags})
	i := int32(len(b.pieces))
	if t.first == 0 {
		t.first = i
	} else {
		b.pieces[t.last-1].next = i
	}
	t.last = i
}

// insertComment appends the current comment to parent; if that is -1, it inserts it at the usual place.
func (b *builder) insertComment(parent int32) bool {
	n := b.newNode(html.CommentNode)
	t := &b.nodes[n]
	t.from, t.to, t.text = b.z.tok.from, b.z.tok.to, b.z.tok.text
	if parent < 0 {
		b.placeNode(n)
	} else {
		b.appendChild(parent, n)
	}
	return true
}

// newElement creates an element for the current tag.
func (b *builder) newElement(in namespace) int32 {
	n := b.newNode(html.ElementNode)
	e, t := &b.nodes[n], &b.z.tok
	e.name, e.from, e.to, e.space = t.name, t.from, t.to, in
	if from, to := t.attrs, int32(len(b.z.attrs)); t.kind == startTag && t.to > 0 && from < to {
		e.attrFrom, e.attrTo = from, to
		b.usedAttrs = int(to)
	}
	if in == htmlSpace {
		e.tag = t.name
		if traits[t.name]&isSpecial != 0 {
			e.flags |= specialElement
		}
		if traits[t.name]&endsScope != 0 {
			e.flags |= scopeElement
		}
	} else {
		b.setForeignFlags(e)
	}
	return n
}

// insertElement inserts an element for the current tag and opens it. It returns false if the page is too
// deep: then the element is in the tree, but not open.
func (b *builder) insertElement() bool {
	n := b.newElement(htmlSpace)
	b.placeNode(n)
	if len(b.open) >= maxOpen {
		b.cut |= CutDepth
		return false
	}
	b.push(n)
	return true
}

// insertOpen inserts an element for the current tag and opens it at any depth. It is for elements that
// are closed soon, and for parts of a table, which are few.
func (b *builder) insertOpen() int32 {
	n := b.newElement(htmlSpace)
	b.placeNode(n)
	b.push(n)
	return n
}

// insertVoid inserts an element for the current tag that has no content.
func (b *builder) insertVoid() { b.placeNode(b.newElement(htmlSpace)) }

// push opens an element.
func (b *builder) push(n int32) {
	b.open = append(b.open, n)
	b.markOpen(n)
}

func (b *builder) markOpen(n int32) {
	e := &b.nodes[n]
	e.flags |= isOpen
	b.opened[e.tag]++
	if e.space != htmlSpace {
		b.foreign++
	}
}

func (b *builder) markClosed(n int32) {
	e := &b.nodes[n]
	e.flags &^= isOpen
	b.opened[e.tag]--
	if e.space != htmlSpace {
		b.foreign--
	}
}

// pop closes the current node.
func (b *builder) pop() { b.popTo(len(b.open) - 1) }

// popTo closes all elements from index i on, except the root.
func (b *builder) popTo(i int) {
	i = max(i, 1)
	for k := len(b.open) - 1; k >= i; k-- {
		b.markClosed(b.open[k])
	}
	b.open = b.open[:min(i, len(b.open))]
}

// removeOpen removes an element from the stack of open elements.
func (b *builder) removeOpen(n int32) {
	if i := lastIndex(b.open, n); i >= 0 {
		b.markClosed(n)
		b.open = append(b.open[:i], b.open[i+1:]...)
	}
}

// insertOpenAt inserts an element at index i of the stack of open elements.
func (b *builder) insertOpenAt(i int, n int32) {
	b.open = append(b.open, 0)
	copy(b.open[i+1:], b.open[i:])
	b.open[i] = n
	b.markOpen(n)
}

// lastIndex returns the last index of n in list, -1 if there is none.
func lastIndex(list []int32, n int32) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == n {
			return i
		}
	}
	return -1
}

// A scope is the set of elements that bound a search among the open elements.
type scope uint8

const (
	inScope       scope = iota // HTML §13.2.4.2
	inListScope                // and ol and ul
	inButtonScope              // and button
	inTableScope               // html, table and template only
)

// scopeIndex returns the index of the innermost open element with a name within a scope, -1 if
// there is none.
func (b *builder) scopeIndex(in scope, n name) int {
	if b.opened[n] == 0 {
		return -1
	}
	for i := len(b.open) - 1; i >= 0; i-- {
		e := &b.nodes[b.open[i]]
		if e.tag == n {
			return i
		}
		if stopsScope(e, in) {
			return -1
		}
	}
	return -1
}

func stopsScope(e *node, in scope) bool {
	if in == inTableScope {
		return e.tag == tagHtml || e.tag == tagTable || e.tag == tagTemplate
	}
	return e.flags&scopeElement != 0 || in == inButtonScope && e.tag == tagButton ||
		in == inListScope && (e.tag == tagOl || e.tag == tagUl)
}

// hasOpen reports whether an element of the name is open within a scope.
func (b *builder) hasOpen(in scope, n name) bool { return b.scopeIndex(in, n) >= 0 }

// popUntil closes the innermost open element with a name within a scope and everything in it, and
// reports whether there was one.
func (b *builder) popUntil(in scope, n name) bool {
	i := b.scopeIndex(in, n)
	if i >= 0 {
		b.popTo(i)
	}
	return i >= 0
}

// popUntilAny is popUntil for the innermost element with one of several names.
func (b *builder) popUntilAny(in scope, names ...name) bool {
	best := -1
	for _, n := range names {
		best = max(best, b.scopeIndex(in, n))
	}
	if best >= 0 {
		b.popTo(best)
	}
	return best >= 0
}

// closeParagraph closes a p element in button scope.
func (b *builder) closeParagraph() {
	if b.opened[tagP] > 0 {
		b.popUntil(inButtonScope, tagP)
	}
}

// closeUntil closes elements until one of the names, html or template is current.
func (b *builder) closeUntil(names ...name) {
	for i := len(b.open) - 1; i > 0; i-- {
		tag := b.nodes[b.open[i]].tag
		if tag == tagTemplate || tag == tagHtml {
			b.popTo(i + 1)
			return
		}
		for _, n := range names {
			if tag == n {
				b.popTo(i + 1)
				return
			}
		}
	}
	b.popTo(1)
}

// closeImplied closes elements whose end tags may be omitted, except those named except (HTML §13.2.6.3).
func (b *builder) closeImplied(except name) {
	for len(b.open) > 1 {
		tag := b.nodes[b.currentNode()].tag
		if traits[tag]&endsImplied == 0 || tag == except {
			return
		}
		b.pop()
	}
}

// mergeAttributes adds the attributes of the current tag that an element does not have.
func (b *builder) mergeAttributes(n int32) {
	e := &b.nodes[n]
	own := b.z.attrs[b.z.tok.attrs:]
	if len(own) == 0 {
		return
	}
	from := len(b.z.attrs)
	merged := append(b.z.attrs, b.z.attrs[e.attrFrom:e.attrTo]...)
	for i := range own {
		a := &own[i]
		known := false
		for k := from; k < len(merged) && !known; k++ {
			known = merged[k].hash == a.hash && b.z.sameName(&merged[k], a)
		}
		switch {
		case known:
		case len(merged)-from >= maxAttributes:
			b.cut |= CutAttributes
		default:
			merged = append(merged, *a)
		}
	}
	if len(merged)-from > int(e.attrTo-e.attrFrom) {
		b.z.attrs = merged
		e.attrFrom, e.attrTo = int32(from), int32(len(merged))
		b.usedAttrs = len(merged)
	}
}
