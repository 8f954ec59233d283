package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample makes n examples of 3 classes in groups of very different sizes.
func sample(n int) (class []int, groups []string) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		g := rng.IntN(1 + rng.IntN(60))
		groups = append(groups, fmt.Sprint("g", g))
		class = append(class, []int{0, 0, 0, 1, 2}[(g+i/40)%5])
	}
	return class, groups
}

func TestGroupedFoldsKeepGroupsTogether(t *testing.T) {
	class, groups := sample(500)
	folds, err := GroupedFolds(class, groups, 3, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	foldOf := map[string]int{}
	for i, g := range groups {
		if f, ok := foldOf[g]; ok && f != folds[i] {
			t.Fatalf("group %s is in folds %d and %d", g, f, folds[i])
		}
		foldOf[g] = folds[i]
	}
}

func TestGroupedFoldsAreStratified(t *testing.T) {
	var class []int
	var groups []string
	for i := range 1000 {
		class = append(class, []int{0, 1, 0, 0, 2, 0, 0, 0, 0, 0}[i/7%10])
		groups = append(groups, fmt.Sprint(i/7))
	}
	folds, err := GroupedFolds(class, groups, 3, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([][3]int, 5)
	var total [3]int
	for i, f := range folds {
		counts[f][class[i]]++
		total[class[i]]++
	}
	for f, n := range counts {
		for c := range n {
			if want := float64(total[c]) / 5; float64(n[c]) < want-14 || float64(n[c]) > want+14 {
				t.Errorf("fold %d has %d examples of class %d, an even share is %.1f", f, n[c], c, want)
			}
		}
	}
}

func TestGroupedFoldsFollowTheSeed(t *testing.T) {
	class, groups := sample(300)
	split := func(seed uint64) []int {
		folds, err := GroupedFolds(class, groups, 3, 4, seed)
		if err != nil {
			t.Fatal(err)
		}
		return folds
	}
	if diff := cmp.Diff(split(1), split(1)); diff != "" {
		t.Errorf("one seed, two splits:\n%s", diff)
	}
	if cmp.Equal(split(1), split(2)) {
		t.Error("two seeds, one split")
	}
}

func TestGroupedFoldsRefuse(t *testing.T) {
	class, groups := []int{0, 1, 0}, []string{"a", "b", "a"}
	if _, err := GroupedFolds(class, groups, 2, 3, 1); err == nil {
		t.Error("3 folds of 2 groups: no error")
	}
	if _, err := GroupedFolds(class, groups, 2, 1, 1); err == nil {
		t.Error("1 fold: no error")
	}
}
