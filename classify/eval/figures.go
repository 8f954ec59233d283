package eval

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eventseer/eventseer/classify"
)

// Names of the figures over all examples, from 0 to 1 unless said otherwise. Reports on two classes have
// those of twoClass, of which Precision to ROCAUC describe the second class; reports on more have those
// of moreClasses. A figure that the predictions do not define, such as ROCAUC without a positive, is left
// out.
const (
	Accuracy         = "accuracy"
	BaseRate         = "base_rate" // accuracy of always guessing the most frequent class
	Precision        = "precision"
	Recall           = "recall"
	F1               = "f1"
	AveragePrecision = "average_precision"
	ROCAUC           = "roc_auc"
	// MCC is Matthews' correlation coefficient of truth and guess, -1 to 1 (Gorodkin 2004 for more than
	// two classes).
	MCC = "mcc"
	// MacroPrecision, MacroRecall and MacroF1 are means over the classes that occur. WeightedF1 weights
	// each class by its number of examples. MicroF1 pools the decisions of all classes; if each example
	// has one class it equals the accuracy.
	MacroPrecision = "macro_precision"
	MacroRecall    = "macro_recall"
	MacroF1        = "macro_f1"
	WeightedF1     = "weighted_f1"
	MicroF1        = "micro_f1"
	// Brier is the mean squared error of the probabilities (Brier 1950); lower is better. For two classes
	// it is that of the second; for more, the sum over the classes, 0 to 2.
	Brier = "brier"
	// ECE is the expected calibration error over bins of equal width; lower is better (Naeini, Cooper and
	// Hauskrecht 2015).
	ECE = "ece"
)

var (
	twoClass    = []string{Accuracy, BaseRate, Precision, Recall, F1, AveragePrecision, ROCAUC, MCC, MacroF1, WeightedF1, Brier, ECE}
	moreClasses = []string{Accuracy, BaseRate, MacroF1, MacroPrecision, MacroRecall, WeightedF1, MicroF1, MCC, Brier, ECE}
)

// overallFigureNames returns the names of the figures over all examples for a number of classes.
func overallFigureNames(classes int) []string {
	if classes == 2 {
		return twoClass
	}
	return moreClasses
}

// FigureNames returns the names that Report.Figure can accept for a report on classes.
func FigureNames(classes []string) []string {
	names := slices.Clone(overallFigureNames(len(classes)))
	for _, c := range classes {
		names = append(names, F1+" "+c)
	}
	return names
}

// LowerIsBetter reports whether the named figure measures an error.
func LowerIsBetter(name string) bool { return name == Brier || name == ECE }

// FigureValue returns one figure of all predictions without its interval, about a thousand times faster than
// New. If the predictions do not define the figure, ok is false.
func FigureValue(name string, classes int, ps []Prediction) (value float64, ok bool) {
	i := slices.Index(overallFigureNames(classes), name)
	if i < 0 || len(ps) == 0 {
		return 0, false
	}
	value = newMeasure(classes, ps).figureValues(equalWeights(len(ps)))[i]
	return value, !math.IsNaN(value)
}

// A measure computes the same figures of predictions repeatedly, with different weights.
type measure struct {
	classes int
	ps      []Prediction
	ranking ranking
	trust   []predictedProb // nil if the scores are not probabilities
}

func newMeasure(classes int, ps []Prediction) *measure {
	return &measure{classes: classes, ps: ps, ranking: rankByScore(ps), trust: predictedProbs(classes, ps)}
}

// figureValues returns the figures over all examples in the order of overallFigureNames, then precision, recall and F1
// of each class. Undefined figures are NaN.
func (m *measure) figureValues(weight []float64) []float64 {
	c := confusionOf(m.classes, m.ps, weight)
	brier, ece := calibrationError(m.trust, weight)
	precision, recall, f1 := c.macroAverages()
	v := []float64{c.accuracy(), c.baseRate()}
	if m.classes == 2 {
		p, r, f := c.classFigures(1)
		ap, auc := m.ranking.areas(weight)
		v = append(v, p, r, f, ap, auc, c.matthewsCorrelation(), f1, c.weightedF1(), brier, ece)
	} else {
		v = append(v, f1, precision, recall, c.weightedF1(), c.accuracy(), c.matthewsCorrelation(), brier, ece)
	}
	for k := range m.classes {
		p, r, f := c.classFigures(k)
		v = append(v, p, r, f)
	}
	return v
}

// An estimate is a value with its 95 % interval and its bootstrap draws.
type estimate struct {
	value, low, high float64
	draws            []float64
}

func (e estimate) figure(name string) classify.Figure {
	return classify.Figure{Name: name, Value: e.value, Low: e.low, High: e.high}
}

func (e estimate) isDefined() bool { return !math.IsNaN(e.value) }

// estimates computes values with equal weights for all predictions, and intervals by bootstrap over
// groups.
func (g grouping) estimates(seed uint64, values func(weight []float64) []float64) []estimate {
	var all []estimate
	for _, v := range values(equalWeights(len(g.of))) {
		all = append(all, estimate{value: v})
	}
	g.forEachDraw(seed, func(weight []float64) {
		for i, v := range values(weight) {
			if !math.IsNaN(v) {
				all[i].draws = append(all[i].draws, v)
			}
		}
	})
	for i := range all {
		all[i].low, all[i].high = interval(all[i].draws, all[i].value)
	}
	return all
}

// namedFigures returns the figures over all examples that are defined and listed in names; nil means all.
func (m *measure) namedFigures(all []estimate, names []string) []classify.Figure {
	var figures []classify.Figure
	for i, name := range overallFigureNames(m.classes) {
		if all[i].isDefined() && (names == nil || slices.Contains(names, name)) {
			figures = append(figures, all[i].figure(name))
		}
	}
	return figures
}

// minExamples is the number of examples below which the figures of a class are unreliable: a Report leaves them
// out and warns instead.
const minExamples = 20

// resamples is the number of bootstrap draws for an interval.
const resamples = 1000

// A grouping numbers the groups of predictions in the order of their first occurrence.
type grouping struct {
	of []int // of each prediction
	n  int
}

func groupingOf(ps []Prediction) grouping {
	index := map[string]int{}
	g := grouping{of: make([]int, len(ps))}
	for i, p := range ps {
		n, ok := index[p.Group]
		if !ok {
			n = len(index)
			index[p.Group] = n
		}
		g.of[i] = n
	}
	g.n = len(index)
	return g
}

// forEachDraw calls visit for each draw of whole groups with replacement (cluster bootstrap: Davison and
// Hinkley 1997, section 3.8). The argument weight of visit is how often each prediction was drawn; the
// slice is reused for the next draw.
func (g grouping) forEachDraw(seed uint64, visit func(weight []float64)) {
	rng := rand.New(rand.NewPCG(seed, 1))
	weight := make([]float64, len(g.of))
	times := make([]float64, g.n)
	for range resamples {
		clear(times)
		for range times {
			times[rng.IntN(len(times))]++
		}
		for i, group := range g.of {
			weight[i] = times[group]
		}
		visit(weight)
	}
}

// interval returns the 2.5 and 97.5 percentiles of draws, extended if necessary to include value.
func interval(draws []float64, value float64) (low, high float64) {
	if len(draws) == 0 {
		return value, value
	}
	slices.Sort(draws)
	at := func(q float64) float64 { return draws[int(math.Round(q*float64(len(draws)-1)))] }
	return min(at(0.025), value), max(at(0.975), value)
}

// equalWeights returns a weight of 1 for each of n predictions.
func equalWeights(n int) []float64 {
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = 1
	}
	return weight
}
