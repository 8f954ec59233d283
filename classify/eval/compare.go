package eval

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/eventseer/eventseer/internal/significance"
)

// A Comparison holds the figures of two classifiers on the same examples, and the significance of their
// differences.
type Comparison struct {
	A *Report `json:"a"`
	B *Report `json:"b"`
	// Differences are those that were tested. McNemar's test is the last of the tests that Holm's method
	// corrects together.
	Differences []Difference `json:"differences"`
	McNemar     McNemar      `json:"mcnemar"`
	McNemarHolm float64      `json:"mcnemar_holm_p"`
	// Disagreements are the examples with a URL that exactly one of the two classified correctly, at most
	// MaxErrors.
	Disagreements []Disagreement `json:"disagreements,omitempty"`
	// Void says why the comparison is not valid, such as that a classifier was trained on these examples.
	// It is empty for a valid one.
	Void     string   `json:"void,omitempty"`
	Warnings []string `json:"warnings"`
}

// A Difference is a figure of A minus that of B.
type Difference struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// P is the two-sided p value by paired bootstrap over groups. HolmP is P corrected for the number of
	// tests.
	P     float64 `json:"p"`
	HolmP float64 `json:"holm_p"`
}

// A Disagreement is an example that exactly one of two classifiers classified correctly.
type Disagreement struct {
	Example int    `json:"example"`
	URL     string `json:"url"`
	Truth   string `json:"truth"`
	GuessA  string `json:"guess_a"`
	GuessB  string `json:"guess_b"`
	// Wrong is the probability that the wrong classifier gave to its guess.
	Wrong float64 `json:"wrong_confidence"`
}

// Compare measures two classifiers on the same examples, which must be in the same order in a and b.
func Compare(nameA, nameB string, classes []string, a, b []Prediction, seed uint64) (*Comparison, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("eval: %d predictions cannot be paired with %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Truth != b[i].Truth || a[i].Group != b[i].Group {
			return nil, fmt.Errorf("eval: predictions %d belong to different examples", i)
		}
	}
	c := &Comparison{Warnings: []string{}}
	var err error
	if c.A, err = New(nameA, classes, a, seed); err != nil {
		return nil, err
	}
	if c.B, err = New(nameB, classes, b, seed); err != nil {
		return nil, err
	}
	c.compareOutcomes(classes, a, b)
	c.testDifferences(len(classes), a, b, seed)
	for _, w := range slices.Concat(c.A.Warnings, c.B.Warnings) {
		if !slices.Contains(c.Warnings, w) {
			c.Warnings = append(c.Warnings, w)
		}
	}
	if c.A.Groups < c.A.Examples {
		c.Warnings = append(c.Warnings, "McNemar's test assumes that pages are independent; pages of a group are not, so prefer the bootstrap over groups")
	}
	return c, nil
}

// compareOutcomes fills in McNemar's table and the disagreements. The disagreements in which the wrong classifier
// was most confident come first.
func (c *Comparison) compareOutcomes(classes []string, a, b []Prediction) {
	var both, onlyA, onlyB, none int
	for i := range a {
		rightA, rightB := a[i].Guess == a[i].Truth, b[i].Guess == b[i].Truth
		wrong := a[i]
		switch {
		case rightA && rightB:
			both++
			continue
		case !rightA && !rightB:
			none++
			continue
		case rightA:
			onlyA++
			wrong = b[i]
		default:
			onlyB++
		}
		if a[i].URL != "" {
			c.Disagreements = append(c.Disagreements, Disagreement{
				i, a[i].URL, classes[a[i].Truth], classes[a[i].Guess], classes[b[i].Guess], confidence(len(classes), wrong),
			})
		}
	}
	c.McNemar = NewMcNemar(both, onlyA, onlyB, none)
	slices.SortStableFunc(c.Disagreements, func(x, y Disagreement) int { return cmp.Compare(y.Wrong, x.Wrong) })
	c.Disagreements = c.Disagreements[:min(len(c.Disagreements), MaxErrors)]
}

