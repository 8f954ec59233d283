package manager

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAssign checks that every crawler has a share, and that no more partitions are moved than necessary.
func TestAssign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 200).Draw(t, "partitions")
		size := rapid.IntRange(1, 12).Draw(t, "crawlers")
		var crew []candidateOwner
		for i := range size {
			crew = append(crew, candidateOwner{fmt.Sprintf("w%02d", i), true})
		}
		now := make([]string, parts)
		for n := range now {
			if k := rapid.IntRange(-2, size+1).Draw(t, "owner"); k >= 0 {
				now[n] = fmt.Sprintf("w%02d", k) // some without an owner, some of an owner that is gone
			}
		}
		next, moved := assignPartitions(now, crew, parts)
		again, more := assignPartitions(next, crew, parts)
		if more != 0 || !slices.Equal(next, again) {
			t.Fatalf("%d more were moved the second time", more)
		}
		has, had := map[string]int{}, map[string]int{}
		for n := range next {
			has[next[n]]++
			had[now[n]]++
		}
		must := 0
		for _, m := range crew {
			if has[m.name] < parts/size || has[m.name] > (parts+size-1)/size {
				t.Fatalf("%s has %d of %d, one of %d", m.name, has[m.name], parts, size)
			}
			must += max(0, had[m.name]-(parts+size-1)/size)
		}
		if moved < must || moved > must+size {
			t.Fatalf("%d were moved, at least %d must be", moved, must)
		}
	})
}

func TestAssignIsGradual(t *testing.T) {
	crew := []candidateOwner{{"a", true}, {"b", true}, {"young", false}}
	now := slices.Repeat([]string{"a"}, 16)
	next, moved := assignPartitions(now, crew, 3)
	if moved != 3 || slices.Index(next, "young") >= 0 {
		t.Errorf("moved %d: %v", moved, next)
	}
	next, moved = assignPartitions(append(now, ""), crew, 0)
	if moved != 0 || next[16] != "b" {
		t.Errorf("a partition of nobody went to %q, %d moved", next[16], moved)
	}
}
