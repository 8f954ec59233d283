package lab

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/internal/text"
)

// A Harvest is the value found over an effort that is not measured in pages: hours or megabytes.
type Harvest struct {
	At    []float64 // when each target came, ascending
	Worth []float64 // its value
	End   float64   // of the whole crawl
}

// Found returns the value found within an effort.
func (h *Harvest) Found(effort float64) float64 {
	sum := 0.0
	for i, at := range h.At {
		if at <= effort {
			sum += h.Worth[i]
		}
	}
	return sum
}

// Area returns the mean of the value found over efforts from 0 to limit, 0 if limit is 0.
func (h *Harvest) Area(limit float64) float64 {
	if limit <= 0 {
		return 0
	}
	sum := 0.0
	for i, at := range h.At {
		sum += h.Worth[i] * max(0, limit-at)
	}
	return sum / limit
}

// An effortKind is one measure of effort.
type effortKind struct {
	name string
	of   func(*Run) *Harvest
}

// effortKinds are the measures of effort besides pages.
var effortKinds = []effortKind{
	{"hours", func(r *Run) *Harvest { return &r.Hours }},
	{"megabytes", func(r *Run) *Harvest { return &r.Megabytes }},
}

// An EffortSummary compares strategies at equal hours or megabytes.
type EffortSummary struct {
	// Limit is the effort up to which all are measured. It is that of the cell that spent the whole
	// budget soonest, so that no strategy is measured beyond its budget.
	Limit float64 `json:"limit"`
	// Area is the mean share of the value of all targets that was found, over efforts from 0 to Limit.
	Area map[string]Figure `json:"area"`
	// Found is the share at Limit.
	Found map[string]Figure `json:"found"`
	// End is the effort of the whole budget.
	End map[string]Figure `json:"end"`
}

// effortLimit returns the least effort with which a run spent the whole budget; of runs that all ended
// before, the greatest.
func (m *measurer) effortLimit(k effortKind, runs []Run) float64 {
	least, most := 0.0, 0.0
	for i := range runs {
		r := &runs[i]
		end := k.of(r).End
		most = max(most, end)
		if r.Spent > float64(m.e.Budget)-callRoom && end > 0 && (least == 0 || end < least) {
			least = end
		}
	}
	return cmp.Or(least, most)
}

// callRoom is the part of a budget that may be left because a backlink call would cost more.
const callRoom = 5

// summarizeEffort summarises runs by a measure of effort, nil if they have none.
func (m *measurer) summarizeEffort(k effortKind, runs []Run) *EffortSummary {
	s := &EffortSummary{Limit: m.effortLimit(k, runs), Area: map[string]Figure{}, Found: map[string]Figure{}, End: map[string]Figure{}}
	if s.Limit == 0 {
		return nil
	}
	for _, name := range m.e.Strategies {
		s.Area[name] = m.figureOfRuns(name, func(r *Run) float64 { return k.of(r).Area(s.Limit) / m.worth })
		s.Found[name] = m.figureOfRuns(name, func(r *Run) float64 { return k.of(r).Found(s.Limit) / m.worth })
		s.End[name] = m.figureOfRuns(name, func(r *Run) float64 { return k.of(r).End })
	}
	return s
}

// summarizeEfforts summarises runs by all measures of effort.
func (m *measurer) summarizeEfforts(runs []Run) map[string]*EffortSummary {
	all := map[string]*EffortSummary{}
	for _, k := range effortKinds {
		if s := m.summarizeEffort(k, runs); s != nil {
			all[k.name] = s
		}
	}
	return all
}

// effortPoints is the number of points of a curve in EffortFile.
const effortPoints = 100

// writeEffort writes the curves over hours and megabytes as CSV with a header. Columns are strategy,
// measure (hours or megabytes), effort, and the mean share of the value found with its interval.
func writeEffort(w io.Writer, e *Experiment, runs []Run, seed uint64) error {
	m := e.newMeasurer(runs, seed)
	rows := [][]string{{"strategy", "measure", "effort", "share", "share_low", "share_high"}}
	for _, k := range effortKinds {
		limit := m.effortLimit(k, runs)
		for _, name := range e.Strategies {
			for i := range effortPoints + 1 {
				at := limit * float64(i) / effortPoints
				f := m.figureOfRuns(name, func(r *Run) float64 { return k.of(r).Found(at) / m.worth })
				rows = append(rows, []string{name, k.name, numberText(at), shareText(f.Mean), shareText(f.CI95[0]), shareText(f.CI95[1])})
			}
		}
	}
	return text.NewCSV(w).WriteAll(rows)
}

func shareText(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// A foundTarget is a target that was fetched, with the index of its visit.
type foundTarget struct {
	target Target
	visit  int
	bytes  int64 // received so far
}

// setEffortHarvests sets the harvests of a run over hours and megabytes.
func (t *scoringState) setEffortHarvests() error {
	times, err := t.clock.endTimes(t.visits)
	if err != nil {
		return err
	}
	r := &t.run
	for i, f := range t.finds {
		r.Megabytes.At, r.Megabytes.Worth = append(r.Megabytes.At, float64(f.bytes)/1e6), append(r.Megabytes.Worth, r.targetValue(i))
	}
	r.Megabytes.End = float64(t.bytes) / 1e6
	slices.SortStableFunc(t.finds, func(a, b foundTarget) int { return cmp.Compare(times[a.visit], times[b.visit]) })
	sum := newValueSum(t.values)
	for _, f := range t.finds {
		r.Hours.At, r.Hours.Worth = append(r.Hours.At, times[f.visit].Hours()), append(r.Hours.Worth, sum.add(f.target))
	}
	last := time.Duration(0)
	for _, at := range times {
		last = max(last, at)
	}
	r.Hours.End = last.Hours()
	return nil
}
