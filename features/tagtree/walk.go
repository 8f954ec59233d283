package tagtree

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A walker visits a tree once, in document order, without recursion.
type walker struct {
	TextWriter
	frames   []frame
	elements []Element
	holders  []int32 // of each block
	inline   []int32 // where elements within blocks begin and end, in out
	paths    []byte  // the paths of blocks and refs, in which theirs are spans
	ofBlocks []span  // the path of each block
	tables   int
	refs     []ref
	title    string
	titled   bool
	lang     string
	article  bool
	show     bool // noscript counts as text
	// struckNames are classes that the page's style sheets strike out, lower case.
	struckNames []string

	docs              []document // the page, then what its frames show
	fetch             FrameFunc  // nil if frames are not read
	asked, frameBytes int        // frames and their bytes so far
	frameNodes        int
}

// maxPaths bounds the bytes of all paths, beyond which elements have their parents'.
const maxPaths = 64 << 20

// A span is a half-open range of bytes.
type span struct{ start, end int32 }

// of returns the part of s.
func (p span) of(s string) string { return s[p.start:p.end] }

// A frame is an element the walker is in, with what its content inherits.
type frame struct {
	node     *html.Node
	place    int  // among siblings of its name, 0 if there are none
	path     span // of walker.paths, once hasPath is set
	hasPath  bool
	children htmltree.Siblings
	holder   int // index of the frame whose element holds the text
	kind     Kind
	level    int
	hidden   bool
	struck   bool
	pre      bool
	grid     *grid // of the table around
	table    int   // of the cell around, with its place
	row, col int
	ref      int // index into refs of the link this element is, or -1
	element  int32
	doc      int32 // the document its content belongs to
}

// walk reads the tree of the page at url. With show it also reads the content of noscript; with
// fetch it adds what frames show.
func walk(root *html.Node, url string, show bool, fetch FrameFunc) *walker {
	w := walkers.Get().(*walker)
	w.show, w.fetch = show, fetch
	w.docs = append(w.docs, newDocument(url, -1, 0))
	document := frame{node: root, ref: -1}
	document.element = w.openElement(&document, -1)
	w.push(document)
	for n := root.FirstChild; n != nil; {
		if w.enter(n) && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		w.leave(n)
		for n.NextSibling == nil {
			if n = n.Parent; n == root {
				w.leave(root)
				return w
			}
			w.leave(n)
		}
		n = n.NextSibling
	}
	return w
}

// walkers are those that may be used again: what they collect is copied into the tree.
var walkers = sync.Pool{New: func() any { return &walker{} }}

// Limits on what a walker holds that is used again.
const (
	maxReusedText     = 1 << 20
	maxReusedElements = 50_000
)

// release gives w's memory to later walks. Nothing of w may be used any more.
func (w *walker) release() {
	if cap(w.out) > maxReusedText || cap(w.paths) > maxReusedText || cap(w.elements) > maxReusedElements {
		return
	}
	frames := w.frames[:cap(w.frames)]
	for i := range frames {
		f := &frames[i]
		f.children.Reset()
		*f = frame{children: f.children}
	}
	clear(w.elements)
	clear(w.refs)
	clear(w.blocks)
	clear(w.docs)
	*w = walker{
		TextWriter: TextWriter{out: w.out[:0], blocks: w.blocks[:0], runs: w.runs[:0]},
		frames:     frames[:0], elements: w.elements[:0], holders: w.holders[:0], inline: w.inline[:0],
		paths: w.paths[:0], ofBlocks: w.ofBlocks[:0], refs: w.refs[:0], docs: w.docs[:0],
	}
	walkers.Put(w)
}

// exact returns a copy of a slice without spare capacity, nil for an empty one.
func exact[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	out := make([]T, len(s))
	copy(out, s)
	return out
}

func (w *walker) top() *frame { return &w.frames[len(w.frames)-1] }

// push adds a frame, reusing the storage of one that was left.
func (w *walker) push(f frame) {
	if len(w.frames) < cap(w.frames) {
		f.children = w.frames[:len(w.frames)+1][len(w.frames)].children
	}
	f.children.Count(f.node)
	w.frames = append(w.frames, f)
}

