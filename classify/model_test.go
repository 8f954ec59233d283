package classify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// texts are small pages in our own words.
var texts = []string{
	"call for papers\nwe invite submissions on gardens\nsubmission deadline 1 May 2027",
	"call for posters\nsubmit your poster on rivers\ndeadline 3 June 2027",
	"my garden diary\ntoday the river was high\nwe walked",
	"bicycle repair shop\nopening hours\nwe walked the dog",
}

// testModel makes a model of a task whose weights are small distinct numbers.
func testModel(t testing.TB, task string) *Model {
	t.Helper()
	classes, err := Classes(task)
	if err != nil {
		t.Fatal(err)
	}
	var docs []*features.Document
	for _, text := range texts {
		docs = append(docs, features.ReadText(text))
	}
	vectorizer, err := features.FitVectorizer(features.Options{Blocks: []string{features.Body}, Normalize: true}, nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	rows := len(classes)
	if rows == 2 {
		rows = 1
	}
	linear := &Linear{}
	for k := range rows {
		row := make([]float64, vectorizer.Size())
		for i := range row {
			row[i] = math.Sin(float64(1+i+17*k)) / 3
		}
		linear.Weights = append(linear.Weights, row)
		linear.Bias = append(linear.Bias, 0.1*float64(k))
	}
	m, err := NewModel(Model{
		Meta: Meta{
			Task: task, Algo: "test", Options: "none", Seed: 3, Classes: classes, Counts: make([]int, len(classes)),
			Groups: 2, Data: "sha256:0", Program: "test", Figures: []Figure{{"f1", 0.5, 0.25, 0.75}},
		},
		Vectorizer: vectorizer, Classifier: linear, Platt: slices.Repeat([]Platt{{-2, 0.1}}, len(classes)), Threshold: 0.4,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteModel(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestModelRoundTrip(t *testing.T) {
	for _, task := range []string{TaskCFP, TaskPageType, TaskTopic} {
		m := testModel(t, task)
		data := encode(t, m)
		back, err := ReadModel(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m.Meta, back.Meta); diff != "" {
			t.Errorf("%s: metadata (-want +got):\n%s", task, diff)
		}
		for _, text := range append(texts, "", "river papers") {
			d := features.ReadText(text)
			if diff := cmp.Diff(m.Scores(d), back.Scores(d)); diff != "" {
				t.Errorf("%s: scores of %q change (-want +got):\n%s", task, text, diff)
			}
		}
		if !bytes.Equal(data, encode(t, back)) {
			t.Errorf("%s: written again, the bytes differ", task)
		}
	}
}

func TestReadModelRefusesDamage(t *testing.T) {
	data := encode(t, testModel(t, TaskCFP))
	for n := range data {
		if _, err := ReadModel(bytes.NewReader(data[:n])); err == nil {
			t.Fatalf("%d of %d bytes: no error", n, len(data))
		}
		changed := bytes.Clone(data)
		changed[n] ^= 1 << (n % 8)
		if _, err := ReadModel(bytes.NewReader(changed)); err == nil {
			t.Fatalf("byte %d changed: no error", n)
		}
	}
	if _, err := ReadModel(bytes.NewReader(append(data, 0))); err == nil {
		t.Error("a byte too many: no error")
	}
	if _, err := ReadModel(iotest.ErrReader(errors.New("disk on fire"))); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("a reader's error is lost: %v", err)
	}
	big := make([]byte, maxModelBytes+1)
	copy(big, data)
	if _, err := ReadModel(bytes.NewReader(big)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file over the limit: %v", err)
	}
}

func TestReadModelNamesUnknownVersion(t *testing.T) {
	data := encode(t, testModel(t, TaskCFP))
	binary.LittleEndian.PutUint32(data[len(modelMagic):], 7)
	_, err := ReadModel(bytes.NewReader(data))
	if !errors.Is(err, ErrIncompatible) {
		t.Fatalf("got %v, want ErrIncompatible", err)
	}
	for _, part := range []string{"version 7", "reads versions 1 to 2", "train the model again"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	if _, err := ReadModel(strings.NewReader("%PDF-1.4 and a long text that is surely no model of any kind")); errors.Is(err, ErrIncompatible) || err == nil {
		t.Errorf("another kind of file: %v", err)
	}
}

func TestNewModelRefuses(t *testing.T) {
	for name, change := range map[string]func(*Model){
		"no vectorizer":      func(m *Model) { m.Vectorizer = nil },
		"no weights":         func(m *Model) { m.Classifier = nil },
		"too few rows":       func(m *Model) { m.Classifier = &Linear{} },
		"too many rows":      func(m *Model) { m.Classifier = &Linear{Weights: make([][]float64, 3), Bias: make([]float64, 3)} },
		"too long rows":      func(m *Model) { m.Classifier = &Linear{Weights: [][]float64{make([]float64, 999)}, Bias: []float64{0}} },
		"biases":             func(m *Model) { m.Classifier = &Linear{Weights: m.Classifier.(*Linear).Weights} },
		"weight not finite":  func(m *Model) { m.Classifier = &Linear{Weights: [][]float64{{math.NaN()}}, Bias: []float64{0}} },
		"weight too large":   func(m *Model) { m.Classifier = &Linear{Weights: [][]float64{{1e300}}, Bias: []float64{0}} },
		"bias not finite":    func(m *Model) { m.Classifier = &Linear{Weights: [][]float64{{1}}, Bias: []float64{math.Inf(1)}} },
		"calibrations":       func(m *Model) { m.Platt = m.Platt[:1] },
		"calibration":        func(m *Model) { m.Platt = []Platt{{}, {A: math.NaN()}} },
		"threshold":          func(m *Model) { m.Threshold = 1.5 },
		"threshold is NaN":   func(m *Model) { m.Threshold = math.NaN() },
		"one class":          func(m *Model) { m.Classes = m.Classes[:1] },
		"counts":             func(m *Model) { m.Counts = nil },
		"too many classes":   func(m *Model) { m.Classes = make([]string, maxClasses+1) },
		"no class":           func(m *Model) { m.Classes = nil },
		"classes and counts": func(m *Model) { m.Classes = append(slices.Clone(m.Classes), "third") },
	} {
		m := *testModel(t, TaskCFP)
		change(&m)
		if _, err := NewModel(m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestScores(t *testing.T) {
	for _, task := range []string{TaskCFP, TaskPageType} {
		m := testModel(t, task)
		for _, text := range texts {
			var sum float64
			for _, s := range m.Scores(features.ReadText(text)) {
				if s < 0 || s > 1 {
					t.Errorf("%s: score %v", task, s)
				}
				sum += s
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: the scores of %q sum to %v", task, text, sum)
			}
		}
	}
}

func TestScoresNeverAreNaN(t *testing.T) {
	platt := slices.Repeat([]Platt{{-1e6, 1e6}}, 3)
	got := CalibratedProbabilities(platt, []float64{-1e9, -1e8, -1e9})
	if diff := cmp.Diff([]float64{0, 1, 0}, got); diff != "" {
		t.Errorf("all probabilities 0 (-want +got):\n%s", diff)
	}
}

func TestDecision(t *testing.T) {
	for _, test := range []struct {
		scores    []float64
		threshold float64
		want      int
	}{
		{[]float64{0.7, 0.3}, 0.3, 1},
		{[]float64{0.3, 0.7}, 0.8, 0},
		{[]float64{0.2, 0.5, 0.3}, 0.9, 1},
		{[]float64{0.4, 0.4, 0.2}, 0, 0},
	} {
		if got := DecideClass(test.scores, test.threshold); got != test.want {
			t.Errorf("Decision(%v, %v) is %d, want %d", test.scores, test.threshold, got, test.want)
		}
	}
}

func TestExplainAddsUp(t *testing.T) {
	for _, task := range []string{TaskCFP, TaskPageType} {
		m := testModel(t, task)
		d := features.ReadText(texts[0])
		decisions := m.Classifier.Decide(m.Vectorizer.Vector(d))
		for class, want := range decisions {
			_, sign := rowOfClass(len(m.Classifier.(*Linear).Weights), class)
			biases := m.Classifier.(*Linear).Bias
			bias := biases[min(class, len(biases)-1)]
			got := sign * bias
			reasons := m.Explain(d, class, 1000)
			for i, r := range reasons {
				got += r.Weight
				if i > 0 && math.Abs(r.Weight) > math.Abs(reasons[i-1].Weight) {
					t.Errorf("%s: reason %d is stronger than the one before", task, i)
				}
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%s, class %d: the reasons and the bias sum to %v, the decision value is %v", task, class, got, want)
			}
		}
		if got := len(m.Explain(d, 1, 2)); got != 2 {
			t.Errorf("%d reasons, 2 asked for", got)
		}
		if top := m.TopFeatures(1, 3); len(top) != 3 || !strings.HasPrefix(top[0].Term, "body:") {
			t.Errorf("top terms %v", top)
		}
	}
}

// tree parses a page of our own.
func tree(t testing.TB, url, body string) *tagtree.Tree {
	t.Helper()
	parsed, err := tagtree.Parse(&webgraph.Page{URL: url, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func FuzzReadModel(f *testing.F) {
	data := encode(f, testModel(f, TaskCFP))
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(modelMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A right checksum lets the fuzzer reach what lies behind it.
		for _, b := range [][]byte{data, appendSum(bytes.Clone(data))} {
			m, err := ReadModel(bytes.NewReader(b))
			if err != nil {
				continue
			}
			m.Scores(features.ReadText(texts[0]))
			encode(t, m)
		}
	})
}
