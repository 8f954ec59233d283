package svm_test

import (
	"context"
	"fmt"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/features"
)

// The second of two classes speaks through the sign of the second value.
func Example() {
	x := func(a, b float64) features.Vector { return features.NewVector(map[uint32]float64{0: a, 1: b}) }
	classes := []string{"not_cfp", "cfp"}
	examples := []classify.Example{{X: x(1, 0)}, {X: x(2, 1)}, {X: x(0, 1), Class: 1}, {X: x(1, 2), Class: 1}}

	c, err := svm.Linear{C: 10, Eps: 1e-6}.Train(context.Background(), classes, examples)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", c.Decide(x(0, 2)))
	// Output: [-2.00 2.00]
}
