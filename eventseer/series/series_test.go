package series

import (
	"regexp"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

func TestMakeSeries(t *testing.T) {
	norway := &eventseer.Venue{City: "Trondheim", Country: "Norway"}
	tests := []struct {
		e    eventseer.Event
		want string
	}{
		{eventseer.Event{Acronym: "QUIET 2027"}, "quiet"},
		{eventseer.Event{Acronym: "QUIET'27", Year: 2027}, "quiet"},
		{eventseer.Event{Acronym: "Quiet2027"}, "quiet"},
		{eventseer.Event{Acronym: "QUIET-4", Title: "4th Workshop on Quiet Engines"}, "quiet"},
		{eventseer.Event{Acronym: "Web3D 2027", Year: 2027}, "web3d"},
		{eventseer.Event{Acronym: "R10", Title: "Tenth Meeting of Region Ten"}, "r"},
		{eventseer.Event{Title: "Fourth Workshop on Quiet Engines, Trondheim, Norway, 2027", Location: norway}, "workshop-on-quiet-engines"},
		{eventseer.Event{Title: "The 21st Annual Workshop on Quiet Engines"}, "workshop-on-quiet-engines"},
		{eventseer.Event{Title: "Twenty-first Workshop on Quiet Engines (co-located with MOTOR 2027)"}, "workshop-on-quiet-engines"},
		{eventseer.Event{Title: "XXI Workshop on Quiet Engines @ MOTOR"}, "workshop-on-quiet-engines"},
		{eventseer.Event{}, ""},
		{eventseer.Event{Title: strings.Repeat("wide ", 100)}, strings.TrimSuffix(strings.Repeat("wide-", 12), "-")},
	}
	for _, tt := range tests {
		if got := Of(tt.e); got != tt.want {
			t.Errorf("Of(%q, %q) = %q, want %q", tt.e.Acronym, tt.e.Title, got, tt.want)
		}
	}
}

func TestOrdinal(t *testing.T) {
	tests := map[string]int{
		"4th Workshop on Quiet Engines":                        4,
		"The Twenty-First Workshop on Quiet Engines":           21,
		"Thirtieth Workshop on Quiet Engines":                  30,
		"XIX Jornadas de Motores":                              19,
		"5º Taller de Motores":                                 5,
		"[list] CFP: 2nd Workshop":                             2,
		"IV":                                                   0,
		"Workshop on Quiet Engines":                            0,
		"Twenty Years of Quiet Engines":                        0,
		"1st Workshop on Engines at the 7th Congress on Noise": 1,
	}
	for title, want := range tests {
		if got := Ordinal(title); got != want {
			t.Errorf("ordinal(%q) = %d, want %d", title, got, want)
		}
	}
}

func TestMakeID(t *testing.T) {
	const home = "https://quiet.example/cfp"
	tests := []struct {
		e    eventseer.Event
		want eventseer.EventID
	}{
		{eventseer.Event{Acronym: "ICX 2027", Title: "Conference on X", Year: 2027}, "icx-2027"},
		{eventseer.Event{Acronym: "ÉCO+", Year: 2027}, "eco-2027"},
		{eventseer.Event{Title: "Meeting on Tall Grass 2027", Year: 2027}, "meeting-on-tall-grass-2027"},
		{eventseer.Event{Title: "第七回 会議", Year: 2027, URL: home}, eventseer.EventID("page-" + text.Hash(home))},
		{eventseer.Event{URL: home}, eventseer.EventID("page-" + text.Hash(home))},
		{eventseer.Event{Acronym: "ICX", URL: home}, eventseer.EventID("icx-" + text.Hash(home))},
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
	if id := MakeID(eventseer.Event{Title: strings.Repeat("wide ", 500), Year: 2027}); len(id) > 80 {
		t.Errorf("an id of %d bytes", len(id))
	}
}
