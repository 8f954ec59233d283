package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"eventseer/classify"
)

// few is the number of examples below which figures of a class are not to be
// relied on; a Report warns of such classes.
const few = 20

// resamples is the number of bootstrap draws behind an interval.
const resamples = 1000

// A Report holds what was measured. Its text and its JSON show the same numbers.
type Report struct {
	Title    string `json:"title"`
	Examples int    `json:"examples"`
	Groups   int    `json:"groups"`
	// Figures are the figures of the whole, with 95 % intervals.
	Figures []classify.Figure `json:"figures"`
	Classes []Class           `json:"classes"`
	// Confusion counts examples by truth (row) and guess (column), in the order
	// of Classes.
	Confusion [][]int  `json:"confusion"`
	Warnings  []string `json:"warnings"`
}

// A Class holds the figures of one class.
type Class struct {
	Name      string          `json:"name"`
	Examples  int             `json:"examples"`
	Precision float64         `json:"precision"`
	Recall    float64         `json:"recall"`
	F1        classify.Figure `json:"f1"`
}

// Names of the figures of the whole. Two-class reports have all but MacroF1,
// of the second class; the others have Accuracy, BaseRate and MacroF1.
const (
	Accuracy         = "accuracy"
	BaseRate         = "base_rate" // accuracy of always guessing the most frequent class
	Precision        = "precision"
	Recall           = "recall"
	F1               = "f1"
	AveragePrecision = "average_precision"
	ROCAUC           = "roc_auc"
	MacroF1          = "macro_f1"
)

// New measures the predictions. Intervals are percentiles of a bootstrap that
// draws whole groups, seeded. No predictions, or a class out of range, are errors.
func New(title string, classes []string, ps []Prediction, seed uint64) (*Report, error) {
	if len(ps) == 0 {
		return nil, fmt.Errorf("eval: no predictions to measure")
	}
	for i, p := range ps {
		if min(p.Truth, p.Guess) < 0 || max(p.Truth, p.Guess) >= len(classes) {
			return nil, fmt.Errorf("eval: prediction %d names class %d or %d of %d", i, p.Truth, p.Guess, len(classes))
		}
	}
	m := measure{classes: classes, ps: ps, ranking: rank(ps)}
	ones := make([]float64, len(ps))
	for i := range ones {
		ones[i] = 1
	}
	figures := m.figures(ones)
	groups := m.bootstrap(figures, seed)
	r := &Report{Title: title, Examples: len(ps), Groups: groups, Figures: figures[:len(figures)-len(classes)], Warnings: []string{}}
	c := confusionOf(len(classes), ps, ones)
	for k, name := range classes {
		class := Class{Name: name, Examples: int(sum(c[k])), F1: figures[len(figures)-len(classes)+k]}
		class.Precision, class.Recall, _ = c.class(k)
		r.Classes = append(r.Classes, class)
		row := make([]int, len(classes))
		for i, n := range c[k] {
			row[i] = int(n)
		}
		r.Confusion = append(r.Confusion, row)
		if class.Examples < few {
			r.Warnings = append(r.Warnings, fmt.Sprintf("class %s has %d examples, fewer than %d: its figures say little", name, class.Examples, few))
		}
	}
	return r, nil
}

// measure computes the same figures over and over under changing weights.
type measure struct {
	classes []string
	ps      []Prediction
	ranking ranking
}

// figures returns the figures of the whole, then the F1 of each class.
func (m measure) figures(weight []float64) []classify.Figure {
	c := confusionOf(len(m.classes), m.ps, weight)
	var fs []classify.Figure
	add := func(name string, v float64) { fs = append(fs, classify.Figure{Name: name, Value: v}) }
	add(Accuracy, c.accuracy())
	add(BaseRate, c.baseRate())
	if len(m.classes) == 2 {
		precision, recall, f1 := c.class(1)
		add(Precision, precision)
		add(Recall, recall)
		add(F1, f1)
		if ap, auc := m.ranking.areas(weight); !math.IsNaN(ap) {
			add(AveragePrecision, ap)
			add(ROCAUC, auc)
		}
	} else {
		add(MacroF1, c.macroF1())
	}
	for k, name := range m.classes {
		_, _, f1 := c.class(k)
		add(F1+" "+name, f1)
	}
	return fs
}

// bootstrap sets the intervals of figures and returns the number of groups.
func (m measure) bootstrap(figures []classify.Figure, seed uint64) int {
	index := map[string]int{}
	groupOf := make([]int, len(m.ps))
	for i, p := range m.ps {
		g, ok := index[p.Group]
		if !ok {
			g = len(index)
			index[p.Group] = g
		}
		groupOf[i] = g
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	draws := make([][]float64, len(figures))
	weight := make([]float64, len(m.ps))
	for range resamples {
		times := make([]float64, len(index))
		for range times {
			times[rng.IntN(len(times))]++
		}
		for i, g := range groupOf {
			weight[i] = times[g]
		}
		drawn := m.figures(weight)
		if len(drawn) != len(figures) {
			continue // a draw without positives, or without negatives
		}
		for i, f := range drawn {
			draws[i] = append(draws[i], f.Value)
		}
	}
	for i := range figures {
		figures[i].Low, figures[i].High = interval(draws[i], figures[i].Value)
	}
	return len(index)
}

// interval returns the 2.5 and 97.5 percentiles of draws, widened to hold value.
func interval(draws []float64, value float64) (low, high float64) {
	if len(draws) == 0 {
		return value, value
	}
	slices.Sort(draws)
	at := func(q float64) float64 { return draws[int(math.Round(q*float64(len(draws)-1)))] }
	return min(at(0.025), value), max(at(0.975), value)
}

// Figure returns the figure of that name, of the whole or "f1 CLASS".
func (r *Report) Figure(name string) (classify.Figure, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f, true
		}
	}
	for _, c := range r.Classes {
		if c.F1.Name == name {
			return c.F1, true
		}
	}
	return classify.Figure{}, false
}

// WriteJSON writes r as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText writes r as tables for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d examples in %d groups\n\n", r.Title, r.Examples, r.Groups)
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range r.Figures {
		fmt.Fprintf(tw, "%s\t%.3f\t[%.3f, %.3f]\n", f.Name, f.Value, f.Low, f.High)
	}
	fmt.Fprintln(tw)
	fmt.Fprintln(tw, "class\tprecision\trecall\tf1\t95 %\texamples\tmost confused with")
	for k, c := range r.Classes {
		note := ""
		if c.Examples < few {
			note = " (few)"
		}
		fmt.Fprintf(tw, "%s\t%.3f\t%.3f\t%.3f\t[%.3f, %.3f]\t%d%s\t%s\n",
			c.Name, c.Precision, c.Recall, c.F1.Value, c.F1.Low, c.F1.High, c.Examples, note, r.Confused(k))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Confused names the three classes that examples of class k are most often
// taken for.
func (r *Report) Confused(k int) string {
	var others []int
	for i, n := range r.Confusion[k] {
		if i != k && n > 0 {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return r.Confusion[k][b] - r.Confusion[k][a] })
	var parts []string
	for _, i := range others[:min(3, len(others))] {
		parts = append(parts, fmt.Sprintf("%s %d", r.Classes[i].Name, r.Confusion[k][i]))
	}
	return strings.Join(parts, ", ")
}
