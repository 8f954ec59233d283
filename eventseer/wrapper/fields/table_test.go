package fields

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper"

	"github.com/google/go-cmp/cmp"
)

// TestFieldPlaces wants the fields of one element under the one that is easiest to
// understand, and elements that hold others last.
func TestFieldPlaces(t *testing.T) {
	fields := []*wrapper.Field{
		{ID: "f1", Path: "html/body"},
		{ID: "f2", Path: "html/body/h1", Part: wrapper.Family},
		{ID: "f3", Path: "html/body/p[1]", Part: wrapper.Core, Seen: 3},
		{ID: "f4", Path: "html/body/p[2]", Seen: 1},
		{ID: "f5", Path: "html/body/p[1]", Seen: 3},
		{ID: "f6", Path: "html/body/p[1]", Label: "room:", Seen: 3},
		{ID: "f7", Path: "html/body/p/a", Attr: "href"},
		{ID: "f8", Path: "html/body/h1"},
		{ID: "f9", Path: "html/body/h1", Part: wrapper.Core, Meaning: "title"},
	}
	var got [][]string
	for _, p := range groupByElement(fields) {
		var ids []string
		for _, f := range p.fields {
			ids = append(ids, f.ID)
		}
		got = append(got, ids)
	}
	want := [][]string{{"f7"}, {"f9", "f8", "f2"}, {"f1"}, {"f5", "f4", "f3", "f6"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
