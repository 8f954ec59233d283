package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/classifytest"
	"github.com/eventseer/eventseer/features"

	libSvm "github.com/ewalker544/libsvm-go"
	"github.com/google/go-cmp/cmp"
)

func TestLIBSVM(t *testing.T) {
	for name, trainer := range map[string]LIBSVM{
		"linear":          {},
		"linear balanced": {C: 0.5, Balanced: true},
		"linear pairwise": {Pairwise: true},
		"rbf":             {Kernel: classify.RBFKernel, Gamma: 0.5, C: 10, Balanced: true},
		"polynomial":      {Kernel: classify.PolynomialKernel, Gamma: 1, Coef0: 1, Degree: 2},
		"sigmoid":         {Kernel: classify.SigmoidKernel, Gamma: 0.5, C: 10},
	} {
		t.Run(name, func(t *testing.T) { classifytest.Run(t, trainer) })
	}
}

var kernels = []LIBSVM{
	{},
	{Kernel: classify.PolynomialKernel, Gamma: 0.3, Coef0: 0.7, Degree: 3},
	{Kernel: classify.RBFKernel, Gamma: 0.3, C: 2},
	{Kernel: classify.SigmoidKernel, Gamma: 0.1, Coef0: 0.1},
}

// examplesOf makes n random sparse examples whose class shows in one component.
func examplesOf(n, classes int, seed uint64) []classify.Example {
	rng := rand.New(rand.NewPCG(seed, 0))
	var examples []classify.Example
	for i := range n {
		class := i % classes
		m := map[uint32]float64{uint32(class): rng.Float64() + 0.1}
		for range 8 {
			m[uint32(classes+rng.IntN(60))] = rng.NormFloat64()
		}
		examples = append(examples, classify.Example{X: features.NewVector(m), Class: class})
	}
	return examples
}

