package search

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// TestTiers expects events in the order of where the words of a query are in them. By deadline, each tier has
// the later deadlines, so that none comes first by its date.
func TestTiers(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	t.Cleanup(func() { must(t, x.Close()) })
	due := func(day string) []eventseer.Deadline {
		return []eventseer.Deadline{deadline(eventseer.Submission, day)}
	}
	china := &eventseer.Venue{City: "Xiamen", Country: "China", CountryCode: "CN"}
	page := func(text string) []eventseer.PageText { return []eventseer.PageText{{Text: text}} }
	must(t, x.Update(t.Context(), []eventseer.Document{
		{Event: eventseer.Event{ID: "named", Title: "Tidal Energy", Deadlines: due("2027-08-05")}},
		{Event: eventseer.Event{ID: "topic", Title: "Oceans", Topics: []string{"Energy of tidal streams"}, Deadlines: due("2027-08-04")}},
		{Event: eventseer.Event{ID: "page", Title: "Coasts", Deadlines: due("2027-08-03")}, Texts: page("Calls on tidal energy are welcome.")},
		{Event: eventseer.Event{ID: "apart", Title: "Energy", Topics: []string{"Tidal pools"}, Deadlines: due("2027-08-02")}},
		{Event: eventseer.Event{ID: "nearly", Title: "Rivers", Deadlines: due("2027-08-01")}, Texts: page("Energy of rivers, lakes, dams, wind and many a tidal pool.")},
		{Event: eventseer.Event{ID: "there", Title: "Kites", Year: 2027, Location: china, Deadlines: due("2027-09-02")}},
		{Event: eventseer.Event{ID: "mentioned", Title: "Drones", Year: 2027, Deadlines: due("2027-09-01")}, Texts: page("Authors from China are welcome.")},
	}))
	for _, tt := range []struct {
		text       string
		byDeadline bool
		want       string
	}{
		{"tidal energy", true, "named topic page apart nearly"},
		{"china 2027", true, "there mentioned"},
		{"china", true, "there mentioned"},
		{"china 2027", false, "there mentioned"},
		{"china", false, "there mentioned"},
		{"energy of tidal", true, "named topic page apart nearly"},
	} {
		found, err := x.Find(t.Context(), eventseer.Query{Text: tt.text, Now: now, OpenAt: now, ByDeadline: tt.byDeadline})
		must(t, err)
		var got []string
		for _, h := range found.Hits {
			got = append(got, string(h.ID))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q, by deadline %t: %v, want %s", tt.text, tt.byDeadline, got, tt.want)
		}
	}
	found, err := x.Find(t.Context(), eventseer.Query{Text: "tidal energy", Now: now})
	must(t, err)
	if n := len(found.Hits); n != 5 || found.Hits[n-1].ID != "nearly" || found.Hits[n-2].ID != "page" {
		t.Errorf("by relevance: %v, want those of texts last", found.Hits)
	}
}
