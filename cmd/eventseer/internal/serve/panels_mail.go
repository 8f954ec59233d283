package serve

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/publish/queue"
	"eventseer/eventseer/ui"
)

// mailPanel is the page of what goes out.
func mailPanel(a *app.App, s *Service) func(context.Context, map[string]string) (ui.Sheet, error) {
	return func(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
		waiting, err := s.Readers.Waiting(ctx)
		if err != nil {
			return ui.Sheet{}, err
		}
		c := s.Readers.Counters()
		sheet := ui.Sheet{Facts: []ui.Fact{
			{Name: "Server", Value: "none: mails wait", State: "warn"},
			{Name: "Mails that wait", Value: strconv.Itoa(waiting)},
			{Name: "Sent since the start", Value: fmt.Sprint(c.Sent)},
			{Name: "To be tried again", Value: fmt.Sprint(c.Retried)},
			{Name: "Turned away for good", Value: fmt.Sprint(c.Refused)},
			{Name: "Digests made", Value: fmt.Sprint(c.Digests)},
		}}
		if engine.SendsMail(a) {
			sheet.Facts[0] = ui.Fact{Name: "Server", Value: a.Config.SMTPServer, State: "good"}
		}
		if s.MailsTold != "" {
			sheet.Facts[0] = ui.Fact{Name: "Server", Value: s.MailsTold}
		}
		letters, err := s.Readers.Letters(ctx, PanelRows)
		if err != nil {
			return ui.Sheet{}, err
		}
		sheet.Tables = []ui.Table{queueTable(letters)}
		if err := s.Readers.Health(); err != nil {
			sheet.Facts = append(sheet.Facts, ui.Fact{Name: "The last pass failed", Value: err.Error(), State: "bad"})
		}
		return sheet, nil
	}
}

// showReaders lists the accounts. Their addresses are shown by their ends only: who has
// the rights for more has `eventseer user list`.
func (s *Service) showReaders(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	users, err := s.Readers.Users(ctx)
	if err != nil {
		return ui.Sheet{}, err
	}
	from, _ := strconv.Atoi(query["from"]) // what is no number begins at the first
	from = min(max(from, 0), len(users))
	t := ui.Table{
		Caption: "Readers", Empty: "Nobody has subscribed yet.",
		Columns: []string{"Account", "Address", "Since", "Lists", "Waits for a mail", "State"},
	}
	for _, u := range users[from:min(from+PanelRows, len(users))] {
		state := ui.Cell{Text: "confirmed", State: "good"}
		switch {
		case u.Refused != "":
			state = ui.Cell{Text: "turned away: " + u.Refused, State: "bad"}
		case !u.Left.IsZero():
			state = ui.Cell{Text: "has left"}
		case u.Confirmed.IsZero():
			state = ui.Cell{Text: "not confirmed yet", State: "warn"}
		}
		t.Rows = append(t.Rows, ui.Row{
			Cells: []ui.Cell{
				{Text: u.ID}, {Text: maskAddress(u.Address)}, {At: u.Created}, {Text: strconv.Itoa(len(u.Lists))}, {Text: strconv.Itoa(u.Pending)}, state,
			},
			Buttons: []ui.Button{{Action: "forget", Subject: u.ID, Label: "Forget", Ask: "Type forget to remove this reader for good"}},
		})
	}
	if from+PanelRows < len(users) {
		t.More = fmt.Sprintf("from=%d", from+PanelRows)
	}
	return ui.Sheet{Facts: []ui.Fact{{Name: "Readers", Value: strconv.Itoa(len(users))}}, Tables: []ui.Table{t}}, nil
}

// actOnReaders removes a reader with all that is kept of them.
func (s *Service) actOnReaders(ctx context.Context, action, subject, value string) (string, error) {
	if action != "forget" || value != "forget" {
		return "Nothing was done: to remove a reader for good, type forget beside the button.", nil
	}
	if err := s.Readers.Forget(ctx, subject); err != nil {
		return "", err
	}
	return "The reader is forgotten.", nil
}

// maskAddress shows the ends of an address.
func maskAddress(address string) string {
	name, host, ok := strings.Cut(address, "@")
	if !ok || name == "" {
		return ""
	}
	first := []rune(name)[0]
	return string(first) + "…@" + host
}

// queueTable lists letters that wait, the next to be tried first.
func queueTable(letters []queue.WaitingLetter) ui.Table {
	t := ui.Table{Caption: "Mails that wait, the next first", Columns: []string{"To", "Kind", "Tried next", "Tries", "What went wrong"}, Empty: "No mail waits."}
	for _, l := range letters {
		t.Rows = append(t.Rows, ui.Row{
			Cells: []ui.Cell{{Text: l.Address}, {Text: l.Kind}, {At: l.Next}, {Text: strconv.Itoa(l.Tries)}, {Text: l.Error}},
			Buttons: []ui.Button{
				{Action: "retry", Subject: l.ID, Label: "Try now"},
				{Action: "drop", Subject: l.ID, Label: "Drop", Ask: "Type drop to take this mail out of the queue"},
			},
		})
	}
	return t
}

// actOnLetters tries a letter at once, or drops it.
func (s *Service) actOnLetters(ctx context.Context, action, subject, value string) (string, error) {
	switch {
	case action == "retry":
		return "The mail is tried now.", s.Readers.Retry(ctx, subject)
	case action == "drop" && value == "drop":
		return "The mail is dropped.", s.Readers.Drop(ctx, subject)
	}
	return "Nothing was done: to drop a mail, type drop beside the button.", nil
}

// showAudit lists what was done with the operator's rights, newest first.
func (s *Service) showAudit(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	entries, err := s.Readers.Audited(ctx, PanelRows)
	t := ui.Table{Caption: "What was done with the operator's rights, newest first", Columns: []string{"When", "Who", "Action", "Subject", "Result"}, Empty: "Nothing yet."}
	for _, e := range entries {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{At: e.At}, {Text: e.Who}, {Text: e.Action}, {Text: e.Subject}, {Text: e.Result}}})
	}
	return ui.Sheet{Tables: []ui.Table{t}}, err
}