// enter begins a node and reports whether to go into it.
func (w *walker) enter(n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return false
	case html.ElementNode:
	default:
		return false
	}
	up := w.top()
	f := frame{
		node: n, place: up.children.NextPlace(n.Data), holder: up.holder, kind: up.kind, level: up.level,
		hidden: up.hidden, struck: up.struck, pre: up.pre, grid: up.grid, table: up.table, row: up.row, col: up.col, ref: -1,
		doc: up.doc,
	}
	w.note(n, up.doc)
	if htmltree.IsUnread(n) && n.DataAtom != atom.Iframe {
		return false
	}
	w.style(&f)
	shown := w.openFrame(&f)
	block := htmltree.IsBlock(n.DataAtom) || shown
	if n.DataAtom == atom.Br || block {
		w.breakRun()
	}
	if block {
		f.holder = len(w.frames)
		w.shape(&f)
	} else {
		w.markInline()
	}
	f.element = w.openElement(&f, up.element)
	w.push(f)
	if block {
		w.printedDate(n)
	}
	if shown {
		return true
	}
	w.openLink(n)
	return n.DataAtom != atom.Iframe
}

// printedDate adds the date in an element's data-date attribute, if it has a word, as "28 May
// 2027". The style sheets of timelines show it ("content: attr(data-date)"). Those without are for
// scripts.
func (w *walker) printedDate(n *html.Node) {
	v := htmltree.Attr(n, "data-date")
	if v == "" || len(v) > maxPrintedDate || !strings.ContainsAny(v, "0123456789") || !strings.ContainsFunc(v, unicode.IsLetter) || strings.Contains(v, ":") {
		return
	}
	w.text(v)
	w.breakRun()
}

// maxPrintedDate bounds a date in an attribute, in bytes.
const maxPrintedDate = 40

// leave ends a node if it is the one on top.
func (w *walker) leave(n *html.Node) {
	f := w.top()
	if f.node != n {
		return
	}
	if f.holder == len(w.frames)-1 {
		w.breakRun()
	} else {
		w.markInline()
	}
	if f.ref >= 0 {
		w.closeLink(f.ref)
	}
	w.closeElement(f.element)
	w.frames = w.frames[:len(w.frames)-1]
}

// markInline records that an element within a block begins or ends here.
func (w *walker) markInline() {
	at := int32(len(w.out))
	if n := len(w.inline); w.inRun && (n == 0 || w.inline[n-1] != at) {
		w.inline = append(w.inline, at)
	}
}

// style sets what the element's own style and sort hide, strike or keep.
func (w *walker) style(f *frame) {
	hidden, struck := htmltree.StyleOf(f.node)
	f.hidden = f.hidden || hidden
	f.struck = f.struck || struck || w.struckByClass(f.node)
	switch f.node.DataAtom {
	case atom.Head:
		f.hidden = true
	case atom.Html, atom.Body:
		f.hidden = false // a script will show what is hidden as a whole
	case atom.Noscript:
		f.hidden = f.hidden || !w.show
	}
}

// shape sets what a block-level element makes of the text within.
func (w *walker) shape(f *frame) {
	if k, level, ok := KindOf(f.node.DataAtom); ok {
		f.kind, f.level = k, level
		f.pre = k == Line || f.pre
	}
	switch f.node.DataAtom {
	case atom.Table:
		w.tables++
		f.grid = &grid{table: w.tables, row: -1}
	case atom.Tr:
		if f.grid != nil && !f.hidden {
			f.grid.nextRow()
		}
	case atom.Td, atom.Th:
		if f.grid != nil && !f.hidden {
			f.table = f.grid.table
			f.row, f.col = f.grid.placeCell(f.node)
		}
	}
}

