// Package queue lists the questions waiting for an editor.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/store"
)

// A Kind is the type of decision that an editor makes.
type Kind string

// The kinds of questions, in order for questions that affect equally many readers.
const (
	Report   Kind = "report"   // a reader's report about an event
	Conflict Kind = "conflict" // pages state different days, places or deadlines
	Pair     Kind = "pair"     // two events may be one
	Held     Kind = "held"     // an event is excluded from lists
	Sample   Kind = "sample"   // check a field of a randomly drawn event
)

// Kinds returns all kinds, in order.
func Kinds() []Kind { return []Kind{Report, Conflict, Pair, Held, Sample} }

// An Item is one question to an editor.
type Item struct {
	Kind  Kind              `json:"kind"`
	Event eventseer.EventID `json:"event"`
	Name  string            `json:"name,omitempty"` // of the event
	// Readers is the number of accounts that follow the event or received it by a list.
	Readers int `json:"readers"`
	// Field, Now and Value depend on the kind of task. For a conflict they are the field, the value
	// that readers see, and the value on Page. A report has only Field, a sample Field, Now and
	// Page.
	Field string `json:"field,omitempty"`
	Now   string `json:"now,omitempty"`
	Value string `json:"value,omitempty"`
	Page  string `json:"page,omitempty"`
	// Other, its name and Probability, 0 to 1, are set for a pair.
	Other       eventseer.EventID `json:"other,omitempty"`
	OtherName   string            `json:"other_name,omitempty"`
	Probability float64           `json:"probability,omitempty"`
	// Note is the ID of a report and Text its text. For an excluded event Text is the reason.
	Note string `json:"note,omitempty"`
	Text string `json:"text,omitempty"`
}

// Question returns the question to an editor in words; for a report or an excluded event it is its
// Text.
func (i Item) Question() string {
	switch i.Kind {
	case Conflict:
		return fmt.Sprintf("%s is %q, but the page says %q", i.Field, i.Now, i.Value)
	case Sample:
		return fmt.Sprintf("random check: is %s %q right?", i.Field, i.Now)
	case Pair:
		return fmt.Sprintf("is it the same as %s? Probability %.2f", i.Other, i.Probability)
	}
	return i.Text
}

// Sources are the sources of questions.
type Sources struct {
	Store interface {
		Events(ctx context.Context) iter.Seq2[eventseer.Event, error]
		Event(ctx context.Context, id eventseer.EventID) (eventseer.Event, error)
		OpenQuestions(ctx context.Context) ([]store.Question, error)
	}
	// Desk has the reports of readers. Nil means that there are none.
	Desk interface {
		Notes(ctx context.Context, done bool, limit int) ([]eventseer.Note, error)
	}
	// Readers returns the number of readers who follow each event. Nil means no readers.
	Readers func(ctx context.Context) (map[eventseer.EventID]int, error)
}

const (
	maxConflicts = 20 // of one event
	maxSample    = 20 // sampled events in the queue at one time
)

// List returns the questions: those affecting the most readers first, then by kind, then the most
// probable pair, then by event. Damaged events are left out.
func List(ctx context.Context, from Sources) (items []Item, err error) {
	readers := map[eventseer.EventID]int{}
	if from.Readers != nil {
		if readers, err = from.Readers(ctx); err != nil {
			return nil, err
		}
	}
	names := map[eventseer.EventID]string{}
	var sample []eventseer.Event
	for e, err := range from.Store.Events(ctx) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || e.Hidden { // an editor has decided
			continue
		}
		names[e.ID] = cmp.Or(e.Title, e.Acronym)
		if why := e.ExclusionReason(); why != "" {
			items = append(items, Item{Kind: Held, Event: e.ID, Text: why, Page: e.URL})
		}
		for i, c := range curate.Conflicts(e) {
			if i == maxConflicts {
				break
			}
			items = append(items, Item{Kind: Conflict, Event: e.ID, Field: c.Field, Now: c.Now, Value: c.Value, Page: c.Page})
		}
		if curate.IsSampled(e.ID) {
			sample = addSampled(sample, e)
		}
	}
	for _, e := range sample {
		for _, f := range curate.UncheckedFields(e) {
			items = append(items, Item{Kind: Sample, Event: e.ID, Field: f.Field, Now: f.New, Page: cmp.Or(e.Sources[f.Field].URL, e.URL)})
		}
	}
	pairs, err := from.Store.OpenQuestions(ctx)
	if err != nil {
		return nil, err
	}
	for _, q := range pairs {
		items = append(items, Item{Kind: Pair, Event: q.A, Other: q.B, OtherName: names[q.B], Probability: q.Probability})
	}
	reports, err := reportsOf(ctx, from)
	if err != nil {
		return nil, err
	}
	items = append(items, reports...)
	for i := range items {
		items[i].Name = names[items[i].Event]
		items[i].Readers = readers[items[i].Event] + readers[items[i].Other]
	}
	order := func(i Item) int { return slices.Index(Kinds(), i.Kind) }
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Readers, a.Readers), cmp.Compare(order(a), order(b)), cmp.Compare(b.Probability, a.Probability),
			cmp.Compare(a.Event, b.Event), cmp.Compare(a.Other, b.Other), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Note, b.Note))
	})
	return items, nil
}

// addSampled adds an event with unchecked fields to the sample, of which the first maxSample by
// rank remain, in order.
func addSampled(sample []eventseer.Event, e eventseer.Event) []eventseer.Event {
	if len(curate.UncheckedFields(e)) == 0 {
		return sample
	}
	i, _ := slices.BinarySearchFunc(sample, e, func(a, b eventseer.Event) int {
		return cmp.Or(cmp.Compare(curate.SampleRank(a.ID), curate.SampleRank(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	sample = slices.Insert(sample, i, e)
	return sample[:min(len(sample), maxSample)]
}

// reportsOf returns the reports of errors and the objections that wait.
func reportsOf(ctx context.Context, from Sources) (items []Item, err error) {
	if from.Desk == nil {
		return nil, nil
	}
	notes, err := from.Desk.Notes(ctx, false, eventseer.MaxNotes)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		if n.Event == "" || n.Kind != eventseer.ErrorReport && n.Kind != eventseer.Appeal {
			continue
		}
		e, err := from.Store.Event(ctx, n.Event)
		switch {
		case errors.Is(err, eventseer.ErrNotFound):
			e.ID = n.Event // the report must still be closed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("report %s: %w", n.ID, err)
		}
		items = append(items, Item{Kind: Report, Event: e.ID, Field: n.Field, Page: n.URL, Note: n.ID, Text: n.Text})
	}
	return items, nil
}

// CountByKind returns how many items there are of each kind.
func CountByKind(items []Item) map[Kind]int {
	counts := map[Kind]int{}
	for _, i := range items {
		counts[i.Kind]++
	}
	return counts
}
