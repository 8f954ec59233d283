package lab

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// Hits are the budgets in pages, ascending, at which the count increased by one.
type Hits []int32

// CountAt returns the count after the given number of pages.
func (h Hits) CountAt(budget int) int {
	n, _ := slices.BinarySearch(h, int32(budget)+1)
	return n
}

// A Run holds the measurements of one cell. Budgets are pages spent, including the cost of backlink
// calls.
type Run struct {
	Cell
	TargetHits, EventHits Hits // targets fetched, and distinct events among them
	// Worths are the values of the targets in TargetHits, see Experiment.Values. With values that
	// count an event once, that of a target depends on those before it. If it is nil, all are 1.
	Worths []float64
	// FirstHit and TenthHit are the pages spent when the first and the tenth target came, including
	// seeds; NaN if they were not found.
	FirstHit, TenthHit float64
	Pages              int     // responses that cost a page
	Calls              int     // requests to a backlink service
	CallCost           float64 // pages spent on them
	Spent              float64
	Hosts              int // of the pages fetched
	TargetHosts        int // of the targets fetched
	// Hours and Megabytes are the same targets by the simulated time and by the bytes received.
	Hours, Megabytes Harvest
	Violations       int // see Record
}

// Found returns how many targets the cell fetched.
func (r *Run) Found() int { return len(r.TargetHits) }

// Events returns how many distinct events the targets have that the cell fetched.
func (r *Run) Events() int { return len(r.EventHits) }

// HarvestArea returns the area under the harvest curve. It is the mean over 1…budget of the value of the
// targets fetched, as a share of worth, the value of all.
func (r *Run) HarvestArea(budget int, worth float64) float64 {
	return r.harvestValue(budget) / float64(budget) / worth
}

// A targetScorer holds the targets, for scoring cells.
type targetScorer struct {
	targets map[string]Target
	budget  int
	values  crawler.Values
	clock   Clock
}

func newTargetScorer(e *Experiment) *targetScorer {
	j := &targetScorer{targets: make(map[string]Target, len(e.Targets)), budget: e.Budget, values: e.Values, clock: cmp.Or(e.Clock, DefaultClock())}
	for _, t := range e.Targets {
		j.targets[t.URL] = t
	}
	return j
}

// A scoringState is the state of scoring a cell.
type scoringState struct {
	*targetScorer
	run        Run
	found      map[string]bool
	events     map[string]bool
	hosts      map[webgraph.Host]bool
	foundHosts map[webgraph.Host]bool
	sum        *valueSum
	visits     []Visit
	finds      []foundTarget
	bytes      int64
}

// scoreCell judges one cell by the targets.
func (j *targetScorer) scoreCell(c Cell, record Record) (Run, error) {
	t := scoringState{
		targetScorer: j, sum: newValueSum(j.values), found: map[string]bool{}, events: map[string]bool{}, hosts: map[webgraph.Host]bool{}, foundHosts: map[webgraph.Host]bool{},
		run: Run{Cell: c, Violations: record.Violations, FirstHit: math.NaN(), TenthHit: math.NaN()},
	}
	for v, err := range record.Visits {
		if err != nil {
			return Run{}, err
		}
		if !(v.Cost >= 0) || math.IsInf(v.Cost, 1) {
			v.Cost = 0
		}
		if t.run.Spent+v.Cost > float64(j.budget)+crumb {
			break // the record is longer than the requested budget
		}
		t.countVisit(v)
	}
	if err := t.setEffortHarvests(); err != nil {
		return Run{}, err
	}
	r := t.run
	r.Hosts, r.TargetHosts = len(t.hosts), len(t.foundHosts)
	return r, nil
}

// crumb is the rounding error allowed in sums of costs: ten calls at 0.1 are a page.
const crumb = 1e-6

// countVisit counts one visit.
func (t *scoringState) countVisit(v Visit) {
	t.run.Spent += v.Cost
	t.visits = append(t.visits, v)
	if v.Call {
		t.run.Calls++
		t.run.CallCost += v.Cost
		return
	}
	if v.Cost == 0 {
		return
	}
	t.run.Pages++
	t.bytes += int64(max(0, v.Bytes))
	t.hosts[webgraph.HostOf(v.URL)] = true
	target, ok := t.targets[v.URL]
	if !ok || v.Status != http.StatusOK || t.found[v.URL] {
		return
	}
	t.found[v.URL] = true
	t.foundHosts[webgraph.HostOf(v.URL)] = true
	t.finds = append(t.finds, foundTarget{target, len(t.visits) - 1, t.bytes})
	at := int32(max(1, math.Ceil(t.run.Spent-crumb)))
	t.run.TargetHits = append(t.run.TargetHits, at)
	t.run.Worths = append(t.run.Worths, t.sum.add(target))
	if target.Event != "" && !t.events[target.Event] {
		t.events[target.Event] = true
		t.run.EventHits = append(t.run.EventHits, at)
	}
	switch len(t.found) {
	case 1:
		t.run.FirstHit = t.run.Spent
	case 10:
		t.run.TenthHit = t.run.Spent
	}
}
