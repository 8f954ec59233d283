package views

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"eventseer/eventseer"
)

const MapRounds = 3

const MapScale = 2.0 // units a degree

const MapNorth = 84.0

const MapSouth = -57.0

const MapMargin = 10.0

const mapMaxRadius = 14.0

const mapMinRadius = 1.0

const mapOneRadius = 3.0 // of one call, where there are few

// A MapPage shows how many calls there are in which country.
type MapPage struct {
	Frame
	ViewForm
	Total     int
	Located   int // calls in the countries listed
	Other     int // in countries that are not listed
	Online    *countryRow
	Countries []countryRow
	Circles   []mapCircle // the largest first, so that small ones lie above
	Unplaced  int         // countries that are listed but not drawn
	Box       string      // viewBox of the drawing
	Land      string
	Graticule string
	Wider     string
}

// A countryRow is a country and how many calls are there.
type countryRow struct {
	Name, Href string
	Count      int
}

type mapCircle struct{ X, Y, Radius, Says string }

func facetNamed(facets []eventseer.Facet, name string) (eventseer.Facet, bool) {
	i := slices.IndexFunc(facets, func(f eventseer.Facet) bool { return f.Name == name })
	if i < 0 {
		return eventseer.Facet{}, false
	}
	return facets[i], true
}

// OnlineRow is how many calls one can take part in from afar.
func OnlineRow(facets []eventseer.Facet, query string, all bool) *countryRow {
	f, _ := facetNamed(facets, "where")
	for _, v := range f.Values {
		if strings.EqualFold(v.Value, "online") || v.Term == "where:online" {
			return &countryRow{Name: "Online", Href: searchFor(query, v.Term, all), Count: v.Count}
		}
	}
	return nil
}

func searchFor(query, term string, all bool) string {
	return "/search?" + SearchValues(Frame{Query: strings.TrimSpace(query + " " + term), All: all}, 1).Encode()
}

// AddCountries takes the countries of a facet and returns the terms that leave them out,
// "" if there are no others.
func (p *MapPage) AddCountries(facets []eventseer.Facet, codes map[string]int, query string) string {
	f, _ := facetNamed(facets, "country")
	var out strings.Builder
	added := 0
	for _, v := range f.Values {
		name := Clip(v.Value, 60)
		if slices.ContainsFunc(p.Countries, func(c countryRow) bool { return c.Name == name }) {
			continue
		}
		added++
		p.Countries = append(p.Countries, countryRow{Name: name, Href: searchFor(query, v.Term, p.All), Count: v.Count})
		p.Located += v.Count
		codes[name] = PlaceOf(v)
		out.WriteString(" -" + v.Term)
	}
	p.Other = f.Other
	if f.Other == 0 || added == 0 {
		return ""
	}
	return out.String()
}

// PlaceOf is the number of a facet's country in the table of places, -1 of none.
func PlaceOf(v eventseer.FacetValue) int {
	_, text, _ := strings.Cut(v.Term, ":")
	code := strings.ToUpper(strings.Trim(text, `"`))
	i, found := slices.BinarySearchFunc(CountryPlaces, code, func(c countryPlace, code string) int { return strings.Compare(c.Code, code) })
	if !found {
		return -1
	}
	return i
}

// Place draws a circle for each country whose place is known; its area is the number of
// calls.
func (p *MapPage) Place(codes map[string]int) {
	most := 1
	for _, c := range p.Countries {
		most = max(most, c.Count)
	}
	scale := min(mapOneRadius, mapMaxRadius/math.Sqrt(float64(most)))
	slices.SortStableFunc(p.Countries, func(a, b countryRow) int { return b.Count - a.Count })
	for _, c := range p.Countries {
		i := codes[c.Name]
		if i < 0 {
			p.Unplaced++
			continue
		}
		x, y := project(CountryPlaces[i].Lon, CountryPlaces[i].Lat)
		radius := max(mapMinRadius, scale*math.Sqrt(float64(c.Count)))
		says := c.Name + ": " + strconv.Itoa(c.Count)
		p.Circles = append(p.Circles, mapCircle{X: units(x), Y: units(y), Radius: units(radius), Says: says})
	}
}

// project places a point of the world: equal degrees are equal lengths.
func project(lon, lat float64) (x, y float64) {
	return (lon + 180) * MapScale, (MapNorth - min(max(lat, MapSouth), MapNorth)) * MapScale
}
