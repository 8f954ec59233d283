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

// A Pair identifies two versions of a page.
type Pair struct{ From, To, ID string }

// A Diff is the output of diff for two versions of a page.
type Diff struct {
	ID        string                  `json:"id,omitempty"`
	From      string                  `json:"from"`
	To        string                  `json:"to"`
	Kinds     []eventseer.ChangeKind  `json:"changes"`
	Deadlines []change.DeadlineMove   `json:"deadlines"`
	Fields    []eventseer.FieldChange `json:"fields,omitempty"`
	Evidence  []change.ChangedLine    `json:"evidence,omitempty"`
	Error     string                  `json:"error,omitempty"`

	pages *diff.Comparison // nil if a version could not be read
}

// New returns the Diff of a change between the versions of a pair; pages is nil if one could not be
// read.
func New(p Pair, what change.PageChange, pages *diff.Comparison) Diff {
	return Diff{
		ID: p.ID, From: p.From, To: p.To, Fields: withoutUnknownHost(what.Fields), Evidence: what.Evidence, pages: pages,
		Kinds: append([]eventseer.ChangeKind{}, what.Kinds...), Deadlines: append([]change.DeadlineMove{}, what.Deadlines...),
	}
}

// Compare compares two versions of a page and what was read from them.
func Compare(x eventseer.Extractor, old, new *tagtree.Tree) (change.PageChange, *diff.Comparison) {
	c := diff.Compare(old, new)
	return change.ChangesBetween(ReadVersion(x, old), ReadVersion(x, new), c), c
}

// ReadVersion reads one version of a page. A page that is not a call yet also has its dates.
func ReadVersion(x eventseer.Extractor, t *tagtree.Tree) eventseer.Reading {
	e, _ := x.Extract(t)
	return eventseer.ReadingOf(x, t, validate.Event(e))
}

// isEmpty reports whether a reader sees no difference.
func (d Diff) isEmpty() bool {
	c := d.pages
	return c != nil && len(c.Hunks)+len(c.Restyled)+len(c.Added)+len(c.Removed)+len(d.Fields) == 0
}

// An EventDiff is the output of diff for an event.
type EventDiff struct {
	Event   eventseer.EventID  `json:"event"`
	History []eventseer.Change `json:"history"`
	// Page is the comparison of the last two stored versions of its page, if there are two.
	Page *Diff `json:"page,omitempty"`

	name string
}

// NewEvent returns the history of an event, shown under a name.
func NewEvent(id eventseer.EventID, history []eventseer.Change, name string) EventDiff {
	return EventDiff{Event: id, History: append([]eventseer.Change{}, history...), name: name}
}

// WriteEvent prints the changes of an event with their times, then those of the last version of its
// page.
func (s Style) WriteEvent(w io.Writer, d EventDiff) error {
	out := &writer{Style: s, w: w}
	out.printf("%s\n", d.name)
	for _, c := range d.History {
		out.printf("\n%s %s at %s\n", c.At.UTC().Format(time.RFC3339), DescribeChange(c), text.OneLine(c.Page, text.MaxShown))
		out.writeFields(c.Fields)
	}
	if d.Page == nil {
		out.printf("\nFewer than two versions of its page are stored.\n")
		return out.err
	}
	out.printf("\n")
	if out.err != nil {
		return out.err
	}
	return s.Write(w, *d.Page)
}

// DescribeChange describes a change in words.
func DescribeChange(c eventseer.Change) string {
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
