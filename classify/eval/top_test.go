package eval

import "testing"

func TestTop(t *testing.T) {
	type p struct {
		list, truth int
		score       float64
	}
	for _, tt := range []struct {
		name  string
		ps    []p
		want  float64
		lists int
	}{
		{"none", nil, 0, 0},
		{"lists of one class do not count", []p{{0, 1, .5}, {0, 1, .4}, {1, 0, .9}}, 0, 0},
		{"right", []p{{0, 0, .1}, {0, 1, .9}, {0, 0, .3}}, 1, 1},
		{"wrong", []p{{0, 0, .9}, {0, 1, .8}}, 0, 1},
		{"half of the lists", []p{{7, 1, .9}, {3, 0, .9}, {7, 0, .2}, {3, 1, .1}}, .5, 2},
		{"ties count in part", []p{{0, 0, .9}, {0, 1, .9}, {0, 1, .9}, {0, 0, .9}, {0, 0, .1}}, .5, 1},
	} {
		var ps []Prediction
		var list []int
		for _, p := range tt.ps {
			ps = append(ps, Prediction{Truth: p.truth, Score: p.score, Group: "g"})
			list = append(list, p.list)
		}
		f, lists := TopOfListShare(ps, list, 1)
		if f.Name != PrecisionAt1 || f.Value != tt.want || lists != tt.lists || f.Low > f.Value || f.High < f.Value {
			t.Errorf("%s: %+v of %d lists, want %v of %d", tt.name, f, lists, tt.want, tt.lists)
		}
	}
}
