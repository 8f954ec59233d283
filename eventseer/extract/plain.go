package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
)

// In plain text, such as mails and PDFs, each line is a block. Lines are wrapped to a width, which
// separates labels from their dates and splits names. unwrapped joins them again.

const (
	minWidth      = 50    // minimum width, in runes, of wrapped text
	maxWidth      = 110   // maximum width, in runes, of wrapped text
	minLongLines  = 3     // minimum number of lines of minWidth in wrapped text
	maxUnwrapped  = 4_000 // bytes of one block of joined lines
	nearlyFull    = .7    // share of the width from which a line may continue in lower case
	widthQuantile = .9
)

// isPlain reports whether a block is a line of plain text.
func isPlain(b tagtree.Block) bool { return strings.HasPrefix(b.Path, "text/") }

// unwrapLines joins the lines of each sentence or list item of plain text, and removes the quotation marks of
// mails. Blocks of other pages are returned unchanged. Offsets in the text of the tree remain valid.
// from[i] is the index of the first line of block i; it is nil for other pages.
func unwrapLines(lines []tagtree.Block) (blocks []tagtree.Block, from []int) {
	if len(lines) == 0 || !isPlain(lines[0]) {
		return lines, nil
	}
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i] = withoutQuotation(lines[i])
	}
	width := wrapWidth(lines)
	last := "" // last line of the last block, "" after an empty line
	for i, b := range lines {
		if b.Text == "" {
			last = ""
			continue
		}
		if n := len(blocks); n > 0 && continuesBlock(blocks[n-1], last, b, width) {
			a := &blocks[n-1]
			a.Text += strings.Repeat(" ", b.Start-a.Start-len(a.Text)) + b.Text
		} else {
			blocks, from = append(blocks, b), append(from, i)
		}
		last = b.Text
	}
	return blocks, from
}

// quotation matches the marks before a quoted line of a mail.
var quotation = compilePattern(`^(?:[>|]\s*)+`)

func withoutQuotation(b tagtree.Block) tagtree.Block {
	n := len(quotation.FindString(b.Text))
	b.Text = b.Text[n:]
	b.Start += n
	return b
}

// wrapWidth returns the width, in runes, to which the lines were wrapped, or 0 if they were not.
func wrapWidth(lines []tagtree.Block) int {
	var widths []int
	for _, b := range lines {
		if n := utf8.RuneCountInString(b.Text); n >= minWidth {
			widths = append(widths, n)
		}
	}
	if len(widths) < minLongLines {
		return 0
	}
	slices.Sort(widths)
	width := widths[int(widthQuantile*float64(len(widths)-1))]
	if width > maxWidth {
		return 0
	}
	return width
}

var (
	// beginsItem matches the start of a separate line: a bullet, a number, a label, a rule, an address.
	beginsItem = compilePattern(`^(?:[-*•·–—+o#=_~]+(?:\s|$)|[-=*_~#.]{3,}|[(\[]?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)\]]\s|\p{Lu}[^:.,;]{2,40}:(?:\s|$)|\w+://|www\.)`)
	// endsItem matches the end of a line that is not continued: a colon, a question or exclamation mark, a
	// year, a mail address, dot leaders.
	endsItem = compilePattern(`\.{4}|[:!?]$|\d{4}\)?\.?$|@[\w.-]+[)>]?$`)
)

// beginsDate matches a line that begins with a date.
var beginsDate = compilePattern(`^(?:\d{1,2}\s\p{L}|\p{L}{3,9}\.?\s\d{1,2}\b)`)

