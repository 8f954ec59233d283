package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/crawler/rundir"
)

// CellFile is written last: if it exists, the cell is complete.
const CellFile = "cell.json"

// A CellEnd is the summary of a complete cell.
type CellEnd struct {
	// Budget is the number of pages that the cell could spend; 0 in records of earlier versions.
	Budget     int `json:"budget,omitempty"`
	Violations int `json:"violations"`
}

// CountViolations counts the fetched pages of a run that were forbidden.
func CountViolations(run string, forbidden func(url string) bool) (n int, err error) {
	for v, err := range readVisits(run) {
		if err != nil {
			return n, err
		}
		if !v.Call && v.Cost > 0 && forbidden(v.URL) {
			n++
		}
	}
	return n, nil
}

// ReadCell reads the record of a cell that is complete for a budget. For others the error is
// fs.ErrNotExist.
func ReadCell(run string, budget int) (Record, error) {
	text, err := os.ReadFile(filepath.Join(run, CellFile))
	if err != nil {
		return Record{}, err
	}
	var end CellEnd
	if err := json.Unmarshal(text, &end); err != nil {
		return Record{}, fmt.Errorf("%s: %w; remove the folder to run it again", filepath.Join(run, CellFile), err)
	}
	if end.Budget > 0 && end.Budget < budget {
		return Record{}, fmt.Errorf("%s has a budget of %d pages instead of %d: %w", run, end.Budget, budget, fs.ErrNotExist)
	}
	return Record{Budget: end.Budget, Visits: readVisits(run), Violations: end.Violations}, nil
}

// readVisits reads pages.jsonl of a run folder.
func readVisits(run string) iter.Seq2[Visit, error] {
	return func(yield func(Visit, error) bool) {
		f, err := os.Open(filepath.Join(run, rundir.PagesFile))
		if err != nil {
			yield(Visit{}, err)
			return
		}
		defer func() { _ = f.Close() }() // read only: nothing to lose
		pages := json.NewDecoder(bufio.NewReader(f))
		for {
			var p rundir.Page
			if err := pages.Decode(&p); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(Visit{}, fmt.Errorf("%s: %w", f.Name(), err))
				return
			}
			if !yield(Visit{URL: p.URL, Parent: p.Parent, Cost: p.Cost, Status: p.Status, Call: p.How == rundir.Backlinks, How: string(p.How), Bytes: p.Bytes}, nil) {
				return
			}
		}
	}
}

// SyncFile writes a file's data to the disk, so that later references to it survive a power
// failure.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
