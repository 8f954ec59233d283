package ui

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eventseer/eventseer"
)

// Limits and measures of the map. Facets name 20 countries at a time; those named are
// left out to ask for the next.
const (
	mapRounds    = 3
	mapScale     = 2.0 // units a degree
	mapNorth     = 84.0
	mapSouth     = -57.0
	mapMargin    = 10.0
	mapMaxRadius = 14.0
	mapMinRadius = 1.0
	mapOneRadius = 3.0 // of one call, where there are few
)

// A mapPage shows how many calls there are in which country.
type mapPage struct {
	frame
	viewForm
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

func (s *server) worldMap(r *http.Request) (view, error) {
	query := viewQuery(r)
	p := mapPage{
		frame: s.frame("Map", "map"), viewForm: s.newViewForm("/map", query),
		Box:  fmt.Sprintf("%g %g %g %g", -mapMargin, -mapMargin, 360*mapScale+2*mapMargin, (mapNorth-mapSouth)*mapScale+2*mapMargin),
		Land: landPath, Graticule: graticulePath,
	}
	p.Query, p.All = query, r.FormValue("all") != ""
	if p.All {
		p.Hidden = map[string]string{"all": "1"}
	}
	p.Wider = viewHref("/map", query, "all", map[bool]string{false: "1"}[p.All])
	q := s.query(query, p.All)
	q.ByDeadline, q.Limit, q.Facets = false, 1, true
	codes := map[string]int{}
	for round := range mapRounds {
		found, err := s.findFor(r, q, &p.viewForm)
		if err != nil {
			return view{}, err
		}
		if p.Problem != nil && round > 0 {
			p.Problem = nil // the query became too long; what is known stands
			break
		}
		if round == 0 {
			p.Total = found.Total
			p.Online = onlineRow(found.Facets, query, p.All)
		}
		next := p.addCountries(found.Facets, codes, query)
		if next == "" {
			break
		}
		q.Text += next
	}
	p.place(codes)
	return view{name: "map", data: p, status: p.status()}, nil
}

func facetNamed(facets []eventseer.Facet, name string) (eventseer.Facet, bool) {
	i := slices.IndexFunc(facets, func(f eventseer.Facet) bool { return f.Name == name })
	if i < 0 {
		return eventseer.Facet{}, false
	}
	return facets[i], true
}

// onlineRow is how many calls one can take part in from afar.
func onlineRow(facets []eventseer.Facet, query string, all bool) *countryRow {
	f, _ := facetNamed(facets, "where")
	for _, v := range f.Values {
		if strings.EqualFold(v.Value, "online") || v.Term == "where:online" {
			return &countryRow{"Online", searchFor(query, v.Term, all), v.Count}
		}
	}
	return nil
}

func searchFor(query, term string, all bool) string {
	return "/search?" + searchValues(frame{Query: strings.TrimSpace(query + " " + term), All: all}, 1).Encode()
}

// addCountries takes the countries of a facet and returns the terms that leave them out,
// "" if there are no others.
func (p *mapPage) addCountries(facets []eventseer.Facet, codes map[string]int, query string) string {
	f, _ := facetNamed(facets, "country")
	var out strings.Builder
	added := 0
	for _, v := range f.Values {
		name := clip(v.Value, 60)
		if slices.ContainsFunc(p.Countries, func(c countryRow) bool { return c.Name == name }) {
			continue
		}
		added++
		p.Countries = append(p.Countries, countryRow{name, searchFor(query, v.Term, p.All), v.Count})
		p.Located += v.Count
		codes[name] = placeOf(v)
		out.WriteString(" -" + v.Term)
	}
	p.Other = f.Other
	if f.Other == 0 || added == 0 {
		return ""
	}
	return out.String()
}

// placeOf is the number of a facet's country in the table of places, -1 of none.
func placeOf(v eventseer.FacetValue) int {
	_, text, _ := strings.Cut(v.Term, ":")
	code := strings.ToUpper(strings.Trim(text, `"`))
	i, found := slices.BinarySearchFunc(countryPlaces, code, func(c countryPlace, code string) int { return strings.Compare(c.code, code) })
	if !found {
		return -1
	}
	return i
}

// place draws a circle for each country whose place is known; its area is the number of
// calls.
func (p *mapPage) place(codes map[string]int) {
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
		x, y := project(countryPlaces[i].lon, countryPlaces[i].lat)
		radius := max(mapMinRadius, scale*math.Sqrt(float64(c.Count)))
		says := c.Name + ": " + strconv.Itoa(c.Count)
		p.Circles = append(p.Circles, mapCircle{units(x), units(y), units(radius), says})
	}
}

// project places a point of the world: equal degrees are equal lengths.
func project(lon, lat float64) (x, y float64) {
	return (lon + 180) * mapScale, (mapNorth - min(max(lat, mapSouth), mapNorth)) * mapScale
}
