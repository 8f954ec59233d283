package tagtree

import (
	"errors"
	"fmt"
)

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
