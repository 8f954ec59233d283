package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"eventseer/eventseer"
	"eventseer/features/tagtree/diff"
)

// A diffShown is what differs between two versions, made ready for reading.
type diffShown struct {
	Kinds   []string                `json:"-"`
	Fields  []eventseer.FieldChange `json:"-"`
	Added   []link                  `json:"links_added,omitempty"`
	Removed []link                  `json:"links_gone,omitempty"`
	More    string                  `json:"-"` // what was too much to show
	Rows    []diffRow               `json:"rows"`
	Cut     bool                    `json:"cut"`  // there are more rows
	Same    bool                    `json:"same"` // the text is the same
	Nothing string                  `json:"-"`    // says that nothing visible changed, or ""
}

// A diffRow is a row of two versions.
type diffRow struct {
	Kind    diff.RowKind `json:"kind"`
	Note    string       `json:"note,omitempty"` // how its marks differ
	Skipped int          `json:"skipped,omitempty"`
	Parts   []diffPart   `json:"parts,omitempty"`
}

// A diffPart is a run of text in both versions.
type diffPart struct {
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Changed bool   `json:"changed,omitempty"`
}

// Says is what a row is to those who do not see its marks.
func (r diffRow) Says() string {
	switch r.Kind {
	case diff.EditedRow:
		return "Changed:"
	case diff.AddedRow:
		return "Added:"
	case diff.RemovedRow:
		return "Removed:"
	}
	return ""
}

// SkippedText counts the rows that one stands for.
func (r diffRow) SkippedText() string {
	if r.Skipped == 1 {
		return "1 line is the same"
	}
	return fmt.Sprintf("%d lines are the same", r.Skipped)
}

func newDiffShown(d VersionDiff, view string) *diffShown {
	c := d.Pages
	shown := &diffShown{Same: len(c.Hunks)+len(c.Restyled) == 0}
	for _, k := range d.Change.Kinds {
		shown.Kinds = append(shown.Kinds, kindWords(k))
	}
	fields := publicFields(d.Change.Fields)
	for _, f := range head(fields, maxDeadlines) {
		shown.Fields = append(shown.Fields, shownField(f))
	}
	for _, l := range head(c.Added, maxLinks) {
		shown.Added = append(shown.Added, diffLink(l.Anchor, l.Target))
	}
	for _, l := range head(c.Removed, maxLinks) {
		shown.Removed = append(shown.Removed, diffLink(l.Anchor, l.Target))
	}
	if more := max(0, len(fields)-maxDeadlines) + max(0, len(c.Added)-maxLinks) + max(0, len(c.Removed)-maxLinks); more > 0 {
		shown.More = fmt.Sprintf("%d more fields and links differ.", more)
	}
	if shown.Same && len(d.Change.Fields)+len(c.Added)+len(c.Removed) == 0 {
		shown.Nothing = "Nothing visible changed."
		if c.Noise {
			shown.Nothing = "Nothing visible changed but what changes with every visit."
		}
	}
	shown.Rows, shown.Cut = shownRows(c, view)
	return shown
}

func shownField(f eventseer.FieldChange) eventseer.FieldChange {
	return eventseer.FieldChange{Field: clip(fieldName(f.Field), 80), Old: clip(f.Old, maxValue), New: clip(f.New, maxValue)}
}

func diffLink(anchor, target string) link {
	l := link{Text: clip(eventseer.Redact(anchor), 80), Href: webLink(target)}
	if l.Text == "" {
		l.Text = pageLink(target).Text
	}
	return l
}

// shownRows lays the text out, as much of it as fits a page; cut says that there is more.
func shownRows(c *diff.Comparison, view string) (rows []diffRow, cut bool) {
	context := diff.AllRows
	if view == viewOnly {
		context = diffContext
	}
	left := maxDiffText
	for _, r := range c.Rows(context) {
		if left <= 0 || len(rows) == maxDiffRows {
			return rows, true
		}
		r = redactRow(r)
		row := diffRow{Kind: r.Kind, Note: string(r.Restyling), Skipped: r.Skipped}
		if view == viewOnly {
			r = r.Around(diffAround)
		}
		here := min(left, maxDiffLine)
		for _, p := range r.Parts {
			part := diffPart{Old: clip(p.Old, max(here, 0)), New: clip(p.New, max(here, 0)), Changed: p.Changed}
			n := max(utf8.RuneCountInString(part.Old), utf8.RuneCountInString(part.New))
			here, left = here-n, left-n
			row.Parts = append(row.Parts, part)
			if here <= 0 {
				break
			}
		}
		rows = append(rows, row)
	}
	return rows, false
}

// contactChanged notes a row that differs in what is not shown.
const contactChanged = "contact changed"

// redactRow takes out how to reach people. Where there is such a thing the words that
// differ are no longer told apart.
func redactRow(r diff.Row) diff.Row {
	var old, new strings.Builder
	for _, p := range r.Parts {
		old.WriteString(p.Old)
		new.WriteString(p.New)
	}
	part := diff.Part{Old: eventseer.Redact(old.String()), New: eventseer.Redact(new.String())}
	if part.Old != old.String() || part.New != new.String() {
		part.Changed = part.Old != part.New
		r.Parts = []diff.Part{part}
		if r.Kind == diff.EditedRow && !part.Changed {
			r.Restyling = contactChanged
		}
	}
	return r
}
