package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
)

// A Report holds the results of a measurement. Its text, JSON and HTML forms show the same numbers.
type Report struct {
	Title    string `json:"title"`
	Examples int    `json:"examples"`
	Groups   int    `json:"groups"`
	// About describes for readers what was measured on which data.
	About []Tag `json:"about,omitempty"`
	// Figures are the figures over all examples, with 95 % intervals.
	Figures []classify.Figure `json:"figures"`
	Classes []Class           `json:"classes"`
	// Confusion counts examples by truth (row) and guess (column), in the order
	// of Classes.
	Confusion [][]int `json:"confusion"`
	// Curves has the curve of the second of two classes, or of each class with enough examples if there
	// are more.
	Curves []Curve `json:"curves,omitempty"`
	// Calibration compares probabilities with observed frequencies: of the second of two classes, or of
	// the guess if there are more.
	Calibration []Bin `json:"calibration,omitempty"`
	// Thresholds is the threshold table if there are two classes.
	Thresholds []Threshold     `json:"thresholds,omitempty"`
	Learning   []LearningPoint `json:"learning_curve,omitempty"`
	Slices     []Slice         `json:"slices,omitempty"`
	// Errors are the wrong guesses that have a URL, the most confident first, at most MaxErrors.
	// NumErrors counts all wrong guesses.
	Errors    []Mistake `json:"errors,omitempty"`
	NumErrors int       `json:"num_errors"`
	Warnings  []string  `json:"warnings"`
}

// A Class holds the figures of one class. They are nil if the class has fewer than 20 examples.
type Class struct {
	Name          string           `json:"name"`
	Examples      int              `json:"examples"`
	Precision     *float64         `json:"precision"`
	PrecisionCI95 *[2]float64      `json:"precision_ci95"`
	Recall        *float64         `json:"recall"`
	RecallCI95    *[2]float64      `json:"recall_ci95"`
	F1            *classify.Figure `json:"f1"`
}

// A LearningPoint is the result of training on a part of the training groups.
type LearningPoint struct {
	Share float64 `json:"share"`
	// Examples and Groups are the numbers used for training, averaged over the folds.
	Examples int               `json:"examples"`
	Groups   int               `json:"groups"`
	Figures  []classify.Figure `json:"figures"`
}

// New measures the predictions. Intervals are percentiles of a bootstrap over whole groups with the given
// seed. New returns an error if there are no predictions, if a class is out of range, or if a score is
// NaN.
func New(title string, classes []string, ps []Prediction, seed uint64) (*Report, error) {
	if err := checkPredictions(classes, ps); err != nil {
		return nil, err
	}
	m, g := newMeasure(len(classes), ps), groupingOf(ps)
	all := g.estimates(seed, m.figureValues)
	r := &Report{
		Title: title, Examples: len(ps), Groups: g.n, Figures: m.namedFigures(all, nil), Warnings: []string{},
		Calibration: reliability(m.trust), Slices: slicesOf(len(classes), ps, seed),
	}
	c := confusionOf(len(classes), ps, equalWeights(len(ps)))
	for k, name := range classes {
		row := make([]int, len(classes))
		for i, n := range c[k] {
			row[i] = int(n)
		}
		r.Confusion = append(r.Confusion, row)
		own := all[len(overallFigureNames(len(classes)))+3*k:]
		r.Classes = append(r.Classes, newClass(name, int(sum(c[k])), own))
		r.warnOfFewExamples(k)
	}
	r.addCurves(classes, m)
	r.Errors, r.NumErrors = mistakes(classes, ps)
	return r, nil
}

func checkPredictions(classes []string, ps []Prediction) error {
	if len(ps) == 0 {
		return fmt.Errorf("eval: no predictions to measure")
	}
	for i, p := range ps {
		if min(p.Truth, p.Guess) < 0 || max(p.Truth, p.Guess) >= len(classes) {
			return fmt.Errorf("eval: prediction %d has the true class %d and the predicted class %d, but there are %d classes", i, p.Truth, p.Guess, len(classes))
		}
		if math.IsNaN(p.Score) || slices.ContainsFunc(p.Scores, math.IsNaN) {
			return fmt.Errorf("eval: prediction %d has a score that is not a number", i)
		}
	}
	return nil
}

// newClass returns a Class with precision, recall and F1 from the first three estimates.
func newClass(name string, examples int, of []estimate) Class {
	c := Class{Name: name, Examples: examples}
	if examples < minExamples {
		return c
	}
	precision, recall, f1 := of[0], of[1], of[2].figure(F1+" "+name)
	c.Precision, c.PrecisionCI95 = &precision.value, &[2]float64{precision.low, precision.high}
	c.Recall, c.RecallCI95 = &recall.value, &[2]float64{recall.low, recall.high}
	c.F1 = &f1
	return c
}

// warnOfFewExamples adds a warning if class k has too few examples. It says that its figures are left out and
// which figures over all examples depend on the class.
func (r *Report) warnOfFewExamples(k int) {
	c := r.Classes[k]
	if c.Examples >= minExamples {
		return
	}
	text := fmt.Sprintf("class %s has %d examples, fewer than %d, so its figures are withheld", c.Name, c.Examples, minExamples)
	switch {
	case len(r.Confusion[k]) > 2:
		text += "; the macro figures include this class, so they are uncertain"
	case k == 1:
		text += "; precision, recall, f1 and average precision of all pages depend on these few examples"
	}
	r.Warnings = append(r.Warnings, text)
}

