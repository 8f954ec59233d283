package train

import (
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
)

func TestBySite(t *testing.T) {
	x := func(index []uint32, value ...float64) features.Vector {
		return features.Vector{Index: index, Value: value}
	}
	pages := []classify.Example{
		{X: x([]uint32{1, 4}, 3, 1), Class: 1, Group: "b"},
		{X: x([]uint32{0}, 2), Class: 0, Group: "a"},
		{X: x([]uint32{0, 4}, 4, -1), Class: 1, Group: "b"},
		{X: x(nil), Class: 2, Group: "c"},
		{X: x([]uint32{2}, 5), Class: 0, Group: "b"},
	}
	sums := []classify.Example{
		{X: x([]uint32{0}, 2), Class: 0, Group: "a"},
		{X: x([]uint32{2}, 5), Class: 0, Group: "b"},
		{X: x([]uint32{0, 1, 4}, 4, 3, 0), Class: 1, Group: "b"},
		{X: x(nil), Class: 2, Group: "c"},
	}
	if diff := cmp.Diff(sums, sumBySite(pages, false)); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
	if got, want := sumBySite(pages, true)[2].X.Value, []float64{0.8, 0.6, 0}; !slices.Equal(got, want) {
		t.Errorf("of length 1: %v, want %v", got, want)
	}
}

// Labels without a discipline are left out, those without their own class become other, and the lists of
// topics belong to every class.
func TestDisciplinesOfLabels(t *testing.T) {
	classes, err := classify.Classes(classify.TaskDiscipline)
	if err != nil {
		t.Fatal(err)
	}
	if hasClass(datasets.Label{}, classify.TaskDiscipline) || !hasClass(datasets.Label{}, classify.TaskCFP) {
		t.Error("a label without a discipline tells it, or does not tell is_cfp")
	}
	for discipline, want := range map[string]string{"physics": "physics", "philosophy": classify.Other, "other": classify.Other} {
		if got := classes[classOf(classify.TaskDiscipline, classes, datasets.Label{Discipline: discipline})]; got != want {
			t.Errorf("a page of %s is of class %s", discipline, got)
		}
	}
	c := &corpus{task: classify.TaskDiscipline, classes: classes, docs: []*features.Document{features.ReadText("x")}, class: []int{0}, groups: []string{"g"}}
	more, index := c.addLists([]int{0})
	if n := more.classCounts(); len(c.docs) != 1 || len(index) != len(more.docs) || slices.Min(n) < 5 {
		t.Errorf("%d documents became %d with %d in use; of each class: %v", len(c.docs), len(more.docs), len(index), n)
	}
}
