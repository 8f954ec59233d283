package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/ui"
)

// maxErrorScan bounds the events that the page of errors looks at.
const maxErrorScan = 200_000

// showErrors lists records that cannot be read and those that break a rule, by rule.
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
				unread.Rows = append(unread.Rows, Cells(string(e.ID), err.Error()))
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
		Intro:  fmt.Sprintf("Nothing here hides an event: it is shown with its warnings. At most %d lines a table.", PanelRows),
		Tables: []ui.Table{unread, countsTable("Events by broken rule", rules), broken},
	}, nil
}

// show is the page of the models in use.
func (m ModelsInUse) show(context.Context, map[string]string) (ui.Sheet, error) {
	v := m.version()
	return ui.Sheet{
		Intro: "Models put whole into the folder models of the data directory are taken up without a restart.",
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
		t.Rows = append(t.Rows, Cells(row...))
	}
	return ui.Sheet{Tables: []ui.Table{t}}, nil
}
