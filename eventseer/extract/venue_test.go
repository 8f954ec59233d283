package extract

import (
	"strings"
	"testing"
	"time"
)

// testCities is a gazetteer of invented cities.
var testCities = map[string][]City{
	"Rivertown":  {{Country: "NO", Region: "Vestland", Population: 200_000}, {Country: "US", Region: "Ohio", Population: 9_000}},
	"Dam Park":   {{Country: "US", Region: "Utah", Population: 150_000}},
	"Springdale": {{Country: "US", Region: "Utah", Population: 150_000}, {Country: "CA", Region: "Ontario", Population: 120_000}},
	"Best Hill":  {{Country: "GB", Region: "England", Population: 300_000, Word: true}},
}

func TestCities(t *testing.T) {
	x := New(Options{
		Now:    func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) },
		Cities: func(name string) []City { return testCities[name] },
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

// TestInferredRegion checks that a region which is not printed is marked as inferred.
func TestInferredRegion(t *testing.T) {
	x := New(Options{
		Now:    func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) },
		Cities: func(name string) []City { return testCities[name] },
	})
	for _, test := range []struct{ place, region, inferred string }{
		{"Rivertown, Norway", "Vestland", "region from the city"},
		{"Rivertown, Vestland, Norway", "Vestland", ""},
		{"Springdale, UT, USA", "Utah", ""},
		{"Springdale, Utah, USA", "Utah", ""},
	} {
		e, _ := x.Extract(parse(t, "p.html", "<h1>RDX 2027 Conference</h1><p>3-5 May 2027, "+test.place+"</p>"))
		if e.Location == nil || e.Location.Region != test.region || e.Sources["location"].Inferred != test.inferred {
			t.Errorf("%s: got %+v, inferred %q", test.place, e.Location, e.Sources["location"].Inferred)
		}
	}
}

func TestVenueTraps(t *testing.T) {
	x := New(Options{
		Now:    func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) },
		Cities: func(name string) []City { return realCities[name] },
	})
	const top = "<title>RDX 2027</title><h1>RDX 2027 Conference on Reading Dust</h1>"
	for _, test := range []struct{ name, page, city, code string }{
		{"earlier editions", "<p>RDX was held in Paris, France in 2025. RDX 2027 takes place in Graz, Austria on 3-5 May 2027.", "Graz", "AT"},
		{"committee", "<p>3-5 May 2027, Vienna, Austria<h2>Program Committee</h2><ul><li>Ann Reed, University of Athens, Greece<li>Bo Lind, University of Paris, France<li>Cy Marsh, Athens, Greece</ul>", "Vienna", "AT"},
		{"publisher's seat", "<p>Proceedings are published by Springer, Berlin, Germany.<p>3-5 May 2027, Graz, Austria", "Graz", "AT"},
		{"only a committee", "<h2>Program Committee</h2><ul><li>Ann Reed, University of Athens, Greece<li>Bo Lind, University of Paris, France</ul>", "", ""},
		{"on the way", "<p>Graz is a two-hour flight from London, UK.<p>The conference will be held in Graz on 3-5 May 2027.", "Graz", "AT"},
		{"heading", "<h2>Venue</h2><p>Concert Hall, Graz, Austria", "Graz", "AT"},
		{"country from the city named again", "<p>The conference will be held in Cambridge on 3-5 May 2027.<h2>Venue</h2><p>Cambridge, MA, USA", "Cambridge", "US"},
		{"known by its shape", "<p>3-5 May 2027, Lake Hollow, Austria", "Lake Hollow", "AT"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := parse(t, "p.html", top+test.page)
			e, _ := x.Extract(tree)
			var city, code string
			if e.Location != nil {
				city, code = e.Location.City, e.Location.CountryCode
				if len(e.Location.Text) > maxPlaceBlock || !strings.Contains(e.Location.Text, city) {
					t.Errorf("text %q", e.Location.Text)
				}
				at := e.Sources["location"].Offset
				if span := tree.Text()[at[0]:at[1]]; !strings.Contains(span, city) || len(span) > 30 {
					t.Errorf("the source is %q", span)
				}
			}
			if city != test.city || code != test.code {
				t.Errorf("got %q in %q, want %q in %q", city, code, test.city, test.code)
			}
		})
	}
}

// TestVenueBounds reads a page with an endless list of places.
func TestVenueBounds(t *testing.T) {
	tree := parse(t, "p.html", strings.Repeat("<p>held in Vienna, Austria on 3-5 May 2027"+strings.Repeat(", Vienna, Austria, Lake Hollow", 300), 200))
	p := &placeReader{page: preparePage(tree, 2040), cities: func(name string) []City { return realCities[name] }}
	l := p.placesOf("RDX", 0, false)
	if n := len(l.list); n > maxMentions {
		t.Errorf("%d places are weighed", n)
	}
	read := 0
	for i := range l.blocks {
		read += min(len(p.blocks[max(i, 0)].Text), maxPlaceText)
	}
	if read > maxPlaceBytes+maxPlaceText {
		t.Errorf("%d bytes are read", read)
	}
}

// TestCityInCapitals checks that a city in capitals is written like a name, whatever it begins with.
func TestCityInCapitals(t *testing.T) {
	q := part{text: "at ÖSTERBAD", start: 7}
	if city, at := cityAt(q); city != "Österbad" || at != 7+len("at ") {
		t.Errorf("got %q at %d", city, at)
	}
}
