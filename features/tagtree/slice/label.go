package slice

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html/atom"
)

// MaxMarks is the maximum number of matches that are marked in a page.
const MaxMarks = 100_000

// labelKeys are the attributes that belong to an element's label, in addition to its text. Paper 003, section
// III.A, names the first three.
var labelKeys = [...]string{"alt", "longdesc", "src", "title", "aria-label"}

// dataKeys are the attributes that contain values of microdata or RDFa which the page does not show.
var dataKeys = [...]string{"content", "datetime", "value"}

// metaNames are the name and property attributes of meta elements that describe the page.
var metaNames = []string{"description", "keywords", "og:title", "og:description", "og:site_name", "article:tag", "dc.subject", "dc.description"}

// Limits on labels from metadata.
const (
	maxMeta      = 100
	maxMetaBytes = 10_000 // bytes of one label
)

// A nodeHit is an occurrence of terms in one node. The node becomes a key node if the query as a whole matches.
// line is the index of the line or attribute with the terms.
type nodeHit struct {
	node, line int32
	terms      uint64 // set of terms, bit i for term i
}

// A Mark is an occurrence of a term in a piece of text, as a range of bytes.
type Mark struct {
	Piece, From, To int32
	line            int32
	term            uint8
}

// A labelReader finds the terms of a query in the labels of nodes.
//
// A word or phrase belongs to the lowest node that contains all of it: in <p><b>call</b> for papers</p> the
// word call belongs to b, the phrase "call for papers" to p. A phrase may extend over inline elements and
// over the lines of one paragraph, but not over the border of a block-level element.
type labelReader struct {
	nodes    []Node
	metadata bool
	words    wordReader
	match    *matcher
	label    int32 // node whose attribute is being read, -1 while text is read
	hits     []nodeHit
	marks    []Mark
	lines    []uint64 // set of terms that occur in each line or attribute
}

func readLabels(nodes []Node, q *Query, metadata bool) *labelReader {
	l := &labelReader{nodes: nodes, metadata: metadata, label: -1, lines: make([]uint64, 1)}
	l.match = newMatcher(q, l.recordHit)
	l.words.emit = l.match.addWord
	l.readTexts()
	for i := range nodes {
		if nodes[i].HTML != nil {
			l.readAttributes(int32(i))
		}
	}
	return l
}

// readTexts reads the text of all nodes and their borders.
func (l *labelReader) readTexts() {
	var open []int32 // nodes around the current one
	for i := range l.nodes {
		n := &l.nodes[i]
		for len(open) > 0 && l.nodes[open[len(open)-1]].End <= int32(i) {
			l.readBorder(open[len(open)-1])
			open = open[:len(open)-1]
		}
		if n.Kind == Piece {
			l.words.readPiece(n.Text, int32(i))
			if n.lineEnd {
				l.endLine()
			}
			continue
		}
		l.readBorder(int32(i))
		open = append(open, int32(i))
	}
	l.endText()
}

// readBorder ends the word, line or text at the start or end of node i, depending on its kind.
func (l *labelReader) readBorder(i int32) {
	n := &l.nodes[i]
	switch {
	case n.Kind == ParagraphNode || n.Kind == ElementNode && htmltree.IsBlock(n.Tag):
		l.endText()
	case n.Kind == LineNode || n.lineEnd:
		l.endLine()
	case !joinsWords(n.Tag):
		l.words.endWord()
	}
}

// joinsWords reports whether a word may continue across the start or end of an element with this name.
func joinsWords(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Big, atom.Del, atom.Em, atom.Font, atom.I, atom.Ins, atom.Mark, atom.S, atom.Small, atom.Span,
		atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.U, atom.Wbr:
		return true
	}
	return false
}

// endLine ends a line. A phrase may continue in the next line.
func (l *labelReader) endLine() {
	l.words.endWord()
	if l.lines[len(l.lines)-1] != 0 {
		l.lines = append(l.lines, 0)
		l.match.line++
	}
}

