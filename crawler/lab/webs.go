package lab

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/eventseer/eventseer/internal/significance"
	"github.com/eventseer/eventseer/internal/text"
)

// A WebResult is a finished experiment on one of several webs.
type WebResult struct {
	Name string // name of the web, distinct among those compared
	Experiment
	Runs []Run
}

// A WebFigure is the result of a strategy over several webs of equal weight. Figures are means of the
// webs' means, with a 95 % interval by hierarchical bootstrap over webs, draws of seeds and repeats.
type WebFigure struct {
	Strategy   string `json:"strategy"`
	AreaEarly  Figure `json:"area_early"` // see StrategySummary.HarvestAUC1000
	Area       Figure `json:"area"`
	EventsLast Figure `json:"events"` // distinct events of the targets fetched, as a share of all events of the web
	// Ratio is the area to EarlyBudget ÷ that of the strategy it is compared with, from the same resampled
	// webs and draws. PWebs is the two-sided p of a permutation over webs; with n webs it is at least 2/2ⁿ.
	// PDraws is the p of a permutation over the draws of all webs; it says nothing about other webs. All
	// three are absent for the strategy compared with, and ratios also if that found nothing on some
	// resampled webs.
	Ratio *Figure `json:"ratio,omitempty"`
	// AreaHours is the area over the simulated hours up to the limit of each web, see EffortSummary, and
	// RatioHours its ratio like Ratio.
	AreaHours  Figure   `json:"area_hours"`
	RatioHours *Figure  `json:"ratio_hours,omitempty"`
	PWebs      *float64 `json:"p_webs,omitempty"`
	PDraws     *float64 `json:"p_draws,omitempty"`
}

// WebsSummary is the joint result of experiments on several webs.
type WebsSummary struct {
	Webs    []string    `json:"webs"`
	Budget  int         `json:"budget"`
	Against string      `json:"against"`
	Figures []WebFigure `json:"strategies"` // in descending order of AreaEarly, then by name
}

// CompareWebs summarises experiments on several webs. The strategies common to all are compared
// with the one named against. Experiments must have equal budgets. seed is for the bootstrap.
func CompareWebs(webs []WebResult, against string, seed uint64) (*WebsSummary, error) {
	if len(webs) < 2 {
		return nil, errors.New("there is only one web to compare: name the folders of at least two experiments")
	}
	s := &WebsSummary{Budget: webs[0].Budget, Against: against}
	strategies := slices.Clone(webs[0].Strategies)
	for _, w := range webs {
		if slices.Contains(s.Webs, w.Name) {
			return nil, fmt.Errorf("two experiments have the name %s", w.Name)
		}
		if w.Budget != s.Budget {
			return nil, fmt.Errorf("%s has a budget of %d pages, %s one of %d: set --budget to measure both alike", w.Name, w.Budget, webs[0].Name, s.Budget)
		}
		s.Webs = append(s.Webs, w.Name)
		strategies = slices.DeleteFunc(strategies, func(name string) bool { return !slices.Contains(w.Strategies, name) })
	}
	if !slices.Contains(strategies, against) {
		return nil, fmt.Errorf("not all experiments have the strategy %s; the strategies of all are %v", against, strategies)
	}
	early := func(w *WebResult) func(*Run) float64 { return w.newMeasurer(w.Runs, seed).earlyHarvestArea }
	base := perWeb(webs, against, early)
	hourly := func(w *WebResult) func(*Run) float64 {
		m := w.newMeasurer(w.Runs, seed)
		limit := m.effortLimit(effortKinds[0], w.Runs)
		return func(r *Run) float64 { return r.Hours.Area(limit) / m.worth }
	}
	baseHours := perWeb(webs, against, hourly)
	for _, name := range strategies {
		values, inHours := perWeb(webs, name, early), perWeb(webs, name, hourly)
		f := WebFigure{
			Strategy: name, AreaEarly: webFigure(values, nil, seed),
			Area:       webFigure(perWeb(webs, name, func(w *WebResult) func(*Run) float64 { return w.newMeasurer(w.Runs, seed).harvestArea }), nil, seed),
			EventsLast: webFigure(perWeb(webs, name, eventShare), nil, seed), AreaHours: webFigure(inHours, nil, seed),
		}
		if name != against {
			ofWebs, ofDraws := meanDifferences(values, base)
			p, draws := significance.PermutationTest(ofWebs, seed), significance.PermutationTest(ofDraws, seed)
			f.PWebs, f.PDraws = &p, &draws
			f.Ratio, f.RatioHours = webRatio(values, base, seed), webRatio(inHours, baseHours, seed)
		}
		s.Figures = append(s.Figures, f)
	}
	slices.SortStableFunc(s.Figures, func(a, b WebFigure) int {
		switch {
		case a.AreaEarly.Mean != b.AreaEarly.Mean && a.AreaEarly.Mean > b.AreaEarly.Mean:
			return -1
		case a.AreaEarly.Mean != b.AreaEarly.Mean:
			return 1
		}
		return 0
	})
	return s, nil
}

// perWeb returns a value for each repeat of each draw of each web.
func perWeb(webs []WebResult, strategy string, value func(*WebResult) func(*Run) float64) [][][]float64 {
	all := make([][][]float64, len(webs))
	for i := range webs {
		w := &webs[i]
		m, of := w.newMeasurer(w.Runs, 0), value(w)
		for _, draw := range w.Seeds {
			var repeats []float64
			for _, r := range m.runs[strategyDraw{strategy, draw}] {
				repeats = append(repeats, of(r))
			}
			all[i] = append(all[i], repeats)
		}
	}
	return all
}

