// Package sanitize writes slices and pages as HTML that is safe to show: elements and
// attributes pass through allow-lists.
package sanitize

import (
	"bufio"
	"fmt"
	"io"

	"eventseer/features/tagtree"
	"eventseer/features/tagtree/slice"
)

// maxRendered is how many bytes of a page or slice are written; the rest is left
// out, elements are still closed.
const maxRendered = 8 << 20

// Options say how a slice or page is written.
type Options struct {
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

// Write writes a slice as a valid page of its own that keeps the structure
// of the original: a table is a table, a link a link. What the page says reaches
// the reader through allow-lists of elements and attributes: no scripts, styles,
// forms, identifiers or event handlers are written, links are absolute, http or
// https, and marked nofollow, noopener and noreferrer. Parsed again, the output
// gives the tree that was written. About 8 MB are written at most. Errors are those of
// w and o.After.
func Write(w io.Writer, s *slice.Slice, o Options) error {
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
		return fmt.Errorf("write slice of %s: %w", s.View().Tree.Page.URL, e.err)
	}
	return nil
}

// WriteHighlighted writes the whole page with what q looks for in mark elements
// (paper 003, figure 3), in the way of Write.
func WriteHighlighted(w io.Writer, t *tagtree.Tree, q *slice.Query, o Options) error {
	o.Mark = true
	return Write(w, slice.All(t, q), o)
}
