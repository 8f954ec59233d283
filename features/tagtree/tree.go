// Package tagtree is the page analyzer. It parses a page once and finds its visible text, the text's blocks,
// and the links. It reads HTML only, not vector graphics (papers 000/001, sections 4 and 5).
package tagtree

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// Limits on the size of one page. What is beyond a limit is left out; the rest of the page is read as usual.
const (
	MaxBlocks  = 20_000
	maxLinks   = 20_000
	maxText    = 4 << 20 // bytes of Tree.Text
	maxTitle   = 1_000   // runes of a title
	maxSpan    = 1_000   // maximum colspan, and columns of a table
	MaxRowSpan = 65_534  // maximum rowspan (HTML, section 4.9.11)
)

// A Tree is a parsed page. It is read-only after Parse and may be shared
// between goroutines.
type Tree struct {
	// Page is the parsed page.
	Page *webgraph.Page

	root    *html.Node // nil for plain text
	title   string
	lang    string
	article bool // true if the page declares itself an article
	base    string
	docs    []document // the page and the documents in its frames; nil for plain text
	text    string
	blocks  []Block
	links   []webgraph.Link

	elements []Element
	holders  []int32        // index of the element that contains each block; nil for plain text without blocks
	spots    []linkPosition // position of each link
	inline   []int32        // byte offsets in text where inline elements begin and end

	once     sync.Once // computes analysis
	analysis *Analysis

	headingsOnce sync.Once // computes headings
	headings     []int32   // index of the nearest heading before each block, or -1
}

// Parse reads a page. It accepts any markup, however broken. It fails only if the body is not text: a
// picture, an archive, or a PDF without Text. A page with Text set, of type text/plain, or without any HTML
// element is read as plain text, line by line. A page with Entries is read as a list of links, and its Body
// is ignored.
func Parse(p *webgraph.Page) (*Tree, error) { return parseWith(p, nil) }

func parseWith(p *webgraph.Page, frame FrameFunc) (*Tree, error) {
	t := &Tree{Page: p, base: p.URL}
	if p.Entries != nil {
		t.readEntries()
		return t, nil
	}
	s, plain, err := htmltree.ContentText(p)
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
	w := walkPage(t.root, t.Page.URL, false, frame)
	if len(w.blocks) == 0 && len(w.docs) == 1 {
		root := htmltree.ParseForgiving(s)
		if again := walkPage(root, t.Page.URL, true, nil); len(again.blocks) > 0 {
			t.root, w = root, again
		}
	}
	t.copyResultsOf(w)
}

// copyResultsOf copies the results of w to the tree, and releases w.
func (t *Tree) copyResultsOf(w *walker) {
	t.title, t.article = w.title, w.article
	t.lang = cmp.Or(w.lang, htmltree.ValidLanguage(t.Page.Header.Get("Content-Language")))
	t.text, t.blocks = w.Result()
	w.markLinked()
	t.blocks = compactCopy(t.blocks)
	paths := string(w.paths)
	for i, p := range w.ofBlocks {
		t.blocks[i].Path = p.textOf(paths)
	}
	t.elements, t.holders, t.inline = compactCopy(w.elements), compactCopy(w.holders), compactCopy(w.inline)
	t.docs, t.base = compactCopy(w.docs), w.docs[0].base
	t.links = w.resolveLinks(t, paths)
	w.release()
}

// Root returns the document node, or nil for plain text. Callers must not change it.
func (t *Tree) Root() *html.Node { return t.root }

// Base returns the URL that addresses on the page are relative to: the href of its base element, otherwise
// its own URL.
func (t *Tree) Base() string { return t.base }

// Elements returns the elements of the page in document order. The document itself is first. Callers must not
// change them.
func (t *Tree) Elements() []Element { return t.elements }

// Title returns the text of the title element with white space folded. Without one, it returns the subject of
// a mail, or "".
func (t *Tree) Title() string { return t.title }

// Lang returns the language that the page declares ("en", "pt-BR"), or "".
func (t *Tree) Lang() string { return t.lang }

// Text returns the visible text: the texts of the blocks, separated by newlines.
func (t *Tree) Text() string { return t.text }

// Blocks returns the blocks of visible text, in document order.
func (t *Tree) Blocks() []Block { return t.blocks }

// InlineEdges returns the byte offsets between start and end of Text where inline elements, such as links and
// spans, begin or end. In preformatted and plain text, the edges of columns are included. Offsets are in
// order. Callers must not change them.
func (t *Tree) InlineEdges(start, end int) []int32 {
	from, _ := slices.BinarySearch(t.inline, int32(start)+1)
	to, _ := slices.BinarySearch(t.inline, int32(end))
	return t.inline[from:max(from, to)]
}

// Links returns the page's http and https links in document order, without those that lead to the page
// itself.
func (t *Tree) Links() []webgraph.Link { return t.links }