// eventShare returns the share of a web's events that a run found.
func eventShare(w *WebResult) func(*Run) float64 {
	events := map[string]bool{}
	for _, t := range w.Targets {
		if t.Event != "" {
			events[t.Event] = true
		}
	}
	return func(r *Run) float64 { return float64(r.Events()) / float64(max(1, len(events))) }
}

func webFigure(a, b [][][]float64, seed uint64) Figure {
	mean, ci := significance.BootstrapRatio(a, b, seed)
	return Figure{mean, [2]float64{ci.Low, ci.High}}
}

// webRatio returns a ratio of two means, nil if the second is 0 for some resampled webs.
func webRatio(a, b [][][]float64, seed uint64) *Figure {
	f := webFigure(a, b, seed)
	for _, x := range append(f.CI95[:], f.Mean) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return &f
}

// meanDifferences returns the mean difference of each web, and that of each draw of all webs. Those
// of a web's draws are divided by their number, so that webs weigh the same.
func meanDifferences(a, b [][][]float64) (ofWebs, ofDraws []float64) {
	for i := range a {
		sum, first := 0.0, len(ofDraws)
		for j := range a[i] {
			if n := len(a[i][j]); n > 0 {
				ofDraws = append(ofDraws, mean(a[i][j])-mean(b[i][j]))
				sum += ofDraws[len(ofDraws)-1]
			}
		}
		n := len(ofDraws) - first
		for j := range n {
			ofDraws[first+j] /= float64(n)
		}
		if n > 0 {
			ofWebs = append(ofWebs, sum/float64(n))
		}
	}
	return ofWebs, ofDraws
}

// Print prints the figures as a table.
func (s *WebsSummary) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "strategy\tarea to %d\t95 %%\t÷ %s\t95 %%\tp over webs\tover draws\tarea\tevents\tby hours\t÷\t95 %%\t\n", min(earlyBudget, s.Budget), s.Against)
	interval := func(f *Figure) string {
		if f == nil {
			return "-"
		}
		return fmt.Sprintf("%.3f–%.3f", f.CI95[0], f.CI95[1])
	}
	for _, f := range s.Figures {
		ratio, p, draws, hours := "-", "-", "-", "-"
		if f.PWebs != nil {
			p, draws = fmt.Sprintf("%.3f", *f.PWebs), fmt.Sprintf("%.4f", *f.PDraws)
		}
		if f.Ratio != nil {
			ratio = fmt.Sprintf("%.3f", f.Ratio.Mean)
		}
		if f.RatioHours != nil {
			hours = fmt.Sprintf("%.3f", f.RatioHours.Mean)
		}
		fmt.Fprintf(w, "%s\t%.4f\t%s\t%s\t%s\t%s\t%s\t%.4f\t%.3f\t%.4f\t%s\t%s\t\n", f.Strategy, f.AreaEarly.Mean, interval(&f.AreaEarly), ratio, interval(f.Ratio), p, draws, f.Area.Mean, f.EventsLast.Mean, f.AreaHours.Mean, hours, interval(f.RatioHours))
	}
	return w.Flush()
}

// WriteWebs writes a table of the runs of all webs, like WriteRuns with the additional first column
// web.
func WriteWebs(w io.Writer, webs []WebResult) error {
	out := text.NewCSV(w)
	rows := [][]string{{"web", "strategy", "seeds", "repeat", "found", "events", "targets", "area", "area_1000", "pages", "calls", "spent"}}
	for _, web := range webs {
		worth := web.TotalValue()
		for i := range web.Runs {
			r := &web.Runs[i]
			rows = append(rows, []string{
				web.Name, r.Strategy, r.Seeds, strconv.Itoa(r.Repeat), strconv.Itoa(r.Found()), strconv.Itoa(r.Events()), strconv.Itoa(len(web.Targets)),
				numberText(r.HarvestArea(web.Budget, worth)), numberText(r.HarvestArea(web.EarlyBudget(), worth)),
				strconv.Itoa(r.Pages), strconv.Itoa(r.Calls), numberText(r.Spent),
			})
		}
	}
	return out.WriteAll(rows)
}

// leftOut is the divisor for leaving out seeds: a repeat leaves out one in leftOut.
const leftOut = 5

// SeedsOfRepeat returns the seeds of a repeat of a draw in their order. Repeat 0 uses all seeds;
// each later one omits one in five, at least one, chosen by seed. So repeats differ even for
// strategies without randomness. A draw with one seed has only repeat 0.
func SeedsOfRepeat(seeds []string, repeat int, seed uint64) ([]string, error) {
	if repeat == 0 {
		return seeds, nil
	}
	n := len(seeds)
	if n < 2 {
		return nil, errors.New("a draw with a single seed cannot be repeated, because the crawls would be equal: set --repeats 1 or add seeds")
	}
	r := rand.New(rand.NewPCG(seed, uint64(repeat)))
	without := map[int]bool{}
	for _, i := range r.Perm(n)[:max(1, n/leftOut)] {
		without[i] = true
	}
	var kept []string
	for i, s := range seeds {
		if !without[i] {
			kept = append(kept, s)
		}
	}
	return kept, nil
}
