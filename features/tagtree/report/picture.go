package report

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the drawing of one page.
const (
	maxDrawnBlocks = 2_000
	maxDrawnDepth  = 60  // nested boxes; deeper ones are drawn without nesting
	maxDrawnRunes  = 240 // runes of one block
	maxColumns     = 12  // columns side by side
)

// A box is a part of a drawn page. It is the outline of an area, an element that shapes the page, or the text
// of a block.
type box struct {
	Class string // layout of the box: row, cell, list, chips, item, area, head, text, or "" for boxes below each other
	Grow  int    // for a cell in a row, its share of the width, 1 to 6
	Area  *areaMark
	Boxes []*box
	Text  string
	Link  bool // true if all text is link text

	tag   string
	size  int // bytes of text inside
	items int // number of text boxes inside
}

// An areaMark identifies the area that a box outlines.
type areaMark struct {
	reportedArea
	Continued bool // true if an earlier box shows another part of the area
}

// A picture is the state of drawing one page from the tag paths of its blocks.
type picture struct {
	blocks   []tagtree.Block
	steps    [][]string // steps of each block's path
	analysis *tagtree.Analysis
	areas    []reportedArea
	begun    []bool // true for each area that has a box
}

// drawPage returns the boxes of a page. left is the number of blocks that are not drawn.
func drawPage(t *tagtree.Tree, a *tagtree.Analysis, areas []reportedArea) (boxes []*box, left int) {
	blocks := t.Blocks()
	drawn := blocks[:min(len(blocks), maxDrawnBlocks)]
	p := &picture{blocks: drawn, steps: make([][]string, len(drawn)), analysis: a, areas: areas, begun: make([]bool, len(areas))}
	for i, b := range drawn {
		steps := strings.Split(b.Path, "/")
		p.steps[i] = steps[:min(len(steps), maxDrawnDepth)]
	}
	boxes = p.drawLevel(0, len(drawn), 0, noArea)
	for _, area := range areas {
		if area.Text == "" && len(area.Links) > 0 {
			boxes = append(boxes, &box{Class: "area", Area: &areaMark{area, false}, Boxes: []*box{{Class: "text", Text: "links without text"}}})
		}
	}
	return boxes, len(blocks) - len(drawn)
}

// noArea is the area of boxes outside any outline.
const noArea = -2

// drawLevel draws the blocks from start to end within the outline of an area. The blocks share the first depth
// steps of their paths.
func (p *picture) drawLevel(start, end, depth, area int) []*box {
	var boxes []*box
	for i := start; i < end; {
		j := p.endOfStep(i, end, depth)
		n := p.areaOf(i, j)
		if n == area || n == noArea {
			boxes = append(boxes, p.drawBox(i, j, depth, area))
			i = j
			continue
		}
		outline := &box{Class: "area"}
		if n >= 0 {
			outline.Area = &areaMark{p.areas[n], p.begun[n]}
			p.begun[n] = true
		}
		for i < end && n == p.areaOf(i, p.endOfStep(i, end, depth)) {
			j = p.endOfStep(i, end, depth)
			outline.addBox(p.drawBox(i, j, depth, n))
			i = j
		}
		outline.Boxes = arrangeColumns(outline.Boxes)
		boxes = append(boxes, outline)
	}
	return arrangeColumns(boxes)
}

// endOfStep returns the end of the blocks from i on whose path has the same step at depth. If the path of block i
// is shorter, it returns i+1.
func (p *picture) endOfStep(i, end, depth int) int {
	j := i + 1
	if depth < len(p.steps[i]) {
		for j < end && depth < len(p.steps[j]) && p.steps[j][depth] == p.steps[i][depth] {
			j++
		}
	}
	return j
}

// areaOf returns the area that contains all blocks from i to j. It returns -1 if they are in no area and
// noArea if they are in several.
func (p *picture) areaOf(i, j int) int {
	n := p.analysis.AreaOfBlock(i)
	for i++; i < j; i++ {
		if p.analysis.AreaOfBlock(i) != n {
			return noArea
		}
	}
	return n
}

// drawBox returns the box of the element at depth that contains the blocks from i to j. An element that contains
// a single box and has no layout of its own is not drawn.
func (p *picture) drawBox(i, j, depth, area int) *box {
	if depth >= len(p.steps[i]) {
		return p.blockBox(i)
	}
	tag, _, _ := strings.Cut(p.steps[i][depth], "[")
	b := &box{tag: tag, Class: layoutOf(tag)}
	for _, inner := range p.drawLevel(i, j, depth+1, area) {
		b.addBox(inner)
	}
	if tag == "table" {
		setWidths(b.appendRows(nil))
	}
	if len(b.Boxes) == 1 && b.Class == "" {
		b.Boxes[0].tag = tag
		return b.Boxes[0]
	}
	if b.Class == "list" && b.size < 40*b.items && b.items > 2 {
		b.Class = "chips"
	}
	return b
}

func (b *box) addBox(inner *box) {
	b.Boxes = append(b.Boxes, inner)
	b.size += inner.size
	b.items += inner.items
}

// blockBox returns the box of a block.
func (p *picture) blockBox(i int) *box {
	block := p.blocks[i]
	b := &box{Class: "text", Text: text.OneLine(block.Text, maxDrawnRunes), Link: block.Linked == len(block.Text), size: len(block.Text), items: 1}
	if block.Kind == tagtree.Heading {
		b.Class = "head"
	}
	return b
}

// layoutOf returns the layout of an element's content, a value of box.Class.
func layoutOf(tag string) string {
	switch tag {
	case "tr":
		return "row"
	case "td", "th":
		return "cell"
	case "ul", "ol", "dl", "menu", "dir":
		return "list"
	case "li", "dt", "dd":
		return "item"
	}
	return ""
}

// arrangeColumns puts the main part of a page and an aside next to it into a row.
func arrangeColumns(boxes []*box) []*box {
	main, aside := -1, -1
	for i, b := range boxes {
		switch b.tag {
		case "main", "article":
			main = i
		case "aside":
			aside = i
		}
	}
	if main < 0 || aside < 0 || aside != main+1 && main != aside+1 {
		return boxes
	}
	i := min(main, aside)
	row := &box{Class: "row"}
	row.addBox(boxes[i])
	row.addBox(boxes[i+1])
	setWidths([]*box{row})
	return slices.Concat(boxes[:i], []*box{row}, boxes[i+2:])
}

// appendRows appends the rows inside b to list, without those of nested tables.
func (b *box) appendRows(list []*box) []*box {
	for _, inner := range b.Boxes {
		switch {
		case inner.Class == "row":
			list = append(list, inner)
		case inner.tag != "table":
			list = inner.appendRows(list)
		}
	}
	return list
}

// setWidths sets the widths of the cells of rows by the amount of text in their columns. Rows with the same
// number of cells get the same widths.
func setWidths(rows []*box) {
	var sizes [maxColumns + 1][maxColumns]int // bytes of text by number of cells and by column
	for _, row := range rows {
		for i, cell := range row.Boxes {
			if len(row.Boxes) <= maxColumns {
				sizes[len(row.Boxes)][i] += cell.size
			}
		}
	}
	for _, row := range rows {
		n := len(row.Boxes)
		if n > maxColumns {
			row.Class = "chips"
			continue
		}
		all := 0
		for _, size := range sizes[n] {
			all += size
		}
		for i, cell := range row.Boxes {
			cell.Grow = min(6, 1+6*sizes[n][i]/max(1, all))
		}
	}
}
