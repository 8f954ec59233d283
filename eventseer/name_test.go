package eventseer

import (
	"strings"
	"testing"
)

func TestMakeSeries(t *testing.T) {
	norway := &Venue{City: "Trondheim", Country: "Norway"}
	tests := []struct {
		e    Event
		want string
	}{
		{Event{Acronym: "QUIET 2027"}, "quiet"},
		{Event{Acronym: "QUIET'27", Year: 2027}, "quiet"},
		{Event{Acronym: "Quiet2027"}, "quiet"},
		{Event{Acronym: "QUIET-4", Title: "4th Workshop on Quiet Engines"}, "quiet"},
		{Event{Acronym: "Web3D 2027", Year: 2027}, "web3d"},
		{Event{Acronym: "R10", Title: "Tenth Meeting of Region Ten"}, "r"},
		{Event{Title: "Fourth Workshop on Quiet Engines, Trondheim, Norway, 2027", Location: norway}, "workshop-on-quiet-engines"},
		{Event{Title: "The 21st Annual Workshop on Quiet Engines"}, "workshop-on-quiet-engines"},
		{Event{Title: "Twenty-first Workshop on Quiet Engines (co-located with MOTOR 2027)"}, "workshop-on-quiet-engines"},
		{Event{Title: "XXI Workshop on Quiet Engines @ MOTOR"}, "workshop-on-quiet-engines"},
		{Event{}, ""},
		{Event{Title: strings.Repeat("wide ", 100)}, strings.TrimSuffix(strings.Repeat("wide-", 12), "-")},
	}
	for _, tt := range tests {
		if got := MakeSeries(tt.e); got != tt.want {
			t.Errorf("MakeSeries(%q, %q) = %q, want %q", tt.e.Acronym, tt.e.Title, got, tt.want)
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
		if got := ordinal(title); got != want {
			t.Errorf("ordinal(%q) = %d, want %d", title, got, want)
		}
	}
}

func TestSiteYear(t *testing.T) {
	tests := []struct {
		url  string
		want int
		sure bool
	}{
		{"https://quiet.example.org/2027/cfp.html", 2027, true},
		{"https://quiet2027.example.org/", 2027, true},
		{"https://quiet.example.org/quiet27/dates", 2027, false},
		{"https://quiet.example.org/2027/tutorial04/", 2027, true},
		{"https://quiet.example.org/2027/02/call-is-out/", 0, false}, // filed by month
		{"https://lists.example.org/2027/quiet.html", 0, false},
		{"https://example.org/pipermail/announce/2027-March/001.html", 0, false},
		{"https://quiet.example.org/cfp", 0, false},
		{"page.html", 0, false},
		{"", 0, false},
	}
	for _, tt := range tests {
		if got, sure := siteOf(tt.url).year(); got != tt.want || sure != tt.sure {
			t.Errorf("%s: year %d %v, want %d %v", tt.url, got, sure, tt.want, tt.sure)
		}
	}
}

func TestLongNames(t *testing.T) {
	long := Event{URL: "https://a.example/" + strings.Repeat("f/", 5000), Title: strings.Repeat("é wide ", 5000), Acronym: strings.Repeat("X", 9000), Year: 2027}
	if !SameEdition(long, long) {
		t.Error("a long record is not itself")
	}
	for _, k := range Keys(long) {
		if len(k.Name) > maxKeyName {
			t.Errorf("a key of %d bytes", len(k.Name))
		}
	}
}
