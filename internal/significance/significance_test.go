package significance

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHolm(t *testing.T) {
	for _, test := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{[]float64{0.5, 0.9}, []float64{1, 1}},
	} {
		if diff := cmp.Diff(test.want, CorrectHolm(test.p), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("Holm(%v) (-want +got):\n%s", test.p, diff)
		}
	}
}

// The p values are those of R's wilcox.test(exact) and of counting by hand.
func TestPaired(t *testing.T) {
	up := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, test := range []struct {
		name                  string
		d                     []float64
		wilcoxon, permutation float64
	}{
		{"none", nil, 1, 1},
		{"zeros", []float64{0, 0}, 1, 1},
		{"all above", up, 2.0 / 4096, 2.0 / 4096},
		{"one of three below", []float64{3, 2, -1}, 0.5, 0.5},
		{"ties", []float64{1, 1, -1}, 1, 1},
		{"balanced", []float64{1, -1, 2, -2}, 1, 1},
	} {
		if got := WilcoxonTest(test.d); math.Abs(got-test.wilcoxon) > 1e-12 {
			t.Errorf("%s: Wilcoxon %v, want %v", test.name, got, test.wilcoxon)
		}
		if got := PermutationTest(test.d, 1); math.Abs(got-test.permutation) > 1e-12 {
			t.Errorf("%s: Permutation %v, want %v", test.name, got, test.permutation)
		}
	}
}

func TestPermutationDraws(t *testing.T) {
	same, apart := make([]float64, 100), make([]float64, 100)
	for i := range same {
		same[i] = float64(i%2*2 - 1)
		apart[i] = 1 + same[i]/2
	}
	if p := PermutationTest(same, 1); p < 0.9 {
		t.Errorf("no difference: p %v", p)
	}
	if p := PermutationTest(apart, 1); p > 1e-4 || p <= 0 {
		t.Errorf("a clear difference: p %v", p)
	}
	if PermutationTest(apart, 1) != PermutationTest(apart, 1) {
		t.Error("not the same twice")
	}
}

func TestMean(t *testing.T) {
	mean, ci := BootstrapMean([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1)
	if mean != 5.5 || ci.Low > 4 || ci.Low < 3 || ci.High < 7 || ci.High > 8 {
		t.Errorf("mean %v, %v", mean, ci)
	}
	if mean, ci := BootstrapMean([]float64{3}, 1); mean != 3 || ci != (Interval{3, 3}) {
		t.Errorf("of one value %v, %v", mean, ci)
	}
	if mean, _ := BootstrapMean(nil, 1); !math.IsNaN(mean) {
		t.Errorf("of none %v", mean)
	}
}

// Groups weigh the same whatever their size, and the interval widens with what differs between them.
func TestRatio(t *testing.T) {
	a, b := [][][]float64{{{2}, {2}, {2}, {2}}, {{4}}}, [][][]float64{{{1}, {1}, {1}, {1}}, {{1}}}
	mean, ci := BootstrapRatio(a, nil, 1)
	if mean != 3 || ci.Low != 2 || ci.High != 4 {
		t.Errorf("mean %v in %v, want 3 in 2 to 4", mean, ci)
	}
	ratio, ci := BootstrapRatio(a, b, 1)
	if ratio != 3 || ci.Low != 2 || ci.High != 4 {
		t.Errorf("ratio %v in %v, want 3 in 2 to 4", ratio, ci)
	}
	same, ci := BootstrapRatio([][][]float64{{{1}, {3}}, {{1}, {3}, nil}, {}}, [][][]float64{{{2}, {6}}, {{2}, {6}, nil}, {}}, 1)
	if same != 0.5 || ci.Low != 0.5 || ci.High != 0.5 {
		t.Errorf("pairs of one ratio: %v in %v", same, ci)
	}
	// One group of one subject: only its repeats differ.
	repeats, ci := BootstrapRatio([][][]float64{{{1, 2, 3, 6}}}, nil, 1)
	if repeats != 3 || ci.Low >= 3 || ci.High <= 3 || ci.Low < 1 || ci.High > 6 {
		t.Errorf("of repeats: %v in %v", repeats, ci)
	}
	if none, _ := BootstrapRatio(nil, nil, 1); !math.IsNaN(none) {
		t.Errorf("of nothing: %v", none)
	}
}