// ElementPath returns the path of an element, in the form of Block.Path.
func (t *Tree) ElementPath(element int) string {
	var chain []int32
	for i := int32(element); i > 0 || i == 0 && t.elements[0].Node.Type != html.DocumentNode; i = t.elements[i].Parent {
		chain = append(chain, i)
	}
	var path, step []byte
	for _, i := range slices.Backward(chain) {
		e := &t.elements[i]
		step = htmltree.AppendStep(step[:0], e.Node.Data, int(e.Place))
		if len(path) > 0 {
			if len(path)+1+len(step) > htmltree.MaxPath {
				continue
			}
			path = append(path, '/')
		}
		path = append(path, step...)
	}
	return string(path)
}

// FrameBase returns the URL that addresses in the document of a frame are relative to. If the frame's
// document was not read, it returns the page's base.
func (t *Tree) FrameBase(frame *html.Node) string {
	for _, d := range t.docs[min(1, len(t.docs)):] {
		if d.frame == frame {
			return d.base
		}
	}
	return t.base
}

// Outline returns the tree of the page's elements and texts, with the html element as root. It returns nil
// for plain text. Comments and what readers never see as text, such as scripts, are left out; the head has
// its title, meta and link elements. Documents of frames are part of the tree if they were read. Each call
// builds a new tree.
func (t *Tree) Outline() *Node {
	if t.root == nil {
		return nil
	}
	for c := t.root.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return buildNode(c, nil, 0, false)
		}
	}
	return nil
}

// A Kind is the kind of element that contains a block. The innermost element of a kind below decides, so a p
// inside an li is an Item and a list inside a td has Items.
type Kind uint8

const (
	Paragraph  Kind = iota // any text outside the elements below
	Heading                // h1 to h6
	Item                   // li
	Term                   // dt
	Definition             // dd
	Cell                   // td
	HeadCell               // th
	Line                   // a line of pre or of plain text
)

// KindOf returns the kind of the blocks in an element with this tag, and the level of a heading. ok is false
// if the tag does not decide the kind; k is then Paragraph.
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

// A Block is a run of visible text that a reader sees as one piece. It is a paragraph, a heading, a
// list item, a table cell, or a line between two <br>.
type Block struct {
	Kind Kind
	// Level is the level of a heading, 1 to 6, otherwise 0.
	Level int
	// Text has white space folded and is never empty.
	Text string
	// Start is the offset of Text in Tree.Text, in bytes.
	Start int
	// Path is the tag path of the element that contains the block, such as html/body/div[2]/p. Siblings with
	// the same name are numbered from 1; an only one has no number. Steps that would make the path too long
	// are left out. In plain text it is the paragraph, such as text/p[3].
	Path string
	// Table, Row and Col are the position of the table cell around the block. Tables are numbered from 1 in
	// document order, rows and columns from 0, with colspan and rowspan counted. Table is 0 outside tables.
	Table, Row, Col int
	// Struck are the parts of Text that are struck out (s, del, strike or line-through).
	Struck []Span
	// Linked is the number of bytes of Text that are link text.
	Linked int
}

// A Span is a half-open range of byte offsets.
type Span struct{ Start, End int }

// readEntries reads a sitemap or a feed as a list of links. Each item is a link with the entry's title as
// text, followed by the summary. The result is like that of an HTML page, with the same limits.
func (t *Tree) readEntries() {
	t.root = &html.Node{Type: html.DocumentNode}
	body := appendChild(appendChild(t.root, atom.Html), atom.Body)
	list := appendChild(body, atom.Ul)
	for _, e := range t.Page.Entries[:min(len(t.Page.Entries), maxLinks)] {
		item := appendChild(list, atom.Li)
		link := appendChild(item, atom.A)
		link.Attr = []html.Attribute{{Key: "href", Val: e.URL}}
		link.AppendChild(&html.Node{Type: html.TextNode, Data: text.CutRunes(e.Title, webgraph.MaxAnchor)})
		if e.Summary != "" {
			item.AppendChild(&html.Node{Type: html.TextNode, Data: " " + text.CutRunes(e.Summary, webgraph.MaxContext)})
		}
	}
	t.copyResultsOf(walkPage(t.root, t.Page.URL, false, nil))
}

// appendChild appends a new element to n and returns it.
func appendChild(n *html.Node, name atom.Atom) *html.Node {
	c := &html.Node{Type: html.ElementNode, DataAtom: name, Data: name.String()}
	n.AppendChild(c)
	return c
}