func matrixOf(t *testing.T, n, classes int, seed uint64) *matrix {
	t.Helper()
	m, err := newMatrix(names[:classes], examplesOf(n, classes, seed))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var names = []string{"a", "b", "c", "d", "e"}

func TestKernelIsWhatTheLibraryTrained(t *testing.T) {
	for _, classes := range []int{2, 4} {
		m := matrixOf(t, 120, classes, 1)
		for _, trainer := range kernels {
			trainer, err := trainer.withDefaults(m.dims)
			if err != nil {
				t.Fatal(err)
			}
			k, err := trainer.trainKernel(t.Context(), m, m.class, classes)
			if err != nil {
				t.Fatal(err)
			}
			model, err := trainer.runLibrary(m, m.class, classes, filepath.Join(t.TempDir(), "data"))
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range examplesOf(100, classes, 2) {
				x := map[int]float64{}
				for k, ix := range e.X.Index {
					x[int(ix)+1] = e.X.Value[k]
				}
				label, want := model.PredictValues(x)
				for p, got := range k.PairDecisions(e.X) {
					if math.Abs(got-want[p]) > 1e-9 {
						t.Errorf("%v, example %d, pair %d: got %v, the library says %v", trainer.Kernel, i, p, got, want[p])
					}
				}
				if got := best(k.Decide(e.X)); got != int(label) {
					t.Errorf("%v, example %d: class %d, the library says %v", trainer.Kernel, i, got, label)
				}
			}
		}
	}
}

func best(values []float64) int {
	b := 0
	for k, v := range values {
		if v > values[b] {
			b = k
		}
	}
	return b
}

func TestTrainKeepsGOMAXPROCS(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one, err := LIBSVM{}.Train(t.Context(), names[:2], examplesOf(20, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got := runtime.GOMAXPROCS(3); got != 1 {
		t.Errorf("GOMAXPROCS is %d after a training, was 1", got)
	}
	three, err := LIBSVM{}.Train(t.Context(), names[:2], examplesOf(20, 2, 3))
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

// TestTrainsAtOnce trains several classifiers at the same time. The library is not made for that, but each
// result is the same as that of training alone.
func TestTrainsAtOnce(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	alone := make([]classify.Classifier, len(kernels))
	for i, trainer := range kernels {
		c, err := trainer.Train(t.Context(), names[:2], examplesOf(20, 2, 6))
		if err != nil {
			t.Fatal(err)
		}
		alone[i] = c
	}
	var wg sync.WaitGroup
	for i, trainer := range kernels {
		wg.Go(func() {
			c, err := trainer.Train(t.Context(), names[:2], examplesOf(20, 2, 6))
			if err != nil {
				t.Error(err)
			} else if !reflect.DeepEqual(c, alone[i]) {
				t.Errorf("%v differs from the machine trained alone", trainer.Kernel)
			}
		})
	}
	wg.Wait()
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("GOMAXPROCS is %d afterwards, was %d", after, before)
	}
}

func TestTrainLeavesNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if _, err := (LIBSVM{}).Train(t.Context(), names[:2], examplesOf(20, 2, 4)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, error %v", entries, err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "absent"))
	if _, err := (LIBSVM{}).Train(t.Context(), names[:2], examplesOf(20, 2, 4)); err == nil {
		t.Error("no error without a temporary folder")
	}
}

func TestTrainRefuses(t *testing.T) {
	good := examplesOf(10, 2, 5)
	for name, trainer := range map[string]classify.Trainer{
		"negative C":           LIBSVM{C: -1},
		"NaN C":                LIBSVM{C: math.NaN()},
		"infinite C":           LIBSVM{C: math.Inf(1)},
		"negative Eps":         LIBSVM{Eps: -1},
		"negative Gamma":       LIBSVM{Gamma: -1},
		"NaN Coef0":            LIBSVM{Coef0: math.NaN()},
		"large degree":         LIBSVM{Degree: 101},
		"no such kernel":       LIBSVM{Kernel: 4},
		"own: negative C":      Linear{C: -1},
		"own: NaN Eps":         Linear{Eps: math.NaN()},
		"own: NaN Bias":        Linear{Bias: math.NaN()},
		"own: no such loss":    Linear{Loss: 2},
		"own: iterations":      Linear{MaxIterations: -1},
		"own: three weights":   Linear{Weights: []float64{1, 1, 1}},
		"own: negative weight": Linear{Weights: []float64{1, -1}},
	} {
		if _, err := trainer.Train(t.Context(), names[:2], good); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, x := range map[string]features.Vector{
		"a class of empty vectors": {},
		"indices out of order":     {Index: []uint32{3, 2}, Value: []float64{1, 1}},
		"an index without value":   {Index: []uint32{3, 4}, Value: []float64{1}},
		"an index too large":       {Index: []uint32{maxDims}, Value: []float64{1}},
	} {
		bad := []classify.Example{good[0], {X: x, Class: 1}}
		for _, trainer := range []classify.Trainer{LIBSVM{}, Linear{}} {
			if _, err := trainer.Train(context.Background(), names[:2], bad); err == nil {
				t.Errorf("%T, %s: no error", trainer, name)
			}
		}
	}
}

func TestDamagedDumpsAreRefused(t *testing.T) {
	trainer, _ := LIBSVM{}.withDefaults(1)
	m := matrixOf(t, 20, 2, 6)
	dir := t.TempDir()
	model, err := trainer.runLibrary(m, m.class, 2, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Dump(filepath.Join(dir, "model")); err != nil {
		t.Fatal(err)
	}
	dump, err := os.ReadFile(filepath.Join(dir, "model"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.parseDump(model, dump); err != nil {
		t.Fatal(err)
	}
	body := strings.Index(string(dump), "SV\n")
	for n := range dump {
		if n > body+200 && n < len(dump)-200 {
			continue
		}
		if _, err := trainer.parseDump(model, dump[:n]); err == nil {
			t.Errorf("no error for the first %d of %d bytes", n, len(dump))
		}
	}
}

func TestParameterIsComplete(t *testing.T) {
	trainer, _ := LIBSVM{Kernel: classify.PolynomialKernel, Coef0: 2, Balanced: true}.withDefaults(50)
	param := trainer.trainingParameter([]int{0, 1, 1, 1, 1, 0, 1, 1, 1, 1}, 2, 3)
	want := &libSvm.Parameter{
		SvmType: libSvm.C_SVC, KernelType: libSvm.POLY, Degree: 3, Gamma: 0.02, Coef0: 2,
		Eps: 1e-3, C: 1, Nu: 0.5, P: 0.1,
		NrWeight: 2, WeightLabel: []int{0, 1}, Weight: []float64{2.5, 0.625},
		CacheSize: 1, QuietMode: true, NumCPU: 3,
	}
	if diff := cmp.Diff(want, param); diff != "" {
		t.Errorf("parameter (-want +got):\n%s", diff)
	}
}
