package match

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// A host that lists calls has pages of many events, of which no scorer makes one.
func TestEventsOfOneHost(t *testing.T) {
	glacier := eventseer.Event{
		URL: "https://calls.example/cfp/glacier", Title: "11th International Conference on Glacier Computing", Acronym: "GLACIER", Year: 2027, Kind: eventseer.Conference,
		EventStart: "2027-06-01", EventEnd: "2027-06-03", Location: &eventseer.Venue{City: "Oslo", Country: "Norway", CountryCode: "NO"},
	}
	lantern := eventseer.Event{
		URL: "https://calls.example/cfp/lantern", Title: "14th International Conference on Lantern Computing", Acronym: "LANTERN", Year: 2027, Kind: eventseer.Conference,
		EventStart: "2027-06-04", EventEnd: "2027-06-06", Location: &eventseer.Venue{City: "Lima", Country: "Peru", CountryCode: "PE"},
	}
	beside := lantern // on days that overlap
	beside.EventStart, beside.EventEnd = "2027-06-02", "2027-06-04"
	there := lantern // in the same place
	there.Location = glacier.Location
	moved := glacier // of the same event, with other days
	moved.URL, moved.EventStart, moved.EventEnd = "https://calls.example/cfp/glacier-dates", "2027-06-08", "2027-06-10"
	for name, tt := range map[string]struct {
		a, b eventseer.Event
		one  bool
	}{
		"two events": {glacier, lantern, false}, "on days that overlap": {glacier, beside, false}, "in one place": {glacier, there, false},
		"one event that moved": {glacier, moved, true},
	} {
		x, y := NewEventKey(tt.a), NewEventKey(tt.b)
		if one := LearnedScore(x, y) >= 0; one != tt.one {
			t.Errorf("%s: learned says one: %v", name, one)
		}
		if one := AreOnOneSite(x, y); one != tt.one {
			t.Errorf("%s: of one site: %v", name, one)
		}
	}
}
