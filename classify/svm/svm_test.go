package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"eventseer/classify"
	"eventseer/classify/classifytest"
	"eventseer/features"

	libSvm "github.com/ewalker544/libsvm-go"
	"github.com/google/go-cmp/cmp"
)

func TestTrainer(t *testing.T) {
	classifytest.Run(t, Trainer{})
	classifytest.Run(t, Trainer{C: 0.5, Balanced: true})
}

// problemOf makes n random sparse examples whose class shows in two components.
func problemOf(n int, seed uint64) problem {
	rng := rand.New(rand.NewPCG(seed, 0))
	var examples []classify.Example
	for i := range n {
		class := i % 2
		m := map[uint32]float64{uint32(class): rng.Float64() + 0.1}
		for range 8 {
			m[uint32(2+rng.IntN(60))] = rng.NormFloat64()
		}
		examples = append(examples, classify.Example{X: features.Vec(m), Class: class})
	}
	return newProblem(examples, 1)
}

func TestCollapseIsExact(t *testing.T) {
	trainer, err := Trainer{C: 2, Balanced: true}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p := problemOf(120, 1)
	weights, bias, err := trainer.solve(p)
	if err != nil {
		t.Fatal(err)
	}
	model, err := trainer.train(p, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range problemOf(200, 2).examples {
		x := map[int]float64{}
		for k, ix := range e.X.Index {
			x[int(ix)+1] = e.X.Value[k]
		}
		_, want := model.PredictValues(x)
		if got := e.X.Dot(weights) + bias; math.Abs(got-want[0]) > 1e-9 {
			t.Errorf("example %d: got %v, the library says %v", i, got, want[0])
		}
	}
}

func TestTrainKeepsGOMAXPROCS(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	trainer, err := Trainer{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p := problemOf(20, 3)
	one, _, err := trainer.solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := runtime.GOMAXPROCS(3); got != 1 {
		t.Errorf("GOMAXPROCS is %d after a training, was 1", got)
	}
	three, _, err := trainer.solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := runtime.GOMAXPROCS(0); got != 3 {
		t.Errorf("GOMAXPROCS is %d after a training, was 3", got)
	}
	if diff := cmp.Diff(one, three); diff != "" {
		t.Errorf("one and three processors give different machines:\n%s", diff)
	}
}

func TestTrainLeavesNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	trainer, _ := Trainer{}.withDefaults()
	if _, _, err := trainer.solve(problemOf(20, 4)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, error %v", entries, err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "absent"))
	if _, _, err := trainer.solve(problemOf(20, 4)); err == nil {
		t.Error("no error without a temporary folder")
	}
}

func TestTrainRefuses(t *testing.T) {
	good := []classify.Example{
		{X: features.Vec(map[uint32]float64{0: 1}), Class: 0},
		{X: features.Vec(map[uint32]float64{1: 1}), Class: 1},
	}
	for name, trainer := range map[string]Trainer{
		"negative C": {C: -1}, "NaN C": {C: math.NaN()}, "infinite C": {C: math.Inf(1)}, "negative Eps": {Eps: -1},
	} {
		if _, err := trainer.Train(context.Background(), []string{"a", "b"}, good); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	empty := []classify.Example{good[0], {Class: 1}}
	if _, err := (Trainer{}).Train(context.Background(), []string{"a", "b"}, empty); err == nil {
		t.Error("a class of empty vectors: no error")
	}
}

func TestEmptyVectorsAreDropped(t *testing.T) {
	p := problemOf(40, 5)
	with := newProblem(append(append([]classify.Example{{Class: 0}}, p.examples...), classify.Example{Class: 1}), 1)
	if diff := cmp.Diff(p, with, cmp.AllowUnexported(problem{})); diff != "" {
		t.Errorf("empty examples change the problem:\n%s", diff)
	}
}

func TestCollapseRefusesDamagedDumps(t *testing.T) {
	const dump = "svm_type c_svc\ntotal_sv 2\nrho 0.5\nSV\n1 1:2 \n-1 2:3 \n"
	if w, err := collapse([]byte(dump), 2); err != nil || w[0] != 2 || w[1] != -3 {
		t.Fatalf("collapse: %v, %v", w, err)
	}
	for name, text := range map[string]string{
		"truncated line":  strings.TrimSuffix(dump, " \n"),
		"missing vector":  strings.TrimSuffix(dump, "-1 2:3 \n"),
		"no total":        strings.Replace(dump, "total_sv", "other", 1),
		"index too large": strings.Replace(dump, "2:3", "3:3", 1),
		"empty vector":    strings.Replace(dump, "-1 2:3", "-1", 1),
		"not a number":    strings.Replace(dump, "2:3", "2:x", 1),
		"empty file":      "",
	} {
		if _, err := collapse([]byte(text), 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestParameterIsComplete(t *testing.T) {
	trainer, _ := Trainer{Balanced: true}.withDefaults()
	param := trainer.parameter(problem{label: make([]int, 10), positive: 2, negative: 8}, 3)
	want := &libSvm.Parameter{
		SvmType: libSvm.C_SVC, KernelType: libSvm.LINEAR, Degree: 3, Gamma: 1, Eps: 1e-3, C: 1, Nu: 0.5, P: 0.1,
		NrWeight: 2, WeightLabel: []int{1, -1}, Weight: []float64{2.5, 0.625},
		CacheSize: 1, QuietMode: true, NumCPU: 3,
	}
	if diff := cmp.Diff(want, param); diff != "" {
		t.Errorf("parameter (-want +got):\n%s", diff)
	}
}
