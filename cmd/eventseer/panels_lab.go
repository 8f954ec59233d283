package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/eventseer/ui"
)

const (
	labDir         = "lab" // in a data directory: one folder per experiment
	maxExperiments = 20
)

// A figure of summary.json.
type labFigure struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

func (f labFigure) String() string {
	return fmt.Sprintf("%.3f [%.3f, %.3f]", f.Mean, f.CI95[0], f.CI95[1])
}

// A labResult is the part of summary.json that the operator's page shows.
type labResult struct {
	Strategies map[string]struct {
		Runs       int                  `json:"runs"`
		HarvestAUC labFigure            `json:"harvest_auc"`
		RecallAt   map[string]labFigure `json:"recall_at"`
	} `json:"strategies"`
	Tests []lab.Test `json:"tests"`
}

// labPanel returns the operator's page of experiments.
func labPanel(a *app.App) ui.Panel {
	return ui.Panel{Name: "lab", Title: "Laboratory", Group: serve.GroupData, Show: func(context.Context, map[string]string) (ui.Sheet, error) { return showLabs(a) }}
}

// showLabs lists the experiments whose folders are in the data directory, newest name
// first.
func showLabs(a *app.App) (ui.Sheet, error) {
	folder := filepath.Join(a.Config.Data, labDir)
	sheet := ui.Sheet{Intro: "Experiments of eventseer lab run -o " + folder + "/NAME, the last by name first; curves and graphs are in the report.html of each."}
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return sheet, err
	}
	for _, e := range slices.Backward(entries) {
		text, err := os.ReadFile(filepath.Join(folder, e.Name(), lab.SummaryFile))
		var r labResult
		if err != nil || json.Unmarshal(text, &r) != nil || len(sheet.Tables) >= maxExperiments {
			continue
		}
		sheet.Tables = append(sheet.Tables, r.resultTables(e.Name())...)
	}
	if len(sheet.Tables) == 0 {
		sheet.Tables = []ui.Table{{Caption: "Experiments", Empty: "There is none yet."}}
	}
	return sheet, nil
}

func (r labResult) resultTables(name string) []ui.Table {
	t := ui.Table{Caption: name + ": strategies", Columns: []string{"Strategy", "Runs", "Area under the harvest curve, 95 % interval", "Target recall at 1000 pages"}}
	for _, strategy := range slices.Sorted(maps.Keys(r.Strategies)) {
		s := r.Strategies[strategy]
		recall := ""
		if at, ok := s.RecallAt["1000"]; ok {
			recall = at.String()
		}
		t.Rows = append(t.Rows, serve.TextRow(strategy, fmt.Sprint(s.Runs), s.HarvestAUC.String(), recall))
	}
	tests := ui.Table{Caption: name + ": tests", Columns: []string{"Strategies", "Metric", "Difference", "p, corrected by Holm"}, Empty: "None."}
	for _, x := range r.Tests[:min(len(r.Tests), serve.PanelRows)] {
		tests.Rows = append(tests.Rows, serve.TextRow(x.A+" and "+x.B, x.Metric, fmt.Sprintf("%+.3f", x.Delta), fmt.Sprintf("%.3g", x.HolmP)))
	}
	return []ui.Table{t, tests}
}
