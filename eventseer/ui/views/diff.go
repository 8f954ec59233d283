package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/text"
)

// A DiffShown is the difference between two versions, prepared for display.
type DiffShown struct {
	Kinds   []string                `json:"-"`
	Fields  []eventseer.FieldChange `json:"-"`
	Added   []Link                  `json:"links_added,omitempty"`
	Removed []Link                  `json:"links_gone,omitempty"`
	More    string                  `json:"-"` // description of omitted data
	Rows    []DiffRow               `json:"rows"`
	Cut     bool                    `json:"cut"`  // there are more rows
	Same    bool                    `json:"same"` // the text is the same
	Nothing string                  `json:"-"`    // message that nothing visible changed, or ""
}

// A DiffRow is a row of two versions.
type DiffRow struct {
	Kind    diff.RowKind `json:"kind"`
	Note    string       `json:"note,omitempty"` // how its marks differ
	Skipped int          `json:"skipped,omitempty"`
	Parts   []DiffPart   `json:"parts,omitempty"`
}

// A DiffPart is a run of text in both versions.
type DiffPart struct {
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Changed bool   `json:"changed,omitempty"`
}

// KindText returns the kind of a row in words, for readers who cannot see its marks.
func (r DiffRow) KindText() string {
	return map[diff.RowKind]string{diff.EditedRow: "Changed:", diff.AddedRow: "Added:", diff.RemovedRow: "Removed:"}[r.Kind]
}

// SkippedText counts the rows that one replaces.
func (r DiffRow) SkippedText() string {
	return text.Count(r.Skipped, "line is the same", "lines are the same")
}

func NewDiffShown(d VersionDiff, view string) *DiffShown {
	c := d.Pages
	shown := &DiffShown{Same: len(c.Hunks)+len(c.Restyled) == 0}
	shown.Kinds = MapSlice(d.Change.Kinds, kindWords)
	fields := PublicFields(d.Change.Fields)
	shown.Fields = MapSlice(FirstN(fields, MaxDeadlines), shownField)
	for _, l := range FirstN(c.Added, maxLinks) {
		shown.Added = append(shown.Added, diffLink(l.Anchor, l.Target))
	}
	for _, l := range FirstN(c.Removed, maxLinks) {
		shown.Removed = append(shown.Removed, diffLink(l.Anchor, l.Target))
	}
	if more := max(0, len(fields)-MaxDeadlines) + max(0, len(c.Added)-maxLinks) + max(0, len(c.Removed)-maxLinks); more > 0 {
		shown.More = fmt.Sprintf("%d more fields and links differ.", more)
	}
	if shown.Same && len(d.Change.Fields)+len(c.Added)+len(c.Removed) == 0 {
		shown.Nothing = "Nothing visible changed."
		if c.Noise {
			shown.Nothing = "Nothing visible changed, except parts that change with every visit."
		}
	}
	shown.Rows, shown.Cut = shownRows(c, view)
	return shown
}

func shownField(f eventseer.FieldChange) eventseer.FieldChange {
	return eventseer.FieldChange{Field: Clip(FieldName(f.Field), 80), Old: Clip(f.Old, MaxValue), New: Clip(f.New, MaxValue)}
}

func diffLink(anchor, target string) Link {
	return Link{Text: cmp.Or(Clip(eventseer.Redact(anchor), 80), PageLink(target).Text), Href: WebLink(target)}
}

// shownRows returns the rows of a comparison that fit a page; cut means that there are more.
func shownRows(c *diff.Comparison, view string) (rows []DiffRow, cut bool) {
	context := diff.AllRows
	if view == ViewOnly {
		context = diffContext
	}
	left := maxDiffText
	for _, r := range c.SideBySideRows(context) {
		if left <= 0 || len(rows) == maxDiffRows {
			return rows, true
		}
		r = redactRow(r)
		row := DiffRow{Kind: r.Kind, Note: string(r.Restyling), Skipped: r.Skipped}
		if view == ViewOnly {
			r = r.WithContext(diffAround)
		}
		here := min(left, maxDiffLine)
		for _, p := range r.Parts {
			part := DiffPart{Old: Clip(p.Old, max(here, 0)), New: Clip(p.New, max(here, 0)), Changed: p.Changed}
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

// contactChanged replaces rows that differ only in removed contact data.
const contactChanged = "contact changed"

// redactRow removes contact data of people. In such rows the changed words are no longer marked.
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

// A VersionDiff is the changes of one version of a page.
type VersionDiff struct {
	Change change.PageChange
	Pages  *diff.Comparison
}

const ViewOnly = "only" // only differences, with context

const ViewMerged = "merged" // in one text with marks

const ViewSide = "side" // side by side

const diffContext = 2 // context rows around differences in ViewOnly

const diffAround = 120 // context runes around changed words in ViewOnly

const maxDiffLine = 4_000 // runes of a row

const maxDiffText = 40_000 // runes of all rows

const maxDiffRows = 1_500

const maxLinks = 40 // maximum number of added links, and of removed ones

func NotifiesReaders(c eventseer.Change) bool {
	return slices.ContainsFunc(KindsOf(c), eventseer.ChangeKind.NotifiesReaders)
}

// PagesOf lists the pages an event was read at, its call first.
func PagesOf(e eventseer.Event) []string {
	pages := NonEmpty(append([]string{e.URL}, FirstN(e.Pages, MaxPages)...)...)
	seen := make(map[string]bool, len(pages))
	return slices.DeleteFunc(pages, func(page string) bool {
		again := seen[page]
		seen[page] = true
		return again
	})
}

// KindsBetween returns the kinds of changes of a page from one moment on, until another unless that
// is zero.
func KindsBetween(history []eventseer.Change, page string, from, until time.Time) []string {
	var words []string
	for _, c := range ChangesBetween(history, page, from, until) {
		for _, k := range KindsOf(c) {
			if w := kindWords(k); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// ChangesBetween returns the changes caused by a page from one moment on, until another unless that
// is zero.
func ChangesBetween(history []eventseer.Change, page string, from, until time.Time) []eventseer.Change {
	var found []eventseer.Change
	for _, c := range history {
		if c.Page == page && !c.At.Before(from) && (until.IsZero() || c.At.Before(until)) {
			found = append(found, c)
		}
	}
	return found
}
