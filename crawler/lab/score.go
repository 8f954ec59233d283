package lab

import (
	"math"
	"net/http"

	"eventseer/webgraph"
)

// A Run is what is measured of one cell. Budgets are pages spent, backlink calls
// at their cost included.
type Run struct {
	Cell
	// Curve[b] is how many targets were fetched for a budget of b pages, from 0.
	Curve []int32
	// FirstHit and TenthHit are the pages spent when the first and the tenth target
	// came, seeds included; NaN where they did not.
	FirstHit, TenthHit float64
	Pages              int     // answers that cost a page
	Calls              int     // requests to a backlink service
	CallCost           float64 // pages spent on them
	Spent              float64
	Hosts              int // of the pages fetched
	TargetHosts        int // of the targets fetched
	Events             int // distinct events of the targets fetched
	// EventCurve[b] is as Curve for distinct events.
	EventCurve []int32
	Violations int // see Record
	// LinksPerSecond is that of Record.
	LinksPerSecond float64
}

// Found is how many targets the cell fetched.
func (r *Run) Found() int { return int(r.Curve[len(r.Curve)-1]) }

// At is the number of targets fetched for so many pages; the last known beyond
// the budget.
func (r *Run) At(budget int) int { return int(r.Curve[min(budget, len(r.Curve)-1)]) }

// AUC is the area under the harvest curve: the mean over 1…budget of the targets
// fetched, as a share of all.
func (r *Run) AUC(budget, targets int) float64 { return area(r.Curve, budget) / float64(targets) }

// area is the mean of a curve over 1…budget, flat beyond its end.
func area(curve []int32, budget int) float64 {
	sum := 0.0
	for b := 1; b <= budget; b++ {
		sum += float64(curve[min(b, len(curve)-1)])
	}
	return sum / float64(budget)
}

// A judge knows the targets.
type judge struct {
	targets map[string]Target
	budget  int
}

func newJudge(targets []Target, budget int) *judge {
	j := &judge{targets: make(map[string]Target, len(targets)), budget: budget}
	for _, t := range targets {
		j.targets[t.URL] = t
	}
	return j
}

// A tally is a cell being scored.
type tally struct {
	*judge
	run        Run
	found      map[string]bool
	events     map[string]bool
	hosts      map[webgraph.Host]bool
	foundHosts map[webgraph.Host]bool
}

// score judges one cell by the targets.
func (j *judge) score(c Cell, record Record) (Run, error) {
	t := tally{
		judge: j, found: map[string]bool{}, events: map[string]bool{}, hosts: map[webgraph.Host]bool{}, foundHosts: map[webgraph.Host]bool{},
		run: Run{Cell: c, Violations: record.Violations, LinksPerSecond: record.LinksPerSecond, FirstHit: math.NaN(), TenthHit: math.NaN(), Curve: make([]int32, 1, j.budget+1), EventCurve: make([]int32, 1, j.budget+1)},
	}
	for v, err := range record.Visits {
		if err != nil {
			return Run{}, err
		}
		if !(v.Cost >= 0) || math.IsInf(v.Cost, 1) {
			v.Cost = 0
		}
		if t.run.Spent+v.Cost > float64(j.budget) {
			break // a record that is longer than the budget asked for
		}
		t.take(v)
	}
	t.fill(j.budget)
	r := t.run
	r.Hosts, r.TargetHosts, r.Events = len(t.hosts), len(t.foundHosts), len(t.events)
	return r, nil
}

// take counts one visit: the curve up to what was spent before it is settled.
func (t *tally) take(v Visit) {
	spent := t.run.Spent + v.Cost
	t.fill(int(math.Ceil(spent)) - 1)
	t.run.Spent = spent
	if v.Call {
		t.run.Calls++
		t.run.CallCost += v.Cost
		return
	}
	if v.Cost == 0 {
		return
	}
	t.run.Pages++
	t.hosts[webgraph.HostOf(v.URL)] = true
	target, ok := t.targets[v.URL]
	if !ok || v.Status != http.StatusOK || t.found[v.URL] {
		return
	}
	t.found[v.URL] = true
	t.foundHosts[webgraph.HostOf(v.URL)] = true
	if target.Event != "" {
		t.events[target.Event] = true
	}
	switch len(t.found) {
	case 1:
		t.run.FirstHit = spent
	case 10:
		t.run.TenthHit = spent
	}
}

// fill brings the curves up to a budget.
func (t *tally) fill(budget int) {
	for len(t.run.Curve) <= budget {
		t.run.Curve = append(t.run.Curve, int32(len(t.found)))
		t.run.EventCurve = append(t.run.EventCurve, int32(len(t.events)))
	}
}
