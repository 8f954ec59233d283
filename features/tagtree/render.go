package tagtree

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// maxRendered is how many bytes of a page or slice are written; the rest is left
// out, elements are still closed.
const maxRendered = 8 << 20

// RenderOptions say how a slice or page is written.
type RenderOptions struct {
	// Fragment leaves out what stands around the content of the body. A fragment
	// is flow content: it may stand in a div, section or td.
	Fragment bool
	// Images lets img elements load pictures from where the page has them.
	// Otherwise their alt text is written.
	Images bool
	// Mark puts what the query looks for into mark elements, of a page the first
	// 100,000 matches.
	Mark bool
	// After, if not nil, is called once for each link whose content is written, in document
	// order, with its index into Tree.Links, at the first place behind the link
	// where blocks may stand: the end of its line, paragraph or table cell. What
	// it writes becomes part of the page unchecked: well-formed flow content, such
	// as a Fragment. Its error ends the writing.
	After func(w io.Writer, link int) error
}

// WriteHTML writes the slice as a valid page of its own that keeps the structure
// of the original: a table is a table, a link a link. What the page says reaches
// the reader through allow-lists of elements and attributes: no scripts, styles,
// forms, identifiers or event handlers are written, links are absolute, http or
// https, and marked nofollow, noopener and noreferrer. Parsed again, the output
// gives the tree that was written. About 8 MB are written at most. Errors are those of
// w and o.After.
func (s *Slice) WriteHTML(w io.Writer, o RenderOptions) error {
	out := bufio.NewWriter(w)
	e := newEmitter(s, out, o)
	if !o.Fragment {
		e.head()
	}
	e.nodes()
	if !o.Fragment {
		e.raw("</body></html>")
	}
	if e.err == nil {
		e.err = out.Flush()
	}
	if e.err != nil {
		return fmt.Errorf("write slice of %s: %w", s.tree.Page.URL, e.err)
	}
	return nil
}

// WriteHighlighted writes the whole page with what q looks for in mark elements
// (paper 003, figure 3), in the way of Slice.WriteHTML.
func (t *Tree) WriteHighlighted(w io.Writer, q *Query, o RenderOptions) error {
	s := &Slice{tree: t, nodes: t.sliceNodes()}
	s.find(q, false)
	s.distance = make([]int32, len(s.nodes))
	s.choose(math.MaxInt32)
	o.Mark = true
	return s.WriteHTML(w, o)
}
