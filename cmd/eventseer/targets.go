package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"text/tabwriter"

	"eventseer/crawler/rundir"
)

// targetBudgets are the pages of budget at which targets are counted.
var targetBudgets = []float64{250, 500, 1000, 2000, 3000, 5000, 10000}

// readTargets returns the URLs of a targets.tsv (columns url and kind) whose
// kind is one of kinds.
func readTargets(path string, kinds []string) (map[string]bool, error) {
	list, err := readLabTargets(path, kinds)
	targets := make(map[string]bool, len(list))
	for _, t := range list {
		targets[t.URL] = true
	}
	return targets, err
}

// showTargets prints how many known targets a run had fetched at each budget.
// The judge is the list, never the crawler's own classifier.
func showTargets(out io.Writer, run string, targets map[string]bool) error {
	f, err := os.Open(filepath.Join(run, rundir.PagesFile))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "pages spent\ttargets of %d\t\n", len(targets))
	found, spent, next := map[string]bool{}, 0.0, 0
	pages := json.NewDecoder(bufio.NewReader(f))
	for {
		var p rundir.Page
		if err := pages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		spent += p.Cost
		for next < len(targetBudgets) && spent > targetBudgets[next] {
			fmt.Fprintf(table, "%.0f\t%d\t\n", targetBudgets[next], len(found))
			next++
		}
		if p.Status == http.StatusOK && p.Cost > 0 && targets[p.URL] {
			found[p.URL] = true
		}
	}
	fmt.Fprintf(table, "%.0f\t%d\t\n", spent, len(found))
	return table.Flush()
}
