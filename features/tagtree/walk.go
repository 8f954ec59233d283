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

// A walker visits the nodes of a page once, in document order, without recursion. It collects the page's
// blocks, elements and links.
type walker struct {
	TextWriter
	frames       []openFrame
	elements     []Element
	holders      []int32 // index of the element that contains each block
	inline       []int32 // offsets in out where inline elements begin and end
	paths        []byte  // the paths of blocks and refs, which refer to parts of it
	ofBlocks     []span  // path of each block
	tables       int
	refs         []foundLink
	title        string
	titled       bool
	lang         string
	article      bool
	showNoscript bool // true if the content of noscript is read
	// struckNames are the classes that style sheets in the page strike out, in lower case.
	struckNames []string

	docs                        []document // the page, then the documents in its frames
	fetch                       FrameFunc  // nil if frames are not read
	framesRequested, frameBytes int        // number of frames requested, and bytes of frame documents
	frameNodes                  int
}

// maxPaths limits the bytes of all paths. Beyond it, elements get their parents' paths.
const maxPaths = 64 << 20

// A span is a half-open range of bytes.
type span struct{ start, end int32 }

// textOf returns the part of s that p denotes.
func (p span) textOf(s string) string { return s[p.start:p.end] }

// An openFrame is an open element on the walker's stack, with the properties that its content inherits.
type openFrame struct {
	node     *html.Node
	place    int  // position among siblings with the same name, 0 for an only one
	path     span // range in walker.paths, valid if hasPath is set
	hasPath  bool
	children htmltree.Siblings
	holder   int // index of the frame whose element contains the text
	kind     Kind
	level    int
	hidden   bool
	struck   bool
	pre      bool
	grid     *grid // the surrounding table, or nil
	table    int   // number of the table around, 0 outside cells; row and col are the cell's position
	row, col int
	ref      int // index in refs of the link that this element is, or -1
	element  int32
	doc      int32 // index of the document that contains the element's content
}

// walkPage reads the page at url. show includes the content of noscript. If fetch is not nil, the documents of
// frames are included. The caller must release the walker.
func walkPage(root *html.Node, url string, show bool, fetch FrameFunc) *walker {
	w := walkers.Get().(*walker)
	w.showNoscript, w.fetch = show, fetch
	w.docs = append(w.docs, newDocument(url, -1, 0))
	document := openFrame{node: root, ref: -1}
	document.element = w.openElement(&document, -1)
	w.pushFrame(document)
	for n := root.FirstChild; n != nil; {
		if w.enterNode(n) && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		w.leaveNode(n)
		for n.NextSibling == nil {
			if n = n.Parent; n == root {
				w.leaveNode(root)
				return w
			}
			w.leaveNode(n)
		}
		n = n.NextSibling
	}
	return w
}

// walkers is a pool of walkers to reuse. Trees copy what they need from a walker.
var walkers = sync.Pool{New: func() any { return &walker{} }}

// Limits on the memory of a walker that is put back into the pool.
const (
	maxReusedText     = 1 << 20
	maxReusedElements = 50_000
)

