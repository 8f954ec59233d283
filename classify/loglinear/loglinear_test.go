package loglinear_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
)

func terms(names ...string) []classify.Term {
	var ts []classify.Term
	for _, n := range names {
		ts = append(ts, classify.Term{ID: classify.HashTerm("t", n), Value: 1})
	}
	return ts
}

// Three classes, each with its own word and noise.
func examples(seed uint64, n int) []loglinear.Example {
	draw := rand.New(rand.NewPCG(seed, 1))
	var es []loglinear.Example
	for i := range n {
		c := i % 3
		es = append(es, loglinear.Example{
			Terms: terms(fmt.Sprint("own", c), fmt.Sprint("noise", draw.IntN(50)), fmt.Sprint("noise", draw.IntN(50))),
			Class: c, Group: fmt.Sprint("site", i%7),
		})
	}
	return es
}

func TestTrainTellsClassesApart(t *testing.T) {
	m, err := loglinear.Train(context.Background(), classify.Meta{}, 3, examples(1, 300), nil, loglinear.Options{L1: 0.5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, 3)
	for _, e := range examples(2, 60) {
		m.Scores(e.Terms, scores)
		classify.Softmax(scores)
		if scores[e.Class] < 0.8 {
			t.Errorf("class %d got %.2f", e.Class, scores[e.Class])
		}
	}
}

// The reference is the closed form of one binary feature and its complement: the
// probability the model gives must be the share of the class.
func TestTrainFitsShares(t *testing.T) {
	var es []loglinear.Example
	for i := range 400 {
		class := 0
		if i%4 == 0 {
			class = 1
		}
		es = append(es, loglinear.Example{Class: class, Group: "a"})
	}
	m, err := loglinear.Train(context.Background(), classify.Meta{}, 2, es, nil, loglinear.Options{Epochs: 200, Rate: 0.05, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, 2)
	m.Scores(nil, scores)
	classify.Softmax(scores)
	if math.Abs(scores[1]-0.25) > 0.02 {
		t.Errorf("probability %.3f, want 0.25", scores[1])
	}
}

func TestTrainRankerPrefersTheRight(t *testing.T) {
	var cs []loglinear.Choice
	for i := range 60 {
		noise := fmt.Sprint("page", i)
		cs = append(cs, loglinear.Choice{
			Candidates: [][]classify.Term{terms(noise, "menu"), terms(noise, "heading"), terms(noise, "footer")},
			Gain:       []float64{0, 1, 0}, Group: fmt.Sprint(i),
		})
	}
	m, err := loglinear.TrainRanker(context.Background(), classify.Meta{}, cs, func(i int) bool { return i < 40 }, loglinear.Options{MinGroups: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if m.Features() != 3 {
		t.Errorf("%d features, want the 3 that more than one page has", m.Features())
	}
	for _, c := range cs[40:] {
		if a, b := m.Score(c.Candidates[1]), m.Score(c.Candidates[0]); a < b+1 {
			t.Errorf("right one %.2f, wrong one %.2f", a, b)
		}
	}
}

// The same data and seed give the same bytes, and a model gives the same results after a round trip.
func TestModelFile(t *testing.T) {
	var files [2][]byte
	for i := range files {
		m, err := loglinear.Train(context.Background(), classify.Meta{Task: "test"}, 3, examples(1, 300), nil, loglinear.Options{L1: 0.1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := classify.WriteLogLinear(&b, m); err != nil {
			t.Fatal(err)
		}
		files[i] = b.Bytes()
		back, err := classify.ReadLogLinear(bytes.NewReader(files[i]))
		if err != nil {
			t.Fatal(err)
		}
		if back.Features() != m.Features() || back.Task != "test" {
			t.Fatalf("%d features of task %q, want %d", back.Features(), back.Task, m.Features())
		}
		a, b2 := make([]float64, 3), make([]float64, 3)
		for _, e := range examples(5, 30) {
			m.Scores(e.Terms, a)
			back.Scores(e.Terms, b2)
			for k := range a {
				if a[k] != b2[k] {
					t.Fatalf("score %v after a round trip, %v before", b2, a)
				}
			}
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two runs gave two files")
	}
}

func TestTrainRefuses(t *testing.T) {
	ctx, ended := context.Background(), func() context.Context {
		c, cancel := context.WithCancel(context.Background())
		cancel()
		return c
	}()
	some := examples(1, 9)
	for name, train := range map[string]func() error{
		"no examples": func() error {
			_, err := loglinear.Train(ctx, classify.Meta{}, 3, nil, nil, loglinear.Options{})
			return err
		},
		"one class": func() error {
			_, err := loglinear.Train(ctx, classify.Meta{}, 1, some, nil, loglinear.Options{})
			return err
		},
		"unknown class": func() error {
			_, err := loglinear.Train(ctx, classify.Meta{}, 2, some, nil, loglinear.Options{})
			return err
		},
		"ended": func() error {
			_, err := loglinear.Train(ended, classify.Meta{}, 3, some, nil, loglinear.Options{})
			return err
		},
		"nothing right": func() error {
			_, err := loglinear.TrainRanker(ctx, classify.Meta{}, []loglinear.Choice{{Candidates: [][]classify.Term{terms("a")}, Gain: []float64{0}}}, nil, loglinear.Options{})
			return err
		},
		"gains missing": func() error {
			_, err := loglinear.TrainRanker(ctx, classify.Meta{}, []loglinear.Choice{{Candidates: [][]classify.Term{terms("a")}, Gain: []float64{1, 1}}}, nil, loglinear.Options{})
			return err
		},
	} {
		if train() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A model that is trained further keeps what it knows and learns new words; a strong L2 leaves it unchanged.
func TestTrainGoesOnFromBase(t *testing.T) {
	base, err := loglinear.Train(context.Background(), classify.Meta{}, 3, examples(1, 300), nil, loglinear.Options{L1: 0.5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var more []loglinear.Example
	for range 20 {
		more = append(more, loglinear.Example{Terms: terms("new"), Class: 1, Group: "mine"})
	}
	scores := make([]float64, 3)
	chance := func(m *classify.LogLinear, word string, class int) float64 {
		m.Scores(terms(word), scores)
		classify.Softmax(scores)
		return scores[class]
	}
	for l2, at := range map[float64][2]float64{1: {0.8, 1}, 1e6: {0.2, 0.5}} {
		m, err := loglinear.Train(context.Background(), classify.Meta{}, 3, more, nil, loglinear.Options{L2: l2, Seed: 1, Base: base})
		if err != nil {
			t.Fatal(err)
		}
		if p := chance(m, "own2", 2); p < 0.8 {
			t.Errorf("L2 %g: what the base knew has %.2f", l2, p)
		}
		if p := chance(m, "new", 1); p < at[0] || p > at[1] {
			t.Errorf("L2 %g: what is new has %.2f, want %v", l2, p, at)
		}
	}
	if _, err := loglinear.Train(context.Background(), classify.Meta{}, 2, more, nil, loglinear.Options{Base: base}); err == nil {
		t.Error("a base of other classes is taken")
	}
}
