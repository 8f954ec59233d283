package wrapper

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the tree of a page.
const (
	maxPageNodes = 200_000 // nodes of a page
	maxDepth     = 400     // levels of a page
	maxValue     = 16 << 10
	maxClasses   = 12 // classes of an element
	fewClasses   = 3  // minimum number of other classes for which those of subjects are ignored
	maxSketch    = 48 // features of a subtree
	sketchDepth  = 3
)

// Names of the nodes that are not elements.
const (
	textName = "#text"
	lineName = "#line" // nodes between two br elements
)

// dataAttrs are the attributes whose values may be data.
var dataAttrs = []string{"href", "src", "datetime", "content", "alt", "title", "value", "poster", "data", "data-src", styleAttr}

// styleAttr may contain the address of a picture.
const styleAttr = "style"

// A pageNode is a node of a page that is aligned with a template. It is an element, a text with a letter or
// digit, or a line of an element.
type pageNode struct {
	name     string
	node     *tagtree.Node   // element or text; the first node of a line
	line     []*tagtree.Node // nodes of a line
	parent   *pageNode
	children []*pageNode
	text     string   // text of a text node
	classes  []string // classes and id without digits, sorted
	// label is the text or icon before the node among its siblings that names it. scope is the nearest label
	// on the node or around it.
	label, scope string
	term         bool     // true if the label is a term or ends in a colon, so that a value follows
	hash         uint64   // hash of the whole subtree, including data
	sketch       []uint64 // hashes of the tag paths below, sorted and unique
	words        []uint64 // hashes of the short texts below, sorted and unique
	size         int
	match        *templateNode
	value        string // cache of content, valid if valued is set
	valued       bool
}

// newPage returns the tree of a page for alignment, nil for plain text. leftOut is the number of nodes
// omitted by the limits, without their descendants.
func newPage(t *tagtree.Tree) (p *pageNode, leftOut int) {
	root := t.Outline()
	if root == nil {
		return nil, 0
	}
	b := &pageBuilder{left: maxPageNodes}
	p = b.addElement(root, nil, 0)
	return p, b.leftOut
}

type pageBuilder struct{ left, leftOut int }

func (b *pageBuilder) addElement(n *tagtree.Node, parent *pageNode, depth int) *pageNode {
	p := &pageNode{name: n.Name, node: n, parent: parent, classes: classesOf(n)}
	b.addChildren(p, n.Children, depth)
	return p
}

// addChildren sets the children of p.
func (b *pageBuilder) addChildren(p *pageNode, nodes []*tagtree.Node, depth int) {
	all := len(nodes)
	for depth < maxDepth && len(nodes) > 0 {
		n := 0 // number of nodes before the next block element
		for n < len(nodes) && p.name != lineName && !blockNames[nodes[n].Name] {
			n++
		}
		if n > 0 && slices.ContainsFunc(nodes[:n], isBreak) {
			b.addLines(p, nodes[:n], n == all, depth)
			nodes = nodes[n:]
			continue
		}
		for _, c := range nodes[:max(n, 1)] {
			b.addChild(p, c, depth)
		}
		nodes = nodes[max(n, 1):]
	}
	b.leftOut += len(nodes)
	p.computeDerived()
}

// blockNames are the elements that end a line.
var blockNames = map[string]bool{
	"address": true, "article": true, "aside": true, "blockquote": true, "center": true, "dd": true, "details": true,
	"div": true, "dl": true, "dt": true, "fieldset": true, "figure": true, "footer": true, "form": true, "h1": true,
	"h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "header": true, "hr": true, "iframe": true, "li": true,
	"main": true, "nav": true, "ol": true, "p": true, "pre": true, "section": true, "table": true, "tbody": true,
	"td": true, "tfoot": true, "th": true, "thead": true, "tr": true, "ul": true, "video": true,
}

func isBreak(n *tagtree.Node) bool { return n.Name == "br" }

