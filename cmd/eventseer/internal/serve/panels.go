package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/ui"
	"github.com/eventseer/eventseer/webgraph"
)

// Groups of the operator's pages.
const (
	groupCrawl = "Crawl"
	groupMail  = "Mail"
	GroupData  = "Data"
)

// PanelRows is the number of rows that a table shows at once.
const PanelRows = 200

// OperatorPanels returns the operator's pages about a service.
func OperatorPanels(a *app.App, s *Service, used ModelsInUse) []ui.Panel {
	var panels []ui.Panel
	if s.Cluster != nil {
		panels = append(panels, s.Cluster.uiPanel())
	} else {
		panels = append(panels,
			ui.Panel{Name: "crawl", Title: "Crawl", Group: groupCrawl, Show: s.showCrawl},
			ui.Panel{Name: "hosts", Title: "Hosts", Group: groupCrawl, Show: s.showHosts},
			ui.Panel{Name: "why", Title: "Why a page is fetched or not", Group: groupCrawl, Find: "Address of a page", Show: s.showWhy},
			ui.Panel{Name: "runs", Title: "Runs of crawls", Group: groupCrawl, Show: s.showRuns})
	}
	if s.Monitor != nil {
		panels = append(panels, ui.Panel{Name: "sources", Title: "Sources that are watched", Group: groupCrawl, Show: sourcesPanel(a, s)})
	}
	return append(panels,
		ui.Panel{Name: "mail", Title: "Mail", Group: groupMail, Show: mailPanel(a, s), Act: s.actOnMails},
		ui.Panel{Name: "readers", Title: "Readers", Group: groupMail, Show: s.showReaders, Act: s.actOnReaders},
		ui.Panel{Name: "queue", Title: "To be decided", Group: GroupData, Show: s.showQueue, Act: s.actOnCuration},
		ui.Panel{Name: "curation", Title: "Corrections", Group: GroupData, Find: "Id of an event", Show: s.showCuration, Act: s.actOnCuration, Preview: s.previewCuration},
		ui.Panel{Name: "errors", Title: "Records with errors", Group: GroupData, Find: "Name of a rule", Show: s.showErrors},
		ui.Panel{Name: "audit", Title: "Audit log", Group: GroupData, Show: s.showAudit},
		ui.Panel{Name: "models", Title: "Models in use", Group: GroupData, Show: used.showModels},
	)
}

// showCrawl returns the page of the crawl as a whole.
func (s *Service) showCrawl(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	turn, failed := s.Console.presentTurn()
	sheet := ui.Sheet{Facts: []ui.Fact{{Name: "Now", Value: cmp.Or(turn, "nothing to do")}}}
	if !s.Console.crawls {
		sheet.Facts[0].Value = "this instance does not crawl"
	}
	if failed != nil {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Last turn failed", Value: failed.Error(), State: "bad"})
	}
	if damaged := s.Scrubber.LastDamage(); damaged != nil {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Databases damaged", Value: damaged.Error(), State: "bad"})
	}
	if last := s.Console.LastCrawled(); !last.IsZero() {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Last page fetched", Value: last.UTC().Format(time.RFC3339)})
	}
	sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Events", Value: strconv.Itoa(s.Store.Len())})
	status, err := s.Console.crawlStatus(ctx, admin.TopHosts)
	if err != nil {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Frontier", Value: err.Error(), State: "warn"})
		return sheet, nil
	}
	sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Budget spent in all", Value: fmt.Sprintf("%g pages", status.Spent)})
	sheet.Tables = []ui.Table{countsTable("Links by state", status.Links), countsTable("Hosts by state", status.Hosts)}
	if len(status.Providers) > 0 {
		t := ui.Table{Caption: "Providers of backlinks", Columns: []string{"Provider", "Results of queries"}}
		for _, p := range status.Providers {
			t.Rows = append(t.Rows, TextRow(p.Name, p.Describe()))
		}
		sheet.Tables = append(sheet.Tables, t)
	}
	return sheet, nil
}

