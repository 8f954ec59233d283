package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/curate/queue"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/ui"
)

const (
	// maxExpected bounds the value that a form sends back to detect concurrent edits, in bytes.
	maxExpected = 1000
	// panelEditor is the editor of corrections on the operator's pages; the audit log has the
	// address.
	panelEditor = "operator (web)"
	maxQueue    = 50 // rows of the queue
	// maxGiven bounds the value with which a form can be pre-filled, in bytes.
	maxGiven = 450
)

// Corrections returns all readable corrections of a store, the oldest first; check reports others.
func Corrections(ctx context.Context, st *store.Store) (all []eventseer.Correction, err error) {
	for c, err := range st.Corrections(ctx) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			all = append(all, c)
		}
	}
	return all, nil
}

// showCuration shows an event's fields with a form for each, and corrections.
func (s *Service) showCuration(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	sheet := ui.Sheet{Intro: "Corrections take precedence over what pages say, now and later, until they are undone. Search for the id of an event, such as icx-2027, to correct it."}
	id := eventseer.EventID(strings.TrimSpace(query["q"]))
	var corrections []eventseer.Correction
	if id == "" {
		var err error
		if corrections, err = Corrections(ctx, s.Store); err != nil {
			return sheet, err
		}
	} else {
		e, err := s.Store.Event(ctx, id)
		switch {
		case errors.Is(err, eventseer.ErrNotFound):
			sheet.Facts = []ui.Fact{{Name: string(id), Value: "this event does not exist", State: "warn"}}
			return sheet, nil
		case err != nil:
			return sheet, err
		}
		if corrections, err = s.Store.CorrectionsOf(ctx, e.ID); err != nil {
			return sheet, err
		}
		if e.ID != id {
			sheet.Facts = append(sheet.Facts, ui.Fact{Name: string(id), Value: "merged into " + string(e.ID), State: "warn"})
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
		value, err := curate.FieldValue(e, name)
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
		edit := ui.Button{Action: "edit", Subject: seen, Label: "Correct", Ask: "New value", Optional: true}
		if len(value) <= maxGiven {
			edit.Given = value
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: name}, {Text: value}, {Text: by}}, Buttons: []ui.Button{edit, {Action: "pin", Subject: subject, Label: "Pin"}}})
	}
	subject := string(e.ID)
	t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: "the event"}, {Text: e.ExclusionReason()}, {}}, Buttons: []ui.Button{
		{Action: "hide", Subject: subject, Label: "Hide", Ask: "Reason"}, {Action: "merge", Subject: subject, Label: "Merge into it", Ask: "Id of another event"},
	}})
	return t
}

func pageTable(e eventseer.Event) ui.Table {
	t := ui.Table{Caption: "Its pages", Columns: []string{"Page"}}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(e.CallPages()), e.Related...)))) {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: p, Href: p}}, Buttons: []ui.Button{{Action: "split", Subject: string(e.ID) + " " + p, Label: "Belongs to another event"}}})
	}
	return t
}

// correctionOf returns the correction of a button, and the values that its editor saw.
func correctionOf(action, subject, value string) (c eventseer.Correction, expect map[string]string, err error) {
	id, rest, _ := strings.Cut(subject, " ")
	c = eventseer.Correction{Event: eventseer.EventID(id), Who: panelEditor}
	switch action {
	case "edit":
		name, seen, sent := strings.Cut(rest, " ")
		c.Kind, c.Field, c.Value = eventseer.EditCorrection, name, value
		if sent {
			expect = map[string]string{name: seen}
		}
	case "take": // the value of a page replaces the one that readers see
		c.Kind = eventseer.EditCorrection
		c.Field, c.Value, _ = strings.Cut(rest, " ")
	case "pin":
		c.Kind, c.Field = eventseer.PinCorrection, rest
	case "hide":
		c.Kind, c.Why = eventseer.HideCorrection, value
	case "merge":
		c.Kind, c.Other = eventseer.MergeCorrection, eventseer.EventID(cmp.Or(rest, strings.TrimSpace(value)))
		if c.Other == "" {
			err = errors.New("type the id of the other event")
		}
	case "apart":
		c.Kind, c.Other = eventseer.ApartCorrection, eventseer.EventID(rest)
	case "split":
		c.Kind, c.Pages = eventseer.SplitCorrection, []string{rest}
	default:
		err = errors.New("this action does not exist")
	}
	return c, expect, err
}

