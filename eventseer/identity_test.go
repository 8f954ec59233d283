package eventseer

import (
	"regexp"
	"strings"
	"testing"
)

func TestMakeID(t *testing.T) {
	tests := []struct {
		e    Event
		want EventID
	}{
		{Event{Acronym: "ICX 2027", Title: "Conference on X", Year: 2027}, "icx-2027"},
		{Event{Acronym: "ÉCO+", Year: 2027}, "eco-2027"},
		{Event{Title: "Meeting on Tall Grass 2027", Year: 2027}, "meeting-on-tall-grass-2027"},
		{Event{Title: "第七回 会議", Year: 2027, URL: home}, EventID("page-" + hash(home))},
		{Event{URL: home}, EventID("page-" + hash(home))},
		{Event{Acronym: "ICX", URL: home}, EventID("icx-" + hash(home))},
	}
	valid := regexp.MustCompile(`^[a-z0-9-]{1,80}$`)
	for _, tt := range tests {
		got := MakeID(tt.e)
		if got != tt.want {
			t.Errorf("MakeID(%+v) = %s, want %s", tt.e, got, tt.want)
		}
		if !valid.MatchString(string(got)) {
			t.Errorf("id %q", got)
		}
	}
	if id := MakeID(Event{Title: strings.Repeat("wide ", 500), Year: 2027}); len(id) > 80 {
		t.Errorf("an id of %d bytes", len(id))
	}
}

func TestSameEdition(t *testing.T) {
	base := record(home, 0, nil)
	tests := []struct {
		name  string
		other Event
		want  bool
	}{
		{"itself", base, true},
		{"a mirror with a short title", record(mirror, 0, func(e *Event) { e.Title, e.EventStart = "QUIET 2027", "" }), true},
		{"another acronym spelling", record(mirror, 0, func(e *Event) { e.Acronym = "Quiet'27" }), true},
		{"no acronym read", record(mirror, 0, func(e *Event) { e.Acronym = "" }), true},
		{"next year", record(home, 0, func(e *Event) { e.Year, e.EventStart = 2028, "2028-06-01" }), false},
		{"its parent conference", record(home, 0, func(e *Event) { e.Kind, e.Acronym, e.Title = Conference, "MOTOR", "Conference on Motors" }), false},
		{"a namesake of other days", record(mirror, 0, func(e *Event) { e.Title, e.EventStart = "Congress of Silent Libraries", "2027-09-09" }), false},
		{"a workshop of the same days, place and deadlines", record(mirror, 0, func(e *Event) { e.Acronym, e.Title = "LOUD 2027", "Second Workshop on Drums and Cymbals" }), false},
		{"the next in number", record(mirror, 0, func(e *Event) {
			e.Title, e.Year, e.EventStart, e.Deadlines = "Fifth Workshop on Quiet Engines", 0, "", nil
		}), false},
		{"a page of its site with another title", record("https://quiet.example/2027/venue", 0, func(e *Event) { e.Title, e.Acronym = "Getting to Bergen", "" }), true},
		{"a workshop held with it", record(mirror, 0, func(e *Event) { e.Title, e.Acronym, e.Parent = "Workshop on Engine Mounts", "WEM", "QUIET 2027" }), false},
		{"a list page of many events", record(home, 0, func(e *Event) { e.Acronym, e.Title = "LOUD", "Conference on Drums" }), false},
	}
	for _, tt := range tests {
		if got := SameEdition(base, tt.other); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		if got := SameEdition(tt.other, base); got != tt.want {
			t.Errorf("%s, turned round: %v", tt.name, got)
		}
	}
}