// release puts w back into the pool. The caller must not use w or its slices afterwards.
func (w *walker) release() {
	if cap(w.out) > maxReusedText || cap(w.paths) > maxReusedText || cap(w.elements) > maxReusedElements {
		return
	}
	frames := w.frames[:cap(w.frames)]
	for i := range frames {
		f := &frames[i]
		f.children.Reset()
		*f = openFrame{children: f.children}
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

// compactCopy returns a copy of s without spare capacity, or nil if s is empty.
func compactCopy[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	out := make([]T, len(s))
	copy(out, s)
	return out
}

func (w *walker) topFrame() *openFrame { return &w.frames[len(w.frames)-1] }

// pushFrame adds a frame to the stack. It reuses the storage of a frame that was removed.
func (w *walker) pushFrame(f openFrame) {
	if len(w.frames) < cap(w.frames) {
		f.children = w.frames[:len(w.frames)+1][len(w.frames)].children
	}
	f.children.CountChildren(f.node)
	w.frames = append(w.frames, f)
}

// enterNode begins a node and reports whether its children are to be visited.
func (w *walker) enterNode(n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		w.addText(n.Data)
		return false
	case html.ElementNode:
	default:
		return false
	}
	up := w.topFrame()
	f := openFrame{
		node: n, place: up.children.NextPlace(n.Data), holder: up.holder, kind: up.kind, level: up.level,
		hidden: up.hidden, struck: up.struck, pre: up.pre, grid: up.grid, table: up.table, row: up.row, col: up.col, ref: -1,
		doc: up.doc,
	}
	w.recordDeclaration(n, up.doc)
	if htmltree.IsUnread(n) && n.DataAtom != atom.Iframe {
		return false
	}
	w.setVisibility(&f)
	shown := w.openFrame(&f)
	block := htmltree.IsBlock(n.DataAtom) || shown
	if n.DataAtom == atom.Br || block {
		w.endTextRun()
	}
	if block {
		f.holder = len(w.frames)
		w.setLayout(&f)
	} else {
		w.markInline()
	}
	f.element = w.openElement(&f, up.element)
	w.pushFrame(f)
	if block {
		w.addPrintedDate(n)
	}
	if shown {
		return true
	}
	w.openLink(n)
	return n.DataAtom != atom.Iframe
}

// addPrintedDate adds the date in an element's data-date attribute, such as "28 May 2027". Style sheets of
// timelines show it by "content: attr(data-date)". Dates without a word are ignored, because they are meant
// for scripts.
func (w *walker) addPrintedDate(n *html.Node) {
	v := htmltree.Attr(n, "data-date")
	if v == "" || len(v) > maxPrintedDate || !strings.ContainsAny(v, "0123456789") || !strings.ContainsFunc(v, unicode.IsLetter) || strings.Contains(v, ":") {
		return
	}
	w.addText(v)
	w.endTextRun()
}

// maxPrintedDate is the maximum length of a date in an attribute, in bytes.
const maxPrintedDate = 40

// leaveNode ends node n and removes its frame. It does nothing if n has no frame on top of the stack.
func (w *walker) leaveNode(n *html.Node) {
	f := w.topFrame()
	if f.node != n {
		return
	}
	if f.holder == len(w.frames)-1 {
		w.endTextRun()
	} else {
		w.markInline()
	}
	if f.ref >= 0 {
		w.closeLink(f.ref)
	}
	w.closeElement(f.element)
	w.frames = w.frames[:len(w.frames)-1]
}

// markInline records that an inline element begins or ends at the current offset of the text.
func (w *walker) markInline() {
	at := int32(len(w.out))
	if n := len(w.inline); w.inRun && (n == 0 || w.inline[n-1] != at) {
		w.inline = append(w.inline, at)
	}
}

// setVisibility sets whether the element's style, classes and tag hide its text or strike it out.
func (w *walker) setVisibility(f *openFrame) {
	hidden, struck := htmltree.StyleOf(f.node)
	f.hidden = f.hidden || hidden
	f.struck = f.struck || struck || w.isStruckByClass(f.node)
	switch f.node.DataAtom {
	case atom.Head:
		f.hidden = true
	case atom.Html, atom.Body:
		f.hidden = false // scripts make a page visible that is hidden as a whole
	case atom.Noscript:
		f.hidden = f.hidden || !w.showNoscript
	}
}

// setLayout sets the kind, level and table position that a block-level element gives to its text.
func (w *walker) setLayout(f *openFrame) {
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

// recordDeclaration records what an element declares about its document: base URL, title, language, address and style
// sheets. For documents in frames only the base URL is used.
func (w *walker) recordDeclaration(n *html.Node, doc int32) {
	if n.DataAtom == atom.Base {
		w.docs[doc].setBase(htmltree.Attr(n, "href"))
	}
	if doc != 0 {
		return
	}
	w.article = declaresArticle(n, w.article)
	switch n.DataAtom {
	case atom.Style:
		w.readSheet(n)
	case atom.Title:
		if !w.titled && n.Namespace == "" && n.FirstChild != nil {
			w.titled = true
			w.title = text.CutRunes(FoldSpace(n.FirstChild.Data), maxTitle)
		}
	case atom.Html:
		w.lang = htmltree.ValidLanguage(htmltree.Attr(n, "lang"))
	case atom.Link:
		if strings.EqualFold(htmltree.Attr(n, "rel"), "canonical") {
			w.docs[0].setAddress(htmltree.Attr(n, "href"))
		}
	case atom.Meta:
		if htmltree.Attr(n, "property") == "og:url" {
			w.docs[0].setAddress(htmltree.Attr(n, "content"))
		}
		if w.lang == "" && strings.EqualFold(htmltree.Attr(n, "http-equiv"), "content-language") {
			w.lang = htmltree.ValidLanguage(htmltree.Attr(n, "content"))
		}
	}
}

// addText adds the content of a text node to the current run.
func (w *walker) addText(s string) {
	f := w.topFrame()
	switch {
	case f.hidden || w.full:
	case f.pre:
		w.addColumns(s, f.struck, w.endTextRun, w.markInline)
	default:
		w.Add(s, f.struck, nil)
	}
}

// endTextRun ends the current run of text. A run with text becomes a block of the innermost block-level
// element.
func (w *walker) endTextRun() {
	if !w.inRun {
		w.Flush(Block{})
		return
	}
	f := w.topFrame()
	w.holders = append(w.holders, w.frames[f.holder].element)
	w.ofBlocks = append(w.ofBlocks, w.pathOf(f.holder))
	w.Flush(Block{
		Kind: f.kind, Level: f.level,
		Table: f.table, Row: f.row, Col: f.col,
	})
}

// pathOf returns the path of the i-th open element. It is made from the parent's path; a step that would make
// it longer than htmltree.MaxPath is left out.
func (w *walker) pathOf(i int) span {
	f := &w.frames[i]
	if f.hasPath || i == 0 {
		return f.path
	}
	f.hasPath = true
	up := w.pathOf(i - 1)
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

// FoldSpace returns s with white space folded and invisible runes removed.
func FoldSpace(s string) string {
	var w TextWriter
	w.Add(s, false, nil)
	return string(w.out)
}

// A grid computes the positions of the cells of a table.
type grid struct {
	table    int // number of the table in the page, from 1
	row, col int // position of the next cell; row is -1 before the first row
	// until has, for each column, the last row that a cell of an earlier row covers.
	until []int
}

func (g *grid) nextRow() { g.row, g.col = g.row+1, 0 }

// placeCell returns the position of a cell and moves past its columns.
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

// spanOf returns the colspan or rowspan of a cell, at most the given maximum. An invalid value counts as 1.
func spanOf(n *html.Node, key string, most int) int {
	v, err := strconv.Atoi(strings.TrimSpace(htmltree.Attr(n, key)))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, most)
}

// A TextWriter collects the text of a page in runs. Each run that contains text becomes a block.
type TextWriter struct {
	out    []byte
	start  int  // offset in out of the current run
	inRun  bool // true if the current run contains text
	space  bool // true if white space precedes the next word
	full   bool // true if a limit is reached and further text is dropped
	run    int  // number of the current run; empty runs count
	struck []Span
	blocks []Block
	runs   []int // number of the run of each block
}

// Add appends text with white space folded. If newline is not nil, it is called at the end of each line.
// struck marks the text as struck out.
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
			w.addWord(s[i:end], struck)
			i = end
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case unicode.IsSpace(r):
				w.space = true
			case !IsInvisible(r):
				w.addWord(s[i:i+n], struck)
			}
			i += n
		}
	}
}

