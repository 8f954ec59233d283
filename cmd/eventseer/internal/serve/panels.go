package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/ui"
	"eventseer/webgraph"
)

// Groups of the operator's pages.
const (
	groupCrawl = "Crawl"
	groupMail  = "Mail"
	GroupData  = "Data"
)

// PanelRows is how many rows a table of the operator shows at once.
const PanelRows = 200

// Panels returns the operator's pages about a service.
func Panels(a *app.App, s *Service, used ModelsInUse) []ui.Panel {
	var panels []ui.Panel
	if s.Cluster != nil {
		panels = append(panels, s.Cluster.panel())
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
		ui.Panel{Name: "mail", Title: "Mail", Group: groupMail, Show: mailPanel(a, s), Act: s.actOnLetters},
		ui.Panel{Name: "readers", Title: "Readers", Group: groupMail, Show: s.showReaders, Act: s.actOnReaders},
		ui.Panel{Name: "errors", Title: "Records with errors", Group: GroupData, Find: "Name of a rule", Show: s.showErrors},
		ui.Panel{Name: "audit", Title: "Audit log", Group: GroupData, Show: s.showAudit},
		ui.Panel{Name: "models", Title: "Models in use", Group: GroupData, Show: used.show},
	)
}

// showCrawl is the page of the crawl as a whole.
func (s *Service) showCrawl(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	turn, failed := s.Console.doing()
	sheet := ui.Sheet{Facts: []ui.Fact{{Name: "Now", Value: cmp.Or(turn, "nothing to do")}}}
	if !s.Console.crawls {
		sheet.Facts[0].Value = "this instance does not crawl"
	}
	if failed != nil {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Last turn failed", Value: failed.Error(), State: "bad"})
	}
	if last := s.Console.LastCrawled(); !last.IsZero() {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Last page fetched", Value: last.UTC().Format(time.RFC3339)})
	}
	sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Events", Value: strconv.Itoa(s.Store.Len())})
	status, err := s.Console.status(ctx, admin.TopHosts)
	if err != nil {
		sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Frontier", Value: err.Error(), State: "warn"})
		return sheet, nil
	}
	sheet.Facts = append(sheet.Facts, ui.Fact{Name: "Budget spent in all", Value: fmt.Sprintf("%g pages", status.Spent)})
	sheet.Tables = []ui.Table{countsTable("Links by state", status.Links), countsTable("Hosts by state", status.Hosts)}
	if len(status.Providers) > 0 {
		t := ui.Table{Caption: "Providers of backlinks", Columns: []string{"Provider", "What came of asking"}}
		for _, p := range status.Providers {
			t.Rows = append(t.Rows, Cells(p.Name, p.Facts()))
		}
		sheet.Tables = append(sheet.Tables, t)
	}
	return sheet, nil
}

// countsTable lists counts by name.
func countsTable(caption string, counts map[string]int) ui.Table {
	t := ui.Table{Caption: caption, Columns: []string{"State", "Count"}, Empty: "None."}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Rows = append(t.Rows, Cells(name, strconv.Itoa(counts[name])))
	}
	return t
}

// Cells makes a row of texts.
func Cells(texts ...string) (r ui.Row) {
	for _, text := range texts {
		r.Cells = append(r.Cells, ui.Cell{Text: text})
	}
	return r
}

// showHosts lists the hosts with the best links that wait.
func (s *Service) showHosts(ctx context.Context, _ map[string]string) (ui.Sheet, error) {
	status, err := s.Console.status(ctx, PanelRows)
	if err != nil {
		return ui.Sheet{Facts: []ui.Fact{{Name: "Frontier", Value: err.Error(), State: "warn"}}}, nil
	}
	t := ui.Table{
		Caption: "Hosts with links that wait, those with the best links first", Empty: "No links wait.",
		Columns: []string{"Host", "State", "Waiting", "Fetched", "Due", "Why", "Failures in a row"},
	}
	for _, h := range status.Top {
		row := Cells(h.Host, h.State, strconv.Itoa(h.Waiting), strconv.Itoa(h.Fetched), "now", cmp.Or(h.Why, h.Reason), strconv.Itoa(h.Failures))
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
		alarms := ui.Table{Caption: "Alarms", Columns: []string{"Source", "Since", "What is wrong"}, Empty: "All sources answer as they used to."}
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

// showWhy tells the story of one page.
func (s *Service) showWhy(ctx context.Context, query map[string]string) (ui.Sheet, error) {
	if query["q"] == "" {
		return ui.Sheet{Intro: "What the crawl knows of a page: its state, the way to it, its host, robots.txt, the blocklist."}, nil
	}
	address, err := webgraph.Canonical(query["q"])
	if err != nil {
		return ui.Sheet{Facts: []ui.Fact{{Name: "Address", Value: err.Error(), State: "bad"}}}, nil
	}
	answer, err := s.Console.why(ctx, address)
	if err != nil {
		return ui.Sheet{Facts: []ui.Fact{{Name: "Frontier", Value: err.Error(), State: "warn"}}}, nil
	}
	told, ok := answer.(*admin.Story)
	if !ok {
		return ui.Sheet{}, fmt.Errorf("the story of %s is a %T", address, answer)
	}
	return told.Sheet(), nil
}
