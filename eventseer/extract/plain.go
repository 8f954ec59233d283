package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
)

// Plain text, as of mails and PDFs, has a block a line. Its sentences are
// broken to fit a width, which parts labels from their dates and names in two.
// unwrapped puts them together again.

const (
	minWidth      = 50    // runes a line that text is wrapped to; shorter lines were not
	maxWidth      = 110   // longer ones neither
	minLongLines  = 3     // lines of about that width that make a text wrapped
	maxUnwrapped  = 4_000 // bytes of one block made of lines
	nearlyFull    = .7    // of the width, from where on a line may go on in lower case
	widthQuantile = .9
)

// isPlain reports whether a block is a line of plain text.
func isPlain(b tagtree.Block) bool { return strings.HasPrefix(b.Path, "text/") }

// unwrapped returns the blocks of plain text without quotation marks of mails, with the lines of a
// sentence or an item in one block. Blocks of other pages stay as they are. Every byte stays where
// it was in the text of the tree, so offsets stay true. from[i] is the index of the line that block
// i begins with.
func unwrapped(lines []tagtree.Block) (blocks []tagtree.Block, from []int) {
	if len(lines) == 0 || !isPlain(lines[0]) {
		return lines, nil
	}
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i] = unquoted(lines[i])
	}
	width := wrapWidth(lines)
	last := "" // the line that the last block ends with, "" after an empty one
	for i, b := range lines {
		if b.Text == "" {
			last = ""
			continue
		}
		if n := len(blocks); n > 0 && goesOnIn(blocks[n-1], last, b, width) {
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
var quotation = compile(`^(?:[>|]\s*)+`)

func unquoted(b tagtree.Block) tagtree.Block {
	n := len(quotation.FindString(b.Text))
	b.Text = b.Text[n:]
	b.Start += n
	return b
}

// wrapWidth returns the width in runes that the lines were broken to fit, 0
// where they were not.
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
	// beginsItem matches what begins a line of its own: a bullet, a number, a
	// label, a rule.
	beginsItem = compile(`^(?:[-*•·–—+o#=_~]+(?:\s|$)|[-=*_~#.]{3,}|[(\[]?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)\]]\s|\p{Lu}[^:.,;]{2,40}:(?:\s|$)|\w+://|www\.)`)
	// endsItem matches the end of a line that is not continued: a day or year of a list, an
	// address, dot leaders, a colon.
	endsItem = compile(`\.{4}|[:!?]$|\d{4}\)?\.?$|@[\w.-]+[)>]?$`)
)

// beginsDate matches a line that begins with a date.
var beginsDate = compile(`^(?:\d{1,2}\s\p{L}|\p{L}{3,9}\.?\s\d{1,2}\b)`)

// goesOnIn reports whether line b continues block a, whose last line is last. It does if it is
// below in the same paragraph and its first word did not fit.
func goesOnIn(a tagtree.Block, last string, b tagtree.Block, width int) bool {
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

// isPlaceLine reports whether a line is nothing but a place with its country:
// "Rivertown, Tasmania, Australia".
func isPlaceLine(s string) bool {
	parts := strings.Split(s, ",")
	if len(parts) < 2 || len(parts) > 4 || len(s) > maxHeading || !unicode.IsUpper(firstRune(s)) {
		return false
	}
	_, ok := countryIn(strings.Trim(parts[len(parts)-1], " ."))
	return ok
}

// mayEndName reports whether a line may be the end of a name: it breaks off in no list and after no
// word such as "in".
func mayEndName(line string) bool {
	end, _ := utf8.DecodeLastRuneInString(line)
	return (unicode.IsLetter(end) || unicode.IsDigit(end) || end == ')') && !unicode.IsLower(firstRune(line[strings.LastIndexByte(line, ' ')+1:]))
}

// unwrap sets the blocks of the page: of plain text, its lines put together.
func (p *page) unwrap(lines []tagtree.Block) {
	blocks, from := unwrapped(lines)
	for i, line := range from {
		p.menu[i] = p.menu[line]
	}
	p.blocks, p.menu = blocks, p.menu[:len(blocks)]
}

// pairColumns finds the columns of PDFs, printed as lines of labels with as
// many lines of dates below them, and makes rows of them.
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

// linesFrom returns the lines from i on that are such, without the lone
// bullets between them, at most maxRun of each.
func (p *page) linesFrom(i int, such func(int) bool) []int {
	var lines []int
	for end := min(len(p.blocks), i+2*maxRun); i < end && len(lines) < maxRun; i++ {
		switch {
		case such(i):
			lines = append(lines, i)
		case says(p.blocks[i].Text) || len(p.datesIn(i)) > 0:
			return lines
		}
	}
	return lines
}

// isColumnLabel reports whether line i may label a date of a column.
func (p *page) isColumnLabel(i int) bool {
	text := p.blocks[i].Text
	return len(text) <= maxHeading && len(p.datesIn(i)) == 0 && p.blockKind(i) != "" && !datesHeading.MatchString(text)
}

// isColumnDate reports whether line i holds nothing but a date.
func (p *page) isColumnDate(i int) bool {
	return len(p.datesIn(i)) > 0 && wordless(asides.ReplaceAllString(withoutDates(p.blocks[i].Text), " "), nil)
}

func (p *page) setCell(i, table, row, column int) {
	b := &p.blocks[i]
	b.Kind, b.Table, b.Row, b.Col = tagtree.Cell, table, row, column
}
