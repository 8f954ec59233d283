package stats

import (
	"testing"

	"github.com/eventseer/eventseer/datasets"

	"github.com/google/go-cmp/cmp"
)

func TestCounter(t *testing.T) {
	var c Counter
	for i, class := range []string{"a", "b", "a", "a"} {
		c.Add(datasets.Example{Label: datasets.Label{Group: []string{"g", "h"}[i%2], Lang: "en"}, Untyped: true}, class)
	}
	want := Stats{
		Examples: 4, Groups: 2,
		Counts: []ColumnCounts{
			{"class", []ValueCount{{"a", 3}, {"b", 1}}},
			{"lang", []ValueCount{{"en", 4}}},
			{"largest groups", []ValueCount{{"g", 2}, {"h", 2}}},
		},
		Sizes: []Sizes{{"pages of a group", 2, 2, 2, 2, 2, 2}},
	}
	if diff := cmp.Diff(want, c.Stats()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSizes takes quantiles by nearest rank.
func TestSizes(t *testing.T) {
	var values []int
	for i := range 100 {
		values = append(values, 100-i)
	}
	if diff := cmp.Diff([]Sizes{{"n", 1, 25, 50, 75, 95, 100}}, appendSizes(nil, "n", values)); diff != "" {
		t.Error(diff)
	}
	if got := appendSizes(nil, "n", nil); got != nil {
		t.Errorf("no values have sizes %v", got)
	}
}
