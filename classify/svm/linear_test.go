package svm

import (
	"context"
	"math"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/classifytest"

	"github.com/google/go-cmp/cmp"
)

func TestLinear(t *testing.T) {
	for name, trainer := range map[string]Linear{
		"hinge":         {},
		"squared hinge": {Loss: SquaredHinge, C: 0.5, Balanced: true},
		"no bias":       {Bias: -1, Seed: 7},
	} {
		t.Run(name, func(t *testing.T) { classifytest.Run(t, trainer) })
	}
}

func fit(t *testing.T, trainer Linear, classes int, examples []classify.Example) *classify.Linear {
	t.Helper()
	c, err := trainer.Train(t.Context(), names[:classes], examples)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*classify.Linear)
}

// TestDualityGap: at the optimum the objective of w equals that of the α from which w is computed (Hsieh et
// al. 2008, section 1).
func TestDualityGap(t *testing.T) {
	for name, trainer := range map[string]Linear{
		"hinge":         {C: 2, Eps: 1e-6, MaxIterations: 100_000},
		"squared hinge": {C: 2, Eps: 1e-6, MaxIterations: 100_000, Loss: SquaredHinge},
		"no bias":       {Eps: 1e-6, MaxIterations: 100_000, Bias: -1},
		"bias of 5":     {Eps: 1e-6, MaxIterations: 100_000, Bias: 5, Weights: []float64{3, 0.5}},
		"balanced":      {Eps: 1e-6, MaxIterations: 100_000, Balanced: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := matrixOf(t, 150, 2, 1)
			l, err := trainer.withDefaults(2)
			if err != nil {
				t.Fatal(err)
			}
			d := newDescent(m, l)
			c := l.sideCosts(m, 1, 2)
			w, bias, err := d.trainClass(context.Background(), 1, c, l.randomSource(1))
			if err != nil {
				t.Fatal(err)
			}
			primal, dual := d.objectives(w, bias, c)
			if gap := primal - dual; gap < -1e-9 || gap > 1e-4*primal {
				t.Errorf("primal %v, dual %v", primal, dual)
			}
		})
	}
}

// objectives returns the primal and the dual objective of the last machine.
func (d *descent) objectives(w []float64, bias float64, c sides) (primal, dual float64) {
	for _, v := range w {
		primal += v * v / 2
	}
	if d.bias > 0 {
		primal += bias / d.bias * bias / d.bias / 2
	}
	dual = -primal
	for i := range d.numRows() {
		cost := c.rest
		if d.y[i] > 0 {
			cost = c.class
		}
		slack := max(0, 1-d.y[i]*d.decisionValue(i))
		dual += d.alpha[i]
		if d.options.Loss == SquaredHinge {
			slack *= slack
			dual -= d.alpha[i] * d.alpha[i] / cost / 4
		}
		primal += cost * slack
	}
	return primal, dual
}

func TestSeedChangesOnlyTheOrder(t *testing.T) {
	examples := examplesOf(80, 3, 2)
	one, again, two := fit(t, Linear{Seed: 1}, 3, examples), fit(t, Linear{Seed: 1}, 3, examples), fit(t, Linear{Seed: 2}, 3, examples)
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("one seed, two machines:\n%s", diff)
	}
	if cmp.Equal(one, two) {
		t.Error("two seeds, one machine: the seed is not used")
	}
	for i, e := range examples {
		a, b := one.Decide(e.X), two.Decide(e.X)
		for k := range a {
			if math.Abs(a[k]-b[k]) > 0.1 {
				t.Errorf("example %d: %v and %v under two seeds", i, a, b)
			}
		}
	}
}

// TestWeights: a dearer class is missed less often; Balanced is Weights.
func TestWeights(t *testing.T) {
	var examples []classify.Example
	for i, e := range examplesOf(200, 2, 3) {
		if e.Class == 0 || i%5 == 0 {
			examples = append(examples, e)
		}
	}
	found := func(l *classify.Linear) int {
		n := 0
		for _, e := range examples {
			if e.Class == 1 && l.Decide(e.X)[1] > 0 {
				n++
			}
		}
		return n
	}
	plain := fit(t, Linear{C: 0.01}, 2, examples)
	if dear := fit(t, Linear{C: 0.01, Weights: []float64{1, 10}}, 2, examples); found(dear) <= found(plain) {
		t.Errorf("%d examples of a class that weighs 10 are found, %d of one that weighs 1", found(dear), found(plain))
	}
	m, err := newMatrix(names[:2], examples)
	if err != nil {
		t.Fatal(err)
	}
	b := balanceFactors(m, 1)
	want := fit(t, Linear{Weights: []float64{b.rest, b.class}}, 2, examples)
	if diff := cmp.Diff(want, fit(t, Linear{Balanced: true}, 2, examples)); diff != "" {
		t.Errorf("Balanced and the weights it stands for (-want +got):\n%s", diff)
	}
}

func TestNoBias(t *testing.T) {
	if l := fit(t, Linear{Bias: -1}, 3, examplesOf(60, 3, 4)); !cmp.Equal(l.Bias, []float64{0, 0, 0}) {
		t.Errorf("biases %v", l.Bias)
	}
}

// endless is a context that ends after some looks at it.
type endless struct {
	context.Context
	looks int
}

func (e *endless) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestContextEndsATraining(t *testing.T) {
	ctx := &endless{t.Context(), 3}
	if _, err := (Linear{Eps: 1e-9}).Train(ctx, names[:2], examplesOf(80, 2, 5)); err == nil {
		t.Error("no error after three passes under an ended context")
	}
}

func TestMaxIterations(t *testing.T) {
	examples := examplesOf(80, 2, 6)
	one := fit(t, Linear{Eps: 1e-9, MaxIterations: 1}, 2, examples)
	two := fit(t, Linear{Eps: 1e-9, MaxIterations: 2}, 2, examples)
	if cmp.Equal(one, two) {
		t.Error("one pass and two give the same machine")
	}
}

func BenchmarkLinear(b *testing.B) {
	examples := examplesOf(5000, 2, 7)
	m, err := newMatrix(names[:2], examples)
	if err != nil {
		b.Fatal(err)
	}
	l, err := Linear{}.withDefaults(2)
	if err != nil {
		b.Fatal(err)
	}
	d := newDescent(m, l)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := d.trainClass(context.Background(), 1, sides{1, 1}, l.randomSource(1)); err != nil {
			b.Fatal(err)
		}
	}
}
