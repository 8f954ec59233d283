package extract

import (
	"slices"
	"strings"
)

// A City is one of the cities with a name. Region is its first-level division ("Virginia"). Word reports
// whether the name is also a common word or a person's name. Population 0 means that it is the division of
// that name instead of a city.
type City struct {
	Country    string // ISO 3166-1 alpha-2
	Region     string
	Population int
	Word       bool
}

const (
	dominance     = 10 // a city with this many times the population of all cities of the same name abroad is certainly meant
	smallCity     = 100_000
	minCity       = 15_000 // minimum population of a city that is known without its country
	maxNamesakes  = 64     // cities of one name that are read
	maxNameLookup = 100    // maximum bytes of a name that is looked up
)

// citiesNamed returns the cities with a name, the largest first, at most maxNamesakes. Results are cached for
// the page.
func (p *page) citiesNamed(name string) []City {
	if p.cities == nil || name == "" || len(name) > maxNameLookup {
		return nil
	}
	found, ok := p.lookedUp[name]
	if !ok {
		if found = p.lookupCities(name); len(found) == 0 {
			return nil // most texts are no names, and the gazetteer is fast to say so
		}
		if p.lookedUp == nil {
			p.lookedUp = map[string][]City{}
		}
		p.lookedUp[name] = found
	}
	return found
}

// lookupCities is lookup without the cache.
func (p *page) lookupCities(name string) []City {
	found := onlyCities(p.cities(name))
	if short := strings.TrimSuffix(name, " City"); len(found) == 0 && short != name {
		found = onlyCities(p.cities(short))
	}
	if len(found) == 0 {
		if a, b, ok := strings.Cut(name, "-"); ok {
			found = sameCountry(onlyCities(p.cities(a)), onlyCities(p.cities(b)))
		}
	}
	return found[:min(len(found), maxNamesakes)]
}

// sameCountry returns those of first that are in the same region of a country as one of others.
// "Bolzano-Bozen" is one city with two names.
func sameCountry(first, others []City) []City {
	var out []City
	for _, c := range first[:min(len(first), maxNamesakes)] {
		if slices.ContainsFunc(others, func(o City) bool { return o.Country == c.Country && o.Region == c.Region }) {
			out = append(out, c)
		}
	}
	return out
}

// onlyCities returns cs without the divisions, which are at its end.
func onlyCities(cs []City) []City {
	for len(cs) > 0 && cs[len(cs)-1].Population == 0 {
		cs = cs[:len(cs)-1]
	}
	return cs
}

// isRegion reports whether a name is that of a first-level division of the country with the given code.
func (p *page) isRegion(name, code string) bool {
	if p.cities == nil || len(name) > maxNameLookup {
		return false
	}
	cs := p.cities(name)
	return slices.ContainsFunc(cs[len(onlyCities(cs)):], func(c City) bool { return c.Country == code })
}

// cityIn returns the largest city with a name in region r, and whether there is one.
func (p *page) cityIn(name string, r region) (City, bool) {
	for _, c := range p.citiesNamed(name) {
		if (c.Country == r.code || r.code == "CN" && (c.Country == "HK" || c.Country == "MO")) && (r.state == "" || sameRegion(c.Region, r.state)) {
			return c, true
		}
	}
	return City{}, false
}

// inRegion returns the largest city with a name in a named region, such as a state or province. The region
// is in the country with the given code, or in any country if code is "".
func (p *page) inRegion(name, regionName, code string) (City, bool) {
	for _, c := range p.citiesNamed(name) {
		if (code == "" || c.Country == code) && sameRegion(c.Region, regionName) {
			return c, true
		}
	}
	return City{}, false
}

// sameRegion reports whether two names mean the same region, with or without words such as "Province". It
// is false for "".
func sameRegion(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return strings.EqualFold(bareRegion(a), bareRegion(b))
}

var bareRegion = func() func(string) string {
	r := strings.NewReplacer(" Province", "", " Oblast", "", " Prefecture", "", " Sheng", "", " District", "", " Region", "", " County", "", "-do", "", "'", "", "’", "", "é", "e", "á", "a", "í", "i", "ã", "a", "ó", "o", "ô", "o", "ü", "u", "ö", "o")
	return func(s string) string { return strings.TrimSpace(r.Replace(strings.TrimPrefix(s, "State of "))) }
}()

// lookupUnambiguous reports whether a name alone is enough to recognise a city. It also returns the code of its
// country, and its region, if no other city of that name makes them doubtful; otherwise "".
func (p *page) lookupUnambiguous(name string) (code, regionName string, ok bool) {
	found := p.citiesNamed(name)
	if len(found) == 0 || !commonCities[name] && (found[0].Word || found[0].Population < minCity) {
		return "", "", commonCities[name]
	}
	abroad, elsewhere := 0, 0
	for _, c := range found[1:] {
		if c.Country != found[0].Country {
			abroad += c.Population
		} else if c.Region != found[0].Region {
			elsewhere += c.Population
		}
	}
	if found[0].Population < dominance*abroad {
		return "", "", true
	}
	if found[0].Population < dominance*elsewhere {
		return found[0].Country, "", true
	}
	return found[0].Country, found[0].Region, true
}

// isSmallCity reports whether no city of that name has a population of isSmallCity.
func (p *page) isSmallCity(name string) bool {
	found := p.citiesNamed(name)
	return !commonCities[name] && (len(found) == 0 || found[0].Population < smallCity)
}