// countsTable lists counts by name.
func countsTable(caption string, counts map[string]int) ui.Table {
	t := ui.Table{Caption: caption, Columns: []string{"State", "Count"}, Empty: "None."}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Rows = append(t.Rows, TextRow(name, strconv.Itoa(counts[name])))
	}
	return t
}

// TextRow makes a row of texts.
func TextRow(texts ...string) (r ui.Row) {
	for _, text := range texts {
		r.Cells = append(r.Cells, ui.Cell{Text: text})
	}
	return r
}

// showHosts lists the hosts with the best links that wait.
func (s *Service) showHosts(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	status, err := s.Console.crawlStatus(ctx, PanelRows)
	if err != nil {
		return ui.Sheet{Facts: []ui.Fact{{Name: "Frontier", Value: err.Error(), State: "warn"}}}, nil
	}
	t := ui.Table{
		Caption: "Hosts with waiting links, those with the best links first", Empty: "No links wait.",
		Columns: []string{"Host", "State", "Waiting", "Fetched", "Due", "Why", "Failures in a row"},
	}
	for _, h := range status.Top {
		row := TextRow(h.Host, h.State, strconv.Itoa(h.Waiting), strconv.Itoa(h.Fetched), "now", cmp.Or(h.Why, h.Reason), strconv.Itoa(h.Failures))
		if h.Due != nil && h.Due.After(status.At) {
			row.Cells[4] = ui.Cell{At: *h.Due}
		}
		if h.State == "dead" || h.Failures > 0 {
			row.Cells[1].State = "warn"
		}
		t.Rows = append(t.Rows, row)
	}
	return ui.Sheet{Intro: fmt.Sprintf("At most %d are shown.", PanelRows), Tables: []ui.Table{t}}, nil
}

// sourcesPanel lists sources: those with alarms, then those due next.
func sourcesPanel(a *app.App, s *Service) func(context.Context, map[string]string) (ui.Sheet, error) {
	return func(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
		plan := monitor.Plan{Policy: monitor.Policies()[0]}
		var err error
		if plan.Yield, err = engine.NewStoreYield(ctx, s.Store, a.Now()); err != nil {
			return ui.Sheet{}, err
		}
		planned, err := s.Monitor.Plan(plan)
		if err != nil {
			return ui.Sheet{}, err
		}
		alarms := ui.Table{Caption: "Alarms", Columns: []string{"Source", "Since", "What is wrong"}, Empty: "All sources respond as before."}
		next := ui.Table{Caption: "Due next", Columns: []string{"Source", "Kind", "Due", "Changes a week", "Visits", "Why"}, Empty: "Nothing is watched yet."}
		for _, p := range planned {
			if p.Alarm != nil && len(alarms.Rows) < PanelRows {
				alarms.Rows = append(alarms.Rows, ui.Row{Cells: []ui.Cell{
					{Text: p.URL, Href: p.URL}, {At: p.Alarm.Since}, {Text: string(p.Alarm.Kind) + ": " + p.Alarm.Text, State: "bad"},
				}})
			}
			if len(next.Rows) < PanelRows {
				next.Rows = append(next.Rows, ui.Row{Cells: []ui.Cell{
					{Text: p.URL, Href: p.URL}, {Text: string(p.Kind)}, {At: p.At}, {Text: fmt.Sprintf("%.2g", 7*p.Rate)},
					{Text: strconv.Itoa(p.Visited)}, {Text: p.Why},
				}})
			}
		}
		alarm := ui.Fact{Name: "Alarms", Value: "none", State: "good"}
		if n := len(alarms.Rows); n > 0 {
			alarm.Value, alarm.State = strconv.Itoa(n), "bad"
		}
		return ui.Sheet{
			Facts:  []ui.Fact{{Name: "Sources", Value: strconv.Itoa(len(planned))}, alarm},
			Tables: []ui.Table{alarms, next},
		}, nil
	}
}

// showWhy shows the history of one URL.
func (s *Service) showWhy(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	if query["q"] == "" {
		return ui.Sheet{Intro: "Shows the data of the crawl about a page: its state, the path to it, its host, robots.txt, the blocklist."}, nil
	}
	address, err := webgraph.Canonical(query["q"])
	if err != nil {
		return ui.Sheet{Facts: []ui.Fact{{Name: "Address", Value: err.Error(), State: "bad"}}}, nil
	}
	story, err := s.Console.urlStory(ctx, address)
	if err != nil {
		return ui.Sheet{Facts: []ui.Fact{{Name: "Frontier", Value: err.Error(), State: "warn"}}}, nil
	}
	return story.Sheet(), nil
}

