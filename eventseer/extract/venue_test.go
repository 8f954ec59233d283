package extract

import (
	"testing"
	"time"
)

func TestCities(t *testing.T) {
	x := New(Options{
		Now:    func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) },
		Cities: map[string]string{"Rivertown": "NO", "Dam Park": "US", "Springdale": ""},
	})
	for _, test := range []struct{ name, page, city, country string }{
		{"behind the year", "<title>RDX 2027 Rivertown</title><h1>RDX 2027 Rivertown</h1>", "Rivertown", "Norway"},
		{"country in doubt", "<h1>RDX 2027</h1><p>3-5 May 2027, Springdale</p>", "Springdale", ""},
		{"behind in, after the days", "<h1>RDX 2027 Conference</h1><p>We look forward to seeing you March 27-29, 2027 in Dam Park!", "Dam Park", "USA"},
		{"city of, in a sentence", "<h1>RDX 2027 Conference</h1><p>The conference will take place at the city of Rivertown, the second largest of the North.", "Rivertown", "Norway"},
		{"a house that bears the name", "<h1>RDX 2027 Conference</h1><p>It will be held at Rivertown Lodge.", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := x.Extract(parse(t, "p.html", test.page))
			var city, country string
			if e.Location != nil {
				city, country = e.Location.City, e.Location.Country
			}
			if city != test.city || country != test.country {
				t.Errorf("got %q in %q, want %q in %q", city, country, test.city, test.country)
			}
		})
	}
}