// readPlain reads plain text. Each line is a block, and the lines of a paragraph share a path. The subject of
// a mail becomes a heading.
func (t *Tree) readPlain(s string) {
	s = strings.ToValidUTF8(s, "\ufffd")
	t.title = mailSubject(s)
	t.lang = htmltree.ValidLanguage(t.Page.Header.Get("Content-Language"))
	var w TextWriter
	t.elements = []Element{{Node: &html.Node{Type: html.ElementNode, Data: "text"}, Parent: -1}}
	paragraph, blank := 0, true
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n\n").Replace(s)
	header := htmltree.MailHeaderEnd(text.CutBytes(s, htmltree.MarkupWindow)) // bytes of the mail header still to be read
	for line := range strings.SplitSeq(s, "\n") {
		kind, level := Line, 0
		if header > 0 && len(line) > 8 && strings.EqualFold(line[:8], "subject:") && strings.TrimSpace(line[8:]) != "" {
			kind, level = Heading, 1
		}
		header -= len(line) + 1
		w.addColumns(line, false, nil, func() {
			if n := len(t.inline); w.inRun && (n == 0 || int(t.inline[n-1]) != len(w.out)) {
				t.inline = append(t.inline, int32(len(w.out)))
			}
		})
		if !w.inRun {
			blank = true
			continue
		}
		if blank {
			paragraph++
			blank = false
			t.openParagraph(paragraph, len(w.blocks))
		}
		t.holders = append(t.holders, int32(paragraph))
		w.Flush(Block{Kind: kind, Level: level, Path: "text/p[" + strconv.Itoa(paragraph) + "]"})
		if w.full {
			break
		}
	}
	t.text, t.blocks = w.Result()
	t.readPlainLinks()
	t.closeParagraphs()
}

// openParagraph begins the element of paragraph n, which has index n. block is the paragraph's first block.
func (t *Tree) openParagraph(n, block int) {
	p := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
	t.elements = append(t.elements, Element{Node: p, Place: int32(n), End: int32(n + 1), Blocks: Range{Start: block}})
}

// closeParagraphs sets the ends of the paragraphs and of the root element.
func (t *Tree) closeParagraphs() {
	next, link := len(t.blocks), len(t.links)
	for i := len(t.elements) - 1; i >= 0; i-- {
		e := &t.elements[i]
		e.Blocks.End, e.Links.End = next, link
		for link > 0 && int(t.spots[link-1].block) >= e.Blocks.Start {
			link--
		}
		next, e.Links.Start = e.Blocks.Start, link
	}
	root := &t.elements[0]
	root.End, root.Blocks, root.Links = int32(len(t.elements)), Range{0, len(t.blocks)}, Range{0, len(t.links)}
}

var plainURL = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"{}|\\^` + "`" + `]+`)

// readPlainLinks finds the web addresses in plain text.
func (t *Tree) readPlainLinks() {
	source := t.Page.URL
	resolver := webgraph.NewResolver(source)
	self, err := webgraph.Canonical(source)
	if err != nil {
		self = source
	}
	for i, b := range t.blocks {
		if !strings.Contains(b.Text, "://") && !strings.Contains(b.Text, "www.") && !strings.Contains(b.Text, "WWW.") {
			continue
		}
		for _, m := range plainURL.FindAllStringIndex(b.Text, maxLinks-len(t.links)) {
			written := trimURL(b.Text[m[0]:m[1]])
			address := written
			if !strings.Contains(address, "://") {
				address = "http://" + address
			}
			target, err := resolver.Resolve(address)
			if err != nil || webgraph.IsMailAddress(target) || target == self {
				continue
			}
			t.spots = append(t.spots, linkPosition{element: t.holders[i], block: int32(i), start: int32(b.Start + m[0]), end: int32(b.Start + m[0] + len(written))})
			t.links = append(t.links, webgraph.Link{
				Source: source, Target: target, Path: b.Path,
				Anchor:  cutAnchor(written),
				Context: textAround(b.Text, m[0], m[0]+len(written), webgraph.MaxContext),
			})
		}
		if len(t.links) >= maxLinks {
			break
		}
	}
}

// trimURL removes punctuation of the sentence from the end of an address. A closing bracket is kept if its
// opening bracket is part of the address.
func trimURL(s string) string {
	round := strings.Count(s, ")") - strings.Count(s, "(") // number of closing brackets without an opening one
	square := strings.Count(s, "]") - strings.Count(s, "[")
	for s != "" {
		last := s[len(s)-1]
		switch {
		case strings.IndexByte(".,;:!?'*_", last) >= 0:
		case last == ')' && round > 0:
			round--
		case last == ']' && square > 0:
			square--
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// mailSubject returns the decoded Subject of the mail header at the start of s, or "".
func mailSubject(s string) string {
	var value string
	var inside bool
	for line := range strings.SplitSeq(s[:htmltree.MailHeaderEnd(text.CutBytes(s, htmltree.MarkupWindow))], "\n") {
		if inside = inside && line != "" && (line[0] == ' ' || line[0] == '\t'); inside {
			value += " " + line
		} else if value == "" && len(line) > 8 && strings.EqualFold(line[:8], "subject:") {
			value, inside = line[8:], true
		}
	}
	words := mime.WordDecoder{CharsetReader: func(name string, in io.Reader) (io.Reader, error) {
		return charset.NewReaderLabel(name, in)
	}}
	if decoded, err := words.DecodeHeader(strings.TrimSpace(value)); err == nil {
		value = decoded
	}
	return text.CutRunes(FoldSpace(strings.ToValidUTF8(value, "\ufffd")), maxTitle)
}