func (l *labelReader) endText() {
	l.endLine()
	l.match.beginText()
}

// readAttributes reads the attributes of a node's label.
func (l *labelReader) readAttributes(i int32) {
	n := l.nodes[i].HTML
	for _, a := range n.Attr {
		switch {
		case a.Val == "" || a.Key == "src" && strings.HasPrefix(a.Val, "data:"):
		case slices.Contains(labelKeys[:], a.Key):
			l.readAttribute(a.Val, i)
		case l.metadata && slices.Contains(dataKeys[:], a.Key) && (htmltree.Attr(n, "itemprop") != "" || htmltree.Attr(n, "property") != ""):
			holder := i
			if n.DataAtom == atom.Meta || n.DataAtom == atom.Link { // describes the element around it
				holder = l.nodes[i].Parent
			}
			l.readAttribute(text.CutBytes(a.Val, maxMetaBytes), holder)
		}
	}
}

// readAttribute reads a value that belongs to the label of node i.
func (l *labelReader) readAttribute(s string, i int32) {
	l.label = i
	l.words.readPiece(s, i)
	l.endText()
}

// recordHit records an occurrence of a term from its first to its last word.
func (l *labelReader) recordHit(term int, first, last seenWord) {
	node := l.label
	if node < 0 {
		node = l.commonAncestor(l.nodes[first.from.piece].Parent, l.nodes[last.to.piece].Parent)
		l.addMarks(term, first, last)
	}
	l.lines[first.line] |= 1 << term
	l.lines[last.line] |= 1 << term
	if n := len(l.hits); n > 0 && l.hits[n-1].node == node && l.hits[n-1].line == last.line {
		l.hits[n-1].terms |= 1 << term
		return
	}
	l.hits = append(l.hits, nodeHit{node: node, line: last.line, terms: 1 << term})
}

// commonAncestor returns the lowest node that contains both a and b.
func (l *labelReader) commonAncestor(a, b int32) int32 {
	for a != b {
		if a > b {
			a = l.nodes[a].Parent
		} else {
			b = l.nodes[b].Parent
		}
	}
	return a
}

// addMarks records marks for the pieces of text of an occurrence.
func (l *labelReader) addMarks(term int, first, last seenWord) {
	for i := first.from.piece; i <= last.to.piece && len(l.marks) < MaxMarks; i++ {
		if l.nodes[i].Kind != Piece {
			continue
		}
		m := Mark{Piece: i, To: int32(len(l.nodes[i].Text)), line: last.line, term: uint8(term)}
		if i == first.from.piece {
			m.From = first.from.offset
		}
		if i == last.to.piece {
			m.To = last.to.offset
		}
		l.marks = append(l.marks, m)
	}
}

// metadataNodes returns a tree of nodes for the title and the description in the page's head, or nil. The
// tree is separate because it describes the page as a whole, so that it is near no node of the body.
func metadataNodes(t *tagtree.Tree) []Node {
	if t.Root() == nil {
		return nil
	}
	out := []Node{{Parent: -1, Link: -1, Tag: atom.Header}}
	said := make(map[string]bool)
	say := func(s string) {
		if s = tagtree.FoldSpace(text.CutBytes(s, maxMetaBytes)); s != "" && !said[s] && len(said) < maxMeta {
			said[s] = true
			out = append(out, Node{Link: -1, Tag: atom.P, End: int32(len(out) + 2)})
			addPiece(&out, s, int32(len(out)-1))
		}
	}
	say(t.Title())
	for _, e := range t.Elements() {
		if e.Node.DataAtom != atom.Meta || !e.Hidden {
			continue
		}
		for _, key := range []string{"name", "property"} {
			if slices.Contains(metaNames, strings.ToLower(htmltree.Attr(e.Node, key))) {
				say(htmltree.Attr(e.Node, "content"))
			}
		}
	}
	out[0].End = int32(len(out))
	return out
}
