package tagtree

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html/atom"
)

// maxBeside is the maximum length of the text on either side of a link, in runes.
const maxBeside = 100

// A LinkPlace is a link and its position on the page. Its texts are slices of Tree.Text.
type LinkPlace struct {
	webgraph.Link
	// Rel are the lower-case tokens of the rel attribute.
	Rel []string
	// Area is the area of Tree.Analysis that contains the link, or nil.
	Area *Area
	// Block is the block that shows the link. It is nil for a picture outside text and for a hidden link.
	// BlockLinks is the block's number of links.
	Block      *Block
	BlockLinks int
	// Before and After are the text of the block on either side of the link, at most 100 runes each, cut
	// between words. If the block contains nothing but the link, they are taken from the list item or table
	// row around it, with blocks separated by newlines.
	Before, After string
	// Heading is the text of the nearest heading before the link, at most 100 runes.
	Heading string
	// Order and Offset are the position of the link on the page, at least 0 and below 1. They are the shares
	// of the page's links and text before the link.
	Order, Offset float64
	// Picture means that the link has no text of its own.
	Picture bool
}

// LinkPlace returns the position of Tree.Links()[i]. The first call analyses the page; later calls take
// constant time.
func (t *Tree) LinkPlace(i int) LinkPlace {
	s := t.spots[i]
	p := LinkPlace{
		Link: t.links[i], Rel: strings.Fields(strings.ToLower(text.CutBytes(htmltree.Attr(t.elements[s.element].Node, "rel"), maxRel))), Heading: t.headingAbove(int(s.block)),
		Order: float64(i) / float64(len(t.links)), Offset: float64(s.start) / float64(max(1, len(t.text))),
		Picture: strings.TrimSpace(t.text[s.start:s.end]) == "",
	}
	a := t.Analysis()
	if n := a.AreaOfLink(i); n >= 0 {
		p.Area = &a.Areas[n]
	}
	if !t.isShown(s) {
		return p
	}
	p.Block = &t.blocks[s.block]
	p.BlockLinks = t.linksOfBlock(s.block)
	p.Before, p.After = t.textBeside(s, Range{int(s.block), int(s.block) + 1})
	if !hasWords(p.Before) && !hasWords(p.After) {
		p.Before, p.After = t.textBeside(s, t.recordAround(s))
	}
	return p
}

// maxRel is the maximum number of bytes read of a rel attribute.
const maxRel = 200

// isShown reports whether the block of s contains the link.
func (t *Tree) isShown(s linkPosition) bool {
	if int(s.block) >= len(t.blocks) {
		return false
	}
	b := t.blocks[s.block]
	if int(s.start) < b.Start+len(b.Text) && int(s.end) > b.Start {
		return true
	}
	holder := t.holders[s.block]
	return s.start == s.end && holder <= s.element && s.element < t.elements[holder].End
}

// linksOfBlock returns the number of links in a block.
func (t *Tree) linksOfBlock(block int32) int {
	from, _ := slices.BinarySearchFunc(t.spots, block, func(s linkPosition, b int32) int { return int(s.block - b) })
	return sort.Search(len(t.spots)-from, func(i int) bool { return t.spots[from+i].block > block })
}

// textBeside returns the text of a range of blocks before and after a link, at most maxBeside runes each.
func (t *Tree) textBeside(s linkPosition, blocks Range) (before, after string) {
	first, last := t.blocks[blocks.Start], t.blocks[blocks.End-1]
	from, to := first.Start, last.Start+len(last.Text)
	start, end := min(max(int(s.start), from), to), max(min(int(s.end), to), from)
	return lastWords(t.text[from:start]), firstWords(t.text[max(start, end):to])
}

// recordAround returns the blocks of the nearest list item or table row around a link. Without one, it
// returns the link's own block.
func (t *Tree) recordAround(s linkPosition) Range {
	for e := t.holders[s.block]; e >= 0; e = t.elements[e].Parent {
		switch t.elements[e].Node.DataAtom {
		case atom.Li, atom.Tr:
			return t.elements[e].Blocks
		}
	}
	return Range{int(s.block), int(s.block) + 1}
}

// headingAbove returns the start of the nearest heading before a block, or "".
func (t *Tree) headingAbove(block int) string {
	t.headingsOnce.Do(func() {
		t.headings = make([]int32, len(t.blocks)+1)
		t.headings[0] = -1
		for i, b := range t.blocks {
			t.headings[i+1] = t.headings[i]
			if b.Kind == Heading {
				t.headings[i+1] = int32(i)
			}
		}
	})
	if h := t.headings[block]; h >= 0 {
		return firstWords(t.blocks[h].Text)
	}
	return ""
}

// hasWords reports whether s contains a letter or a digit.
func hasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// firstWords returns the beginning of s, at most maxBeside runes, without an incomplete word. lastWords
// returns the end.
func firstWords(s string) string {
	if n := len(text.CutRunes(s, maxBeside)); n < len(s) {
		end := n
		if s[n] != ' ' && s[n] != '\n' {
			if i := strings.LastIndexAny(s[:n], " \n"); i > 0 {
				end = i
			}
		}
		s = s[:end]
	}
	return strings.TrimSpace(s)
}

func lastWords(s string) string {
	if from := len(s) - countBack(s, maxBeside); from > 0 {
		if s[from-1] != ' ' && s[from-1] != '\n' {
			if i := strings.IndexAny(s[from:], " \n"); i >= 0 {
				from += i
			}
		}
		s = s[from:]
	}
	return strings.TrimSpace(s)
}

// LinkText returns the byte range of the text of Tree.Links()[i] in Tree.Text. It is empty for a picture.
func (t *Tree) LinkText(i int) Span { return Span{int(t.spots[i].start), int(t.spots[i].end)} }

// LinkBlock returns the index of the block that contains Tree.Links()[i]. Without one, it returns the index
// of the next block, or len(Blocks()) at the end.
func (t *Tree) LinkBlock(i int) int { return int(t.spots[i].block) }

// LinkElement returns the index of the element of Tree.Links()[i]. In plain text it is the link's paragraph.
func (t *Tree) LinkElement(i int) int32 { return t.spots[i].element }

// Teaser returns the blocks that belong to Tree.Links()[i]. They are the blocks of the largest element around
// the link whose links all lead to the same page. If that is at most one block, they are the following blocks
// without links and headings, at most maxTeaser. The range may be empty.
func (t *Tree) Teaser(i int) Range {
	target := t.links[i].Target
	record := Range{}
	for e := t.spots[i].element; e >= 0 && t.leadsOnly(t.elements[e].Links, target); e = t.elements[e].Parent {
		if t.elements[e].Blocks.Len() > maxTeaser {
			break
		}
		record = t.elements[e].Blocks
	}
	if record.Len() > 1 {
		return record
	}
	next := Range{min(int(t.spots[i].block)+1, len(t.blocks)), min(int(t.spots[i].block)+1, len(t.blocks))}
	for next.End < len(t.blocks) && next.Len() < maxTeaser {
		if b := t.blocks[next.End]; b.Kind == Heading || b.Linked > 0 {
			break
		}
		next.End++
	}
	return next
}

// maxTeaser is the maximum number of blocks of a link's teaser.
const maxTeaser = 10

// leadsOnly reports whether all links of a range lead to target. It returns false for more than maxTeaser
// links, because a teaser repeats its link only as picture, title and "read more".
func (t *Tree) leadsOnly(links Range, target string) bool {
	return links.Len() <= maxTeaser && !slices.ContainsFunc(t.links[links.Start:links.End], func(l webgraph.Link) bool { return l.Target != target })
}
