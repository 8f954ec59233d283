package views

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// TestPublicEvent shows an event with people and a field that the operator named, which may name people.
func TestPublicEvent(t *testing.T) {
	e := eventseer.Event{
		Title: "Workshop on Locks", Committee: []eventseer.Person{{Name: "Ada Bo"}}, Other: map[string][]string{"chair": {"Cy Bo"}},
		Sources: map[string]eventseer.Provenance{"title": {}, "committee": {}, "other.chair": {}},
		Trail:   []eventseer.Evidence{{Field: "other.chair"}, {Field: "title"}, {Field: "committee"}},
	}
	got := PublicEvent(e)
	if len(got.Committee)+len(got.Other) > 0 || len(got.Sources) != 1 || len(got.Trail) != 1 || got.Trail[0].Field != "title" {
		t.Errorf("shown are %+v", got)
	}
	if len(e.Other) != 1 || len(e.Sources) != 3 || len(e.Trail) != 3 {
		t.Error("PublicEvent changed its argument")
	}
	fields := PublicFields([]eventseer.FieldChange{{Field: "other.chair"}, {Field: "publisher"}, {Field: "committee"}})
	if len(fields) != 1 || fields[0].Field != "publisher" {
		t.Errorf("changes %+v", fields)
	}
}
