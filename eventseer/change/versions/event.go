package versions

import (
	"io"
	"time"

	"eventseer/eventseer"
	"eventseer/internal/text"
)

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

// Happened says what a change is in words.
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
