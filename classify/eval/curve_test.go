package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestCurve(t *testing.T) {
	ps := binary("+-+--", 0.9, 0.8, 0.7, 0.7, 0.1)
	want := []Point{{0.9, 1, 0.5, 0}, {0.8, 0.5, 0.5, 0.333333}, {0.7, 0.5, 1, 0.666667}, {0.1, 0.4, 1, 1}}
	if diff := cmp.Diff(want, curveOf(ps, 1, 2)); diff != "" {
		t.Errorf("curve (-want +got):\n%s", diff)
	}
	if got := curveOf(binary("++", 0.9, 0.8), 1, 2); got != nil {
		t.Errorf("without negatives: %v", got)
	}
}

// TestCurvesAreBounded checks that a long curve keeps its ends, its order and
// its area.
func TestCurvesAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var ps []Prediction
	for i := range 5000 {
		p := Prediction{Truth: i % 2, Group: fmt.Sprint(i)}
		p.Score = clamp(0.5 + 0.2*rng.NormFloat64() + 0.2*float64(p.Truth))
		ps = append(ps, p)
	}
	points := curveOf(ps, 1, 2)
	if len(points) > maxPoints || len(points) < maxPoints/2 {
		t.Fatalf("%d points", len(points))
	}
	if last := points[len(points)-1]; last.Recall != 1 || last.FPR != 1 {
		t.Errorf("the curve ends at %+v", last)
	}
	area, before := 0.0, Point{}
	for _, p := range points {
		if p.Recall < before.Recall || p.FPR < before.FPR {
			t.Errorf("%+v comes after %+v", p, before)
		}
		area += (p.FPR - before.FPR) * (p.Recall + before.Recall) / 2
		before = p
	}
	if _, auc := rankByScore(ps).areas(equalWeights(len(ps))); math.Abs(area-auc) > 0.002 {
		t.Errorf("the area under the thinned curve is %.4f, of all points %.4f", area, auc)
	}
}

func TestThresholdTable(t *testing.T) {
	table := thresholdTable(binary("+-+--", 0.9, 0.8, 0.6, 0.4, 0.1))
	if len(table) != 19 {
		t.Fatalf("%d rows", len(table))
	}
	if diff := cmp.Diff(Threshold{0.5, 0.666667, 1, 0.8, 3}, table[9]); diff != "" {
		t.Errorf("row of 0.5 (-want +got):\n%s", diff)
	}
}

func TestReliability(t *testing.T) {
	ps := binary("+-++-", 0.95, 0.91, 1, 0.05, 0)
	got := reliability(predictedProbs(2, ps))
	want := []Bin{{0, 0.1, 2, 0.025, 0.5}, {0.9, 1, 3, 0.953333, 0.666667}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("bins (-want +got):\n%s", diff)
	}
}
