package lab

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/significance"
)

// Budgets are the numbers of pages at which target recall is reported, up to the experiment's
// budget.
var Budgets = []int{250, 500, 1000, 2000, 5000, 10000}

// earlyBudget is the budget of the area that measures how early targets are found.
const earlyBudget = 1000

// EarlyBudget returns the budget of the area HarvestAUC1000: 1000 pages, or the experiment's budget
// if that is less.
func (e *Experiment) EarlyBudget() int { return min(earlyBudget, e.Budget) }

// Oracle is the name of the strategy whose area is the ceiling of the others.
const Oracle = "oracle"

// IsOracle reports whether a strategy knows the truth, so that no other is tested against it.
func IsOracle(name string) bool { return name == Oracle || name == Oracle+"-back" }

// A Figure is the mean over the draws of seeds with its 95 % interval, by bootstrap over draws. The
// value of a draw is the mean over its repeats.
type Figure struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// A StrategySummary holds the measurements of a strategy over all its runs. Its JSON form, see
// MarshalJSON, is that of `eventseer lab run`.
type StrategySummary struct {
	Runs int
	// HarvestAUC is the mean over 1…budget of targets fetched ÷ targets. HarvestAUC1000 is the mean
	// over 1…EarlyBudget.
	HarvestAUC, HarvestAUC1000 Figure
	// By budget: the targets fetched, their share of all targets, and their distinct events.
	FoundAt, RecallAt, EventsAt map[string]Figure
	// ValueAt is, by budget, their share of the value of all targets; nil without values.
	ValueAt             map[string]Figure
	FirstHit, TenthHit  *Figure // pages, over the runs that found one; nil if none did
	Hosts               Figure  // fetched from
	TargetHosts, Events Figure  // of the targets fetched
	// OracleShare is HarvestAUC as a share of the oracle's from the same draw. It covers the draws
	// in which the oracle found a target, and is nil if there are none.
	OracleShare                 *Figure
	BacklinkCalls, BacklinkCost Figure // the cost in pages
	// CostPerEvent is the number of pages spent on backlink calls for each event found.
	// PagesPerTarget is the number of page requests for each target.
	CostPerEvent, PagesPerTarget Figure
	PolitenessViolations         int // of all runs
}

// A Test compares two strategies on the same draws.
type Test struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	Test   string `json:"test"`
	// P is the two-sided p-value. HolmP is corrected for all tests of this kind and metric.
	P     float64 `json:"p"`
	HolmP float64 `json:"holm_p"`
	// Delta is the mean of A's value minus B's. Ratio is A's mean ÷ B's.
	Delta float64  `json:"delta"`
	Ratio *float64 `json:"ratio,omitempty"`
}

// A Summary is the result of an experiment.
type Summary struct {
	Budget     int                         `json:"budget"`
	Targets    int                         `json:"targets"`
	Draws      []string                    `json:"draws"`
	Repeats    int                         `json:"repeats"`
	Strategies map[string]*StrategySummary `json:"strategies"`
	// Effort compares the strategies at equal "hours" and "megabytes".
	Effort map[string]*EffortSummary `json:"effort"`
	Tests  []Test                    `json:"tests"`
}

// Summarise computes the measures of the runs of an experiment. It tests each strategy against the
// one named, or all against each other if that is "all". seed is for the bootstrap.
func (e *Experiment) Summarise(runs []Run, against string, seed uint64) *Summary {
	s := &Summary{Budget: e.Budget, Targets: len(e.Targets), Draws: e.Seeds, Repeats: e.Repeats, Strategies: map[string]*StrategySummary{}}
	m := e.newMeasurer(runs, seed)
	for _, name := range e.Strategies {
		s.Strategies[name] = m.summarizeStrategy(name)
	}
	s.Effort = m.summarizeEfforts(runs)
	s.Tests = m.testPairs(against)
	return s
}

// A measurer computes figures from an experiment's runs.
type measurer struct {
	e     *Experiment
	seed  uint64
	worth float64                 // of all targets
	runs  map[strategyDraw][]*Run // in order of repeat
}

type strategyDraw struct{ strategy, draw string }

func (e *Experiment) newMeasurer(runs []Run, seed uint64) *measurer {
	m := &measurer{e: e, seed: seed, worth: e.TotalValue(), runs: map[strategyDraw][]*Run{}}
	for i := range runs {
		r := &runs[i]
		of := strategyDraw{r.Strategy, r.Seeds}
		m.runs[of] = append(m.runs[of], r)
	}
	return m
}

