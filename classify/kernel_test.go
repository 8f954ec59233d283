package classify

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
)

func vec(values ...float64) features.Vector {
	m := map[uint32]float64{}
	for i, v := range values {
		m[uint32(i)] = v
	}
	return features.NewVector(m)
}

// three returns a machine of three classes with one support vector each.
func three(t KernelType) Kernel {
	return Kernel{
		Type: t, Gamma: 0.5, Coef0: 0.25, Degree: 3, Counts: []int{1, 1, 1},
		Vectors: []features.Vector{vec(1), vec(0, 1), vec(0, 0, 1)},
		Coef:    [][]float64{{2, -1, -1}, {1, 1, -1}},
		Rho:     []float64{0.5, 0, -0.25},
	}
}

func newKernel(t *testing.T, k Kernel) *Kernel {
	t.Helper()
	made, err := NewKernel(k)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestKernelPairs(t *testing.T) {
	x := vec(1, 2)
	for kind, value := range map[KernelType]func(dot, distance float64) float64{
		LinearKernel:     func(dot, _ float64) float64 { return dot },
		PolynomialKernel: func(dot, _ float64) float64 { return math.Pow(0.5*dot+0.25, 3) },
		RBFKernel:        func(_, distance float64) float64 { return math.Exp(-0.5 * distance) },
		SigmoidKernel:    func(dot, _ float64) float64 { return math.Tanh(0.5*dot + 0.25) },
	} {
		a, b, c := value(1, 4), value(2, 2), value(0, 6) // of the support vectors with x
		want := []float64{2*a - b - 0.5, a - c, b - c + 0.25}
		for p, got := range newKernel(t, three(kind)).PairDecisions(x) {
			if math.Abs(got-want[p]) > 1e-12 {
				t.Errorf("%v, pair %d: %v, want %v", kind, p, got, want[p])
			}
		}
	}
}

func TestKernelDecide(t *testing.T) {
	k := newKernel(t, three(LinearKernel))
	d := k.Decide(vec(1, 2)) // pairs -0.5, 1, 2.25: votes 1, 2, 0
	if !(d[1] > d[0] && d[0] > d[2]) || d[1] < 2.5 || d[2] < 0 || d[2] > 0.5 {
		t.Errorf("decision values %v", d)
	}
	circle := three(LinearKernel)
	circle.Rho = []float64{-1, 3, -4} // pairs 1, -3, 4 at 0: a vote each
	if d := newKernel(t, circle).Decide(features.Vector{}); argmax(d) != 0 || d[1] <= d[0]-0.5 {
		t.Errorf("of equal votes LIBSVM takes the first: decision values %v", d)
	}
	two := newKernel(t, Kernel{Counts: []int{1, 0}, Vectors: []features.Vector{vec(2)}, Coef: [][]float64{{1}}, Rho: []float64{1}})
	if diff := cmp.Diff([]float64{5, -5}, two.Decide(vec(3))); diff != "" {
		t.Errorf("two classes (-want +got):\n%s", diff)
	}
}

func TestLinearAsKernelAndBack(t *testing.T) {
	one := &Linear{Weights: [][]float64{{0.5, 0, -2}}, Bias: []float64{0.75}}
	k, err := one.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, k.Linear()); diff != "" {
		t.Errorf("one row (-want +got):\n%s", diff)
	}
	rows := &Linear{Weights: [][]float64{{1, 0}, {0.5, 1}, {-1, 0.25}, {}}, Bias: []float64{0.1, -0.2, 0.3, 0.4}}
	if k, err = rows.Kernel(); err != nil {
		t.Fatal(err)
	}
	if k.Linear() != nil {
		t.Error("four classes cannot be one row")
	}
	for _, x := range []features.Vector{{}, vec(1), vec(0, 2), vec(-3, 1), vec(0.2, -5)} {
		if got, want := argmax(k.Decide(x)), argmax(rows.Decide(x)); got != want {
			t.Errorf("%v: class %d, want %d", x, got, want)
		}
	}
	if _, err := (&Linear{Weights: [][]float64{{math.NaN()}}, Bias: []float64{0}}).Kernel(); err == nil {
		t.Error("NaN: no error")
	}
}

func TestNewKernelRefuses(t *testing.T) {
	for want, change := range map[string]func(*Kernel){
		"there is no kernel 4":         func(k *Kernel) { k.Type = 4 },
		"there is no kernel -1":        func(k *Kernel) { k.Type = -1 },
		"1 classes":                    func(k *Kernel) { k.Counts = k.Counts[:1] },
		"257 classes":                  func(k *Kernel) { k.Counts = make([]int, 257) },
		"1 rows of coefficients":       func(k *Kernel) { k.Coef = k.Coef[:1] },
		"2 values of rho":              func(k *Kernel) { k.Rho = k.Rho[:2] },
		"degree 1001":                  func(k *Kernel) { k.Degree = 1001 },
		"gamma is NaN":                 func(k *Kernel) { k.Gamma = math.NaN() },
		"class 1 has -1 support":       func(k *Kernel) { k.Counts = []int{3, -1, 1} },
		"the classes say 4":            func(k *Kernel) { k.Counts = []int{2, 1, 1} },
		"row 1 has 2 coefficients":     func(k *Kernel) { k.Coef[1] = k.Coef[1][:2] },
		"a coefficient of row 0":       func(k *Kernel) { k.Coef[0][1] = math.Inf(1) },
		"a value of rho is not finite": func(k *Kernel) { k.Rho[0] = math.NaN() },
		"support vector 1 holds":       func(k *Kernel) { k.Vectors[1].Value[0] = math.NaN() },
		"support vector 2 holds":       func(k *Kernel) { k.Vectors[2].Value = nil },
		"support vector 0: index 2":    func(k *Kernel) { k.Vectors[0] = features.Vector{Index: []uint32{5, 2}, Value: []float64{1, 1}} },
		"support vector 0: index 1677": func(k *Kernel) { k.Vectors[0].Index[0] = maxKernelIndex + 1 },
		"1048577 support vectors":      func(k *Kernel) { k.Vectors = make([]features.Vector, maxKernelVectors+1) },
	} {
		k := three(RBFKernel)
		change(&k)
		if _, err := NewKernel(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if _, err := k.AppendBinary(nil); err == nil {
			t.Errorf("%s: written without error", want)
		}
	}
}

func TestKernelEncoding(t *testing.T) {
	for _, kind := range []KernelType{LinearKernel, PolynomialKernel, RBFKernel, SigmoidKernel} {
		k := newKernel(t, three(kind))
		b, err := k.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		b = b[len("before"):]
		read, err := DecodeKernel(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(k, read, cmp.AllowUnexported(Kernel{})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", kind, diff)
		}
		for n := range b {
			if _, err := DecodeKernel(b[:n]); err == nil {
				t.Errorf("%v: no error for the first %d of %d bytes", kind, n, len(b))
			}
		}
		if _, err := DecodeKernel(append(slices.Clone(b), 0)); err == nil {
			t.Errorf("%v: no error for a byte too many", kind)
		}
	}
}

func FuzzDecodeKernel(f *testing.F) {
	k := three(PolynomialKernel)
	b, err := k.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := DecodeKernel(b)
		if err != nil {
			return
		}
		if n := len(k.Decide(vec(1, 2))); n != len(k.Counts) {
			t.Fatalf("%d decision values for %d classes", n, len(k.Counts))
		}
		again, err := k.AppendBinary(nil)
		if err != nil || !slices.Equal(b, again) {
			t.Fatalf("written again: %v\n%x\n%x", err, b, again)
		}
	})
}