// continuesBlock reports whether line b continues block a, whose last line is last. It does if it is the next
// line of the same paragraph and its first word did not fit into width.
func continuesBlock(a tagtree.Block, last string, b tagtree.Block, width int) bool {
	if width == 0 || a.Path != b.Path || a.Kind != tagtree.Line || b.Kind != tagtree.Line || last == "" {
		return false
	}
	if len(a.Text)+len(b.Text) > maxUnwrapped || dateField.MatchString(a.Text) || beginsItem.MatchString(b.Text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(b.Text)
	lower := unicode.IsLower(first)
	if !lower && !(strings.HasSuffix(last, ":") && beginsDate.MatchString(b.Text)) && endsItem.MatchString(last) || strings.Contains(last, "....") {
		return false
	}
	if isPlaceLine(b.Text) && mayEndName(last) {
		return false
	}
	n := utf8.RuneCountInString(last)
	word, _, _ := strings.Cut(b.Text, " ")
	return n+1+utf8.RuneCountInString(word) > width || lower && float64(n) > nearlyFull*float64(width)
}

// isPlaceLine reports whether a line consists of a place with its country: "Rivertown, Tasmania,
// Australia".
func isPlaceLine(s string) bool {
	parts := strings.Split(s, ",")
	if len(parts) < 2 || len(parts) > 4 || len(s) > maxHeading || !unicode.IsUpper(firstRune(s)) {
		return false
	}
	_, ok := countryIn(strings.Trim(parts[len(parts)-1], " ."))
	return ok
}

// mayEndName reports whether a line may be the end of a name. It ends with a letter, a digit or a bracket,
// and its last word is not in lower case.
func mayEndName(line string) bool {
	end, _ := utf8.DecodeLastRuneInString(line)
	return (unicode.IsLetter(end) || unicode.IsDigit(end) || end == ')') && !unicode.IsLower(firstRune(line[strings.LastIndexByte(line, ' ')+1:]))
}

// setUnwrapped sets the blocks of the page, and joins the lines of plain text.
func (p *page) setUnwrapped(lines []tagtree.Block) {
	blocks, from := unwrapLines(lines)
	for i, line := range from {
		p.menu[i] = p.menu[line]
	}
	p.blocks, p.menu = blocks, p.menu[:len(blocks)]
}

// pairColumns finds columns in the text of PDFs, which are printed as lines of labels followed by as many
// lines of dates. It marks them as rows of a table.
func (p *page) pairColumns() {
	if len(p.blocks) == 0 || !isPlain(p.blocks[0]) {
		return
	}
	table := 0
	for i := 0; i < len(p.blocks); {
		if !p.isColumnLabel(i) {
			i++
			continue
		}
		labels := p.linesFrom(i, func(j int) bool { return p.isColumnLabel(j) })
		if len(labels) < 2 {
			i++
			continue
		}
		next := labels[len(labels)-1] + 1
		dates := p.linesFrom(next, func(j int) bool { return p.isColumnDate(j) })
		if len(dates) == len(labels) {
			table++
			for row := range labels {
				p.setCell(labels[row], table, row, 0)
				p.setCell(dates[row], table, row, 1)
			}
			next = dates[len(dates)-1] + 1
		}
		i = next
	}
}

// linesFrom returns the indexes of consecutive lines from i on for which such is true, at most maxRun.
// Lines without words and dates between them, such as bullets, are skipped.
func (p *page) linesFrom(i int, such func(int) bool) []int {
	var lines []int
	for end := min(len(p.blocks), i+2*maxRun); i < end && len(lines) < maxRun; i++ {
		switch {
		case such(i):
			lines = append(lines, i)
		case containsWord(p.blocks[i].Text) || len(p.datesIn(i)) > 0:
			return lines
		}
	}
	return lines
}

// isColumnLabel reports whether line i may be the label of a date in a column.
func (p *page) isColumnLabel(i int) bool {
	text := p.blocks[i].Text
	return len(text) <= maxHeading && len(p.datesIn(i)) == 0 && p.blockKind(i) != "" && !datesHeading.MatchString(text)
}

// isColumnDate reports whether line i consists of a date.
func (p *page) isColumnDate(i int) bool {
	return len(p.datesIn(i)) > 0 && hasOnlyLinkWords(unlabelledWords.ReplaceAllString(withoutDates(p.blocks[i].Text), " "), nil)
}

func (p *page) setCell(i, table, row, column int) {
	b := &p.blocks[i]
	b.Kind, b.Table, b.Row, b.Col = tagtree.Cell, table, row, column
}
