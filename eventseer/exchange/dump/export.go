package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/lines"
)

// Options select what is exported, and how.
type Options struct {
	Query       string // in the language of find; "" means all
	Open        bool   // open calls only
	History     bool   // with what changed when
	Public      bool   // without the names of people
	Base, Title string
}

// An Exporter writes the events of a store.
type Exporter struct {
	Now     func() time.Time
	Partly  error // wrapped by the error of a damaged history
	Options Options
	Store   *store.Store
	N       int
	Fatal   error // why it ended early

	Unread int // number of damaged records, and the first error
	First  error
}

// All yields every event in the order of the store.
func (x *Exporter) All(ctx context.Context) iter.Seq[eventseer.Event] {
	return func(yield func(eventseer.Event) bool) {
		for e, err := range x.Store.Events(ctx) {
			if err != nil {
				if x.Fatal = ctx.Err(); x.Fatal != nil {
					return
				}
				x.reportInvalid(err)
				continue
			}
			if x.N++; !yield(e) {
				return
			}
		}
	}
}

// pageSize is how many events a query requests at once.
const pageSize = 1000

// Found yields the events of the query, page by page.
func (x *Exporter) Found(ctx context.Context, index eventseer.Index) iter.Seq[eventseer.Event] {
	q := eventseer.Query{Text: x.Options.Query, Limit: pageSize, Now: x.Now()}
	if x.Options.Open {
		q.OpenAt, q.ByDeadline = x.Now(), true
	}
	return func(yield func(eventseer.Event) bool) {
		for {
			found, err := index.Find(ctx, q)
			if err != nil {
				x.Fatal = err
				return
			}
			for _, h := range found.Hits {
				e, err := x.Store.Event(ctx, h.ID)
				if err != nil {
					x.reportInvalid(err)
					continue
				}
				if x.N++; !yield(e) {
					return
				}
			}
			if q.From += len(found.Hits); len(found.Hits) == 0 || q.From >= found.Total {
				return
			}
		}
	}
}

func (x *Exporter) reportInvalid(err error) {
	if x.Unread++; x.First == nil {
		x.First = err
	}
}

// A record is a line of export --history.
type record struct {
	eventseer.Event
	History []eventseer.Change `json:"history,omitempty"`
}

// Write writes events in the format of a name and its options.
func (x *Exporter) Write(ctx context.Context, w io.Writer, format string, options url.Values, events iter.Seq[eventseer.Event]) error {
	h := NewHistories(x.Store, x.Partly)
	switch {
	case format == "jsonl":
		for e := range events {
			if err := x.writeLine(ctx, w, e, h); err != nil {
				return err
			}
		}
		return h.Err
	case format == "json" && !x.Options.Public:
		return writeEventsJSON(w, events)
	}
	if format == "ccfddl" {
		return x.writeConferences(ctx, w, events)
	}
	p := eventseer.Publication{Title: x.Options.Title, Base: x.Options.Base, Home: x.Options.Base, Now: x.Now()}
	if p.Title == "" && x.Options.Query != "" {
		p.Title = "Calls for papers: " + x.Options.Query
	}
	p.Updated = p.Now // the store is read in its present state
	if format == "csv" || format == "json" {
		h.st = nil // no use for histories
	}
	return errors.Join(exchange.Write(w, format, p, options, h.Entries(ctx, events)), h.Err)
}

// writeConferences writes the layout of ccfddl, with the store's data on the series.
func (x *Exporter) writeConferences(ctx context.Context, w io.Writer, events iter.Seq[eventseer.Event]) error {
	all := exchange.Conferences(events)
	for i, c := range all {
		s, err := x.Store.Series(ctx, c.Series("").ID)
		if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		all[i] = c.WithSeries(s)
	}
	text, err := exchange.WriteCCFDDL(all)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// writeLine writes a record of jsonl.
func (x *Exporter) writeLine(ctx context.Context, w io.Writer, e eventseer.Event, h *Histories) error {
	if x.Options.Public {
		e = exchange.WithoutPeople(e)
	}
	e = e.WithCalls()
	if !x.Options.History {
		return lines.WriteJSON(w, e)
	}
	changes := h.entryOf(ctx, e).Changes
	if x.Options.Public {
		changes = publicChanges(changes)
	}
	return lines.WriteJSON(w, record{e, changes})
}

// publicChanges returns changes without those of committees.
func publicChanges(changes []eventseer.Change) []eventseer.Change {
	var out []eventseer.Change
	for _, c := range changes {
		c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f eventseer.FieldChange) bool { return !eventseer.IsPublicField(f.Field) })
		out = append(out, c)
	}
	return out
}

// writeEventsJSON writes whole records as find does, one by one.
func writeEventsJSON(w io.Writer, events iter.Seq[eventseer.Event]) error {
	n := 0
	if _, err := io.WriteString(w, "{\"events\":[\n"); err != nil {
		return err
	}
	for e := range events {
		if n++; n > 1 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := lines.WriteJSON(w, e.WithCalls()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "],\"total\":%d}\n", n)
	return err
}

// Histories adds the changes to events.
type Histories struct {
	st     eventseer.Store
	partly error // what err wraps
	Err    error // error of the first damaged history
}

// NewHistories returns the histories of a store, none if it is nil. The error for a damaged one
// wraps partly.
func NewHistories(st eventseer.Store, partly error) *Histories {
	return &Histories{st: st, partly: partly}
}

// Entries adds its changes to each event.
func (h *Histories) Entries(ctx context.Context, events iter.Seq[eventseer.Event]) iter.Seq[eventseer.Entry] {
	return func(yield func(eventseer.Entry) bool) {
		for e := range events {
			if !yield(h.entryOf(ctx, e)) {
				return
			}
		}
	}
}

func (h *Histories) entryOf(ctx context.Context, e eventseer.Event) eventseer.Entry {
	en := eventseer.Entry{Event: e}
	if h.st == nil {
		return en
	}
	changes, err := h.st.History(ctx, e.ID)
	if err != nil && h.Err == nil {
		h.Err = fmt.Errorf("%w: history of %s: %w", h.partly, e.ID, err)
	}
	en.Changes = changes
	return en
}
