// Package classifytest checks what every classify.Trainer must keep.
package classifytest

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
)

// Run runs the checks against trainer.
func Run(t *testing.T, trainer classify.Trainer) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, classify.Trainer)
	}{
		{"learns two classes", func(t *testing.T, tr classify.Trainer) { learns(t, tr, 2) }},
		{"learns five classes", func(t *testing.T, tr classify.Trainer) { learns(t, tr, 5) }},
		{"is deterministic", deterministic},
		{"ignores empty vectors", emptyVectors},
		{"decides concurrently", concurrent},
		{"leaves examples alone", leavesExamples},
		{"refuses bad examples", refuses},
		{"obeys the context", obeysContext},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(t, trainer) })
	}
}

func names(n int) []string {
	return []string{"a", "b", "c", "d", "e"}[:n]
}

// examples makes n unit vectors; the class shows in one strong component among noise.
func examples(n, classes int, seed uint64) []classify.Example {
	rng := rand.New(rand.NewPCG(seed, 0))
	var list []classify.Example
	for i := range n {
		class := i % classes
		m := map[uint32]float64{uint32(10 * class): 1}
		for range 5 {
			m[uint32(100+rng.IntN(40))] = rng.Float64() / 3
		}
		x := features.NewVector(m)
		norm := math.Sqrt(dot(x, x))
		for k := range x.Value {
			x.Value[k] /= norm
		}
		list = append(list, classify.Example{X: x, Class: class, Group: string(rune('a' + i))})
	}
	return list
}

func dot(x, y features.Vector) float64 {
	dense := make([]float64, 1000)
	for i, ix := range y.Index {
		dense[ix] = y.Value[i]
	}
	return x.Dot(dense)
}

func train(t *testing.T, trainer classify.Trainer, classes int, list []classify.Example) classify.Classifier {
	t.Helper()
	c, err := trainer.Train(context.Background(), names(classes), list)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func learns(t *testing.T, trainer classify.Trainer, classes int) {
	c := train(t, trainer, classes, examples(60, classes, 1))
	for i, e := range examples(40, classes, 2) {
		decisions := c.Decide(e.X)
		if len(decisions) != classes {
			t.Fatalf("%d decision values for %d classes", len(decisions), classes)
		}
		for k, d := range decisions {
			if k != e.Class && d >= decisions[e.Class] {
				t.Errorf("example %d of class %d: decision values %v", i, e.Class, decisions)
			}
		}
	}
}

func deterministic(t *testing.T, trainer classify.Trainer) {
	first := train(t, trainer, 3, examples(45, 3, 3))
	second := train(t, trainer, 3, examples(45, 3, 3))
	for _, e := range examples(20, 3, 4) {
		if diff := cmp.Diff(first.Decide(e.X), second.Decide(e.X)); diff != "" {
			t.Fatalf("two trainings decide differently:\n%s", diff)
		}
	}
}

func emptyVectors(t *testing.T, trainer classify.Trainer) {
	list := examples(30, 2, 5)
	with := append([]classify.Example{{Class: 1}}, append(examples(30, 2, 5), classify.Example{Class: 0})...)
	plain, mixed := train(t, trainer, 2, list), train(t, trainer, 2, with)
	for _, e := range append(examples(10, 2, 6), classify.Example{}) {
		if diff := cmp.Diff(plain.Decide(e.X), mixed.Decide(e.X)); diff != "" {
			t.Fatalf("empty examples change decisions:\n%s", diff)
		}
	}
	for _, d := range plain.Decide(features.Vector{}) {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			t.Errorf("the decision value of an empty vector is %v", d)
		}
	}
}

func concurrent(t *testing.T, trainer classify.Trainer) {
	c := train(t, trainer, 3, examples(30, 3, 7))
	list := examples(20, 3, 8)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, e := range list {
				c.Decide(e.X)
			}
		})
	}
	wg.Wait()
}

func leavesExamples(t *testing.T, trainer classify.Trainer) {
	list := examples(30, 2, 9)
	train(t, trainer, 2, list)
	if diff := cmp.Diff(examples(30, 2, 9), list); diff != "" {
		t.Errorf("training changed its examples:\n%s", diff)
	}
}

func refuses(t *testing.T, trainer classify.Trainer) {
	with := func(change func([]classify.Example)) []classify.Example {
		list := examples(10, 2, 10)
		change(list)
		return list
	}
	for _, test := range []struct {
		name     string
		classes  []string
		examples []classify.Example
	}{
		{"no examples", names(2), nil},
		{"one class", names(1), with(func(l []classify.Example) {
			for i := range l {
				l[i].Class = 0
			}
		})},
		{"a class without example", names(3), examples(10, 2, 10)},
		{"a class out of range", names(2), with(func(l []classify.Example) { l[0].Class = 2 })},
		{"a negative class", names(2), with(func(l []classify.Example) { l[0].Class = -1 })},
		{"NaN", names(2), with(func(l []classify.Example) { l[0].X.Value[0] = math.NaN() })},
		{"infinity", names(2), with(func(l []classify.Example) { l[0].X.Value[0] = math.Inf(-1) })},
	} {
		if _, err := trainer.Train(context.Background(), test.classes, test.examples); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
}

func obeysContext(t *testing.T, trainer classify.Trainer) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := trainer.Train(ctx, names(2), examples(10, 2, 11)); err == nil {
		t.Error("no error under an ended context")
	}
}
