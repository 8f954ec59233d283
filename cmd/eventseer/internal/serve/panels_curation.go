package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/curate"
	"eventseer/eventseer/ui"
)

const (
	// maxExpected bounds the value that a form sends back, by which two editors at once are
	// noticed, in bytes.
	maxExpected = 1000
	// panelEditor is who corrects at the operator's pages; the audit log says from where.
	panelEditor = "operator (web)"
	maxQueue    = 50 // rows of each table of the queue
)

// showCuration shows an event's fields with a form for each, and corrections.
func (s *Service) showCuration(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	sheet := ui.Sheet{Intro: "Corrections come before whatever pages say, now and later, until they are undone. Search for the id of an event, such as icx-2027, to correct it."}
	id := eventseer.EventID(strings.TrimSpace(query["q"]))
	var corrections []eventseer.Correction
	if id == "" {
		for c, err := range s.Store.Corrections(ctx) {
			if err == nil {
				corrections = append(corrections, c)
			}
			if ctx.Err() != nil {
				return sheet, ctx.Err()
			}
		}
	} else {
		e, err := s.Store.Event(ctx, id)
		switch {
		case errors.Is(err, eventseer.ErrNotFound):
			sheet.Facts = []ui.Fact{{Name: string(id), Value: "there is no such event", State: "warn"}}
			return sheet, nil
		case err != nil:
			return sheet, err
		}
		if corrections, err = s.Store.CorrectionsOf(ctx, e.ID); err != nil {
			return sheet, err
		}
		if e.ID != id {
			sheet.Facts = append(sheet.Facts, ui.Fact{Name: string(id), Value: "goes on as " + string(e.ID), State: "warn"})
		}
		sheet.Tables = append(sheet.Tables, fieldTable(e), pageTable(e))
	}
	log := ui.Table{Caption: "Corrections, the newest first", Columns: []string{"When", "By", "Event", "What", "Value", "Before", "Why", "Undone"}, Empty: "None."}
	for _, c := range slices.Backward(corrections) {
		if len(log.Rows) == PanelRows {
			break
		}
		row := ui.Row{Cells: []ui.Cell{{At: c.At}, {Text: c.Who}, {Text: string(c.Event), Href: "/e/" + string(c.Event)}, {Text: strings.TrimSpace(string(c.Kind) + " " + c.Field)},
			{Text: cmp.Or(c.Value, string(c.Other))}, {Text: c.Old}, {Text: c.Why}, {}}}
		if c.Undone != nil {
			row.Cells[7] = ui.Cell{Text: "by " + c.Undone.Who}
		} else {
			row.Buttons = []ui.Button{{Action: "undo", Subject: c.ID, Label: "Undo"}}
		}
		log.Rows = append(log.Rows, row)
	}
	sheet.Tables = append(sheet.Tables, log)
	return sheet, nil
}

func fieldTable(e eventseer.Event) ui.Table {
	t := ui.Table{Caption: "Fields of " + string(e.ID), Columns: []string{"Field", "Value", "By"}}
	names := curate.Fields()
	for _, d := range e.Deadlines {
		if name := d.Field(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		value, err := curate.Value(e, name)
		if err != nil || value == "" && strings.HasPrefix(name, "deadlines.") && name != "deadlines.submission" {
			continue
		}
		by := ""
		if e.Sources[name].Rule == eventseer.EditorRule {
			by = "editor"
		}
		subject := string(e.ID) + " " + name
		seen := subject
		if len(value) <= maxExpected {
			seen += " " + value
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: name}, {Text: value}, {Text: by}}, Buttons: []ui.Button{
			{Action: "edit", Subject: seen, Label: "Correct", Ask: "New value"}, {Action: "pin", Subject: subject, Label: "Pin"},
		}})
	}
	subject := string(e.ID)
	t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: "the event"}, {Text: e.HeldBack()}, {}}, Buttons: []ui.Button{
		{Action: "hide", Subject: subject, Label: "Hide", Ask: "Reason"}, {Action: "merge", Subject: subject, Label: "Merge into it", Ask: "Id of another event"},
	}})
	return t
}

func pageTable(e eventseer.Event) ui.Table {
	t := ui.Table{Caption: "Its pages", Columns: []string{"Page"}}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(e.CallPages()), e.Related...)))) {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: p, Href: p}}, Buttons: []ui.Button{{Action: "split", Subject: string(e.ID) + " " + p, Label: "Is of another event"}}})
	}
	return t
}