// addColumns adds text like Add. It calls gap after each tab and each run of leastGap blanks, which separate
// columns.
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

// leastGap is the minimum number of blanks between two columns.
const leastGap = 3

// IsInvisible reports whether a rune has no visible form: zero-width spaces, soft hyphens, byte order marks,
// directional marks and C1 controls. r must be above ASCII.
func IsInvisible(r rune) bool {
	switch r {
	case 0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF:
		return true
	}
	return r < 0xA0 // C1 controls
}

// addWord appends a word, preceded by a space or, at the start of a run, a newline.
func (w *TextWriter) addWord(s string, struck bool) {
	if w.full {
		return
	}
	if len(w.out)+len(s)+2 > maxText {
		s = text.CutBytes(s, max(0, maxText-len(w.out)-2))
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
		w.addStruck(from-w.start, len(w.out)-w.start)
	}
}

// addStruck records a struck range of the current run. It extends the previous range if they are adjacent or
// separated by one space.
func (w *TextWriter) addStruck(start, end int) {
	if n := len(w.struck); n > 0 && start-w.struck[n-1].End <= 1 {
		if start == w.struck[n-1].End || w.out[w.start+start-1] == ' ' {
			w.struck[n-1].End = end
			return
		}
	}
	w.struck = append(w.struck, Span{start, end})
}

// Flush ends the current run. If the run contains text, it becomes block b.
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

// Result returns the text and its blocks, with their texts set.
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
