package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the shape of a page. The pages of the corpora stay far below them.
const (
	maxShapeVisits   = 100_000 // nodes of an outline that are read; the rest is left out
	maxShapeNodes    = 4_000   // beyond, what is deepest is left out
	maxShapeDepth    = 100     // what is deeper is left out
	maxShapeSiblings = 250     // different children of a node; the rest is left out
	maxShapeLabel    = 64      // bytes of a label
)

// Sibling matching: siblings of one label that are at most siblingDistance apart are one attribute,
// repeated. Each is compared with the last siblingWindow different ones of its label, at
// siblingPairs pairs of nodes.
const (
	siblingDistance = 0.3
	siblingWindow   = 4
	siblingPairs    = 2_000
)

// maxClass is how many bytes of a class attribute are read.
const maxClass = 1 << 10

// A Shape is an outline reduced to its template: names of elements and places of text. Siblings
// that match are one, the biggest of them (sibling matching, paper 004, section 5.1), so that pages
// that differ in how often an attribute is repeated are of the same shape. It is read-only and may
// be shared between goroutines.
type Shape struct {
	root   *shapeNode
	labels []labelCount // by label
}

type labelCount struct {
	label string
	nodes int
}

type shapeNode struct {
	label    string
	hash     uint64 // of the subtree
	size     int    // of the subtree, in nodes
	children []*shapeNode
}

// textLabel is that of a run of text.
const textLabel = "#"

// NewShape returns the shape of an outline, which must not be nil.
func NewShape(n *tagtree.Node) *Shape {
	b := shaper{visits: maxShapeVisits}
	root := b.build(n, 0)
	for depth := maxShapeDepth; root.size > maxShapeNodes && depth > 1; depth /= 2 {
		root = root.cut(depth / 2)
	}
	return newShape(root)
}

func newShape(root *shapeNode) *Shape {
	counts := make(map[string]int)
	root.count(counts)
	s := &Shape{root: root, labels: make([]labelCount, 0, len(counts))}
	for label, n := range counts {
		s.labels = append(s.labels, labelCount{label, n})
	}
	slices.SortFunc(s.labels, func(a, b labelCount) int { return strings.Compare(a.label, b.label) })
	return s
}

func (n *shapeNode) count(counts map[string]int) {
	counts[n.label]++
	for _, c := range n.children {
		c.count(counts)
	}
}

type shaper struct{ visits int }

func (b *shaper) build(n *tagtree.Node, depth int) *shapeNode {
	b.visits--
	if n.Name == "" {
		return newShapeNode(textLabel, nil)
	}
	var kept []*shapeNode
	if depth < maxShapeDepth {
		for _, c := range n.Children {
			if b.visits <= 0 {
				break
			}
			kept = keepSibling(kept, b.build(c, depth+1))
		}
	}
	return newShapeNode(shapeLabel(n), slices.Clip(kept))
}

// keepSibling adds a child to its different siblings.
func keepSibling(kept []*shapeNode, c *shapeNode) []*shapeNode {
	tries := siblingWindow
	for i, k := range slices.Backward(kept) {
		if k.hash == c.hash {
			return kept
		}
		if k.label != c.label || tries == 0 {
			continue
		}
		tries--
		if near(k, c) {
			if c.size > k.size {
				kept[i] = c
			}
			return kept
		}
	}
	if len(kept) == maxShapeSiblings {
		return kept
	}
	return append(kept, c)
}

// near reports whether two siblings are one attribute.
func near(a, b *shapeNode) bool {
	if float64(abs(a.size-b.size)) > siblingDistance*float64(a.size+b.size) {
		return false
	}
	return normalised(a, b, siblingPairs) <= siblingDistance
}

// shapeLabel returns the element's name with its first class, digits aside, for they count records.
// The classes of the page as a whole tell pages apart, not templates.
func shapeLabel(n *tagtree.Node) string {
	label := strings.Map(labelRune, text.Cut(n.Name, maxShapeLabel))
	if label != "html" && label != "body" {
		if classes := strings.Fields(text.Cut(n.Attr("class"), maxClass)); len(classes) > 0 {
			label += "." + strings.Map(classRune, classes[0])
		}
	}
	return text.Cut(label, maxShapeLabel)
}

