package change

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

func TestDiffPairsTracks(t *testing.T) {
	old := []eventseer.Deadline{{Kind: eventseer.Submission, Track: "Demos", Date: "2027-01-01"}, {Kind: eventseer.Submission, Track: "Papers", Date: "2027-01-01"}}
	new := []eventseer.Deadline{{Kind: eventseer.Submission, Track: "papers", Date: "2027-01-09", TZ: "AoE"}, {Kind: eventseer.Submission, Track: "Demos", Date: "2027-01-01"}}
	want := []eventseer.FieldChange{{Field: "deadlines.submission[papers]", Old: "2027-01-01", New: "2027-01-09 AoE"}}
	if diff := cmp.Diff(want, Diff(eventseer.Event{Deadlines: old}, eventseer.Event{Deadlines: new})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	gone := []eventseer.FieldChange{{Field: "deadlines.submission[Papers]", Old: "2027-01-01"}}
	if diff := cmp.Diff(gone, Diff(eventseer.Event{Deadlines: old}, eventseer.Event{Deadlines: old[:1]})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
