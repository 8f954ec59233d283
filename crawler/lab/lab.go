// Package lab compares crawl strategies on a frozen web. Every strategy starts from the same seeds,
// sees the same pages and spends the same budget, and is judged by the truth, never by its own
// belief.
//
// A cell is one crawl: a strategy, a set of seeds, a repeat with a random seed of its own. Cells
// run in parallel and each leaves a record, so that an interrupted experiment can be resumed. What
// is measured of a cell is in Run, of a strategy over all cells in Summary.
package lab

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Target is a page to be found.
type Target struct {
	URL   string // canonical, where redirects end
	Event string // what the page calls for; "" if unknown
	Kind  string // page, mail, pdf
}

// OfKinds returns the targets of these kinds, in order, of one URL the first. Those of one
// URL must stand together.
func OfKinds(targets []Target, kinds []string) []Target {
	var of []Target
	for _, t := range targets {
		if slices.Contains(kinds, t.Kind) && (len(of) == 0 || of[len(of)-1].URL != t.URL) {
			of = append(of, t)
		}
	}
	return of
}

// A Cell is one crawl of an experiment.
type Cell struct {
	Strategy string
	Seeds    string // name of the set of seeds
	Repeat   int    // from 0
}

// Name returns the folder of a cell's record below that of the runs.
func (c Cell) Name() string { return fmt.Sprintf("%s/%s-%d", c.Strategy, c.Seeds, c.Repeat) }

// A Visit is one thing a crawl spent its budget on.
type Visit struct {
	URL    string
	Cost   float64 // pages of budget
	Status int     // of HTTP
	// Call means that this was a request to a backlink service, and no page.
	Call  bool
	How   string // the way to the page: seed, forward, back, backlinks; see crawler.How
	Bytes int    // of the answer
}

// A Record is the record of a cell.
type Record struct {
	Visits iter.Seq2[Visit, error] // in order
	// Violations are pages fetched against a robots.txt.
	Violations int
	// LinksPerSecond is how fast the strategy judged pages and scored links, 0 if
	// unknown. It differs from run to run and is in no summary.
	LinksPerSecond float64
}

// A Crawl runs one cell. Calls come from several goroutines at once, one a cell.
// A cell that was completed before is read instead.
type Crawl func(ctx context.Context, c Cell) (Record, error)

// An Experiment is the cells to run and the truth they are judged by.
type Experiment struct {
	Strategies []string
	Seeds      []string // names of the sets
	Repeats    int
	Budget     int // pages
	Targets    []Target
	// Parallel is how many cells run at once; 0 means 1.
	Parallel int
	Crawl    Crawl
	// Progress, if set, is called after each cell, one call at a time.
	Progress func(done, all int, r Run)
}

// MaxCells bounds the cells of an experiment, MaxBudget the pages of one.
const (
	MaxCells  = 10_000
	MaxBudget = 10_000_000
)

// Validate returns an error if e is not a valid experiment. Faults are too few or too many cells, a
// budget out of bounds, no targets, and a name that is not a folder's or comes twice.
func (e *Experiment) Validate() error {
	crawls := len(e.Strategies) * len(e.Seeds) // of each repeat
	switch {
	case crawls == 0 || e.Repeats < 1:
		return fmt.Errorf("lab: %d strategies, %d sets of seeds and %d repeats make no experiment", len(e.Strategies), len(e.Seeds), e.Repeats)
	case e.Repeats > MaxCells/crawls:
		return fmt.Errorf("lab: %d strategies, %d sets of seeds and %d repeats are more than %d crawls", len(e.Strategies), len(e.Seeds), e.Repeats, MaxCells)
	case e.Budget < 1 || e.Budget > MaxBudget:
		return fmt.Errorf("lab: a budget of %d pages is not between 1 and %d", e.Budget, MaxBudget)
	case len(e.Targets) == 0:
		return fmt.Errorf("lab: no targets: there is nothing to find")
	}
	for _, names := range [][]string{e.Strategies, e.Seeds} {
		seen := map[string]bool{}
		for _, name := range names {
			if seen[name] || name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
				return fmt.Errorf("lab: %q is named twice or is no name of a folder", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// Cells returns all cells: one set of seeds after the other, so that an
// experiment cut short compares all strategies on the first.
func (e *Experiment) Cells() []Cell {
	var cells []Cell
	for r := range e.Repeats {
		for _, seeds := range e.Seeds {
			for _, s := range e.Strategies {
				cells = append(cells, Cell{s, seeds, r})
			}
		}
	}
	return cells
}
