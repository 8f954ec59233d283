package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/views"
)

const (
	maxNotesShown = 40
	maxDoneShown  = 20
)

var noteKinds = map[eventseer.NoteKind]string{
	eventseer.ErrorReport: "error", eventseer.Submitted: "page for the crawler", eventseer.Suggested: "page without a call", eventseer.Removal: "removal", eventseer.Appeal: "objection to a warning",
}

// deskPanel shows what visitors tell the operator, and settles it.
func (s *server) deskPanel() Panel {
	if s.Desk == nil {
		return Panel{}
	}
	return Panel{Name: "desk", Title: "Reports", Group: "Visitors", Show: s.showDesk, Act: s.actDesk}
}

func (s *server) showDesk(ctx context.Context, query map[string]string) (Sheet, error) {
	waiting, err := s.Desk.Notes(ctx, false, eventseer.MaxNotes)
	if err != nil {
		return Sheet{}, err
	}
	done, err := s.Desk.Notes(ctx, true, eventseer.MaxNoteDone)
	if err != nil {
		return Sheet{}, err
	}
	state := ""
	if len(waiting) > eventseer.MaxNotes/2 {
		state = "bad"
	}
	sheet := Sheet{
		Intro: "What visitors report. Settling a report takes it off the list; the answer is kept here and not sent to anybody, as no address is known.",
		Facts: []Fact{{"Waiting", strconv.Itoa(len(waiting)) + " of at most " + strconv.Itoa(eventseer.MaxNotes), state}, {"Settled", strconv.Itoa(len(done)), ""}},
	}
	from := 0
	if !readNumber(query["from"], &from, 0, len(waiting)) {
		from = 0
	}
	open := Table{Caption: "Waiting, the oldest first", Columns: []string{"When", "What", "About", "Text"}, Empty: "Nothing waits."}
	if from+maxNotesShown < len(waiting) {
		open.More = "from=" + strconv.Itoa(from+maxNotesShown)
	}
	for _, n := range views.Head(waiting[from:], maxNotesShown) {
		row := Row{Cells: s.noteCells(n), Buttons: []Button{{"settle", n.ID, "Settle", "Answer"}}}
		if n.Kind == eventseer.Suggested && n.URL != "" && s.Submitter != nil {
			row.Buttons = append(row.Buttons, Button{Action: "queue", Subject: n.ID, Label: "Have it visited"})
		}
		open.Rows = append(open.Rows, row)
	}
	settled := Table{Caption: "Settled, the newest first", Columns: []string{"When", "What", "About", "Text", "Answer"}, Empty: "None yet."}
	slices.SortStableFunc(done, func(a, b eventseer.Note) int { return b.Done.Compare(a.Done) })
	for _, n := range views.Head(done, maxDoneShown) {
		settled.Rows = append(settled.Rows, Row{Cells: append(s.noteCells(n), Cell{Text: n.Answer})})
	}
	sheet.Tables = []Table{open, settled}
	return sheet, nil
}

func (s *server) noteCells(n eventseer.Note) []Cell {
	what := cmp.Or(noteKinds[n.Kind], string(n.Kind))
	if n.Field != "" {
		what += ", " + views.FieldName(n.Field)
	}
	about := Cell{Text: n.URL, Href: views.WebLink(n.URL)}
	if n.Event != "" {
		about = Cell{Text: string(n.Event), Href: views.EventHref(n.Event)}
	}
	text := n.Text
	if n.Event != "" && n.URL != "" {
		text += " (see " + n.URL + ")"
	}
	return []Cell{{At: n.At}, {Text: what}, about, {Text: text}}
}

func (s *server) actDesk(ctx context.Context, action, subject, value string) (string, error) {
	switch action {
	case "settle":
		if value == "" {
			return "", errors.New("write what became of it, such as “corrected” or “rejected: the page says so”")
		}
		return "Settled: " + value, s.settle(ctx, subject, value)
	case "queue":
		waiting, err := s.Desk.Notes(ctx, false, eventseer.MaxNotes)
		if err != nil {
			return "", err
		}
		i := slices.IndexFunc(waiting, func(n eventseer.Note) bool { return n.ID == subject })
		if i < 0 || s.Submitter == nil {
			return "", errors.New("no such report waits any more")
		}
		if err := s.Submitter.Queue(ctx, waiting[i].URL); err != nil {
			return "", err
		}
		return "The crawler will visit " + waiting[i].URL, s.settle(ctx, subject, "queued")
	}
	return "", errors.New("there is no such action")
}

func (s *server) settle(ctx context.Context, id, answer string) error {
	err := s.Desk.Settle(ctx, id, answer, s.Now().UTC())
	if errors.Is(err, eventseer.ErrNotFound) {
		return errors.New("no such report waits any more")
	}
	return err
}
