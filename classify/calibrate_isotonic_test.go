package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFitIsotonicByHand(t *testing.T) {
	// Yes is 4/5 and no is 1/5 (three of each). 2 and 3 are pooled because their shares fall; the two points
	// at 5 form one step.
	decisions := []float64{3, 1, 5, 2, 6, 5}
	positive := []bool{false, false, true, true, true, false}
	got, err := FitIsotonic(decisions, positive)
	if err != nil {
		t.Fatal(err)
	}
	// 2 and 3 give 1/2 at 2.5, as does 5: equal steps are one, at (2+3+5+5)/4.
	want := Isotonic{Decisions: []float64{1, 3.75, 6}, Probs: []float64{0.2, 0.5, 0.8}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for d, p := range map[float64]float64{-9: 0.2, 1: 0.2, 2.375: 0.35, 3.75: 0.5, 6: 0.8, 99: 0.8} {
		if got := got.Probability(d); math.Abs(got-p) > 1e-12 {
			t.Errorf("%v has probability %v, want %v", d, got, p)
		}
	}
}

func TestFitIsotonicFindsWhatNoSigmoidIs(t *testing.T) {
	truth := func(d float64) float64 { return 0.2 + 0.5*math.Min(1, math.Max(0, math.Floor(d))) } // 0.2, from 1 on 0.7
	rng := rand.New(rand.NewPCG(3, 4))
	var decisions []float64
	var positive []bool
	for range 20000 {
		d := 2 * rng.Float64()
		decisions = append(decisions, d)
		positive = append(positive, rng.Float64() < truth(d))
	}
	s, err := FitIsotonic(decisions, positive)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []float64{0.2, 0.5, 0.8, 1.2, 1.5, 1.8} {
		if got := s.Probability(d); math.Abs(got-truth(d)) > 0.03 {
			t.Errorf("%v has probability %v, want about %v", d, got, truth(d))
		}
	}
}

func TestFitIsotonicKeepsItsPromises(t *testing.T) {
	many, labels := draw(Platt{A: -1}, 5000)
	for name, test := range map[string]struct {
		decisions []float64
		positive  []bool
	}{
		"many":          {many, labels},
		"separable":     {[]float64{-2, -1, 1, 2}, []bool{false, false, true, true}},
		"all equal":     {[]float64{1, 1, 1}, []bool{true, false, true}},
		"the wrong way": {[]float64{2, 1, -1, -2}, []bool{false, false, true, true}},
		"huge":          {[]float64{-1e300, 1e300, 1.0000001e300}, []bool{false, true, true}},
	} {
		s, err := FitIsotonic(test.decisions, test.positive)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		last := 0.0
		for d := -8.0; d <= 8; d += 0.01 {
			p := s.Probability(d)
			if !(p > 0 && p < 1) || p < last {
				t.Fatalf("%s: probability %v at %v after %v", name, p, d, last)
			}
			last = p
		}
	}
}

func TestFitIsotonicRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		decisions []float64
		positive  []bool
	}{
		"nothing":      {nil, nil},
		"no negatives": {[]float64{1, 2}, []bool{true, true}},
		"NaN":          {[]float64{1, math.NaN()}, []bool{true, false}},
		"overflow":     {[]float64{1, 1.5e308, 1.6e308}, []bool{true, false, false}},
	} {
		if s, err := FitIsotonic(test.decisions, test.positive); err == nil {
			t.Errorf("%s: %+v and no error", name, s)
		}
	}
}

func TestIsotonicCheckRefuses(t *testing.T) {
	long := make([]float64, MaxSteps+1)
	for name, s := range map[string]Isotonic{
		"empty":           {},
		"too long":        {long, long},
		"uneven":          {[]float64{1, 2}, []float64{0}},
		"out of order":    {[]float64{2, 1}, []float64{0, 1}},
		"falling":         {[]float64{1, 2}, []float64{1, 0}},
		"above 1":         {[]float64{1}, []float64{1.5}},
		"NaN":             {[]float64{math.NaN()}, []float64{0.5}},
		"NaN probability": {[]float64{1}, []float64{math.NaN()}},
	} {
		if s.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