// maxErrorScan bounds the events examined for the page of errors.
const maxErrorScan = 200_000

// showErrors lists damaged records and those that fail a check, by check.
func (s *Service) showErrors(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	unread := ui.Table{Caption: "Records that cannot be read", Columns: []string{"Event", "Cause"}, Empty: "All records can be read."}
	broken := ui.Table{Caption: "Events that break a rule", Columns: []string{"Event", "Rule", "What is wrong"}, Empty: "None."}
	rules := map[string]int{}
	scanned := 0
	for e, err := range s.Store.Events(ctx) {
		if ctx.Err() != nil {
			return ui.Sheet{}, ctx.Err()
		}
		if scanned++; scanned > maxErrorScan {
			break
		}
		if err != nil {
			if len(unread.Rows) < PanelRows {
				unread.Rows = append(unread.Rows, TextRow(string(e.ID), err.Error()))
			}
			continue
		}
		for _, w := range e.Warnings {
			rules[w.Rule]++
			if (query["q"] == "" || query["q"] == w.Rule) && len(broken.Rows) < PanelRows {
				broken.Rows = append(broken.Rows, ui.Row{Cells: []ui.Cell{
					{Text: string(e.ID), Href: "/e/" + string(e.ID)}, {Text: w.Rule, Href: "?q=" + w.Rule}, {Text: w.Text},
				}})
			}
		}
	}
	return ui.Sheet{
		Intro:  fmt.Sprintf("No event is hidden because of a warning: it is shown with its warnings. At most %d lines per table.", PanelRows),
		Tables: []ui.Table{unread, countsTable("Events by broken rule", rules), broken},
	}, nil
}

// showModels returns the page of the models in use.
func (m ModelsInUse) showModels(context.Context, map[string]string) (ui.Sheet, error) {
	v := m.version()
	return ui.Sheet{
		Intro: "Models that appear in the folder models of the data directory are used without a restart once they are complete.",
		Facts: []ui.Fact{{Name: "From", Value: v.From}, {Name: "cfp.model", Value: fmt.Sprint(v.CFP)}, {Name: "page-type.model", Value: fmt.Sprint(v.PageType)}},
	}, nil
}

// showRuns lists the records of crawls, newest first.
func (s *Service) showRuns(context.Context, map[string]string) (ui.Sheet, error) {
	t := ui.Table{Caption: "Runs, newest first", Columns: []string{"Run", "Strategy", "Pages", "Spent", "Events in all", "Harvest rate", "Ended"}, Empty: "No run has left a record."}
	folder := filepath.Join(s.Dir, "runs")
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return ui.Sheet{}, err
	}
	for _, e := range slices.Backward(entries) {
		if len(t.Rows) == PanelRows {
			break
		}
		r, err := engine.ReadRun(filepath.Join(folder, e.Name()))
		if err != nil {
			continue
		}
		row := []string{e.Name(), r.Strategy, "", "", fmt.Sprint(r.Events), "", r.EndedAt}
		if r.Stats != nil {
			row[2], row[3], row[5] = fmt.Sprint(r.Stats.Pages), fmt.Sprintf("%g", r.Stats.Spent), fmt.Sprintf("%.3f", r.HarvestRate)
		}
		if strings.HasSuffix(e.Name(), engine.WatchSuffix) {
			row[1] = "monitor"
		}
		t.Rows = append(t.Rows, TextRow(row...))
	}
	return ui.Sheet{Tables: []ui.Table{t}}, nil
}

