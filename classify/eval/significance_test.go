package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMcNemar holds the test against values worked out by hand: binomial sums,
// and the tail of chi-squared with one degree of freedom.
func TestMcNemar(t *testing.T) {
	for _, test := range []struct {
		onlyA, onlyB int
		exact        bool
		p            float64
	}{
		{0, 0, true, 1},
		{2, 10, true, 2 * (1 + 12 + 66) / 4096.0},
		{10, 2, true, 2 * (1 + 12 + 66) / 4096.0},
		{3, 3, true, 1},
		{0, 5, true, 2 / 32.0},
		{10, 25, false, 0.0179606}, // (15-1)²/35 = 5.6
		{13, 12, false, 1},
	} {
		got := NewMcNemar(5, test.onlyA, test.onlyB, 7)
		if got.Exact != test.exact || math.Abs(got.P-test.p) > 1e-6 {
			t.Errorf("%d against %d: %+v, want p %.6f", test.onlyA, test.onlyB, got, test.p)
		}
	}
}

func TestShiftedPIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	alarms := 0
	for range 1000 {
		difference := rng.NormFloat64()
		draws := make([]float64, 400)
		for i := range draws {
			draws[i] = difference + rng.NormFloat64()
		}
		if shiftedPValue(draws, difference) < 0.05 {
			alarms++
		}
	}
	if alarms < 25 || alarms > 75 {
		t.Errorf("%d of 1000 chance differences have p < .05", alarms)
	}
}
