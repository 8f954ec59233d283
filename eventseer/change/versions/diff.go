// Package versions compares two versions of a page, and writes what differs between them
// as text.
package versions

import (
	"eventseer/eventseer"
	"eventseer/eventseer/change"
	"eventseer/eventseer/validate"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/diff"
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

// ReadVersion reads one version of a page. One that is no call yet still has its dates.
func ReadVersion(x eventseer.Extractor, t *tagtree.Tree) eventseer.Reading {
	e, _ := x.Extract(t)
	return eventseer.ReadingOf(x, t, validate.Event(e))
}

// nothing reports whether a reader sees no difference.
func (d Diff) nothing() bool {
	c := d.pages
	return c != nil && len(c.Hunks)+len(c.Restyled)+len(c.Added)+len(c.Removed)+len(d.Fields) == 0
}
