package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"eventseer/eventseer"
	"eventseer/eventseer/merge"

	"github.com/google/go-cmp/cmp"
)

// pageOf is the record of a page of rdx.example that is so sure of all it says.
func pageOf(name, title, acronym string, start eventseer.Date, city string, sure float64) eventseer.Event {
	e := eventseer.Event{URL: "https://rdx.example/" + name, Title: title, Acronym: acronym, EventStart: start, EventEnd: start, Sources: map[string]eventseer.Provenance{}}
	if city != "" {
		e.Location = &eventseer.Venue{City: city, Country: "Austria", CountryCode: "AT", Text: city}
	}
	for _, field := range []string{"title", "acronym", "event_start", "location"} {
		e.Sources[field] = eventseer.Provenance{URL: e.URL, Rule: "test", Confidence: sure}
	}
	return e
}

func TestSite(t *testing.T) {
	const name = "Workshop on Reading"
	pages := []eventseer.Event{
		pageOf("history.html", "Reading 2026", "RDX", "2026-05-03", "Linz", .99),
		pageOf("cfp.html", name, "RDX 2027", "2027-05-03", "Graz", .9),
		pageOf("dates.html", "Important Dates", "", "2027-05-03", "Graz", .6),
		pageOf("team.html", name, "", "", "Wels", .7),
		pageOf("", "workshop on reading", "RDX'27", "", "", .95),
	}
	want := merge.Site(pages)
	got := fmt.Sprintln(want.Title, want.Acronym, want.EventStart, want.Location.City, want.Year)
	if got != "workshop on reading RDX'27 2027-05-03 Graz 0\n" {
		t.Error(got)
	}
	for field, page := range map[string]string{"title": "", "acronym": "", "event_start": "cfp.html", "event_end": "cfp.html", "location": "cfp.html"} {
		if url := want.Sources[field].URL; url != "https://rdx.example/"+page {
			t.Errorf("%s: %s", field, url)
		}
	}
	var said []string
	for _, v := range want.Trail {
		said = append(said, v.Field+" "+v.Value)
	}
	for _, lost := range []string{"title Important Dates", "event_start 2026-05-03"} {
		if !slices.Contains(said, lost) {
			t.Errorf("%q is not in the trail %q", lost, said)
		}
	}
	slices.Reverse(pages)
	if diff := cmp.Diff(want, merge.Site(pages)); diff != "" {
		t.Errorf("the order of pages counts (-want +got):\n%s", diff)
	}
}

// TestSiteOfFew joins no pages, one, and pages of which none says where and when.
func TestSiteOfFew(t *testing.T) {
	if diff := cmp.Diff(eventseer.Event{}, merge.Site(nil)); diff != "" {
		t.Error(diff)
	}
	one := pageOf("", "Workshop on Reading", "RDX", "2027-05-03", "Graz", .9)
	if diff := cmp.Diff(one, merge.Site([]eventseer.Event{one})); diff != "" {
		t.Error(diff)
	}
	bare := eventseer.Event{URL: "https://rdx.example/a", Title: "Reading", Location: &eventseer.Venue{Online: true}}
	other := eventseer.Event{URL: "b", Title: "Reading", Location: &eventseer.Venue{CountryCode: "AT", Country: "Austria"}}
	e := merge.Site([]eventseer.Event{bare, other, {}})
	if e.Location == nil || e.Location.CountryCode != "AT" || !e.Location.Online || e.Sources["location"].URL != "b" {
		t.Errorf("%+v", e.Location)
	}
	many := make([]eventseer.Event, 2*merge.MaxSite)
	for i := range many {
		many[i] = pageOf(strings.Repeat("x", i%7)+fmt.Sprint(i), fmt.Sprint("Title ", i), "", "", "Graz", .9)
	}
	if e := merge.Site(many); len(e.Trail) > eventseer.MaxTrail || e.Location.City != "Graz" {
		t.Errorf("%d, %+v", len(e.Trail), e.Location)
	}
}
