// Package lab compares crawl strategies on a frozen web. Every strategy starts from the same seeds,
// sees the same pages and spends the same budget, and is evaluated by the true targets, not by its
// own classifier.
//
// A cell is one crawl: a strategy, a set of seeds, and a repeat with its own random seed. Cells run
// in parallel and each leaves a record, so that an interrupted experiment can be resumed. Run has
// the measures of a cell, Summary those of a strategy over all cells.
package lab

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler"
)

// A Target is a page to be found.
type Target struct {
	URL   string // canonical, where redirects end
	Event string // event announced by the page; "" if unknown
	Kind  string // page, mail, pdf
	Past  bool   `json:",omitempty"` // all deadlines of the call had passed when the crawl began
}

// OfKinds returns the targets of these kinds in order, the first for each URL. Targets with equal
// URLs must be adjacent.
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

// A Visit is a page or a backlink call on which a crawl spent budget.
type Visit struct {
	URL    string
	Cost   float64 // pages of budget
	Status int     // of HTTP
	// Call means that this was a request to a backlink service, not a page.
	Call bool
	// Parent is the page whose link was followed, or for whose site backlinks were requested.
	Parent string
	How    string // how the page was found: seed, forward, back, backlinks; see crawler.Origin
	Bytes  int    // of the answer
}

// A Record is the record of a cell.
type Record struct {
	Visits iter.Seq2[Visit, error] // in order
	Budget int                     // see CellEnd
	// Violations is the number of pages fetched against a robots.txt.
	Violations int
}

// A Crawl runs one cell. It is called by several goroutines at once, one per cell. A completed cell
// is read instead.
type Crawl func(ctx context.Context, c Cell) (Record, error)

// An Experiment is a set of cells to run and the targets by which they are evaluated.
type Experiment struct {
	Strategies []string
	Seeds      []string // names of the sets
	Repeats    int
	Budget     int // pages
	Targets    []Target
	// Values weigh the targets. The zero value means that all count 1.
	Values crawler.Values
	// Clock simulates the time of the crawls. The zero value means DefaultClock.
	Clock Clock
	// Parallel is the number of cells run at once; 0 means 1.
	Parallel int
	Crawl    Crawl
	// Progress, if set, is called after each cell, never concurrently.
	Progress func(done, all int, r Run)
}

// MaxCells bounds the cells of an experiment. MaxBudget bounds the pages of one cell.
const (
	MaxCells  = 10_000
	MaxBudget = 10_000_000
)

// Validate returns an error if e is not a valid experiment. Faults are too few or too many cells, a
// budget out of bounds, no targets, and a name that is repeated or not valid as a folder.
func (e *Experiment) Validate() error {
	crawls := len(e.Strategies) * len(e.Seeds) // of each repeat
	switch {
	case crawls == 0 || e.Repeats < 1:
		return fmt.Errorf("lab: %d strategies, %d sets of seeds and %d repeats are not an experiment: each must be at least 1", len(e.Strategies), len(e.Seeds), e.Repeats)
	case e.Repeats > MaxCells/crawls:
		return fmt.Errorf("lab: %d strategies, %d sets of seeds and %d repeats are more than %d crawls", len(e.Strategies), len(e.Seeds), e.Repeats, MaxCells)
	case e.Budget < 1 || e.Budget > MaxBudget:
		return fmt.Errorf("lab: the budget is %d pages, must be 1 to %d", e.Budget, MaxBudget)
	case len(e.Targets) == 0:
		return fmt.Errorf("lab: there are no targets, so there is nothing to find")
	}
	for _, names := range [][]string{e.Strategies, e.Seeds} {
		seen := map[string]bool{}
		for _, name := range names {
			if seen[name] || name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
				return fmt.Errorf("lab: the name %q is used twice, or cannot be the name of a folder", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// Cells returns all cells ordered by set of seeds, so that an interrupted experiment compares all
// strategies on the first sets.
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
