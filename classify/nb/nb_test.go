package nb

import (
	"context"
	"math"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/classifytest"
	"github.com/eventseer/eventseer/features"
)

func TestTrainers(t *testing.T) {
	for name, trainer := range map[string]classify.Trainer{
		"multinomial":         Multinomial{},
		"multinomial 0.1":     Multinomial{Alpha: 0.1},
		"complement":          Complement{},
		"weighted complement": Complement{Alpha: 0.5, Normalize: true},
		"bernoulli":           Bernoulli{Alpha: 0.1},
		"diligenti":           Diligenti{},
	} {
		t.Run(name, func(t *testing.T) { classifytest.Run(t, trainer) })
	}
}

// example makes an example of counts of the components 0, 1, 2.
func example(class int, counts ...float64) classify.Example {
	m := map[uint32]float64{}
	for i, n := range counts {
		m[uint32(i)] = n
	}
	return classify.Example{X: features.NewVector(m), Class: class}
}

// decide trains on two documents of class 0, one of class 1 and n of more
// classes, and decides on x.
func decide(t *testing.T, trainer classify.Trainer, classes []string, examples []classify.Example, x ...float64) []float64 {
	t.Helper()
	c, err := trainer.Train(context.Background(), classes, examples)
	if err != nil {
		t.Fatal(err)
	}
	return c.Decide(example(0, x...).X)
}

func TestByHand(t *testing.T) {
	two := []classify.Example{example(0, 2, 1), example(0, 1), example(1, 0, 1, 2)}
	classes := []string{"a", "b"}
	for _, test := range []struct {
		name    string
		trainer classify.Trainer
		x       []float64
		want    float64 // of the second class
	}{
		// Class 0: sums 3 1 0 of 4; class 1: 0 1 2 of 3. Smoothed: 4 2 1 of 7; 1 2 3 of 6.
		{"multinomial", Multinomial{}, []float64{1, 0, 2}, math.Log(1./3) - math.Log(2./3) + math.Log(1./6) - math.Log(4./7) + 2*(math.Log(3./6)-math.Log(1./7))},
		// The complement of class 0 is class 1, and the other way round.
		{"complement", Complement{}, []float64{1, 0, 2}, math.Log(1./6) - math.Log(4./7) + 2*(math.Log(3./6)-math.Log(1./7))},
		// Holders: 2 1 0 of 2 documents; 0 1 1 of 1. Smoothed: 3 2 1 of 4; 1 2 2 of 3.
		{"bernoulli", Bernoulli{}, []float64{1, 0, 1}, math.Log(1./3) - math.Log(2./3) + math.Log(1./3*1./3*2./3) - math.Log(3./4*2./4*1./4)},
		// Shares: 2/3+1, 1/3, 0 of 2; 0, 1/3, 2/3 of 1. One document's worth is added to each.
		{"diligenti", Diligenti{}, []float64{0.5, 0, 0.5}, math.Log(1./3) - math.Log(2./3) +
			(math.Log((1./3)/2)-math.Log(2./3))/2 + (math.Log(1./2)-math.Log(1./9))/2},
	} {
		if got := decide(t, test.trainer, classes, two, test.x...)[1]; math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestWeightedComplementByHand(t *testing.T) {
	three := []classify.Example{example(0, 3), example(1, 0, 1), example(2, 0, 0, 2)}
	// Of class 0 the complement is 0 1 2 of 3, smoothed 1 2 3 of 6, and so on.
	complements := [][]float64{{1. / 6, 2. / 6, 3. / 6}, {4. / 8, 1. / 8, 3. / 8}, {4. / 7, 2. / 7, 1. / 7}}
	var want, mean float64
	for k, c := range complements {
		size := -math.Log(c[0]) - math.Log(c[1]) - math.Log(c[2])
		mean += -math.Log(c[0]) / size / 3
		if k == 0 {
			want = -math.Log(c[0]) / size
		}
	}
	got := decide(t, Complement{Normalize: true}, []string{"a", "b", "c"}, three, 1)
	if math.Abs(got[0]-(want-mean)) > 1e-12 {
		t.Errorf("got %v, want %v", got[0], want-mean)
	}
	if sum := got[0] + got[1] + got[2]; math.Abs(sum) > 1e-12 {
		t.Errorf("the decision values %v do not sum to 0", got)
	}
}

func TestTrainRefuses(t *testing.T) {
	good := []classify.Example{example(0, 1), example(1, 0, 1)}
	for name, test := range map[string]struct {
		trainer  classify.Trainer
		examples []classify.Example
	}{
		"a negative value":       {Multinomial{}, append(good[:2:2], example(0, -1))},
		"a class without values": {Complement{}, []classify.Example{example(0, 1), example(1)}},
		"alpha below 0":          {Bernoulli{Alpha: -1}, good},
		"alpha NaN":              {Diligenti{Alpha: math.NaN()}, good},
	} {
		if _, err := test.trainer.Train(context.Background(), []string{"a", "b"}, test.examples); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
