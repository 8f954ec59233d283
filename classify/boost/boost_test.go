package boost

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/classifytest"
	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A direction is a linear trainer of the simplest kind: the weights of a class
// are the mean of its examples less that of all.
type direction struct{}

func (direction) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	sums, counts := make([][]float64, len(classes)), make([]float64, len(classes))
	for k := range sums {
		sums[k] = make([]float64, 100)
	}
	for _, e := range examples {
		counts[e.Class]++
		for i, ix := range e.X.Index {
			sums[e.Class][ix] += e.X.Value[i]
		}
	}
	l := &classify.Linear{Weights: sums, Bias: make([]float64, len(classes))}
	for k, row := range sums {
		for i := range row {
			row[i] /= counts[k]
		}
	}
	if len(classes) == 2 {
		l.Weights, l.Bias = l.Weights[1:], l.Bias[1:]
	}
	return l, nil
}

// byRow splits examples in turn.
func byRow(class []int, groups []string, classes, k int, seed uint64) ([]int, error) {
	folds := make([]int, len(class))
	for i := range folds {
		folds[i] = i / classes % k
	}
	return folds, nil
}

func stack() Stack {
	return Stack{Base: direction{}, From: 100, Inputs: 200, Split: byRow, Trees: Options{Rounds: 60, LeafWeight: 0.1, Penalty: 0.1, Columns: 1}}
}

func TestStackKeepsTheContract(t *testing.T) { classifytest.Run(t, stack()) }

// pages are examples that words alone cannot classify: two dense components decide by their exclusive or.
func pages(n int, seed uint64) (examples []classify.Example) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		a, b := rng.IntN(2), rng.IntN(2)
		x := features.NewVector(map[uint32]float64{uint32(rng.IntN(100)): 1, 100: float64(a) + 0.1, 101: float64(b) + 0.1, 102: rng.Float64()})
		examples = append(examples, classify.Example{X: x, Class: a ^ b, Group: string(rune('a' + i%20))})
	}
	return examples
}

func TestTreesLearnWhatNoLineTells(t *testing.T) {
	s := stack()
	s.Inputs = 103
	c, err := s.Train(context.Background(), []string{"no", "yes"}, pages(400, 1))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, e := range pages(200, 2) {
		if (c.Decide(e.X)[1] > 0) != (e.Class == 1) {
			wrong++
		}
	}
	if wrong > 30 { // by seed it is 2 to 25; guessing gives 100
		t.Errorf("%d of 200 wrong", wrong)
	}
}

func TestGrowIsDeterministic(t *testing.T) {
	grow := func(seed uint64) *classify.Trees {
		var x [][]float32
		var class []int
		for _, e := range pages(200, 3) {
			x = append(x, classify.StackInput(&classify.Linear{}, 100, 3, 0, e.X))
			class = append(class, e.Class)
		}
		trees, err := Grow(context.Background(), x, class, 2, Options{Rounds: 5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return trees
	}
	if diff := cmp.Diff(grow(1), grow(1), cmpopts.IgnoreUnexported(classify.Trees{})); diff != "" {
		t.Errorf("one seed, two forests:\n%s", diff)
	}
	if cmp.Equal(grow(1), grow(2), cmpopts.IgnoreUnexported(classify.Trees{})) {
		t.Error("two seeds, one forest")
	}
}

// TestForestsAreAveraged checks that the output of several forests is the mean of their outputs.
func TestForestsAreAveraged(t *testing.T) {
	var x [][]float32
	var class []int
	for _, e := range pages(200, 3) {
		x = append(x, classify.StackInput(&classify.Linear{}, 100, 3, 0, e.X))
		class = append(class, e.Class)
	}
	grow := func(o Options) *classify.Trees {
		o.Rounds = 5
		trees, err := Grow(context.Background(), x, class, 2, o)
		if err != nil {
			t.Fatal(err)
		}
		return trees
	}
	first, second, mean := grow(Options{Seed: 1}), grow(Options{Seed: 1 + forestSeeds}), grow(Options{Seed: 1, Forests: 2})
	for _, row := range x {
		a, b, m := first.Decide(row), second.Decide(row), mean.Decide(row)
		for k := range m {
			if math.Abs(m[k]-(a[k]+b[k])/2) > 1e-6 {
				t.Fatalf("output %d: two forests say %v, alone %v and %v", k, m[k], a[k], b[k])
			}
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, o := range []Options{{Rounds: -1}, {Leaves: 1 << 20}, {Rate: 1.5}, {Rows: -0.1}, {Columns: 2}, {Penalty: -1}, {LeafWeight: -1}, {Forests: -1}, {Forests: maxForests + 1}} {
		if _, err := Grow(context.Background(), [][]float32{{0}, {1}}, []int{0, 1}, 1, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestCutPointsPartTheValues(t *testing.T) {
	var values []float32
	for i := range 1000 {
		values = append(values, float32(i%100))
	}
	cuts := cutPoints(values)
	if len(cuts) >= maxBins || len(cuts) < maxBins/2 {
		t.Fatalf("%d cuts", len(cuts))
	}
	for i, c := range cuts {
		if i > 0 && c <= cuts[i-1] || c != float32(int(c))+0.5 {
			t.Errorf("cut %d is %v", i, c)
		}
	}
	if cuts := cutPoints([]float32{3, 3, 3}); cuts != nil {
		t.Errorf("cuts %v of a column that does not vary", cuts)
	}
}
