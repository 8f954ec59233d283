package train

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLearningOrderKeepsClasses checks that every share of the groups holds all
// classes, is part of a larger share, and that the seed decides which.
func TestLearningOrderKeepsClasses(t *testing.T) {
	c := &corpus{classes: []string{"common", "rare"}}
	for i := range 300 {
		c.groups = append(c.groups, fmt.Sprint("g", i/3))
		class := 0
		if i%60 == 1 {
			class = 1
		}
		c.class = append(c.class, class)
	}
	place := learningOrder(c, 1)
	for _, share := range learningShares {
		classes, groups := map[int]bool{}, map[string]bool{}
		for i, g := range c.groups {
			if place[g] < share {
				classes[c.class[i]], groups[g] = true, true
			}
		}
		if want := 100 * share; len(classes) != 2 || float64(len(groups)) < want || float64(len(groups)) > want+2 {
			t.Errorf("%.0f %%: %d classes in %d of 100 groups", 100*share, len(classes), len(groups))
		}
	}
	if cmp.Equal(place, learningOrder(c, 2)) {
		t.Error("two seeds, one order")
	}
}
