package versions

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/text/width"
)

// A wordMark is the state of a word in a comparison.
type wordMark int

const (
	unmarked wordMark = iota
	gone
	came
)

// The marks of words: those of wdiff; on a terminal red and struck out, green and underlined.
var (
	openMarks    = map[wordMark]string{gone: "[-", came: "{+"}
	closeMarks   = map[wordMark]string{gone: "-]", came: "+}"}
	colourMarks  = map[wordMark]string{gone: "\x1b[31;9m", came: "\x1b[32;4m"}
	endOfColours = "\x1b[0m"
)

// A textCell is a character of a line with the number of columns it fills: 0 for a combining character,
// 2 for a wide one.
type textCell struct {
	r       rune
	mark    wordMark
	columns int
}

// writeMerged writes a row as one text with marks.
func (d *writer) writeMerged(r diff.Row) {
	var cells []textCell
	for _, p := range r.Parts {
		if !p.Changed {
			cells = d.appendCells(cells, r, p.New, unmarked)
			continue
		}
		cells = d.appendCells(cells, r, p.Old, gone)
		cells = d.appendCells(cells, r, p.New, came)
	}
	sign := map[diff.RowKind]string{diff.RemovedRow: "-", diff.AddedRow: "+", diff.EditedRow: "~", diff.RestyledRow: "~"}[r.Kind]
	for _, line := range wrapCells(d.appendMarkupNote(cells, r), d.Width-4) {
		d.printf("  %1s %s\n", sign, d.colorCells(line))
	}
}

// writeSideBySide prints a row as two columns, separated by the signs of diff --side-by-side.
func (d *writer) writeSideBySide(r diff.Row) {
	var old, new []textCell
	for _, p := range r.Parts {
		a, b := unmarked, unmarked
		if p.Changed {
			a, b = gone, came
		}
		old, new = d.appendCells(old, r, p.Old, a), d.appendCells(new, r, p.New, b)
	}
	sign := map[diff.RowKind]string{diff.RemovedRow: "<", diff.AddedRow: ">", diff.EditedRow: "|", diff.RestyledRow: "|"}[r.Kind]
	column := (d.Width - 3) / 2
	left, right := wrapCells(old, column), wrapCells(d.appendMarkupNote(new, r), column)
	for i := range max(len(left), len(right)) {
		var a, b []textCell
		if i < len(left) {
			a = left[i]
		}
		if i < len(right) {
			b = right[i]
		}
		d.printf("%s\n", strings.TrimRight(d.colorCells(a)+strings.Repeat(" ", column-columnsOf(a))+fmt.Sprintf(" %1s ", sign)+d.colorCells(b), " "))
	}
}

// appendMarkupNote appends a description of changed mark-up to a row.
func (d *writer) appendMarkupNote(cells []textCell, r diff.Row) []textCell {
	if r.Restyling == "" {
		return cells
	}
	return appendPlain(cells, " ("+string(r.Restyling)+")", unmarked)
}

// appendCells appends a text of a row, with marks if neither colours nor the sign of the row show
// its state.
func (d *writer) appendCells(cells []textCell, r diff.Row, text string, mark wordMark) []textCell {
	switch {
	case text == "":
		return cells
	case d.Colour:
		return appendPlain(cells, text, mark)
	case r.Kind != diff.EditedRow:
		return appendPlain(cells, text, unmarked)
	}
	cells = appendPlain(cells, openMarks[mark], unmarked)
	cells = appendPlain(cells, text, unmarked)
	return appendPlain(cells, closeMarks[mark], unmarked)
}

func appendPlain(cells []textCell, content string, mark wordMark) []textCell {
	for _, r := range text.Printable(content) {
		cells = append(cells, textCell{r, mark, columnsOfRune(r)})
	}
	return cells
}

// columnsOfRune returns the number of terminal columns of a character (Unicode Standard Annex 11).
func columnsOfRune(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func columnsOf(cells []textCell) int {
	n := 0
	for _, c := range cells {
		n += c.columns
	}
	return n
}

// wrapCells breaks a line at spaces, or within words that are too long.
func wrapCells(cells []textCell, columns int) (lines [][]textCell) {
	for len(cells) > 0 {
		end, next := lineEnd(cells, columns)
		lines = append(lines, cells[:end])
		cells = cells[next:]
	}
	return lines
}

// lineEnd returns where the first line of cells ends and where the next one begins.
func lineEnd(cells []textCell, columns int) (end, next int) {
	space := -1
	taken := 0
	for i, c := range cells {
		if taken+c.columns > columns && i > 0 {
			if c.r == ' ' {
				return i, i + 1
			}
			if space > 0 {
				return space, space + 1
			}
			return i, i
		}
		if c.r == ' ' {
			space = i
		}
		taken += c.columns
	}
	return len(cells), len(cells)
}

// colorCells writes cells with the colours of their marks.
func (d *writer) colorCells(cells []textCell) string {
	var b strings.Builder
	mark := unmarked
	for _, c := range cells {
		if c.mark != mark {
			if mark != unmarked {
				b.WriteString(endOfColours)
			}
			b.WriteString(colourMarks[c.mark])
			mark = c.mark
		}
		b.WriteRune(c.r)
	}
	if mark != unmarked {
		b.WriteString(endOfColours)
	}
	return b.String()
}