// actOnCuration makes the correction of a button, or closes a report.
func (s *Service) actOnCuration(ctx context.Context, action, subject, value string) (string, error) {
	switch action {
	case "undo":
		undone, err := s.Store.Undo(ctx, subject, eventseer.Undo{Who: panelEditor, Why: value})
		return fmt.Sprintf("Undone: %s of %s", undone.Kind, undone.Event), err
	case "settle":
		if value == "" {
			return "", errors.New("write your decision, such as “corrected” or “rejected: the page says so”")
		}
		return "Settled: " + value, s.Store.CloseNote(ctx, subject, value, s.Console.App.Now())
	}
	c, expect, err := correctionOf(action, subject, value)
	if err != nil {
		return "", err
	}
	kept, err := s.Store.Correct(ctx, expect, c)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Done: %s of %s. It can be undone at Corrections.", kept[0].Kind, kept[0].Event), nil
}

// queueSources returns the sources of questions to an editor.
func (s *Service) queueSources() queue.Sources {
	from := queue.Sources{Store: s.Store, Desk: s.Store}
	if s.Readers != nil {
		from.Readers = s.Readers.ReaderCounts
	}
	return from
}

// showQueue lists the open questions for an editor, of one kind or of all. The buttons of the first
// have access keys, so that an editor can work without the mouse.
func (s *Service) showQueue(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	items, err := queue.List(ctx, s.queueSources())
	if err != nil {
		return ui.Sheet{}, err
	}
	counts := queue.CountByKind(items)
	if kind := queue.Kind(query["kind"]); slices.Contains(queue.Kinds(), kind) {
		items = slices.DeleteFunc(items, func(i queue.Item) bool { return i.Kind != kind })
	}
	waiting := ui.Table{
		Caption: "What concerns the most readers comes first", Columns: []string{"Event", "Question", "Readers", "Page"}, Empty: "Nothing waits for a decision.",
	}
	for n, item := range items[:min(len(items), maxQueue)] {
		row := queueRow(item)
		if n == 0 {
			for i := range row.Buttons {
				if row.Buttons[i].Ask == "" {
					row.Buttons[i].Key = strconv.Itoa(i + 1)
				}
			}
		}
		waiting.Rows = append(waiting.Rows, row)
	}
	kinds := ui.Table{Caption: "Kinds", Columns: []string{"Kind", "Waiting"}}
	for _, kind := range queue.Kinds() {
		kinds.Rows = append(kinds.Rows, ui.Row{Cells: []ui.Cell{{Text: queueKinds[kind], Href: "?kind=" + string(kind)}, {Text: strconv.Itoa(counts[kind])}}})
	}
	return ui.Sheet{
		Intro:  fmt.Sprintf("Each decision is a correction, can be undone at Corrections, and is a training example (eventseer curation labels and pairs). At most %d are shown. The digit on a button of the first row is its access key.", maxQueue),
		Tables: []ui.Table{waiting, kinds},
	}, nil
}

var queueKinds = map[queue.Kind]string{
	queue.Report: "Reports of readers", queue.Conflict: "Pages that differ", queue.Pair: "Pairs that may be one event", queue.Held: "Hidden from lists",
	queue.Sample: "Drawn at random",
}