func (b *pageBuilder) addChild(p *pageNode, n *tagtree.Node, depth int) {
	if b.left--; b.left < 0 {
		b.leftOut++
		return
	}
	if n.Name != "" {
		p.children = append(p.children, b.addElement(n, p, depth+1))
		return
	}
	if text := strings.TrimSpace(n.Text); strings.ContainsFunc(text, isWordRune) {
		c := &pageNode{name: textName, node: n, parent: p, text: text}
		c.computeDerived()
		p.children = append(p.children, c)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// addLines adds the lines of a sentence with br elements to p. If the sentence is the whole content of p and has
// one line, its nodes are added without a line.
func (b *pageBuilder) addLines(p *pageNode, nodes []*tagtree.Node, whole bool, depth int) {
	var lines [][]*tagtree.Node
	for len(nodes) > 0 {
		end := slices.IndexFunc(nodes, isBreak)
		if end < 0 {
			end = len(nodes)
		}
		if line := nodes[:end]; slices.ContainsFunc(line, func(n *tagtree.Node) bool {
			return n.Name != "" || strings.ContainsFunc(n.Text, isWordRune)
		}) {
			lines = append(lines, line)
		}
		nodes = nodes[min(end+1, len(nodes)):]
	}
	for _, line := range lines {
		if len(lines) == 1 && whole {
			for _, n := range line {
				b.addChild(p, n, depth)
			}
			return
		}
		l := &pageNode{name: lineName, node: line[0], line: line, parent: p}
		b.addChildren(l, line, depth+1)
		p.children = append(p.children, l)
	}
}

// classesOf returns the classes, the id and other names of an element, without numbers. For example,
// "item-12" and "item-13" name the same part of a template. Numbers of grid classes such as "col-8" and
// "col-4" are kept.
func classesOf(n *tagtree.Node) (out []string) {
	for _, a := range n.Attrs {
		switch a.Name {
		case "class":
			for _, c := range withoutSubjects(strings.Fields(a.Value)) {
				out = append(out, "."+withoutCounter(c))
			}
		case "id":
			out = append(out, "#"+withoutDigits(a.Value))
		case "itemprop", "property", "name", "rel", "role", "http-equiv", "slot":
			out = append(out, a.Name+"="+withoutDigits(a.Value))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), 2*maxClasses)]
}

// subjectPrefixes are prefixes of classes by which content management systems mark the subject of an item.
var subjectPrefixes = []string{"category-", "tag-", "post_tag-", "taxonomy-"}

// withoutSubjects removes the classes of subjects if at least fewClasses others remain. It returns at most
// maxClasses.
func withoutSubjects(classes []string) []string {
	others := slices.DeleteFunc(slices.Clone(classes), func(c string) bool {
		return slices.ContainsFunc(subjectPrefixes, func(prefix string) bool { return strings.HasPrefix(c, prefix) })
	})
	if len(others) >= fewClasses {
		classes = others
	}
	return classes[:min(len(classes), maxClasses)]
}

// gridPrefixes are prefixes of classes whose numbers are widths.
var gridPrefixes = []string{"col", "span", "grid", "large", "medium", "small", "size", "width", "w-", "offset", "one", "unit"}

func withoutCounter(class string) string {
	if slices.ContainsFunc(gridPrefixes, func(prefix string) bool { return strings.HasPrefix(class, prefix) }) {
		return cutToBytes(class, maxLabel)
	}
	return withoutDigits(class)
}

func withoutDigits(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
	return cutToBytes(s, maxLabel)
}

// computeDerived computes the size, hash, labels and sketch of a node from its children.
func (p *pageNode) computeDerived() {
	p.size = 1
	h := hashMore(hashMore(fnvOffset, p.name), p.text)
	if p.name != lineName && p.node != nil {
		for _, a := range p.node.Attrs {
			if slices.Contains(dataAttrs, a.Name) || a.Name == "class" || a.Name == "id" {
				h = hashMore(hashMore(h, a.Name), a.Value)
			}
		}
	}
	for _, c := range p.children {
		p.size += c.size
		for i := range 8 {
			h = (h ^ c.hash>>(8*i)&0xff) * fnvPrime
		}
	}
	p.hash = h
	p.setLabels()
	p.addSketchBelow(p, "", 0)
	p.sketch, p.words = sortedDistinct(p.sketch), sortedDistinct(p.words)
}

func sortedDistinct(hs []uint64) []uint64 {
	slices.Sort(hs)
	hs = slices.Compact(hs)
	return slices.Clip(hs[:min(len(hs), maxSketch)])
}

// addSketchBelow adds the tag paths and short texts of the nodes below n to p, down to sketchDepth.
func (p *pageNode) addSketchBelow(n *pageNode, path string, depth int) {
	if n.name == textName {
		if isShort(n.text) {
			p.words = append(p.words, hashString(strings.ToLower(n.text)))
		}
		return
	}
	for _, c := range n.children {
		if len(p.sketch) >= 4*maxSketch {
			return
		}
		below := path + "/" + c.name
		if len(c.classes) > 0 {
			p.sketch = append(p.sketch, hashString(below+c.classes[0]))
		}
		p.sketch = append(p.sketch, hashString(below))
		if depth < sketchDepth {
			p.addSketchBelow(c, below, depth+1)
		}
	}
}

// Parameters of FNV-1a with 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hashString(s string) uint64 { return hashMore(fnvOffset, s) }

// hashMore extends hash h by a text and a terminator.
func hashMore(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h * fnvPrime
}

// textContent returns the text of the subtree with white space folded, at most maxValue bytes. It caches the
// result.
func (p *pageNode) textContent() string {
	if p.valued {
		return p.value
	}
	p.valued = true
	switch {
	case p.name == textName:
		p.value = p.text
	case p.name == lineName:
		var b strings.Builder
		for _, n := range p.line {
			if n.Name == "" {
				b.WriteString(n.Text)
			} else {
				b.WriteString(n.CutContent(maxValue))
			}
		}
		p.value = strings.Join(strings.Fields(b.String()), " ")
	default:
		p.value = p.node.CutContent(maxValue)
	}
	p.value = cutToBytes(p.value, maxValue)
	return p.value
}

// cutToBytes cuts s to at most n bytes, between characters.
func cutToBytes(s string, n int) string { return text.CutBytes(s, n) }

// Limits on a label.
const (
	maxLabel   = 48 // bytes of a label
	labelWords = 5
)

func isShort(text string) bool {
	return len(text) <= maxLabel && len(strings.Fields(text)) <= labelWords
}

// setLabels sets the labels of the children to what precedes them. The label of a heading or term applies
// until the next one, other labels to one sibling.
func (p *pageNode) setLabels() {
	var standing, next string
	var standingTerm, nextTerm bool
	for _, c := range p.children {
		c.label, c.term, next, nextTerm = next, nextTerm, "", false
		if c.label == "" {
			c.label, c.term = standing, standingTerm
		}
		label, lasting := c.asLabel()
		switch {
		case label == "":
		case lasting:
			c.label, c.term = "", false
			standing, standingTerm = label, c.name == "dt"
		default:
			next, nextTerm = label, c.name == "th" || c.name == "label" || endsWithColon(label)
		}
	}
}

// asLabel returns the text of c as a label of what follows it, or "" if it is not a label. lasting means that
// the label applies until the next heading or term.
func (c *pageNode) asLabel() (label string, lasting bool) {
	switch c.name {
	case "i", "span", "svg", "img":
		if c.size == 1 && len(c.classes) > 0 {
			return strings.Join(c.classes, ""), false
		}
	}
	text := c.shortContent()
	if text == "" {
		return "", false
	}
	label = strings.ToLower(StoredText(text, maxLabel))
	switch c.name {
	case "dt", "h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption":
		return label, true
	case "th", "b", "strong", "label", "em", "u":
		return label, false
	}
	firstCell := c.name == "td" && c.parent != nil && c == c.parent.children[0]
	if endsWithColon(text) || firstCell || hasClass(c, "label") || hasClass(c, "heading") || hasClass(c, "term") || hasClass(c, "key") {
		return label, false
	}
	return "", false
}

// hasClass reports whether a class of p begins or ends with the word. "field-label" marks a label,
// "field-label-hidden" marks a value.
func hasClass(p *pageNode, word string) bool {
	return slices.ContainsFunc(p.classes, func(c string) bool {
		return strings.HasPrefix(c, "."+word) || strings.HasSuffix(c, word)
	})
}

// shortContent returns the text of a small subtree if it is short and has a letter, otherwise "".
func (p *pageNode) shortContent() string {
	if p.size > 8 {
		return ""
	}
	if text := p.textContent(); isShort(text) && strings.ContainsFunc(text, unicode.IsLetter) {
		return text
	}
	return ""
}

// setScopesBelow sets the scope of p and of all nodes in it. A label of an element applies to everything inside.
func (p *pageNode) setScopesBelow(around string) {
	p.scope = cmp.Or(p.label, around)
	for _, c := range p.children {
		c.setScopesBelow(p.scope)
	}
}
