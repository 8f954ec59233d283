package centroid

import (
	"context"
	"math"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/classifytest"
	"github.com/eventseer/eventseer/features"
)

func TestTrainer(t *testing.T) { classifytest.Run(t, Trainer{}) }

func TestDecisionIsCosine(t *testing.T) {
	examples := []classify.Example{
		{X: features.NewVector(map[uint32]float64{0: 3}), Class: 1},
		{X: features.NewVector(map[uint32]float64{1: 0.5}), Class: 1},
		{X: features.NewVector(map[uint32]float64{2: 1}), Class: 0},
	}
	c, err := Trainer{}.Train(context.Background(), []string{"off", "on"}, examples)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		x    map[uint32]float64
		want float64
	}{
		{map[uint32]float64{0: 1}, math.Sqrt2 / 2},
		{map[uint32]float64{0: math.Sqrt2 / 2, 1: math.Sqrt2 / 2}, 1},
		{map[uint32]float64{2: 1}, 0},
		{map[uint32]float64{7: 1}, 0},
		{nil, 0},
	} {
		if got := c.Decide(features.NewVector(test.x))[1]; math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v: got %v, want %v", test.x, got, test.want)
		}
	}
}

func TestTrainRefusesClassOfEmptyVectors(t *testing.T) {
	examples := []classify.Example{{Class: 0}, {X: features.NewVector(map[uint32]float64{0: 1}), Class: 1}}
	if _, err := (Trainer{}).Train(context.Background(), []string{"off", "on"}, examples); err == nil {
		t.Error("no error")
	}
}