// labelRune leaves out what Shape.MarshalText writes between labels.
func labelRune(r rune) rune {
	if r == '(' || r == ')' || unicode.IsSpace(r) || unicode.IsControl(r) {
		return -1
	}
	return r
}

func classRune(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return labelRune(r)
}

func newShapeNode(label string, children []*shapeNode) *shapeNode {
	n := &shapeNode{label: label, size: 1, children: children}
	for i := range len(label) {
		n.hash = mixed(n.hash, uint64(label[i]))
	}
	for _, c := range children {
		n.size += c.size
		n.hash = mixed(n.hash, c.hash)
	}
	n.hash = mixed(n.hash, uint64(len(children)))
	return n
}

// mixed returns the hash h of what came before, with x: a Fibonacci hash.
func mixed(h, x uint64) uint64 {
	h = (h ^ x) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// cut returns the subtree down to a depth.
func (n *shapeNode) cut(depth int) *shapeNode {
	var children []*shapeNode
	if depth > 0 {
		for _, c := range n.children {
			children = append(children, c.cut(depth-1))
		}
	}
	return newShapeNode(n.label, children)
}

// maxShapeText bounds the bytes of a shape that is read.
const maxShapeText = 1 << 20

// MarshalText returns the shape as text: a label, and in parentheses the children,
// with spaces between, as in "body(h(#) ul.dates(li(#)))".
func (s *Shape) MarshalText() ([]byte, error) { return s.root.appendText(nil), nil }

func (n *shapeNode) appendText(b []byte) []byte {
	b = append(b, n.label...)
	sep := byte('(')
	for _, c := range n.children {
		b = c.appendText(append(b, sep))
		sep = ' '
	}
	if len(n.children) > 0 {
		b = append(b, ')')
	}
	return b
}

var errShape = errors.New("no shape as MarshalText writes it")

// UnmarshalText reads what MarshalText wrote. It refuses what is longer, deeper or
// bigger than a shape may be.
func (s *Shape) UnmarshalText(text []byte) error {
	if len(text) > maxShapeText {
		return fmt.Errorf("%w: %d bytes, at most %d", errShape, len(text), maxShapeText)
	}
	r := shapeReader{text: text, left: maxShapeNodes}
	root, err := r.node(0)
	if err != nil {
		return fmt.Errorf("at byte %d: %w", r.at, err)
	}
	if r.at != len(text) {
		return fmt.Errorf("at byte %d: %w", r.at, errShape)
	}
	*s = *newShape(root)
	return nil
}

type shapeReader struct {
	text []byte
	at   int
	left int // nodes that may still come
}

func (r *shapeReader) node(depth int) (*shapeNode, error) {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] != '(' && r.text[r.at] != ')' && r.text[r.at] != ' ' {
		r.at++
	}
	label := string(r.text[start:r.at])
	r.left--
	if label == "" || len(label) > maxShapeLabel || r.left < 0 || depth > maxShapeDepth {
		return nil, errShape
	}
	children, err := r.family(depth + 1)
	if err != nil {
		return nil, err
	}
	return newShapeNode(label, children), nil
}

// family reads the children in parentheses, if there are any.
func (r *shapeReader) family(depth int) ([]*shapeNode, error) {
	if r.at == len(r.text) || r.text[r.at] != '(' {
		return nil, nil
	}
	var children []*shapeNode
	for sep := byte('('); r.at < len(r.text) && r.text[r.at] == sep; sep = ' ' {
		r.at++
		c, err := r.node(depth)
		if err != nil {
			return nil, err
		}
		children = append(children, c)
	}
	if r.at == len(r.text) || r.text[r.at] != ')' {
		return nil, errShape
	}
	r.at++
	return children, nil
}