// testDifferences tests the differences between the two classifiers. For two classes it tests F1 and average
// precision; for more, macro F1 and the F1 of each class with enough examples.
func (c *Comparison) testDifferences(classes int, a, b []Prediction, seed uint64) {
	at, names := c.testedFigures(classes)
	ma, mb := newMeasure(classes, a), newMeasure(classes, b)
	gaps := groupingOf(a).estimates(seed, func(weight []float64) []float64 {
		va, vb := ma.figureValues(weight), mb.figureValues(weight)
		for i := range va {
			va[i] -= vb[i]
		}
		return va
	})
	var p []float64
	for n, i := range at {
		if e := gaps[i]; e.isDefined() {
			d := Difference{Name: names[n], Value: e.value, Low: e.low, High: e.high, P: shiftedPValue(e.draws, e.value)}
			c.Differences = append(c.Differences, d)
			p = append(p, d.P)
		}
	}
	holm := significance.CorrectHolm(append(p, c.McNemar.P))
	for i := range c.Differences {
		c.Differences[i].HolmP = holm[i]
	}
	c.McNemarHolm = holm[len(holm)-1]
}

// testedFigures returns the figures to test: their indexes among the values of a measure, and their names.
func (c *Comparison) testedFigures(classes int) (at []int, names []string) {
	whole := overallFigureNames(classes)
	for _, name := range []string{F1, AveragePrecision, MacroF1} {
		if i := slices.Index(whole, name); i >= 0 && (name != MacroF1 || classes > 2) {
			at, names = append(at, i), append(names, name)
		}
	}
	if classes == 2 {
		return at, names
	}
	for k, class := range c.A.Classes {
		if class.F1 != nil {
			at, names = append(at, len(whole)+3*k+2), append(names, class.F1.Name)
		}
	}
	return at, names
}

// WriteJSON writes c as one indented JSON object.
func (c *Comparison) WriteJSON(w io.Writer) error { return writeJSON(w, c) }

// WriteText writes c as tables for readers.
func (c *Comparison) WriteText(w io.Writer) error {
	t := &textWriter{w: w}
	t.printf("A is %s\nB is %s\n%d examples in %d groups\n", c.A.Title, c.B.Title, c.A.Examples, c.A.Groups)
	rows := [][]string{{"figure", "A", "", "B", ""}}
	for _, f := range figurePairs(c) {
		rows = append(rows, []string{f.A.Name, numberText(f.A.Value), rangeText(f.A.Low, f.A.High), numberText(f.B.Value), rangeText(f.B.Low, f.B.High)})
	}
	t.writeTable(rows)
	rows = [][]string{{"A - B", "difference", "", "p", "Holm's p"}}
	for _, d := range c.Differences {
		rows = append(rows, []string{d.Name, fmt.Sprintf("%+.3f", d.Value), fmt.Sprintf("[%+.3f, %+.3f]", d.Low, d.High), pValueText(d.P), pValueText(d.HolmP)})
	}
	t.writeTable(append(rows, []string{c.McNemar.Name(), "", "", pValueText(c.McNemar.P), pValueText(c.McNemarHolm)}))
	m := c.McNemar
	t.writeTable([][]string{
		{"pages", "B right", "B wrong"},
		{"A right", fmt.Sprint(m.BothRight), fmt.Sprint(m.OnlyA)},
		{"A wrong", fmt.Sprint(m.OnlyB), fmt.Sprint(m.BothWrong)},
	})
	t.printf("\n%s\n", c.Verdict())
	for _, warning := range c.Warnings {
		t.printf("warning: %s\n", warning)
	}
	return t.err
}

// Name returns which form of McNemar's test was used.
func (m McNemar) Name() string {
	if m.Exact {
		return "McNemar, exact"
	}
	return fmt.Sprintf("McNemar, χ² %.2f", m.Statistic)
}

// pValueText formats a p value with the precision that the number of draws allows.
func pValueText(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return numberText(p)
}

// alpha is the level of significance used by Verdict.
const alpha = 0.05