// actOnCuration makes the correction that a button asks for.
func (s *Service) actOnCuration(ctx context.Context, action, subject, value string) (string, error) {
	id, rest, _ := strings.Cut(subject, " ")
	c := eventseer.Correction{Event: eventseer.EventID(id), Who: panelEditor}
	var expect map[string]string
	switch action {
	case "undo":
		undone, err := s.Store.Undo(ctx, id, eventseer.Undo{Who: panelEditor, Why: value})
		return fmt.Sprintf("Undone: %s of %s", undone.Kind, undone.Event), err
	case "edit":
		name, seen, sent := strings.Cut(rest, " ")
		c.Kind, c.Field, c.Value = eventseer.EditCorrection, name, value
		if sent {
			expect = map[string]string{name: seen}
		}
	case "pin":
		c.Kind, c.Field = eventseer.PinCorrection, rest
	case "hide":
		c.Kind, c.Why = eventseer.HideCorrection, value
	case "merge":
		c.Kind, c.Other = eventseer.MergeCorrection, eventseer.EventID(cmp.Or(rest, strings.TrimSpace(value)))
		if c.Other == "" {
			return "", errors.New("type the id of the other event")
		}
	case "apart":
		c.Kind, c.Other = eventseer.ApartCorrection, eventseer.EventID(rest)
	case "split":
		c.Kind, c.Pages = eventseer.SplitCorrection, []string{rest}
	default:
		return "", errors.New("there is no such action")
	}
	kept, err := s.Store.Correct(ctx, expect, c)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Done: %s of %s. It can be undone below.", kept[0].Kind, kept[0].Event), nil
}

// showQueue lists what waits for an editor's decision: events held back, and pairs of events
// that may be one.
func (s *Service) showQueue(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	held := ui.Table{Caption: "Kept out of lists", Columns: []string{"Event", "Name", "Why", "Page"}, Empty: "None."}
	count := 0
	for e, err := range s.Store.Events(ctx) {
		if ctx.Err() != nil {
			return ui.Sheet{}, ctx.Err()
		}
		if err != nil || e.Hidden || e.HeldBack() == "" {
			continue
		}
		if count++; count > maxQueue {
			continue
		}
		row := ui.Row{Cells: []ui.Cell{{Text: string(e.ID), Href: "/e/" + string(e.ID)}, {Text: cmp.Or(e.Title, e.Acronym)}, {Text: e.HeldBack()}, {Text: e.URL, Href: e.URL}}}
		if e.Title != "" {
			row.Buttons = append(row.Buttons, ui.Button{Action: "pin", Subject: string(e.ID) + " title", Label: "Its name is right: list it"})
		}
		row.Buttons = append(row.Buttons, ui.Button{Action: "edit", Subject: string(e.ID) + " title", Label: "Name it", Ask: "Right name"}, ui.Button{Action: "hide", Subject: string(e.ID), Label: "Hide"})
		held.Rows = append(held.Rows, row)
	}
	questions, err := s.Store.Questions(ctx)
	if err != nil {
		return ui.Sheet{}, err
	}
	pairs := ui.Table{Caption: "Pairs that may be one event, the likeliest first", Columns: []string{"Probability", "Event", "Other"}, Empty: "None."}
	for _, q := range questions[:min(len(questions), maxQueue)] {
		both := string(q.A) + " " + string(q.B)
		pairs.Rows = append(pairs.Rows, ui.Row{
			Cells:   []ui.Cell{{Text: fmt.Sprintf("%.2f", q.Probability)}, {Text: string(q.A), Href: "/e/" + string(q.A)}, {Text: string(q.B), Href: "/e/" + string(q.B)}},
			Buttons: []ui.Button{{Action: "merge", Subject: both, Label: "One event"}, {Action: "apart", Subject: both, Label: "Two events"}},
		})
	}
	return ui.Sheet{
		Intro:  "Each decision is a correction, can be undone at Corrections, and is an example to learn from (eventseer curation labels).",
		Facts:  []ui.Fact{{Name: "Kept out of lists", Value: fmt.Sprint(count)}, {Name: "Pairs", Value: fmt.Sprint(len(questions))}},
		Tables: []ui.Table{held, pairs},
	}, nil
}
