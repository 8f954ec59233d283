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
	maxShapeVisits   = 100_000 // nodes of an outline that are read
	maxShapeNodes    = 4_000   // nodes of a shape; a larger one is cut to a smaller depth
	maxShapeDepth    = 100     // depth of a shape
	maxShapeSiblings = 250     // different children of a node
	maxShapeLabel    = 64      // bytes of a label
)

// Limits of sibling matching. Siblings with the same label that are at most siblingDistance apart count as
// repetitions of one attribute. Each is compared with the last siblingWindow different siblings of its label,
// with at most siblingPairs pairs of nodes.
const (
	siblingDistance = 0.3
	siblingWindow   = 4
	siblingPairs    = 2_000
)

// maxClass is the maximum number of bytes read of a class attribute.
const maxClass = 1 << 10

// A Shape is the part of an outline that the template determines: the names of elements and the positions of
// texts. Of matching siblings only the largest is kept (sibling matching, paper 004, section 5.1). So pages
// that differ only in how often an attribute is repeated have the same shape. A Shape is read-only and may be
// shared between goroutines.
type Shape struct {
	root   *shapeNode
	labels []labelCount // number of nodes by label, in order of label
}

type labelCount struct {
	label string
	nodes int
}

type shapeNode struct {
	label    string
	hash     uint64 // hash of the subtree
	size     int    // number of nodes in the subtree
	children []*shapeNode
}

// textLabel is the label of a run of text.
const textLabel = "#"

// NewShape returns the shape of an outline, which must not be nil.
func NewShape(n *tagtree.Node) *Shape {
	b := shaper{visits: maxShapeVisits}
	root := b.buildShape(n, 0)
	for depth := maxShapeDepth; root.size > maxShapeNodes && depth > 1; depth /= 2 {
		root = root.cutAtDepth(depth / 2)
	}
	return newShape(root)
}

func newShape(root *shapeNode) *Shape {
	counts := make(map[string]int)
	root.countLabels(counts)
	s := &Shape{root: root, labels: make([]labelCount, 0, len(counts))}
	for label, n := range counts {
		s.labels = append(s.labels, labelCount{label, n})
	}
	slices.SortFunc(s.labels, func(a, b labelCount) int { return strings.Compare(a.label, b.label) })
	return s
}

func (n *shapeNode) countLabels(counts map[string]int) {
	counts[n.label]++
	for _, c := range n.children {
		c.countLabels(counts)
	}
}

type shaper struct{ visits int }

func (b *shaper) buildShape(n *tagtree.Node, depth int) *shapeNode {
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
			kept = keepSibling(kept, b.buildShape(c, depth+1))
		}
	}
	return newShapeNode(shapeLabel(n), slices.Clip(kept))
}

// keepSibling adds child c to kept, unless it matches one of them. Of two matching children the larger is
// kept.
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
		if isRepetition(k, c) {
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

// isRepetition reports whether two siblings are repetitions of one attribute.
func isRepetition(a, b *shapeNode) bool {
	if float64(abs(a.size-b.size)) > siblingDistance*float64(a.size+b.size) {
		return false
	}
	return normalizedDistance(a, b, siblingPairs) <= siblingDistance
}

// shapeLabel returns the element's name with its first class. Digits are removed because they number records.
// The classes of html and body are ignored because they differ between pages of one template.
func shapeLabel(n *tagtree.Node) string {
	label := strings.Map(labelRune, text.CutBytes(n.Name, maxShapeLabel))
	if label != "html" && label != "body" {
		if classes := strings.Fields(text.CutBytes(n.Attr("class"), maxClass)); len(classes) > 0 {
			label += "." + strings.Map(classRune, classes[0])
		}
	}
	return text.CutBytes(label, maxShapeLabel)
}

// labelRune returns -1 for runes that Shape.MarshalText uses as separators.
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
		n.hash = extendHash(n.hash, uint64(label[i]))
	}
	for _, c := range children {
		n.size += c.size
		n.hash = extendHash(n.hash, c.hash)
	}
	n.hash = extendHash(n.hash, uint64(len(children)))
	return n
}

// extendHash returns hash h extended by x (Fibonacci hashing).
func extendHash(h, x uint64) uint64 {
	h = (h ^ x) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// cutAtDepth returns a copy of the subtree down to a depth.
func (n *shapeNode) cutAtDepth(depth int) *shapeNode {
	var children []*shapeNode
	if depth > 0 {
		for _, c := range n.children {
			children = append(children, c.cutAtDepth(depth-1))
		}
	}
	return newShapeNode(n.label, children)
}

// maxShapeText is the maximum length in bytes of a shape to unmarshal.
const maxShapeText = 1 << 20

// MarshalText returns the shape as text. A node is its label followed by its children in parentheses,
// separated by spaces, as in "body(h(#) ul.dates(li(#)))".
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

var errShape = errors.New("not a shape as MarshalText writes it")

// UnmarshalText parses the format of MarshalText. It returns an error if the text is longer, or the shape
// deeper or larger, than the limits.
func (s *Shape) UnmarshalText(text []byte) error {
	if len(text) > maxShapeText {
		return fmt.Errorf("%w: it has %d bytes, at most %d are allowed", errShape, len(text), maxShapeText)
	}
	r := shapeReader{text: text, left: maxShapeNodes}
	root, err := r.readNode(0)
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
	left int // nodes that may still follow
}

func (r *shapeReader) readNode(depth int) (*shapeNode, error) {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] != '(' && r.text[r.at] != ')' && r.text[r.at] != ' ' {
		r.at++
	}
	label := string(r.text[start:r.at])
	r.left--
	if label == "" || len(label) > maxShapeLabel || r.left < 0 || depth > maxShapeDepth {
		return nil, errShape
	}
	children, err := r.readChildren(depth + 1)
	if err != nil {
		return nil, err
	}
	return newShapeNode(label, children), nil
}

// readChildren parses the children in parentheses. It returns nil if there are none.
func (r *shapeReader) readChildren(depth int) ([]*shapeNode, error) {
	if r.at == len(r.text) || r.text[r.at] != '(' {
		return nil, nil
	}
	var children []*shapeNode
	for sep := byte('('); r.at < len(r.text) && r.text[r.at] == sep; sep = ' ' {
		r.at++
		c, err := r.readNode(depth)
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
