package datasets

import (
	"strings"
	"testing"
)

func TestDisciplines(t *testing.T) {
	count := map[string]int{}
	topics := map[string]string{}
	for _, list := range Disciplines() {
		count[list.Discipline]++
		all := strings.Split(list.Topics, ", ")
		if len(all) < 10 {
			t.Errorf("%s: only %d topics in %q", list.Discipline, len(all), list.Topics)
		}
		for _, topic := range all {
			if other, ok := topics[topic]; ok && other == list.Discipline {
				t.Errorf("%s: topic %q comes twice", list.Discipline, topic)
			}
			topics[topic] = list.Discipline
		}
	}
	for _, name := range []string{"informatics", "mathematics", "physics", "chemistry", "sociology", "other"} {
		if count[name] < 5 {
			t.Errorf("%d lists of %s", count[name], name)
		}
	}
	if count[""] > 0 {
		t.Error("a list of no discipline")
	}
}
