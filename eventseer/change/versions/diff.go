// Package versions compares two versions of a page, and writes what differs between them
// as text.
package versions

import (
	"io"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/text"
)

// A Pair names two versions of a page.
type Pair struct{ From, To, ID string }

// A Diff is what diff prints of two versions of a page.
type Diff struct {
	ID        string                  `json:"id,omitempty"`
	From      string                  `json:"from"`
	To        string                  `json:"to"`
	Kinds     []eventseer.ChangeKind  `json:"changes"`
	Deadlines []change.DeadlineMove   `json:"deadlines"`
	Fields    []eventseer.FieldChange `json:"fields,omitempty"`
	Evidence  []change.Evidenced      `json:"evidence,omitempty"`
	Error     string                  `json:"error,omitempty"`

	pages *diff.Comparison // nil where a version could not be read
}

// New returns what is shown of a change between the versions of a pair; pages is
// nil where one could not be read.
func New(p Pair, what change.PageChange, pages *diff.Comparison) Diff {
	return Diff{
		ID: p.ID, From: p.From, To: p.To, Fields: withoutUnknownHost(what.Fields), Evidence: what.Evidence, pages: pages,
		Kinds: append([]eventseer.ChangeKind{}, what.Kinds...), Deadlines: append([]change.DeadlineMove{}, what.Deadlines...),
	}
}

// Compare compares two versions of a page and what was read from them.
func Compare(x eventseer.Extractor, old, new *tagtree.Tree) (change.PageChange, *diff.Comparison) {
	c := diff.Compare(old, new)
	return change.Between(ReadVersion(x, old), ReadVersion(x, new), c), c
}

// ReadVersion reads one version of a page. One that is not a call yet still has its dates.
func ReadVersion(x eventseer.Extractor, t *tagtree.Tree) eventseer.Reading {
	e, _ := x.Extract(t)
	return eventseer.ReadingOf(x, t, validate.Event(e))
}

// nothing reports whether a reader sees no difference.
func (d Diff) nothing() bool {
	c := d.pages
	return c != nil && len(c.Hunks)+len(c.Restyled)+len(c.Added)+len(c.Removed)+len(d.Fields) == 0
}

// An EventDiff is what diff prints of an event.
type EventDiff struct {
	Event   eventseer.EventID  `json:"event"`
	History []eventseer.Change `json:"history"`
	// Page compares the last two versions of its page that are kept, if there are two.
	Page *Diff `json:"page,omitempty"`

	name string
}

// NewEvent returns the history of an event, which is shown under a name.
func NewEvent(id eventseer.EventID, history []eventseer.Change, name string) EventDiff {
	return EventDiff{Event: id, History: append([]eventseer.Change{}, history...), name: name}
}

// WriteEvent writes what changed of an event when, then what the last version of its page
// changed.
func (s Style) WriteEvent(w io.Writer, d EventDiff) error {
	out := &writer{Style: s, w: w}
	out.printf("%s\n", d.name)
	for _, c := range d.History {
		out.printf("\n%s %s at %s\n", c.At.UTC().Format(time.RFC3339), Happened(c), text.OneLine(c.Page, text.MaxShown))
		out.fields(c.Fields)
	}
	if d.Page == nil {
		out.printf("\nFewer than two versions of its page are kept.\n")
		return out.err
	}
	out.printf("\n")
	if out.err != nil {
		return out.err
	}
	return s.Write(w, *d.Page)
}

// Happened reports what a change is in words.
func Happened(c eventseer.Change) string {
	switch {
	case c.New:
		return "found"
	case c.Into != "":
		return "found to be " + text.OneLine(string(c.Into), text.MaxShown) + ","
	case len(c.Kinds) > 0:
		return kindsInWords(c.Kinds)
	}
	return "changed"
}
