package eval

import "testing"

func TestMeanRecall(t *testing.T) {
	p := func(truth, guess int) Prediction { return Prediction{Truth: truth, Guess: guess, Group: "g"} }
	for _, tt := range []struct {
		name string
		ps   []Prediction
		want float64
	}{
		{"none", nil, 0},
		{"each class counts alike", []Prediction{p(0, 0), p(0, 0), p(0, 0), p(1, 0)}, 0.5},
		{"what is in no layer does not count", []Prediction{p(0, 0), p(1, 1), p(2, 0), p(2, 2)}, 1},
		{"but takes from layers", []Prediction{p(0, 2), p(1, 1)}, 0.5},
	} {
		f := MeanRecall("layers", tt.ps, 2, 1)
		if f.Name != "layers" || f.Value != tt.want || f.Low > f.Value || f.High < f.Value {
			t.Errorf("%s: %+v, want %v", tt.name, f, tt.want)
		}
	}
}
