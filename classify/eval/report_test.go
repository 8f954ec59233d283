package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// binary makes predictions from truths and scores, yes from 0.5 on.
func binary(truth string, scores ...float64) []Prediction {
	var ps []Prediction
	for i, s := range scores {
		p := Prediction{Score: s, Group: fmt.Sprint(i)}
		if truth[i] == '+' {
			p.Truth = 1
		}
		if s >= 0.5 {
			p.Guess = 1
		}
		ps = append(ps, p)
	}
	return ps
}

func TestFigures(t *testing.T) {
	for _, test := range []struct {
		name string
		ps   []Prediction
		want map[string]float64
	}{
		{
			"mixed", binary("+-+--", 0.9, 0.8, 0.7, 0.4, 0.1),
			map[string]float64{
				Accuracy: 0.8, BaseRate: 0.6, Precision: 2.0 / 3, Recall: 1, F1: 0.8,
				AveragePrecision: (1 + 2.0/3) / 2, ROCAUC: 5.0 / 6,
				MCC: 4.0 / 6, MacroF1: 0.8, WeightedF1: 0.8, Brier: 0.182, ECE: 0.34,
			},
		},
		{
			"ties", binary("+-", 0.5, 0.5),
			map[string]float64{
				Accuracy: 0.5, BaseRate: 0.5, Precision: 0.5, Recall: 1, F1: 2.0 / 3, AveragePrecision: 0.5, ROCAUC: 0.5,
				MCC: 0, MacroF1: 1.0 / 3, WeightedF1: 1.0 / 3, Brier: 0.25, ECE: 0,
			},
		},
		{
			"nothing found", binary("+-", 0.2, 0.3),
			map[string]float64{
				Accuracy: 0.5, BaseRate: 0.5, Precision: 0, Recall: 0, F1: 0, AveragePrecision: 0.5, ROCAUC: 0,
				MCC: 0, MacroF1: 1.0 / 3, WeightedF1: 1.0 / 3, Brier: 0.365, ECE: 0.55,
			},
		},
		{
			"no positives", binary("--", 0.2, 0.3),
			map[string]float64{
				Accuracy: 1, BaseRate: 1, Precision: 0, Recall: 0, F1: 0, MCC: 0, MacroF1: 1, WeightedF1: 1, Brier: 0.065, ECE: 0.25,
			},
		},
		{
			"scores that are no probabilities", binary("+-", 3, -1),
			map[string]float64{
				Accuracy: 1, BaseRate: 0.5, Precision: 1, Recall: 1, F1: 1, AveragePrecision: 1, ROCAUC: 1, MCC: 1, MacroF1: 1, WeightedF1: 1,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := New("test", []string{"no", "yes"}, test.ps, 1)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for _, f := range r.Figures {
				got[f.Name] = f.Value
				if !(f.Low <= f.Value && f.Value <= f.High) {
					t.Errorf("%s: %v is outside [%v, %v]", f.Name, f.Value, f.Low, f.High)
				}
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("figures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFiguresOfMoreClasses(t *testing.T) {
	ps := []Prediction{
		{Truth: 0, Guess: 0, Scores: []float64{1, 0, 0, 0}}, {Truth: 0, Guess: 1, Scores: []float64{0, 1, 0, 0}},
		{Truth: 1, Guess: 1, Scores: []float64{0.4, 0.6, 0, 0}}, {Truth: 2, Guess: 2, Scores: []float64{0, 0.2, 0.8, 0}},
	}
	r, err := New("test", []string{"a", "b", "c", "never seen"}, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range r.Figures {
		got[f.Name] = f.Value
	}
	want := map[string]float64{
		Accuracy: 0.75, BaseRate: 0.5, MacroPrecision: 2.5 / 3, MacroRecall: 2.5 / 3, MacroF1: (2.0/3 + 2.0/3 + 1) / 3,
		WeightedF1: (2*2.0/3 + 2.0/3 + 1) / 4, MicroF1: 0.75,
		MCC:   (3*4 - (2*1 + 1*2 + 1)) / 10.0, // truths and guesses both have 16 - (4+1+1)
		Brier: (2 + 0.32 + 0.08) / 4, ECE: (1 + 0.4 + 0.2) / 4,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{1, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}}, r.Confusion); diff != "" {
		t.Errorf("confusion (-want +got):\n%s", diff)
	}
}

func TestFigureNamesAreThose(t *testing.T) {
	for _, classes := range [][]string{{"no", "yes"}, {"a", "b", "c"}} {
		var ps []Prediction
		for i := range 90 {
			k := i % len(classes)
			scores := make([]float64, len(classes))
			scores[k] = 1
			ps = append(ps, Prediction{Truth: k, Guess: k, Score: scores[1], Scores: scores, Group: fmt.Sprint(i)})
		}
		r, err := New("test", classes, ps, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range FigureNames(classes) {
			if _, ok := r.Figure(name); !ok {
				t.Errorf("%d classes: no figure %s", len(classes), name)
			}
		}
	}
}

func TestFewExamplesHaveNoFigures(t *testing.T) {
	r := report(t)
	small := r.Classes[2]
	if small.Examples >= minExamples || small.Precision != nil || small.Recall != nil || small.F1 != nil {
		t.Errorf("figures of a class of %d: %+v", small.Examples, small)
	}
	if _, ok := r.Figure("f1 other"); ok {
		t.Error("f1 other is a figure")
	}
	for _, c := range r.Curves {
		if c.Class == small.Name {
			t.Error("the small class has a curve")
		}
	}
	if f, ok := r.Figure("f1 call"); !ok || f.Value == 0 {
		t.Errorf("f1 call is %+v, %v", f, ok)
	}
}

func TestIntervalCountsGroupsNotExamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	width := func(groupSize int) float64 {
		var ps []Prediction
		for i := range 400 {
			g := i / groupSize
			right := rand.New(rand.NewPCG(uint64(g), 9)).Float64() < 0.7
			p := Prediction{Truth: i % 2, Guess: i % 2, Score: rng.Float64(), Group: fmt.Sprint(g)}
			if !right {
				p.Guess = 1 - p.Truth
			}
			ps = append(ps, p)
		}
		r, err := New("test", []string{"no", "yes"}, ps, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := r.Figure(Accuracy)
		return f.High - f.Low
	}
	single, tens := width(1), width(20)
	if tens < 2*single {
		t.Errorf("the interval is %.3f wide for single pages and %.3f for sites of 20 like pages", single, tens)
	}
	if single < 0.06 || single > 0.12 {
		t.Errorf("the interval of 400 single examples at .7 is %.3f wide, about 0.09 is right", single)
	}
}

func TestBestThreshold(t *testing.T) {
	for _, test := range []struct {
		name string
		ps   []Prediction
		want float64
	}{
		{"clean cut", binary("++--", 0.9, 0.7, 0.5, 0.1), 0.6},
		{"one miss is better than two false", binary("+--+", 0.9, 0.6, 0.5, 0.1), 0.75},
		{"all positive", binary("++", 0.9, 0.4), 0.2},
		{"none positive", binary("--", 0.9, 0.4), 0.5},
		{"ties stay together", binary("+-+-", 0.8, 0.4, 0.4, 0.2), 0.3},
		{"nothing", nil, 0.5},
	} {
		if got := BestThreshold(test.ps); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestCalibratedThreshold(t *testing.T) {
	many := binary(strings.Repeat("+", 10)+strings.Repeat("-", 100), append(slices.Repeat([]float64{0.9}, 10), slices.Repeat([]float64{0.1}, 100)...)...)
	few := slices.Clone(many)
	for i := range 3 {
		few[10+i].Score = 0.5 + float64(i)/10
	}
	// Two hard pages of 14 are 1.8 to 43 % of all such pages, 200 of 1,400 are 12 to 16 %.
	hard := func(n int) []Prediction {
		scores := slices.Concat(slices.Repeat([]float64{0.7}, 12*n), slices.Repeat([]float64{0.85}, 2*n), slices.Repeat([]float64{0.1}, 12*n))
		return binary(strings.Repeat("+", 12*n)+strings.Repeat("-", 14*n), scores...)
	}
	for _, test := range []struct {
		name      string
		ps        []Prediction
		mostFalse float64
		want      float64
	}{
		{"half of a perfect F1", many, 0.02, 0.5},
		{"half of the best F1, without a limit", binary("+-+-", 0.8, 0.4, 0.4, 0.2), 3, 0.4},
		{"above what too many negatives reach", few, 0.03, 0.65},
		{"above all that any negative reaches", few, 0, 0.8},
		{"two hard negatives of few forbid nothing", hard(1), 0.015, 0.4},
		{"as many of a hundred times the pages forbid the calls below", hard(100), 0.015, 0.925},
		{"a negative less than shows that few reach it", few[:len(few)-1], 0.03, 0.8},
		{"none positive", binary("--", 0.9, 0.4), 1, 0.5},
		{"nothing", nil, 0.02, 0.5},
	} {
		if got := CalibratedThreshold(test.ps, test.mostFalse); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// threeClasses makes predictions of three classes, one of them with few examples.
func threeClasses() []Prediction {
	var ps []Prediction
	for i := range 65 {
		p := Prediction{Truth: i % 2, Guess: i % 2, Group: fmt.Sprint(i / 5), URL: fmt.Sprintf("https://site%d.example/%d", i/5, i)}
		if i%7 == 0 {
			p.Guess = 2
		}
		if i >= 60 {
			p.Truth = 2
		}
		p.Scores = []float64{0.1, 0.1, 0.1}
		p.Scores[p.Guess] = 0.8 - float64(i%4)/10
		p.Scores[(p.Guess+1)%3] = 0.1 + float64(i%4)/10
		p.Tags = []Tag{{"language", []string{"en", "en", "fr"}[i%3]}, {"page type", []string{"page", "list"}[i/62]}}
		ps = append(ps, p)
	}
	return ps
}

func report(t *testing.T) *Report {
	t.Helper()
	r, err := New("three classes", []string{"call", "list", "other"}, threeClasses(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r.About = []Tag{{"algorithm", "guessing"}}
	r.Errors[0].Reasons = []Reason{{"body:call", 0.5}, {"body:list", -0.25}}
	r.Learning = []LearningPoint{{Share: 0.5, Examples: 30, Groups: 6, Figures: r.Figures[2:3]}, {Share: 1, Examples: 60, Groups: 12, Figures: r.Figures[2:3]}}
	return r
}

func TestTextAndJSONAgree(t *testing.T) {
	r := report(t)
	var text, js bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteErrors(&text, 3); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "report.txt", text.Bytes())
	golden.Check(t, "report.json", js.Bytes())
	var back Report
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &back); diff != "" {
		t.Errorf("JSON loses something (-want +got):\n%s", diff)
	}
	for _, f := range r.Figures {
		if line := fmt.Sprintf("  %.3f  [%.3f, %.3f]", f.Value, f.Low, f.High); !strings.Contains(text.String(), line) {
			t.Errorf("the text lacks %s %s", f.Name, line)
		}
	}
	if !strings.Contains(text.String(), "warning: class other has 5 examples") {
		t.Error("the text does not warn of the small class")
	}
}

func TestNewRefuses(t *testing.T) {
	classes := []string{"no", "yes"}
	if _, err := New("test", classes, nil, 1); err == nil {
		t.Error("no predictions: no error")
	}
	for _, p := range []Prediction{{Truth: 2}, {Guess: 2}, {Truth: -1}, {Score: math.NaN()}, {Scores: []float64{0, math.NaN()}}} {
		if _, err := New("test", classes, []Prediction{p}, 1); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}