// mailPanel returns the page of outgoing mail.
func mailPanel(a *app.App, s *Service) func(context.Context, map[string]string) (ui.Sheet, error) {
	return func(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
		waiting, err := s.Readers.CountWaiting(ctx)
		if err != nil {
			return ui.Sheet{}, err
		}
		c := s.Readers.Counters()
		sheet := ui.Sheet{Facts: []ui.Fact{
			{Name: "Server", Value: "none: mails wait", State: "warn"},
			{Name: "Mails that wait", Value: strconv.Itoa(waiting)},
			{Name: "Sent since the start", Value: fmt.Sprint(c.Sent)},
			{Name: "To be tried again", Value: fmt.Sprint(c.Retried)},
			{Name: "Rejected permanently", Value: fmt.Sprint(c.Refused)},
			{Name: "Digests made", Value: fmt.Sprint(c.Digests)},
		}}
		if engine.SendsMail(a) {
			sheet.Facts[0] = ui.Fact{Name: "Server", Value: a.Config.SMTPServer, State: "good"}
		}
		if s.MailsTold != "" {
			sheet.Facts[0] = ui.Fact{Name: "Server", Value: s.MailsTold}
		}
		letters, err := s.Readers.WaitingMails(ctx, PanelRows)
		if err != nil {
			return ui.Sheet{}, err
		}
		sheet.Tables = []ui.Table{mailQueueTable(letters)}
		if err := s.Readers.LastPassError(); err != nil {
			sheet.Facts = append(sheet.Facts, ui.Fact{Name: "The last pass failed", Value: err.Error(), State: "bad"})
		}
		return sheet, nil
	}
}

// showReaders lists the accounts. Only the ends of their addresses are shown: full addresses are
// shown by `eventseer user list`.
func (s *Service) showReaders(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	users, err := s.Readers.Users(ctx)
	if err != nil {
		return ui.Sheet{}, err
	}
	from, _ := strconv.Atoi(query["from"]) // invalid numbers mean the first page
	from = min(max(from, 0), len(users))
	t := ui.Table{
		Caption: "Readers", Empty: "No reader has subscribed yet.",
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

// actOnReaders removes a reader with all their data.
func (s *Service) actOnReaders(ctx context.Context, action, subject, value string) (string, error) {
	if action != "forget" || value != "forget" {
		return "Nothing was done: to remove a reader for good, type forget beside the button.", nil
	}
	if err := s.Readers.DeleteAccount(ctx, subject); err != nil {
		return "", err
	}
	return "The reader is removed.", nil
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

// mailQueueTable lists waiting mails, the next to be tried first.
func mailQueueTable(letters []queue.WaitingMail) ui.Table {
	t := ui.Table{Caption: "Mails that wait, the next first", Columns: []string{"To", "Kind", "Tried next", "Tries", "What went wrong"}, Empty: "No mail waits."}
	for _, l := range letters {
		t.Rows = append(t.Rows, ui.Row{
			Cells: []ui.Cell{{Text: l.Address}, {Text: l.Kind}, {At: l.Next}, {Text: strconv.Itoa(l.Tries)}, {Text: l.Error}},
			Buttons: []ui.Button{
				{Action: "retry", Subject: l.ID, Label: "Try now"},
				{Action: "drop", Subject: l.ID, Label: "Drop", Ask: "Type drop to remove this mail from the queue"},
			},
		})
	}
	return t
}

// actOnMails retries a waiting mail at once, or deletes it.
func (s *Service) actOnMails(ctx context.Context, action, subject, value string) (string, error) {
	switch {
	case action == "retry":
		return "The mail is tried now.", s.Readers.RetryMail(ctx, subject)
	case action == "drop" && value == "drop":
		return "The mail is dropped.", s.Readers.DropMail(ctx, subject)
	}
	return "Nothing was done: to drop a mail, type drop beside the button.", nil
}

// showAudit lists the operator's actions, newest first.
func (s *Service) showAudit(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	entries, err := s.Readers.AuditEntries(ctx, PanelRows)
	t := ui.Table{Caption: "Actions with the operator's rights, newest first", Columns: []string{"When", "Who", "Action", "Subject", "Result"}, Empty: "Nothing yet."}
	for _, e := range entries {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{At: e.At}, {Text: e.Who}, {Text: e.Action}, {Text: e.Subject}, {Text: e.Result}}})
	}
	return ui.Sheet{Tables: []ui.Table{t}}, err
}