// perDraw returns one value per draw, the mean over those repeats that have a value.
func (m *measurer) perDraw(strategy string, value func(*Run) float64) []float64 {
	var values []float64
	for _, draw := range m.e.Seeds {
		sum, n := 0.0, 0
		for _, r := range m.runs[strategyDraw{strategy, draw}] {
			if v := value(r); !math.IsNaN(v) {
				sum += v
				n++
			}
		}
		if n > 0 {
			values = append(values, sum/float64(n))
		}
	}
	return values
}

func (m *measurer) figureOfRuns(strategy string, value func(*Run) float64) Figure {
	return m.figureOf(m.perDraw(strategy, value))
}

func (m *measurer) figureOf(values []float64) Figure {
	mean, ci := significance.BootstrapMean(values, m.seed)
	return Figure{mean, [2]float64{ci.Low, ci.High}}
}

// figureIfKnown returns the figure of a value that not all runs have, nil if none has it.
func (m *measurer) figureIfKnown(strategy string, value func(*Run) float64) *Figure {
	return m.figureIfAny(m.perDraw(strategy, value))
}

func (m *measurer) figureIfAny(values []float64) *Figure {
	if len(values) == 0 {
		return nil
	}
	f := m.figureOf(values)
	return &f
}

func (m *measurer) summarizeStrategy(name string) *StrategySummary {
	targets := len(m.e.Targets)
	s := &StrategySummary{
		HarvestAUC:     m.figureOfRuns(name, m.harvestArea),
		HarvestAUC1000: m.figureOfRuns(name, m.earlyHarvestArea),
		RecallAt:       map[string]Figure{}, FoundAt: map[string]Figure{}, EventsAt: map[string]Figure{},
		FirstHit:       m.figureIfKnown(name, func(r *Run) float64 { return r.FirstHit }),
		TenthHit:       m.figureIfKnown(name, func(r *Run) float64 { return r.TenthHit }),
		Hosts:          m.figureOfRuns(name, func(r *Run) float64 { return float64(r.Hosts) }),
		TargetHosts:    m.figureOfRuns(name, func(r *Run) float64 { return float64(r.TargetHosts) }),
		Events:         m.figureOfRuns(name, func(r *Run) float64 { return float64(r.Events()) }),
		BacklinkCalls:  m.figureOfRuns(name, func(r *Run) float64 { return float64(r.Calls) }),
		BacklinkCost:   m.figureOfRuns(name, func(r *Run) float64 { return r.CallCost }),
		CostPerEvent:   m.figureOfRuns(name, func(r *Run) float64 { return r.CallCost / float64(max(1, r.Events())) }),
		PagesPerTarget: m.figureOfRuns(name, func(r *Run) float64 { return float64(r.Pages) / float64(max(1, r.Found())) }),
	}
	for _, b := range m.e.ReportedBudgets() {
		at := strconv.Itoa(b)
		s.RecallAt[at] = m.figureOfRuns(name, func(r *Run) float64 { return float64(r.TargetHits.CountAt(b)) / float64(targets) })
		s.FoundAt[at] = m.figureOfRuns(name, func(r *Run) float64 { return float64(r.TargetHits.CountAt(b)) })
		s.EventsAt[at] = m.figureOfRuns(name, func(r *Run) float64 { return float64(r.EventHits.CountAt(b)) })
	}
	if m.e.hasValues() {
		s.ValueAt = map[string]Figure{}
		for _, b := range m.e.ReportedBudgets() {
			s.ValueAt[strconv.Itoa(b)] = m.figureOfRuns(name, func(r *Run) float64 { return r.ValueAt(b) / m.worth })
		}
	}
	for _, draw := range m.e.Seeds {
		for _, r := range m.runs[strategyDraw{name, draw}] {
			s.Runs++
			s.PolitenessViolations += r.Violations
		}
	}
	s.OracleShare = m.oracleShare(name)
	return s
}

// ReportedBudgets returns the Budgets below the experiment's budget, and that budget.
func (e *Experiment) ReportedBudgets() []int {
	var all []int
	for _, b := range Budgets {
		if b < e.Budget {
			all = append(all, b)
		}
	}
	return append(all, e.Budget)
}

func (m *measurer) harvestArea(r *Run) float64 { return r.HarvestArea(m.e.Budget, m.worth) }
func (m *measurer) earlyHarvestArea(r *Run) float64 {
	return r.HarvestArea(m.e.EarlyBudget(), m.worth)
}

// oracleShare compares runs draw by draw; see StrategySummary.
func (m *measurer) oracleShare(name string) *Figure {
	ceiling, own := m.perDraw(Oracle, m.harvestArea), m.perDraw(name, m.harvestArea)
	if len(ceiling) != len(own) {
		return nil
	}
	var shares []float64
	for i := range own {
		if ceiling[i] > 0 {
			shares = append(shares, own[i]/ceiling[i])
		}
	}
	return m.figureIfAny(shares)
}

