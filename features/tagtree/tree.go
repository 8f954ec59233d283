// Package tagtree is the page analyzer: it parses a page once and answers what
// its visible text is, in which blocks it stands, and where its links lead.
// HTML only, no vectors (papers 000/001, sections 4 and 5).
package tagtree

import (
	"fmt"
	"sync"

	"eventseer/features/htmltree"
	"eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on what one page may cost. What lies beyond a limit is left out; the
// rest of the page is read as usual.
const (
	MaxBlocks  = 20_000
	maxLinks   = 20_000
	maxText    = 4 << 20 // bytes of Tree.Text
	maxTitle   = 1_000   // runes of a title
	maxSpan    = 1_000   // colspan, and columns of a table
	MaxRowSpan = 65_534  // rowspan (HTML, section 4.9.11)
)

// A Tree is a parsed page. It is read-only after Parse and may be shared
// between goroutines.
type Tree struct {
	// Page is what was parsed.
	Page *webgraph.Page

	root    *html.Node // nil for plain text
	title   string
	lang    string
	article bool // it says of itself that it is one
	base    string
	docs    []document // the page and what its frames show; nil of plain text
	text    string
	blocks  []Block
	links   []webgraph.Link

	elements []Element
	holders  []int32 // the element that holds each block; nil for plain text
	spots    []spot  // of each link

	once     sync.Once // guards analysis
	analysis *Analysis

	headingsOnce sync.Once // guards headings
	headings     []int32   // of each block the nearest heading before, or -1
}

// Parse reads a page. It accepts any markup, however broken; it fails only on a
// body that is no text: a picture, an archive, a PDF whose Text is not set. A
// page with Text set, of type text/plain, or without any HTML element is read
// as plain text, line by line. A page with Entries is read as the list of links
// they are, whatever its Body.
func Parse(p *webgraph.Page) (*Tree, error) { return parseWith(p, nil) }

func parseWith(p *webgraph.Page, frame FrameFunc) (*Tree, error) {
	t := &Tree{Page: p, base: p.URL}
	if p.Entries != nil {
		t.readEntries()
		return t, nil
	}
	s, plain, err := htmltree.Content(p)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.URL, err)
	}
	if plain {
		t.readPlain(s)
	} else {
		t.readHTML(s, frame)
	}
	return t, nil
}

func (t *Tree) readHTML(s string, frame FrameFunc) {
	t.root = htmltree.Parse(s)
	w := walk(t.root, t.Page.URL, false, frame)
	if len(w.blocks) == 0 && len(w.docs) == 1 {
		root := htmltree.ParseRevealed(s)
		if again := walk(root, t.Page.URL, true, nil); len(again.blocks) > 0 {
			t.root, w = root, again
		}
	}
	t.take(w)
}

// take makes what w found the tree's.
func (t *Tree) take(w *walker) {
	t.title, t.lang, t.article = w.title, w.lang, w.article
	if t.lang == "" {
		t.lang = htmltree.Language(t.Page.Header.Get("Content-Language"))
	}
	t.text, t.blocks = w.Result()
	w.markLinked()
	t.elements, t.holders = w.elements, w.holders
	t.docs, t.base = w.docs, w.docs[0].base
	t.links = w.links(t)
}

// Root returns the document node, or nil for plain text. Callers must not
// change it.
func (t *Tree) Root() *html.Node { return t.root }

// Base returns what the addresses on the page are relative to: the href of its base
// element, else its own URL.
func (t *Tree) Base() string { return t.base }

// Elements returns the elements of the page in document order, the document itself
// first. Callers must not change them.
func (t *Tree) Elements() []Element { return t.elements }

// Title returns the text of the title element with white space folded, else
// the subject of a mail, else "".
func (t *Tree) Title() string { return t.title }

// Lang returns the language the page itself declares ("en", "pt-BR"), or "".
func (t *Tree) Lang() string { return t.lang }

// Text returns the visible text: the blocks' texts joined by newlines.
func (t *Tree) Text() string { return t.text }

// Blocks returns the visible text block by block, in document order.
func (t *Tree) Blocks() []Block { return t.blocks }

// Links returns the page's http and https links in document order, without
// those that lead to the page itself.
func (t *Tree) Links() []webgraph.Link { return t.links }

// A Kind says what sort of element holds a block: the nearest one of those
// below, so a p inside an li is an Item and a list inside a td holds Items.
type Kind uint8

// The kinds of blocks.
const (
	Paragraph  Kind = iota // any text that none of the others holds
	Heading                // h1 to h6
	Item                   // li
	Term                   // dt
	Definition             // dd
	Cell                   // td
	HeadCell               // th
	Line                   // a line of pre or of plain text
)

// KindOf returns the kind an element gives to the blocks it holds.
func KindOf(a atom.Atom) (k Kind, level int, ok bool) {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return Heading, int(a.String()[1] - '0'), true
	case atom.Li:
		return Item, 0, true
	case atom.Dt:
		return Term, 0, true
	case atom.Dd:
		return Definition, 0, true
	case atom.Td:
		return Cell, 0, true
	case atom.Th:
		return HeadCell, 0, true
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		return Line, 0, true
	}
	return Paragraph, 0, false
}

// A Block is a run of visible text that a reader sees as one piece: a
// paragraph, a heading, a list item, a table cell, a line between two <br>.
type Block struct {
	Kind Kind
	// Level is 1 to 6 for headings, else 0.
	Level int
	// Text has white space folded and is never empty.
	Text string
	// Start is the offset of Text in Tree.Text, in bytes.
	Start int
	// Path is the tag path of the element that holds the block, such as
	// html/body/div[2]/p; siblings of one name are counted from 1, and [1] is
	// left out where there is no second. Steps that would make
	// a path too long are left out. In plain text it is the paragraph, such as
	// text/p[3].
	Path string
	// Table, Row and Col place cells: tables are numbered from 1 in document
	// order, rows and columns from 0 (colspan and rowspan counted). Every block
	// within a cell has its cell's place; Table is 0 outside.
	Table, Row, Col int
	// Struck are the parts of Text that are struck out (s, del, strike or
	// line-through), as byte offsets into Text.
	Struck []Span
	// Linked is how many bytes of Text are the text of links.
	Linked int
}

// A Span is a half-open range of byte offsets.
type Span struct{ Start, End int }
