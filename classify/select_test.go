package classify

import (
	"math"
	"testing"

	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
)

// holding makes an example of the class that holds the given terms.
func holding(class int, terms ...uint32) Example {
	m := map[uint32]float64{}
	for _, ix := range terms {
		m[ix] = 1
	}
	return Example{X: features.NewVector(m), Class: class}
}

func TestSelectTerms(t *testing.T) {
	// 0 marks class 0, 2 marks class 1, 1 is everywhere, 3 is by chance.
	list := []Example{holding(0, 0, 1), holding(0, 0, 1, 3), holding(1, 1, 2), holding(1, 1, 2, 3), holding(2, 1), holding(2, 1)}
	for _, by := range []Statistic{ChiSquared, InformationGain} {
		for _, test := range []struct {
			k    int
			want []bool
		}{
			{0, []bool{false, false, false, false}},
			{1, []bool{true, false, true, false}},
			{9, []bool{true, true, true, true}},
		} {
			if diff := cmp.Diff(test.want, SelectTerms(by, 3, list, 4, test.k)); diff != "" {
				t.Errorf("%v, k %d (-want +got):\n%s", by, test.k, diff)
			}
		}
	}
}

func TestStatisticsByHand(t *testing.T) {
	for _, test := range []struct {
		contingency
		chi, gain float64
	}{
		// The component is the class: chi-squared is n, the gain is the entropy of
		// 1 in 3, log2(3) - 2/3.
		{contingency{2, 0, 0, 4}, 6, math.Log2(3) - 2./3},
		// Presence says nothing.
		{contingency{1, 2, 2, 4}, 0, 0},
		// 8·(3·3 - 1·1)² / 4·4·4·4 = 2; 1 bit less that of a choice of 1 in 4.
		{contingency{3, 1, 1, 3}, 2, 1 - (0.25*2 + 0.75*math.Log2(4./3))},
		// 10·(4·5 - 1·0)² / 5·5·4·6; 1 - 0.4·0 - 0.6·H(1/6).
		{contingency{4, 0, 1, 5}, 20. / 3, 1 - 0.6*(math.Log2(6)/6+5*math.Log2(6./5)/6)},
	} {
		if got := test.chiSquared(); math.Abs(got-test.chi) > 1e-12 {
			t.Errorf("%+v: chi-squared is %v, want %v", test.contingency, got, test.chi)
		}
		if got := test.informationGain(); math.Abs(got-test.gain) > 1e-6 {
			t.Errorf("%+v: information gain is %v, want %v", test.contingency, got, test.gain)
		}
	}
}

func TestParseStatistic(t *testing.T) {
	for _, by := range []Statistic{ChiSquared, InformationGain} {
		if got, err := ParseStatistic(by.String()); err != nil || got != by {
			t.Errorf("%v is read as %v, %v", by, got, err)
		}
	}
	if _, err := ParseStatistic("luck"); err == nil {
		t.Error("no error for an unknown statistic")
	}
}