// addCurves adds curves of the classes that have enough examples, and for two classes the threshold
// table, if the scores are probabilities.
func (r *Report) addCurves(classes []string, m *measure) {
	if m.trust == nil {
		return
	}
	for k, name := range classes {
		if len(classes) == 2 && k == 0 || r.Classes[k].Examples < minExamples {
			continue
		}
		if points := curveOf(m.ps, k, len(classes)); points != nil {
			r.Curves = append(r.Curves, Curve{name, points})
		}
	}
	if len(classes) == 2 {
		r.Thresholds = thresholdTable(m.ps)
	}
}

// Figure returns the named figure, one over all examples or "f1 CLASS". It returns false if the
// predictions do not define the figure or the class has too few examples.
func (r *Report) Figure(name string) (classify.Figure, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f, true
		}
	}
	for _, c := range r.Classes {
		if c.F1 != nil && c.F1.Name == name {
			return *c.F1, true
		}
	}
	return classify.Figure{}, false
}

// WriteJSON writes r as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// ConfusedClasses returns the names of the three classes with which examples of class k are most often confused.
func (r *Report) ConfusedClasses(k int) string {
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

// maxSlices is the largest number of slices per kind of tag; the largest slices are kept.
const maxSlices = 30

// MaxErrors is the largest number of errors in a Report.
const MaxErrors = 1000

// A Slice is the examples with the same tag.
type Slice struct {
	Tag
	Examples int `json:"examples"`
	// Positives is the number of examples of the second of two classes.
	Positives int `json:"positives,omitempty"`
	// Right counts right guesses.
	Right int `json:"right"`
	// Figures are precision, recall and F1 of the second of two classes; for more classes, accuracy and
	// base rate. They are nil if the slice has fewer than 20 examples, for two classes fewer than 20 of
	// the second.
	Figures []classify.Figure `json:"figures"`
}

// slicesOf measures the examples of each tag separately. Kinds of tags are in the order of their first
// occurrence, the slices of each kind from large to small.
func slicesOf(classes int, ps []Prediction, seed uint64) []Slice {
	members := map[Tag][]Prediction{}
	var tags []Tag
	var names []string
	for _, p := range ps {
		for _, t := range p.Tags {
			if members[t] == nil {
				tags = append(tags, t)
			}
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
			members[t] = append(members[t], p)
		}
	}
	slices.SortFunc(tags, func(a, b Tag) int {
		return cmp.Or(
			cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name)),
			cmp.Compare(len(members[b]), len(members[a])),
			cmp.Compare(a.Value, b.Value),
		)
	})
	var all []Slice
	kept := map[string]int{}
	for _, t := range tags {
		if kept[t.Name]++; kept[t.Name] <= maxSlices {
			all = append(all, newSlice(t, classes, members[t], seed))
		}
	}
	return all
}

func newSlice(t Tag, classes int, ps []Prediction, seed uint64) Slice {
	s := Slice{Tag: t, Examples: len(ps)}
	for _, p := range ps {
		if p.Guess == p.Truth {
			s.Right++
		}
		if classes == 2 {
			s.Positives += p.Truth
		}
	}
	behind, names := s.Examples, []string{Accuracy, BaseRate}
	if classes == 2 {
		behind, names = s.Positives, []string{Precision, Recall, F1}
	}
	if behind >= minExamples {
		m := newMeasure(classes, ps)
		s.Figures = m.namedFigures(groupingOf(ps).estimates(seed, m.figureValues), names)
	}
	return s
}

// A Mistake is one wrong guess.
type Mistake struct {
	// Example is the index of the prediction.
	Example int    `json:"example"`
	URL     string `json:"url"`
	Group   string `json:"group"`
	Truth   string `json:"truth"`
	Guess   string `json:"guess"`
	// Confidence is the probability of the guess, 0 if it is unknown.
	Confidence float64 `json:"confidence"`
	// Reasons are the features that decided for the guess, if the caller filled them in.
	Reasons []Reason `json:"reasons,omitempty"`
}

// A Reason is the contribution of one feature to a decision, see classify.Reason.
type Reason struct {
	Term   string  `json:"term"`
	Weight float64 `json:"weight"`
}

// mistakes returns the wrong guesses that have a URL, the most confident first, and the number of all
// wrong guesses.
func mistakes(classes []string, ps []Prediction) (list []Mistake, n int) {
	for i, p := range ps {
		if p.Guess == p.Truth {
			continue
		}
		n++
		if p.URL != "" {
			list = append(list, Mistake{
				Example: i, URL: p.URL, Group: p.Group, Truth: classes[p.Truth], Guess: classes[p.Guess], Confidence: confidence(len(classes), p),
			})
		}
	}
	slices.SortStableFunc(list, func(a, b Mistake) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return list[:min(len(list), MaxErrors)], n
}

// confidence returns the probability of p's guess.
func confidence(classes int, p Prediction) float64 {
	switch {
	case classes == 2 && p.Guess == 1:
		return p.Score
	case classes == 2:
		return 1 - p.Score
	case len(p.Scores) == classes:
		return p.Scores[p.Guess]
	}
	return 0
}

// Truncate drops all but the first n errors of r.
func (r *Report) Truncate(n int) { r.Errors = r.Errors[:min(n, len(r.Errors))] }
