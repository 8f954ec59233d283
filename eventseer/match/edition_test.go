package match

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
)

func TestSameEdition(t *testing.T) {
	base := eventstest.Record(eventstest.Home, 0, nil)
	tests := []struct {
		name  string
		other eventseer.Event
		want  bool
	}{
		{"itself", base, true},
		{"a Mirror with a short title", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) { e.Title, e.EventStart = "QUIET 2027", "" }), true},
		{"another acronym spelling", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) { e.Acronym = "Quiet'27" }), true},
		{"no acronym read", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) { e.Acronym = "" }), true},
		{"next year", eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) { e.Year, e.EventStart = 2028, "2028-06-01" }), false},
		{"its parent conference", eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) {
			e.Kind, e.Acronym, e.Title = eventseer.Conference, "MOTOR", "Conference on Motors"
		}), false},
		{"a namesake of other days", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) { e.Title, e.EventStart = "Congress of Silent Libraries", "2027-09-09" }), false},
		{"a workshop of the same days, place and deadlines", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) { e.Acronym, e.Title = "LOUD 2027", "Second Workshop on Drums and Cymbals" }), false},
		{"the next in number", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) {
			e.Title, e.Year, e.EventStart, e.Deadlines = "Fifth Workshop on Quiet Engines", 0, "", nil
		}), false},
		{"a page of its site with another title", eventstest.Record("https://quiet.example/2027/venue", 0, func(e *eventseer.Event) { e.Title, e.Acronym = "Getting to Bergen", "" }), true},
		{"a workshop held with it", eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) {
			e.Title, e.Acronym, e.Parent = "Workshop on Engine Mounts", "WEM", "QUIET 2027"
		}), false},
		{"a list page of many events", eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) { e.Acronym, e.Title = "LOUD", "Conference on Drums" }), false},
	}
	for _, tt := range tests {
		if got := sameEdition(base, tt.other); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		if got := sameEdition(tt.other, base); got != tt.want {
			t.Errorf("%s, turned round: %v", tt.name, got)
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
		if got, sure := siteOf(tt.url).editionYear(); got != tt.want || sure != tt.sure {
			t.Errorf("%s: year %d %v, want %d %v", tt.url, got, sure, tt.want, tt.sure)
		}
	}
}

func TestLongNames(t *testing.T) {
	long := eventseer.Event{URL: "https://a.example/" + strings.Repeat("f/", 5000), Title: strings.Repeat("é wide ", 5000), Acronym: strings.Repeat("X", 9000), Year: 2027}
	if !sameEdition(long, long) {
		t.Error("a long record is not itself")
	}
	for _, k := range BlockKeys(long) {
		if len(k.Name) > maxKeyName {
			t.Errorf("a key of %d bytes", len(k.Name))
		}
	}
}

// TestMessagesOfOneList checks messages of archives: the name of the list, its subject or an acronym alone do
// not make an edition. A day, a site or the full name does.
func TestMessagesOfOneList(t *testing.T) {
	message := func(n string, changes ...func(*eventseer.Event)) eventseer.Event {
		e := eventseer.Event{URL: "https://lists.example/calls/2026-12/" + n + ".html", Title: "Gardens Post", Acronym: "Gardens", Year: 2027}
		e.Pages = []string{e.URL}
		for _, change := range changes {
			change(&e)
		}
		return e
	}
	beds := func(e *eventseer.Event) { e.Title, e.Acronym = "Symposium on Beds and Hedges", "SBH 2027" }
	bare := func(e *eventseer.Event) { e.Title, e.Acronym = "SBH 2027", "SBH 2027" }
	long := func(e *eventseer.Event) {
		e.Title, e.Acronym = "Special Issue on Watering Beds, Borders and Hedges", ""
	}
	june := func(e *eventseer.Event) { e.EventStart, e.EventEnd = "2027-06-01", "2027-06-03" }
	autumn := func(e *eventseer.Event) { e.EventStart, e.EventEnd = "2027-09-01", "2027-09-03" }
	home := func(e *eventseer.Event) { e.Homepage = "https://sbh2027.example/" }
	for _, tt := range []struct {
		name string
		a, b eventseer.Event
		want bool
	}{
		{"the name of the list", message("1"), message("2"), false},
		{"the name of the list, one with days", message("1", june), message("2"), false},
		{"the name of the list, of other days", message("1", june), message("2", autumn), false},
		{"one event in full", message("1", beds), message("2", beds), true},
		{"its acronym alone", message("1", beds), message("2", bare), false},
		{"its acronym and its days", message("1", beds, june), message("2", bare, june), true},
		{"its acronym and its site", message("1", beds, home), message("2", bare, home), true},
		{"a long title", message("1", long), message("2", long), true},
	} {
		if got := sameEdition(tt.a, tt.b); got != tt.want || sameEdition(tt.b, tt.a) != tt.want {
			t.Errorf("%s: %v (%v)", tt.name, got, likeness(tt.a, tt.b))
		}
	}
}