// queueRow shows a question with the buttons that answer it.
func queueRow(i queue.Item) ui.Row {
	id := string(i.Event)
	row := ui.Row{Cells: []ui.Cell{
		{Text: cmp.Or(i.Name, id), Href: panelPath("curation", id)}, {}, {Text: strconv.Itoa(i.Readers)}, {Text: i.Page, Href: i.Page},
	}}
	say := &row.Cells[1].Text
	switch i.Kind {
	case queue.Report:
		*say = fmt.Sprintf("a reader reports an error in %s: %s", cmp.Or(i.Field, "it"), i.Text)
		row.Buttons = []ui.Button{{Action: "settle", Subject: i.Note, Label: "Settle", Ask: "Answer"}}
	case queue.Conflict:
		*say = i.Question()
		row.Buttons = []ui.Button{{Action: "pin", Subject: id + " " + i.Field, Label: "Keep " + i.Now}}
		if _, err := curate.Set(eventseer.Event{}, i.Field, i.Value); err == nil {
			row.Buttons = append(row.Buttons, ui.Button{Action: "take", Subject: id + " " + i.Field + " " + i.Value, Label: "Take " + i.Value})
		}
	case queue.Sample:
		*say = i.Question()
		row.Buttons = []ui.Button{{Action: "pin", Subject: id + " " + i.Field, Label: "Right"}, {Action: "edit", Subject: id + " " + i.Field, Label: "Correct it", Ask: "Right value", Given: i.Now}}
	case queue.Pair:
		both := id + " " + string(i.Other)
		*say = fmt.Sprintf("it may be the same as %s (%s); probability %.2f", i.Other, cmp.Or(i.OtherName, "without a name"), i.Probability)
		row.Cells[3] = ui.Cell{Text: string(i.Other), Href: panelPath("curation", string(i.Other))}
		row.Buttons = []ui.Button{{Action: "merge", Subject: both, Label: "One event"}, {Action: "apart", Subject: both, Label: "Two events"}}
	case queue.Held:
		*say = "it is hidden from lists: " + i.Text
		row.Buttons = []ui.Button{{Action: "hide", Subject: id, Label: "Hide"}, {Action: "edit", Subject: id + " title", Label: "Name it", Ask: "Right name", Given: i.Name}}
		if i.Name != "" {
			row.Buttons = slices.Insert(row.Buttons, 0, ui.Button{Action: "pin", Subject: id + " title", Label: "List it under this name"})
		}
	}
	return row
}

func panelPath(name, search string) string {
	return "/admin/" + name + "?" + url.Values{"q": {search}}.Encode()
}

// previewCuration shows the effect of a correction for readers.
func (s *Service) previewCuration(ctx context.Context, action, subject, value string) (*ui.Sheet, error) {
	if action == "undo" {
		return nil, nil
	}
	c, expect, err := correctionOf(action, subject, value)
	if err != nil {
		return nil, err
	}
	effects, err := s.Store.Preview(ctx, expect, c)
	if err != nil {
		return nil, err
	}
	sheet := &ui.Sheet{Intro: "This changes for readers. It can be undone."}
	for _, e := range effects {
		t := ui.Table{Caption: string(e.ID), Columns: []string{"Field", "Now", "Then"}, Empty: "Nothing changes for readers."}
		switch {
		case e.Before == nil && e.After == nil:
			continue
		case e.After == nil:
			t.Rows = append(t.Rows, TextRow("event", cmp.Or(e.Before.Title, e.Before.Acronym), "merged into "+string(e.Into)))
		default:
			before := eventseer.Event{}
			if e.Before != nil {
				before = *e.Before
			}
			for _, f := range curate.Diff(before, *e.After) {
				t.Rows = append(t.Rows, TextRow(f.Field, f.Old, f.New))
			}
			if before.ExclusionReason() != e.After.ExclusionReason() {
				t.Rows = append(t.Rows, TextRow("in lists", cmp.Or(before.ExclusionReason(), "yes"), cmp.Or(e.After.ExclusionReason(), "yes")))
			}
			for _, f := range []string{"homepage", "series"} { // the changes do not include these
				was, _ := curate.FieldValue(before, f)
				if now, _ := curate.FieldValue(*e.After, f); was != now {
					t.Rows = append(t.Rows, TextRow(f, was, now))
				}
			}
			t.Rows = append(t.Rows, TextRow("pages", strings.Join(before.CallPages(), " "), strings.Join(e.After.CallPages(), " ")))
		}
		sheet.Tables = append(sheet.Tables, t)
	}
	return sheet, nil
}
