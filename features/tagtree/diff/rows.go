package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A RowKind is the content of a row of two versions.
type RowKind string

const (
	SameRow     RowKind = "same"
	EditedRow   RowKind = "edited"   // words of the block differ
	RestyledRow RowKind = "restyled" // the words are the same, the mark-up is not
	RemovedRow  RowKind = "removed"
	AddedRow    RowKind = "added"
	SkippedRow  RowKind = "skipped" // replaces unchanged rows
)

// A Row shows a block of two versions of a page side by side.
type Row struct {
	Kind RowKind
	// Old and New are indexes into Tree.Blocks, -1 if the row has no block of that version.
	Old, New int
	// Parts are the texts of the row, in order.
	Parts []Part
	// Restyling is the change of the block's mark-up.
	Restyling MarkupChange
	// Skipped is the number of rows that this one replaces.
	Skipped int
}

// A Part is a run of a row's text in both versions. If it is not Changed, Old and New may still
// differ in ignored parts.
type Part struct {
	Old, New string
	Changed  bool
}

// A MarkupChange is the change of the mark-up of a block whose words are equal.
type MarkupChange string

// Kinds of changes of mark-up.
const (
	StruckOut  MarkupChange = "struck out"
	Unstruck   MarkupChange = "no longer struck out"
	Headed     MarkupChange = "now a heading"
	Unheaded   MarkupChange = "no longer a heading"
	OtherMarks MarkupChange = "other marks"
)

// AllRows is the context that includes all rows.
const AllRows = -1

// SideBySideRows lays the two versions side by side, in page order. Unchanged rows are included if they are
// at most context rows from a differing one, all for AllRows; the others are replaced by rows with
// their count.
func (c *Comparison) SideBySideRows(context int) []Row {
	restyled := make(map[int]bool, len(c.Restyled))
	for _, p := range c.Restyled {
		restyled[p.Old] = true
	}
	var rows []Row
	i, j := 0, 0
	same := func(end int) {
		for ; i < end; i, j = i+1, j+1 {
			rows = append(rows, c.sameRow(i, j, restyled[i]))
		}
	}
	for _, h := range c.Hunks {
		same(h.Old.Start)
		for _, p := range h.Pairs {
			rows = append(rows, c.pairRow(p))
		}
		i, j = h.Old.End, h.New.End
	}
	same(len(c.Old.Blocks()))
	if context == AllRows {
		return rows
	}
	return skipSame(rows, context)
}

func (c *Comparison) sameRow(i, j int, restyled bool) Row {
	old, new := c.Old.Blocks()[i], c.New.Blocks()[j]
	row := Row{Kind: SameRow, Old: i, New: j, Parts: []Part{{Old: old.Text, New: new.Text}}}
	if restyled {
		row.Kind, row.Restyling = RestyledRow, markupChange(old, new)
	}
	return row
}

func markupChange(old, new tagtree.Block) MarkupChange {
	before, after := struckBytes(old), struckBytes(new)
	switch {
	case after > before:
		return StruckOut
	case after < before:
		return Unstruck
	case new.Kind == tagtree.Heading && old.Kind != tagtree.Heading:
		return Headed
	case old.Kind == tagtree.Heading && new.Kind != tagtree.Heading:
		return Unheaded
	}
	return OtherMarks
}

func (c *Comparison) pairRow(p BlockPair) Row {
	row := Row{Old: p.Old, New: p.New}
	switch {
	case p.Old < 0:
		row.Kind, row.Parts = AddedRow, []Part{{New: c.New.Blocks()[p.New].Text, Changed: true}}
	case p.New < 0:
		row.Kind, row.Parts = RemovedRow, []Part{{Old: c.Old.Blocks()[p.Old].Text, Changed: true}}
	default:
		row.Kind = EditedRow
		row.Parts = editedParts(c.Old.Blocks()[p.Old].Text, c.New.Blocks()[p.New].Text, p.Edits)
	}
	return row
}

// editedParts splits two states of a text into common and differing parts. Adjacent differing runs
// are merged.
func editedParts(old, new string, edits []WordEdit) []Part {
	var parts []Part
	i, j := 0, 0
	for _, e := range edits {
		between := Part{Old: old[i:e.Old.Start], New: new[j:e.New.Start]}
		gone, came := old[e.Old.Start:e.Old.End], new[e.New.Start:e.New.End]
		if n := len(parts); n > 0 && isWordless(between.Old) && isWordless(between.New) {
			parts[n-1].Old += between.Old + gone
			parts[n-1].New += between.New + came
		} else {
			parts = appendPart(parts, between)
			parts = append(parts, Part{Old: gone, New: came, Changed: true})
		}
		i, j = e.Old.End, e.New.End
	}
	return appendPart(parts, Part{Old: old[i:], New: new[j:]})
}

func appendPart(parts []Part, p Part) []Part {
	if p.Old == "" && p.New == "" {
		return parts
	}
	return append(parts, p)
}

func isWordless(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// skipSame replaces unchanged rows that are far from differing ones.
func skipSame(rows []Row, context int) []Row {
	near := make([]bool, len(rows))
	kept := 0 // index of the first row whose near is not set yet
	for i, r := range rows {
		if r.Kind == SameRow {
			continue
		}
		for k := max(kept, i-context); k <= min(i+context, len(rows)-1); k++ {
			near[k] = true
		}
		kept = min(i+context+1, len(rows))
	}
	shown := func(i int) bool { return i >= 0 && i < len(rows) && near[i] }
	var out []Row
	for i, r := range rows {
		switch {
		case near[i], shown(i-1) && (shown(i+1) || i+1 == len(rows)), i == 0 && shown(1): // a single row is as short as its replacement
			out = append(out, r)
		case len(out) > 0 && out[len(out)-1].Kind == SkippedRow:
			out[len(out)-1].Skipped++
		default:
			out = append(out, Row{Kind: SkippedRow, Old: r.Old, New: r.New, Skipped: 1})
		}
	}
	return out
}

// WithContext returns the row with at most n unchanged characters on each side of a difference. If nothing
// differs, it returns the first n characters. Omitted text becomes "…".
func (r Row) WithContext(n int) Row {
	parts := slices.Clone(r.Parts)
	for i, p := range parts {
		if p.Changed {
			continue
		}
		atStart, atEnd := i == 0, i == len(parts)-1
		parts[i].Old, parts[i].New = shortenEqual(p.Old, n, atStart, atEnd), shortenEqual(p.New, n, atStart, atEnd)
	}
	r.Parts = parts
	return r
}

// shortenEqual keeps n runes at each end of s that borders on a difference. This is the end of the first text, the
// beginning of the last or only text, and both ends of other texts.
func shortenEqual(s string, n int, first, last bool) string {
	if utf8.RuneCountInString(s) <= 2*n {
		return s
	}
	runes := []rune(s)
	switch {
	case last:
		return strings.TrimRight(string(runes[:n]), " ") + "…"
	case first:
		return "…" + strings.TrimLeft(string(runes[len(runes)-n:]), " ")
	}
	return strings.TrimRight(string(runes[:n]), " ") + " … " + strings.TrimLeft(string(runes[len(runes)-n:]), " ")
}