// Verdict returns a sentence that says whether the first difference is significant, or why the comparison
// is not valid.
func (c *Comparison) Verdict() string {
	switch {
	case c.Void != "":
		return "No verdict: " + c.Void + "."
	case len(c.Differences) == 0:
		return "No figure can be compared."
	}
	d := c.Differences[0]
	better := "A"
	if d.Value < 0 {
		better = "B"
	}
	switch {
	case d.Value == 0:
		return fmt.Sprintf("A and B have the same %s.", d.Name)
	case d.HolmP < alpha:
		return fmt.Sprintf("%s has the better %s: such a difference is unlikely by chance (p %s, corrected by Holm's method).", better, d.Name, pValueText(d.HolmP))
	}
	return fmt.Sprintf("The difference in %s may be due to chance (p %s, corrected by Holm's method).", d.Name, pValueText(d.HolmP))
}

// WriteErrors writes the first n disagreements for readers.
func (c *Comparison) WriteErrors(w io.Writer, n int) error {
	t := &textWriter{w: w}
	list := c.Disagreements[:min(n, len(c.Disagreements))]
	t.printf("\n%d of %d pages that only one of A and B judged right, the most confident mistake first\n", len(list), c.McNemar.OnlyA+c.McNemar.OnlyB)
	for _, d := range list {
		t.printf("\n%s\n  is %s; A says %s, B says %s; the wrong one with probability %.3f\n", shortText(d.URL), d.Truth, d.GuessA, d.GuessB, d.Wrong)
	}
	return t.err
}

// Truncate drops all but the first n disagreements, and all but the first n errors of each classifier.
func (c *Comparison) Truncate(n int) {
	c.Disagreements = c.Disagreements[:min(n, len(c.Disagreements))]
	c.A.Truncate(n)
	c.B.Truncate(n)
}

// fewDiscordant is the number of discordant pairs below which the exact binomial form of McNemar's test
// is used, as Dietterich (1998) and others advise.
const fewDiscordant = 25

// A McNemar is McNemar's test of two classifiers on the same examples. It treats the examples as
// independent, which pages of one site are not. With groups of several pages its p value is therefore too
// small.
type McNemar struct {
	BothRight int `json:"both_right"`
	OnlyA     int `json:"only_a_right"`
	OnlyB     int `json:"only_b_right"`
	BothWrong int `json:"both_wrong"`
	// Exact means that P is the binomial p value. Otherwise it is that of Statistic, chi-squared with one
	// degree of freedom and the correction of Edwards (1948).
	Exact     bool    `json:"exact"`
	Statistic float64 `json:"statistic"`
	// P is two-sided.
	P float64 `json:"p"`
}

// NewMcNemar returns the test for the four counts (McNemar 1947).
func NewMcNemar(bothRight, onlyA, onlyB, bothWrong int) McNemar {
	m := McNemar{BothRight: bothRight, OnlyA: onlyA, OnlyB: onlyB, BothWrong: bothWrong}
	n := onlyA + onlyB
	if n < fewDiscordant {
		m.Exact = true
		m.P = min(1, 2*binomialTail(n, min(onlyA, onlyB)))
		return m
	}
	gap := max(0, math.Abs(float64(onlyA-onlyB))-1)
	m.Statistic = gap * gap / float64(n)
	m.P = math.Erfc(math.Sqrt(m.Statistic / 2))
	return m
}

// binomialTail returns the probability of at most k heads in n tosses of a fair coin.
func binomialTail(n, k int) float64 {
	term := math.Ldexp(1, -n) // of i heads
	total := 0.0
	for i := 0; i <= k; i++ {
		total += term
		term = term * float64(n-i) / float64(i+1)
	}
	return total
}

// shiftedPValue returns the two-sided p value of a difference. It is the fraction of bootstrap draws that are
// at least as far from the difference as the difference is from 0 (Efron and Tibshirani 1993, section
// 16.4), and at least one over the number of draws.
func shiftedPValue(draws []float64, difference float64) float64 {
	far := 1
	for _, d := range draws {
		if math.Abs(d-difference) >= math.Abs(difference) {
			far++
		}
	}
	return float64(far) / float64(len(draws)+1)
}
