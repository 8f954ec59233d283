package eval

import (
	"math"
	"testing"
)

func TestValueIsThatOfTheReport(t *testing.T) {
	var ps []Prediction
	for i := range 60 {
		ps = append(ps, Prediction{Truth: i % 2, Guess: i / 3 % 2, Score: float64(i*7%11) / 11, Group: string(rune('a' + i/4))})
	}
	r, err := New("two", []string{"no", "yes"}, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Figures {
		got, ok := FigureValue(f.Name, 2, ps)
		if !ok || math.Abs(got-f.Value) > 1e-15 {
			t.Errorf("%s is %v, %v; the report has %v", f.Name, got, ok, f.Value)
		}
	}
	if _, ok := FigureValue("beauty", 2, ps); ok {
		t.Error("a figure that does not exist has a value")
	}
	if _, ok := FigureValue(Accuracy, 2, nil); ok {
		t.Error("no predictions have an accuracy")
	}
}
