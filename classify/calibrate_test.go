package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draw makes n decision values whose label follows the sigmoid p.
func draw(p Platt, n int) (decisions []float64, positive []bool) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		d := 3 * rng.NormFloat64()
		decisions = append(decisions, d)
		positive = append(positive, rng.Float64() < p.Probability(d))
	}
	return decisions, positive
}

func TestFitPlattFindsTheSigmoid(t *testing.T) {
	for _, want := range []Platt{{-1, 0}, {-2, 1}, {-0.5, -1}, {1.5, 0.5}} {
		decisions, positive := draw(want, 20000)
		got, err := FitPlatt(decisions, positive)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.A-want.A) > 0.1 || math.Abs(got.B-want.B) > 0.1 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestFitPlattStaysFinite(t *testing.T) {
	for name, test := range map[string]struct {
		decisions []float64
		positive  []bool
	}{
		"separable":       {[]float64{-2, -1, 1, 2}, []bool{false, false, true, true}},
		"all equal":       {[]float64{1, 1, 1}, []bool{true, false, true}},
		"huge":            {[]float64{-1e12, 1e12, 3}, []bool{false, true, true}},
		"one of each":     {[]float64{0, 0}, []bool{true, false}},
		"the wrong way":   {[]float64{2, 1, -1, -2}, []bool{false, false, true, true}},
		"very uneven":     {append(make([]float64, 1000), 5), append(make([]bool, 1000), true)},
		"tiny separation": {[]float64{1e-300, 0}, []bool{true, false}},
	} {
		p, err := FitPlatt(test.decisions, test.positive)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, d := range append(test.decisions, 0, 1e308, -1e308) {
			if prob := p.Probability(d); !(prob >= 0 && prob <= 1) {
				t.Errorf("%s: %+v gives %v for %v", name, p, prob, d)
			}
		}
	}
}

func TestFitPlattRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		decisions []float64
		positive  []bool
	}{
		"nothing":      {nil, nil},
		"no negatives": {[]float64{1, 2}, []bool{true, true}},
		"no positives": {[]float64{1, 2}, []bool{false, false}},
		"NaN":          {[]float64{1, math.NaN()}, []bool{true, false}},
		"infinity":     {[]float64{math.Inf(1), 2}, []bool{true, false}},
	} {
		if p, err := FitPlatt(test.decisions, test.positive); err == nil {
			t.Errorf("%s: %+v and no error", name, p)
		}
	}
}

func TestProbIsMonotone(t *testing.T) {
	p := Platt{A: -1.3, B: 0.2}
	for d := -50.0; d < 50; d += 0.5 {
		if p.Probability(d) > p.Probability(d+0.5) {
			t.Fatalf("Prob(%v) > Prob(%v)", d, d+0.5)
		}
	}
}
