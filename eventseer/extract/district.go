package extract

import (
	"strings"
)

// district maps the codes of countries that consist of one city to the city. The part of an address before
// them is a district.
var district = map[string]string{"HK": "Hong Kong", "MO": "Macau", "SG": "Singapore"}

// readCityState reads a place in a country that consists of one city. The state that the country belongs to may
// follow.
func (p *page) readCityState(parts []part, i int, city string, at, n int, r region) (placeMention, []int, bool) {
	v := r.venueIn(district[r.code])
	sp := placeMention{venue: v, form: cityConfirmed, from: parts[i].start, to: parts[i].start + n}
	used := []int{i}
	if strings.EqualFold(city, v.City) {
		sp.from, used = at, append(used, i-1)
	}
	if i+1 < len(parts) {
		if next, more, ok := regionAtStart(parts[i+1].text); ok && next.code == "CN" {
			sp.venue.Country, sp.venue.CountryCode = next.country, next.code
			sp.to, used = parts[i+1].start+more, append(used, i+1)
		}
	}
	return sp, used, true
}

// readWashington reads the capital of the United States with its district. The city is named as printed:
// "Washington, D.C.".
func (p *page) readWashington(parts []part, i int, city string, at int, r region) (placeMention, bool) {
	sp := placeMention{form: cityConfirmed, from: at, to: parts[i].end()}
	before, start := "", 0
	if i > 1 {
		before, start = cityAt(parts[i-2])
	}
	whole := strings.TrimRight(parts[i].text, ".")
	switch {
	case r.code != "US":
		return sp, false
	case capitalCity[strings.ToLower(whole)]:
		sp.venue.City, sp.from = whole, parts[i].start
	case capitalCity[strings.ToLower(strings.Trim(city, "."))]:
		sp.venue.City = city
		if strings.HasPrefix(parts[i-1].text[max(0, at-parts[i-1].start):], city+".") {
			sp.venue.City += "."
		}
	case strings.EqualFold(city, "Washington") && districtName.MatchString(parts[i].text):
		sp.venue.City = "Washington, " + parts[i].text
	case districtName.MatchString(parts[i-1].text) && strings.EqualFold(before, "Washington"):
		sp.venue.City, sp.from = "Washington, "+parts[i-1].text, start
	default:
		return sp, false
	}
	sp.venue.Region, sp.venue.Country, sp.venue.CountryCode = regions["=DC"].state, r.country, r.code
	return sp, true
}

var districtName = compilePattern(`^D\.? ?C\.?$`)
