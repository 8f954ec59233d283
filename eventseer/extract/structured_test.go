package extract

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// calledFor is a call whose text contains neither days nor place.
const calledFor = `<title>ICX 2027</title><h1>ICX 2027: Workshop on Crossings</h1><p>We invite papers.</p><p>Submission deadline: January 18, 2027</p>`

func TestStructured(t *testing.T) {
	script := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	for _, tt := range []struct {
		name, data, start, end, city, country, warning string
		online                                         bool
	}{
		{name: "days", data: script(`{"@type":"Event","startDate":"2027-06-01","endDate":"2027-06-03"}`), start: "2027-06-01", end: "2027-06-03"},
		{name: "one day", data: script(`{"@type":"Event","startDate":"2027-06-01T09:00"}`), start: "2027-06-01", end: "2027-06-01"},
		{name: "an impossible day", data: script(`{"@type":"Event","startDate":"2027-02-31"}`)},
		{name: "days that go back", data: script(`{"@type":"Event","startDate":"2027-06-03","endDate":"2027-06-01"}`)},
		{name: "days of a year", data: script(`{"@type":"Event","startDate":"2027-01-20","endDate":"2027-12-01"}`)},
		{name: "far ahead", data: script(`{"@type":"Event","startDate":"2057-06-01"}`)},
		{name: "another year", data: script(`{"@type":"Event","startDate":"2026-06-01"}`), warning: "json-ld says 2026-06-01, the page is about the edition of 2027"},
		{name: "before the deadline", data: script(`{"@type":"Event","startDate":"2027-01-02"}`), warning: "json-ld says 2027-01-02, the page shows a later deadline"},
		{name: "no event", data: script(`{"@type":"Organization","startDate":"2027-06-01"}`)},
		{name: "two events", data: script(`[{"@type":"Event","name":"A","startDate":"2027-06-01"},{"@type":"Event","name":"B","startDate":"2027-07-01"}]`)},
		{name: "two events, one ours", data: script(`[{"@type":"Event","name":"ICX","startDate":"2027-06-01"},{"@type":"Event","name":"B","startDate":"2027-07-01"}]`), start: "2027-06-01", end: "2027-06-01"},
		{name: "a country's code", data: script(`{"@type":"Event","location":{"address":{"addressLocality":"Delft","addressCountry":"NL"}}}`), city: "Delft", country: "Netherlands"},
		{name: "a place in words", data: script(`{"@type":"Event","location":"Delft, The Netherlands"}`), city: "Delft", country: "Netherlands"},
		{name: "online", data: script(`{"@type":"Event","eventAttendanceMode":"https://schema.org/OnlineEventAttendanceMode"}`), online: true},
		{name: "not online", data: script(`{"@type":"Event","eventAttendanceMode":"https://schema.org/OfflineEventAttendanceMode"}`)},
		{name: "calendar", data: `<a href="data:text/calendar,BEGIN:VEVENT%0ADTSTART;VALUE=DATE:20270601%0ADTEND;VALUE=DATE:20270604%0AEND:VEVENT">+</a>`, start: "2027-06-01", end: "2027-06-03"},
		{name: "calendar with times", data: `<a href="data:text/calendar,BEGIN:VEVENT%0ADTSTART:20270601T080000Z%0ADTEND:20270603T170000Z%0AEND:VEVENT">+</a>`, start: "2027-06-01", end: "2027-06-03"},
		{name: "rdfa", data: `<div vocab="http://schema.org/" typeof="Event"><meta property="startDate" content="2027-06-01"></div>`, start: "2027-06-01", end: "2027-06-01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := newTestExtractor().Extract(parse(t, "p.html", tt.data+calledFor))
			if string(e.EventStart) != tt.start || string(e.EventEnd) != tt.end {
				t.Errorf("event on %q to %q, want %q to %q", e.EventStart, e.EventEnd, tt.start, tt.end)
			}
			venue := eventseer.Venue{}
			if e.Location != nil {
				venue = *e.Location
			}
			if venue.City != tt.city || venue.Country != tt.country || venue.Online != tt.online {
				t.Errorf("place %+v, want %q %q %v", venue, tt.city, tt.country, tt.online)
			}
			warning := ""
			for _, w := range e.Warnings {
				if w.Rule == "structured-data-disagrees" {
					warning += w.Text
				}
			}
			if warning != tt.warning {
				t.Errorf("warning %q, want %q", warning, tt.warning)
			}
		})
	}
}
