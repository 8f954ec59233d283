package store

import (
	"testing"

	"eventseer/eventseer"
)

func TestCommitteesAreNoNews(t *testing.T) {
	committee := eventseer.FieldChange{Field: "committee", New: "Ann Example"}
	for want, c := range map[string]eventseer.Change{
		"":   {Fields: []eventseer.FieldChange{committee}},
		"a":  {Fields: []eventseer.FieldChange{committee, {Field: "title", Old: "A", New: "B"}}},
		"an": {New: true, Fields: []eventseer.FieldChange{committee}},
	} {
		if got := string(classesOf(c)); got != want {
			t.Errorf("%+v is of classes %q, want %q", c, got, want)
		}
	}
	for kind, want := range map[eventseer.ChangeKind]string{eventseer.CommitteeChanged: "", eventseer.Cosmetic: "", eventseer.PlaceChanged: "a"} {
		if got := string(classesOf(eventseer.Change{Kinds: []eventseer.ChangeKind{kind}})); got != want {
			t.Errorf("%s is of classes %q, want %q", kind, got, want)
		}
	}
}
