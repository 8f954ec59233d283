package slice

import (
	"strings"

	"eventseer/features/htmltree"
	"eventseer/features/tagtree"
)

// A lineBuilder copies a tree of nodes and puts sections, paragraphs and lines in.
type lineBuilder struct{ in, out []Node }

// copy copies a node with all below it.
func (g *lineBuilder) copy(i, parent int32) {
	at := int32(len(g.out))
	n := g.in[i]
	n.Parent = parent
	g.out = append(g.out, n)
	if n.broken {
		g.paragraphs(i, at)
	} else {
		for c := i + 1; c < n.End; c = g.in[c].End {
			g.copy(c, at)
		}
	}
	g.out[at].End = int32(len(g.out))
}

// paragraphs copies what is in a broken element; it is first of all sections,
// then what stands alone and paragraphs.
func (g *lineBuilder) paragraphs(i, parent int32) {
	end, first := g.in[i].End, int32(len(g.out))
	o := outline{lineBuilder: g, parent: parent}
	for c := i + 1; c < end; {
		parent = o.parent
		if g.stands(c) {
			if level := g.level(c); level > 0 && (int32(len(g.out)) > first || g.hasPeer(c, end, level)) {
				parent = o.begin(level)
			}
			g.copy(c, parent)
			c = g.in[c].End
			continue
		}
		last, lines := g.lines(c, end)
		if lines > 0 || g.in[i].pre {
			g.paragraph(c, last, lines, parent, int32(len(g.out)) == first && last == end)
		}
		c = last
	}
	o.endTo(0)
}

// lines returns where the paragraph that begins at c ends, and how many of its
// lines are not empty.
func (g *lineBuilder) lines(c, end int32) (last int32, lines int) {
	for c < end && !g.stands(c) {
		to, empty := g.line(c, end)
		if empty && lines > 0 {
			break
		}
		if c = to; !empty {
			lines++
		}
	}
	return c, lines
}

// paragraph copies the nodes from c to last, which are lines of one paragraph;
// alone says that their parent holds nothing else.
func (g *lineBuilder) paragraph(c, last int32, lines int, parent int32, alone bool) {
	if lines > 0 && !alone {
		parent = g.open(ParagraphNode, parent)
		defer g.close(parent)
	}
	for c < last {
		to, empty := g.line(c, last)
		holder := parent
		if !empty && lines > 1 {
			holder = g.open(LineNode, parent)
		}
		for ; c < to; c = g.in[c].End {
			g.copy(c, holder)
		}
		if holder != parent {
			g.close(holder)
		}
	}
}

// line returns where the line that begins at c ends, at the latest at end, and
// whether nothing stands in it.
func (g *lineBuilder) line(c, end int32) (to int32, empty bool) {
	empty = true
	for c < end && !g.stands(c) {
		n := &g.in[c]
		empty = empty && (n.Kind == Piece && strings.TrimSpace(n.Text) == "" || n.lineEnd && n.Kind == ElementNode)
		c = n.End
		if n.lineEnd {
			break
		}
	}
	return c, empty
}

// stands reports whether a node is no part of a line.
func (g *lineBuilder) stands(c int32) bool {
	n := &g.in[c]
	return n.broken || n.Kind == ElementNode && (htmltree.IsBlock(n.Tag) || htmltree.IsFrame(n.Tag))
}

// level returns that of a heading, else 0.
func (g *lineBuilder) level(c int32) int {
	_, level, _ := tagtree.KindOf(g.in[c].Tag)
	return level
}

// hasPeer reports whether a heading of this level or above follows c before end.
func (g *lineBuilder) hasPeer(c, end int32, level int) bool {
	for c = g.in[c].End; c < end; c = g.in[c].End {
		if l := g.level(c); l > 0 && l <= level {
			return true
		}
	}
	return false
}

// An outline holds the sections open in one element, one in another.
type outline struct {
	*lineBuilder
	parent int32 // of what comes next
	levels []int // of the sections that are open
}

// begin begins the section of a heading and returns it.
func (o *outline) begin(level int) int32 {
	n := len(o.levels)
	for n > 0 && o.levels[n-1] >= level {
		n--
	}
	o.endTo(n)
	o.parent = o.open(SectionNode, o.parent)
	o.levels = append(o.levels, level)
	return o.parent
}

// endTo ends all sections but n.
func (o *outline) endTo(n int) {
	for ; len(o.levels) > n; o.levels = o.levels[:len(o.levels)-1] {
		o.close(o.parent)
		o.parent = o.out[o.parent].Parent
	}
}

func (g *lineBuilder) open(kind NodeKind, parent int32) int32 {
	up := &g.out[parent]
	g.out = append(g.out, Node{Parent: parent, element: up.element, Link: -1, Kind: kind, pre: up.pre})
	return int32(len(g.out) - 1)
}

func (g *lineBuilder) close(i int32) { g.out[i].End = int32(len(g.out)) }
