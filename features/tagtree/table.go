package tagtree

import (
	"strconv"
	"strings"

	"eventseer/features/htmltree"

	"golang.org/x/net/html"
)

// A grid places the cells of one table.
type grid struct {
	table    int // number of the table, from 1
	row, col int // of the next cell; row is -1 before the first
	// until holds, for each column, the last row that a cell from above covers.
	until []int
}

func (g *grid) nextRow() { g.row, g.col = g.row+1, 0 }

// place returns the place of a cell and moves on by its colspan.
func (g *grid) place(cell *html.Node) (row, col int) {
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

// spanOf reads colspan or rowspan; anything that is no number above 1 is 1.
func spanOf(n *html.Node, key string, most int) int {
	v, err := strconv.Atoi(strings.TrimSpace(htmltree.Attr(n, key)))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, most)
}