// hasValues reports whether targets count by values of their own.
func (e *Experiment) hasValues() bool { return e.Values != (crawler.Values{}) }

// metrics returns the metrics that are tested.
func (m *measurer) metrics() []metric {
	all := []metric{
		{"harvest_auc_1000", m.earlyHarvestArea},
		{"harvest_auc", m.harvestArea},
		{"recall", func(r *Run) float64 { return float64(r.Found()) / float64(len(m.e.Targets)) }},
		{"events", func(r *Run) float64 { return float64(r.Events()) }},
	}
	if m.e.hasValues() { // otherwise it is the recall
		all = append(all, metric{"value", func(r *Run) float64 { return r.ValueAt(m.e.Budget) / m.worth }})
	}
	return all
}

type metric struct {
	name  string
	value func(*Run) float64
}

// All makes Summarise test all strategies against each other.
const All = "all"

// comparedPairs returns the strategies to compare.
func (m *measurer) comparedPairs(against string) [][2]string {
	var pairs [][2]string
	names := slices.DeleteFunc(slices.Clone(m.e.Strategies), IsOracle)
	for i, a := range names {
		for _, b := range names[i+1:] {
			switch against {
			case All, a:
				pairs = append(pairs, [2]string{a, b})
			case b:
				pairs = append(pairs, [2]string{b, a})
			}
		}
	}
	return pairs
}

// testPairs compares pairs by each metric, by permutation and by Wilcoxon's test.
func (m *measurer) testPairs(against string) []Test {
	tests := []Test{} // encoded as [] if there is nothing to compare
	pairs := m.comparedPairs(against)
	for _, metric := range m.metrics() {
		for _, kind := range []string{"permutation", "wilcoxon"} {
			family := make([]Test, len(pairs))
			ps := make([]float64, len(pairs))
			for i, pair := range pairs {
				family[i] = m.testPair(pair, metric, kind)
				ps[i] = family[i].P
			}
			for i, p := range significance.CorrectHolm(ps) {
				family[i].HolmP = p
			}
			tests = append(tests, family...)
		}
	}
	slices.SortStableFunc(tests, func(x, y Test) int { return cmp.Compare(x.Metric, y.Metric) })
	return tests
}

func (m *measurer) testPair(pair [2]string, by metric, kind string) Test {
	a, b := m.perDraw(pair[0], by.value), m.perDraw(pair[1], by.value)
	n := min(len(a), len(b))
	differences := make([]float64, n)
	var sumA, sumB float64
	for i := range n {
		differences[i] = a[i] - b[i]
		sumA += a[i]
		sumB += b[i]
	}
	t := Test{A: pair[0], B: pair[1], Metric: by.name, Test: kind, Delta: (sumA - sumB) / float64(max(n, 1))}
	if sumB > 0 {
		ratio := sumA / sumB
		t.Ratio = &ratio
	}
	if t.P = significance.WilcoxonTest(differences); kind == "permutation" {
		t.P = significance.PermutationTest(differences, m.seed)
	}
	return t
}

// An interval is a 95 % interval.
type interval = [2]float64

// MarshalJSON writes the areas with their intervals, all other figures as means, and their
// intervals under ci95 with the same names. A figure without a value is null.
func (s *StrategySummary) MarshalJSON() ([]byte, error) {
	means, intervals := map[string]any{}, map[string]any{}
	put := func(name string, f *Figure) {
		if f == nil {
			means[name] = nil
			return
		}
		means[name], intervals[name] = f.Mean, interval(f.CI95)
	}
	for name, byBudget := range map[string]map[string]Figure{"recall_at": s.RecallAt, "found_at": s.FoundAt, "events_at": s.EventsAt, "value_at": s.ValueAt} {
		if byBudget == nil {
			continue
		}
		m, ci := map[string]float64{}, map[string]interval{}
		for at, f := range byBudget {
			m[at], ci[at] = f.Mean, f.CI95
		}
		means[name], intervals[name] = m, ci
	}
	for name, f := range map[string]*Figure{
		"first_hit": s.FirstHit, "tenth_hit": s.TenthHit, "hosts": &s.Hosts, "target_hosts": &s.TargetHosts, "events": &s.Events,
		"oracle_share": s.OracleShare, "backlink_calls": &s.BacklinkCalls, "backlink_cost": &s.BacklinkCost,
		"backlink_cost_per_event": &s.CostPerEvent, "pages_per_target": &s.PagesPerTarget,
	} {
		put(name, f)
	}
	means["runs"], means["politeness_violations"] = s.Runs, s.PolitenessViolations
	means["harvest_auc"], means["harvest_auc_1000"] = s.HarvestAUC, s.HarvestAUC1000
	means["ci95"] = intervals
	return json.Marshal(means) // in order of name
}
