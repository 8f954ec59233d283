package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

// TestChoose checks that the mentions of a country are summed first, then those of a city. Nothing may be
// chosen if no place is probable enough.
func TestChoose(t *testing.T) {
	at := func(city, code string, form placeWording) mention {
		return mention{placeMention: placeMention{venue: eventseer.Venue{City: city, Country: code, CountryCode: code}, form: form}}
	}
	lund, rome, sweden := at("Lund", "SE", cityConfirmed), at("Rome", "IT", cityConfirmed), at("", "SE", countryOnly)
	bare := at("Lund", "", citySeparate)
	for _, test := range []struct {
		name string
		list []mention
		p    []float64
		want string
	}{
		{"the likeliest", []mention{lund, rome}, []float64{.6, .3, .1}, "Lund/SE"},
		{"mentions add up", []mention{lund, rome, lund}, []float64{.3, .4, .2, .1}, "Lund/SE"},
		{"a country and its city are no rivals", []mention{sweden, lund, rome}, []float64{.35, .25, .4, 0}, "Lund/SE"},
		{"a country whose city is unlikely", []mention{sweden, lund}, []float64{.8, .1, .1}, "/SE"},
		{"a city that is named with its country elsewhere", []mention{bare, lund, rome}, []float64{.4, .05, .3, .25}, "Lund/SE"},
		{"none is likelier", []mention{lund, rome}, []float64{.4, .1, .5}, ""},
		{"too many to tell", []mention{lund, rome, at("Oslo", "NO", citySeparate), at("Bern", "CH", citySeparate), at("Wien", "AT", citySeparate)}, []float64{.25, .2, .2, .2, .15, 0}, ""},
	} {
		l := &placeRanking{list: test.list}
		got := ""
		if m, _, ok := l.choosePlace(test.p); ok {
			got = m.venue.City + "/" + m.venue.CountryCode
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCapitalRuns(t *testing.T) {
	for text, want := range map[string]string{
		"in Rio de Janeiro and Graz":       "Rio de Janeiro|Graz",
		"the Port-au-Prince of Nowhere":    "Port-au-Prince of Nowhere",
		"San Juan de la Cruz y Vega, Élan": "San Juan de la Cruz y Vega|Élan",
		"A de la del B":                    "A|B",
		"no names here":                    "",
		"Newcastle upon":                   "Newcastle",
	} {
		var got []string
		for _, run := range capitalRuns(text) {
			got = append(got, text[run[0]:run[1]])
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if n := len(capitalRuns(strings.Repeat("A b ", 10_000))); n != maxSpots {
		t.Errorf("%d runs", n)
	}
}

func TestWithoutCodes(t *testing.T) {
	for text, want := range map[string]string{
		"A-1010 Vienna": "Vienna", "1010 Vienna": "Vienna", "Graz 8010": "Graz", "LS2 9JT Leeds": "Leeds", "Vienna": "Vienna", "2027": "2027",
	} {
		if got := withoutCodes(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestPlaceWords splits texts with and without spaces, up to a limit.
func TestPlaceWords(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
	}{{"held in Graz, 2027", 5}, {"东京で", 3}, {"", 0}, {"  ", 0}, {strings.Repeat("a ", 100), 9}} {
		if got := len(placeWords(nil, test.text, 9)); got != test.n {
			t.Errorf("%q: %d words, want %d", test.text, got, test.n)
		}
	}
	if a, b := placeWords(nil, "Held 12", 9), placeWords(nil, "held 34", 9); !cmp.Equal(a, b) {
		t.Error("case or digits count")
	}
}

// TestPlaceWithoutRanker checks that no place is read without a model.
func TestPlaceWithoutRanker(t *testing.T) {
	p := &placeReader{page: preparePage(parse(t, "p.html", "<h1>RDX 2027</h1><p>Graz, Austria, 3-5 May 2027"), 2040), cities: func(name string) []City { return realCities[name] }}
	if v, _ := p.readVenue("RDX 2027", 1); v != nil {
		t.Errorf("got %+v", v)
	}
	l := p.ranking
	if n := len(l.allTerms()); n != len(l.list)+1 || n < 2 {
		t.Fatalf("%d vectors of %d places", n, len(l.list))
	}
	m, err := classify.NewLogLinear(classify.Meta{}, []float64{0}, map[uint32][]float64{classify.NumberedTerm(placeNone, 0, 1).ID: {5}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := l.choosePlace(l.probabilities(m)); ok {
		t.Error("a place against all odds")
	}
}