// note keeps what an element says about its document as a whole; the page's
// title and language are not those of its frames.
func (w *walker) note(n *html.Node, doc int32) {
	if n.DataAtom == atom.Base {
		w.docs[doc].setBase(htmltree.Attr(n, "href"))
	}
	if doc != 0 {
		return
	}
	w.article = declares(n, w.article)
	switch n.DataAtom {
	case atom.Style:
		w.readSheet(n)
	case atom.Title:
		if !w.titled && n.Namespace == "" && n.FirstChild != nil {
			w.titled = true
			w.title = text.CutRunes(Fold(n.FirstChild.Data), maxTitle)
		}
	case atom.Html:
		w.lang = htmltree.Language(htmltree.Attr(n, "lang"))
	case atom.Link:
		if strings.EqualFold(htmltree.Attr(n, "rel"), "canonical") {
			w.docs[0].setAddress(htmltree.Attr(n, "href"))
		}
	case atom.Meta:
		if htmltree.Attr(n, "property") == "og:url" {
			w.docs[0].setAddress(htmltree.Attr(n, "content"))
		}
		if w.lang == "" && strings.EqualFold(htmltree.Attr(n, "http-equiv"), "content-language") {
			w.lang = htmltree.Language(htmltree.Attr(n, "content"))
		}
	}
}

// text adds the content of a text node to the run.
func (w *walker) text(s string) {
	f := w.top()
	switch {
	case f.hidden || w.full:
	case f.pre:
		w.addColumns(s, f.struck, w.breakRun, w.markInline)
	default:
		w.Add(s, f.struck, nil)
	}
}

// breakRun ends the run of text; its block belongs to the innermost
// block-level element.
func (w *walker) breakRun() {
	if !w.inRun {
		w.Flush(Block{})
		return
	}
	f := w.top()
	w.holders = append(w.holders, w.frames[f.holder].element)
	w.ofBlocks = append(w.ofBlocks, w.path(f.holder))
	w.Flush(Block{
		Kind: f.kind, Level: f.level,
		Table: f.table, Row: f.row, Col: f.col,
	})
}

// path returns the path of the i-th open element, made from its parent's,
// without a step that would make it longer than maxPath.
func (w *walker) path(i int) span {
	f := &w.frames[i]
	if f.hasPath || i == 0 {
		return f.path
	}
	f.hasPath = true
	up := w.path(i - 1)
	start := len(w.paths)
	w.paths = append(w.paths, w.paths[up.start:up.end]...)
	if up.start < up.end {
		w.paths = append(w.paths, '/')
	}
	step := len(w.paths)
	w.paths = htmltree.AppendStep(w.paths, f.node.Data, f.place)
	if int(up.end-up.start)+1+len(w.paths)-step > htmltree.MaxPath || len(w.paths) > maxPaths {
		w.paths, f.path = w.paths[:start], up
	} else {
		f.path = span{int32(start), int32(len(w.paths))}
	}
	return f.path
}

// Fold returns s with white space folded and invisible runes left out.
func Fold(s string) string {
	var w TextWriter
	w.Add(s, false, nil)
	return string(w.out)
}

// A grid places the cells of one table.
type grid struct {
	table    int // number of the table, from 1
	row, col int // of the next cell; row is -1 before the first
	// until holds, for each column, the last row that a cell from above covers.
	until []int
}

func (g *grid) nextRow() { g.row, g.col = g.row+1, 0 }

// placeCell returns the place of a cell and moves on by its colspan.
func (g *grid) placeCell(cell *html.Node) (row, col int) {
	g.row = max(g.row, 0)
	for g.col < len(g.until) && g.until[g.col] >= g.row {
		g.col++
	}
	row, col = g.row, g.col
	width := spanOf(cell, "colspan", maxSpan)
	height := spanOf(cell, "rowspan", MaxRowSpan)
	g.col = min(g.col+width, maxSpan)
	if height > 1 {
		for len(g.until) < g.col {
			g.until = append(g.until, -1)
		}
		for i := col; i < g.col; i++ {
			g.until[i] = row + height - 1
		}
	}
	return row, col
}

