package tagtree

import (
	"math"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An Element is a node of the tag tree: a tag object of papers 000/001, section
// 4.2, simple where it holds text only. Elements stand in document order. The
// paragraphs of plain text are elements too.
type Element struct {
	Node   *html.Node
	Parent int32 // -1 of the document
	End    int32 // of the elements below it
	Place  int32 // among the siblings of its name, 0 if there are none
	Hidden bool
	Blocks Range // that lie wholly or partly in it
	Links  Range
}

// A Range is a half-open range of indexes.
type Range struct{ Start, End int }

// Len returns how many indexes r has.
func (r Range) Len() int { return r.End - r.Start }

// openElement begins the element of a frame, below parent, and returns its index.
func (w *walker) openElement(f *frame, parent int32) int32 {
	i := int32(len(w.elements))
	w.elements = append(w.elements, Element{
		Node: f.node, Parent: parent, Place: int32(f.place), Hidden: f.hidden,
		Blocks: Range{Start: len(w.blocks)}, Links: Range{Start: len(w.refs)},
	})
	return i
}

func (w *walker) closeElement(i int32) {
	e := &w.elements[i]
	e.End = int32(len(w.elements))
	e.Blocks.End, e.Links.End = len(w.blocks), len(w.refs)
	if w.inRun {
		e.Blocks.End++ // an inline element's block goes on
	}
}

// Values are the metrics of papers 000/001, section 4.2, of a page or an area.
// Sizes are bytes of visible text with white space folded.
type Values struct {
	// IV is the informational value: the text, doubled once for each element
	// around it that belongs to a table or a list. It saturates at the largest
	// float64.
	IV float64
	// HV is the hub value: the number of links, as a float64 like IV.
	HV float64
	// NumLinks is L(p): links that lead to another page.
	NumLinks int
	// LinkText is Ltext, text inside links; CleanText is Ctext, all other text.
	LinkText, CleanText int
}

// LTR returns the link to text ratio Ctext / Ltext. Where no text is linked
// each byte of clean text counts whole: Ltext is taken as 1.
func (v Values) LTR() float64 { return float64(v.CleanText) / float64(max(1, v.LinkText)) }

// LAR returns the link average ratio L(p) / Ltext, the reciprocal of the mean
// length of a link's text. Where no text is linked (pictures) Ltext is taken as
// 1, so it is the number of links.
func (v Values) LAR() float64 { return float64(v.NumLinks) / float64(max(1, v.LinkText)) }

// Text returns T(p), the size of all text.
func (v Values) Text() int { return v.LinkText + v.CleanText }

// weightIV is the weight of a tag in the informational value (papers 000/001,
// section 4.2): 2 for what belongs to tables and lists, else 1.
func weightIV(a atom.Atom) float64 {
	switch a {
	case atom.Table, atom.Caption, atom.Colgroup, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th,
		atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Dir, atom.Menu:
		return 2
	}
	return 1
}

func saturate(v float64) float64 { return min(v, math.MaxFloat64) }

// values returns the values of ranges of blocks and links.
func (s sums) values(blocks, links Range, iv float64) Values {
	linked := s.linked[blocks.End] - s.linked[blocks.Start]
	return Values{
		IV: iv, HV: float64(links.Len()), NumLinks: links.Len(),
		LinkText: linked, CleanText: s.text[blocks.End] - s.text[blocks.Start] - linked,
	}
}