// spanOf reads colspan or rowspan; anything that is not a number above 1 is 1.
func spanOf(n *html.Node, key string, most int) int {
	v, err := strconv.Atoi(strings.TrimSpace(htmltree.Attr(n, key)))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, most)
}

// A TextWriter collects the text of a page run by run; each run that holds text
// becomes a block.
type TextWriter struct {
	out    []byte
	start  int  // where the current run begins in out
	inRun  bool // the run holds text
	space  bool // white space waits for the next word
	full   bool // a limit is reached, the rest is left out
	run    int  // number of the current run, counted also where it is empty
	struck []Span
	blocks []Block
	runs   []int // the run of each block
}

// Add appends text with white space folded. newline is called at line ends if
// it is not nil.
func (w *TextWriter) Add(s string, struck bool, newline func()) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n' && newline != nil:
			newline()
			i++
		case c <= ' ' || c == 0x7F:
			w.space = true
			i++
		case c < utf8.RuneSelf:
			end := i + 1
			for end < len(s) && s[end] > ' ' && s[end] < 0x7F {
				end++
			}
			w.put(s[i:end], struck)
			i = end
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case unicode.IsSpace(r):
				w.space = true
			case !IsInvisible(r):
				w.put(s[i:i+n], struck)
			}
			i += n
		}
	}
}

// addColumns adds text like Add. It calls gap after each tab and each run of leastGap blanks, which
// part columns.
func (w *TextWriter) addColumns(s string, struck bool, newline, gap func()) {
	from, blanks := 0, 0
	for i := range len(s) {
		switch s[i] {
		case ' ':
			blanks++
		case '\t':
			blanks = leastGap
		default:
			blanks = 0
		}
		if blanks == leastGap {
			w.Add(s[from:i+1], struck, newline)
			gap()
			from = i + 1
		}
	}
	w.Add(s[from:], struck, newline)
}

// leastGap is how many blanks part columns.
const leastGap = 3

// IsInvisible reports whether a rune leaves no mark: zero-width spaces, soft
// hyphens, byte order marks, directional marks.
func IsInvisible(r rune) bool {
	switch r {
	case 0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF:
		return true
	}
	return r < 0xA0 // C1 controls
}

// put appends a piece without white space.
func (w *TextWriter) put(s string, struck bool) {
	if w.full {
		return
	}
	if len(w.out)+len(s)+2 > maxText {
		s = text.Cut(s, max(0, maxText-len(w.out)-2))
		w.full = true
		if s == "" {
			return
		}
	}
	switch {
	case !w.inRun && len(w.out) > 0:
		w.out = append(w.out, '\n')
		w.start = len(w.out)
	case w.inRun && w.space:
		w.out = append(w.out, ' ')
	}
	w.inRun, w.space = true, false
	from := len(w.out)
	w.out = append(w.out, s...)
	if struck {
		w.strike(from-w.start, len(w.out)-w.start)
	}
}

// strike records struck text, joined to a span that ends just before it.
func (w *TextWriter) strike(start, end int) {
	if n := len(w.struck); n > 0 && start-w.struck[n-1].End <= 1 {
		if start == w.struck[n-1].End || w.out[w.start+start-1] == ' ' {
			w.struck[n-1].End = end
			return
		}
	}
	w.struck = append(w.struck, Span{start, end})
}

// Flush ends the run; b says what its block is, should it hold text.
func (w *TextWriter) Flush(b Block) {
	w.run++
	w.space = false
	if !w.inRun {
		return
	}
	b.Start, b.Struck = w.start, w.struck
	w.blocks = append(w.blocks, b)
	w.runs = append(w.runs, w.run-1)
	w.inRun, w.struck = false, nil
	w.full = w.full || len(w.blocks) >= MaxBlocks
}

// Result returns the text and its blocks.
func (w *TextWriter) Result() (string, []Block) {
	text := string(w.out)
	for i := range w.blocks {
		end := len(text)
		if i+1 < len(w.blocks) {
			end = w.blocks[i+1].Start - 1
		}
		w.blocks[i].Text = text[w.blocks[i].Start:end]
	}
	return text, w.blocks
}
