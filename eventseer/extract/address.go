package extract

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
)

// readAddress reads "City, Country", "City, Region, Country" or "City, Region" that ends with part i. It
// returns the place, the indexes of the parts used, and whether there is one.
func (p *placeReader) readAddress(parts []part, i int) (placeMention, []int, bool) {
	if i == 0 {
		return placeMention{}, nil, false
	}
	if text := parts[i].text; !twoCapitals.MatchString(text) {
		if _, _, ok := regionAtStart(text); !ok { // most parts are rejected here by readRegion
			return p.readCityAndRegion(parts, i)
		}
	}
	city, at := p.cityAt(parts[i-1])
	city = strings.TrimSuffix(city, " SAR")
	r, n, ok := p.readRegion(parts, i, city)
	if !ok {
		return p.readCityAndRegion(parts, i)
	}
	end := parts[i].start + n
	used := []int{i - 1, i}
	if sp, ok := p.readWashington(parts, i, city, at, r); ok {
		return sp, append(used, i-2), true
	}
	if home := district[r.code]; home != "" {
		return p.readCityState(parts, i, city, at, n, r)
	}
	if i > 1 {
		farther, fartherAt := cityAt(parts[i-2])
		middle := parts[i-1].text
		if city == "" {
			middle = strings.Trim(middle, ".")
		}
		if name, isRegion := p.regionBetween(farther, middle, city, r); isRegion {
			r.state = name
			sp := placeMention{form: cityShaped, from: fartherAt, to: end}
			if _, known := p.cityIn(farther, region{code: r.code}); known {
				sp.form = cityConfirmed
			} else if within, at, ok := p.cityWithin(parts[i-2], region{code: r.code}); ok {
				farther, sp.form, sp.from = within, cityInNameWithCountry, at // "Hilton Austin, Texas, USA"
			} else if isPartOfInstitution(parts[i-2], fartherAt) {
				farther, sp.form, sp.from = "", countryOnly, parts[i-1].start
			}
			sp.venue = r.venueIn(farther)
			return sp, append(used, i-2), true
		}
		if _, there := p.cityIn(city, region{code: r.code}); farther == "" && !there && p.isRegion(middle, r.code) {
			if within, at, ok := p.cityWithin(parts[i-2], region{code: r.code}); ok { // "Convention Centre Kuching, Sarawak, Malaysia"
				r.state = middle
				return placeMention{venue: r.venueIn(within), form: cityInNameWithCountry, from: at, to: end}, append(used, i-2), true
			}
		}
		if c, there := p.cityIn(farther, region{code: r.code}); there && (parts[i-1].slash || strings.HasSuffix(farther, " City")) {
			r.state = cmp.Or(r.state, c.Region)
			return placeMention{venue: r.venueIn(farther), form: cityConfirmed, from: fartherAt, to: end}, append(used, i-2), true // "Boston / Cambridge, USA", "Lipa City, Batangas, Philippines"
		}
	}
	if city == "" || parts[i-1].inside {
		if i > 1 {
			if farther, at := p.cityAt(parts[i-2]); farther != "" {
				if c, known := p.cityIn(farther, r); known {
					r.state = cmp.Or(r.state, c.Region)
					return placeMention{venue: r.venueIn(farther), form: cityConfirmed, from: at, to: end}, append(used, i-2), true
				}
			}
		}
	}
	if city == "" {
		within, at, ok := p.cityWithin(parts[i-1], r)
		return placeMention{venue: r.venueIn(within), form: cityInNameWithCountry, from: at, to: end}, used, ok
	}
	if name, state, ok := splitState(city, r); ok {
		city, r = name, state
	}
	_, there := p.cityIn(city, r)
	if s, isRegion := countryIn(city); isRegion && !cityStates[strings.ToLower(city)] && !(there && s.code != r.code) {
		if s.state == "" || s.code != r.code {
			return placeMention{}, nil, false
		}
		s.state = cmp.Or(s.state, r.state)
		if i > 1 {
			if inside, ok := p.cityInInstitution(parts[i-2]); ok {
				if _, there := p.cityIn(inside.venue.City, s); there || len(p.citiesNamed(inside.venue.City)) == 0 {
					return placeMention{venue: s.venueIn(inside.venue.City), form: cityInNameWithCountry, from: inside.from, to: end}, append(used, i-2), true
				}
			}
		}
		return placeMention{venue: s.venueIn(""), form: countryOnly, from: at, to: end}, used, true
	}
	form := cityShaped
	if c, known := p.cityIn(city, r); known {
		form = cityConfirmed
		if r.state == "" {
			r.state = c.Region
		}
		if isPartOfInstitution(parts[i-1], at) {
			form = cityInNameWithCountry
		}
	} else if i > 1 && p.isKnownCity(parts[i-2], r) {
		city, at = p.cityAt(parts[i-2]) // "Rivertown, Sunny Coast, Norway"
		form, used = cityConfirmed, append(used, i-2)
	} else if known := longestEnd(city, func(s string) bool { _, ok := p.cityIn(s, r); return ok }); known != "" {
		at += len(city) - len(known)
		city, form = known, cityConfirmed
	} else if p.isRegion(city, r.code) {
		if r.state == "" {
			r.state = city
		}
		return placeMention{venue: r.venueIn(""), form: countryOnly, from: at, to: end}, used, true // "Kerala, India"
	} else if isPartOfInstitution(parts[i-1], at) || len(parts[i-1].text) <= maxShort && isAllCapitals(parts[i-1].text) && !isAllCapitals(parts[i].text[:n]) {
		return placeMention{}, nil, false
	}
	return placeMention{venue: r.venueIn(city), form: form, from: at, to: end}, used, true
}

// isPartOfInstitution reports whether the name at byte at is part of the name of an institution or building:
// "University of Oulu". at is an offset in the block.
func isPartOfInstitution(q part, at int) bool {
	before := q.text[:max(0, min(at-q.start, len(q.text)))]
	return strings.HasSuffix(before, "of ") && notCity.MatchString(before)
}

// isAllCapitals reports whether a text has capitals and no small letters: "CERN".
func isAllCapitals(s string) bool { return strings.ToUpper(s) == s && strings.ToLower(s) != s }

const maxShort = 6 // maximum bytes of a text in capitals that may be an acronym

// regionBetween reports whether the middle one of three parts is the region of the city in the first one,
// and not a city itself. It returns the region's name.
func (p *placeReader) regionBetween(first, middle, city string, r region) (string, bool) {
	if first == "" || r.state != "" && r.state != middle {
		return "", false
	}
	if s, ok := countryIn(middle); ok && s.state != "" && s.code == r.code {
		if _, known := p.cityIn(first, s); known || !cityStates[strings.ToLower(middle)] {
			return s.state, true
		}
		return "", false
	}
	if provinceCode.MatchString(middle) {
		if _, known := p.cityIn(first, region{code: r.code}); known || city == "" {
			return middle, true
		}
		return "", false
	}
	if c, known := p.inRegion(first, middle, r.code); known {
		if of, isCity := p.cityIn(city, region{code: r.code}); !isCity || of.Population < dominance*c.Population {
			return c.Region, true
		}
		return "", false
	}
	if _, known := p.cityIn(city, region{code: r.code}); !known && p.isRegion(middle, r.code) {
		return middle, true
	}
	return "", false
}

// readRegion reads the country or state at the start of part i and returns its length in bytes. The city
// before it decides between the meanings of a code.
func (p *placeReader) readRegion(parts []part, i int, city string) (region, int, bool) {
	text := parts[i].text
	if twoCapitals.MatchString(text) {
		return p.regionOfCode(text, city)
	}
	r, n, ok := regionAtStart(text)
	if !ok {
		return r, 0, false
	}
	if i+1 < len(parts) {
		next, _, more := regionAtStart(parts[i+1].text)
		if strings.EqualFold(text[:n], "Georgia") && more && next.code == "US" {
			return regions["=GA"], n, true
		}
		if r.state != "" && more && next.state == "" && next.code != r.code {
			return region{}, 0, false // the state of that name is not meant
		}
	}
	if strings.EqualFold(text[:n], "Georgia") {
		if _, there := p.cityIn(city, r); !there {
			if _, state := p.cityIn(city, regions["=GA"]); state {
				return regions["=GA"], n, true
			}
		}
	}
	return r, n, true
}

var twoCapitals = compilePattern(`^[A-Z]{2}\.?$`)

// regionOfCode reads two capitals as a state of the United States or Canada, a region of regionCodes, or a
// country. The city must be in it. It returns the length of the code in bytes.
func (p *placeReader) regionOfCode(text, city string) (region, int, bool) {
	code := strings.Trim(text, ".")
	r, isState := regions["="+code]
	if name := regionCodes[code]; name != "" && city != "" {
		if _, there := p.cityIn(city, r); !there || !isState {
			if c, ok := p.inRegion(city, name, ""); ok {
				return region{country: countryName(c.Country), code: c.Country, state: c.Region}, len(code), true
			}
		}
	}
	if !isState {
		r, isState = countryIn(code)
	}
	if isState {
		if _, there := p.cityIn(city, r); there || city == "" {
			return r, len(code), true
		}
	}
	if name := countryName(code); city != "" && name != "" && name != "Unknown" {
		c := region{country: name, code: code}
		if _, there := p.cityIn(city, c); there {
			return c, len(code), true
		}
	}
	if in, _, ok := p.lookupUnambiguous(city); r.state != "" && ok && in != "" && in != r.code {
		return region{}, 0, false // the code of a region elsewhere: "Recife, PE"
	}
	return r, len(code), isState
}

// regionCodes maps codes of regions outside North America to their names.
var regionCodes = map[string]string{
	"NSW": "New South Wales", "QLD": "Queensland", "VIC": "Victoria", "TAS": "Tasmania", "ACT": "Australian Capital Territory", "WA": "Western Australia", "SA": "South Australia",
	"SP": "São Paulo", "RJ": "Rio de Janeiro", "MG": "Minas Gerais", "RS": "Rio Grande do Sul", "PR": "Paraná", "SC": "Santa Catarina", "BA": "Bahia", "CE": "Ceará", "RN": "Rio Grande do Norte", "DF": "Federal District",
	"NRW": "North Rhine-Westphalia", "UP": "Uttar Pradesh", "MP": "Madhya Pradesh", "TN": "Tamil Nadu", "AP": "Andhra Pradesh",
}

// ownCity returns cityAt of q, which it keeps for the next call.
func (q *part) ownCity() (string, int) {
	if !q.cityRead {
		q.cityRead = true
		q.city, q.cityStart = cityAt(*q)
	}
	return q.city, q.cityStart
}

// readCityAndRegion reads a city and its region at part i if no country is printed. The country follows from
// the region.
func (p *placeReader) readCityAndRegion(parts []part, i int) (placeMention, []int, bool) {
	city, at := parts[i-1].ownCity()
	if city == "" {
		return placeMention{}, nil, false
	}
	name, _ := parts[i].ownCity()
	name = cmp.Or(regionCodes[name], name)
	if name == "" || strings.EqualFold(city, name) {
		return placeMention{}, nil, false
	}
	c, ok := p.inRegion(city, name, "")
	if !ok {
		return placeMention{}, nil, false
	}
	v := eventseer.Venue{City: city, Region: c.Region, Country: countryName(c.Country), CountryCode: c.Country}
	return placeMention{venue: v, form: cityConfirmed, from: at, to: parts[i].end(), inferred: "country from the region"}, []int{i - 1, i}, true
}

// readAddressWithoutSeparator reads a known city and its region without a separator, such as "Troy NY" or
// "Durham North Carolina USA".
func (p *placeReader) readAddressWithoutSeparator(parts []part, i int) (placeMention, []int, bool) {
	text := strings.TrimRight(parts[i].text, ".")
	if r, n, ok := readCountryAndCity(text); ok {
		return placeMention{venue: r.venueIn(text[n:]), form: cityConfirmed, from: parts[i].start, to: parts[i].start + len(text)}, []int{i}, len(p.citiesNamed(text[n:])) > 0
	}
	if !mayEndWithRegion(cutToBytes(text, maxBlockBytes)) {
		return placeMention{}, nil, false
	}
	words := strings.Fields(cutToBytes(text, maxBlockBytes))
	for n := min(maxRegionWords, len(words)-1); n > 0; n-- {
		if !beginsRegion(words[len(words)-n]) {
			continue
		}
		name := strings.Join(words[len(words)-n:], " ")
		r, ok := countryIn(name)
		if !ok || unicode.IsLower(firstRune(name)) {
			continue
		}
		rest := words[:len(words)-n]
		if s, isState := countryIn(rest[len(rest)-1]); isState && s.state != "" && s.code == r.code && len(rest) > 1 && r.state == "" {
			r.state, rest = s.state, rest[:len(rest)-1]
		}
		if n := len(rest) - 1; n > 0 && locative[rest[n]] {
			rest = rest[:n] // "Nice in France"
		}
		city, _ := cityAt(part{text: strings.Join(rest, " ")})
		known := longestEnd(city, func(name string) bool { _, ok := p.cityIn(name, r); return ok })
		at := strings.LastIndex(text, known)
		if known == "" || at < 0 {
			return placeMention{}, nil, false
		}
		if c, _ := p.cityIn(known, r); r.state == "" {
			r.state = c.Region
		}
		return placeMention{venue: r.venueIn(known), form: cityConfirmed, from: parts[i].start + at, to: parts[i].end()}, []int{i}, true
	}
	return placeMention{}, nil, false
}

// mayEndWithRegion reports whether one of the last words of a text, but not its first, may begin the name of
// a region. It is a fast check.
func mayEndWithRegion(s string) bool {
	for range maxRegionWords {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
		at := strings.LastIndexFunc(s, unicode.IsSpace)
		if at < 0 {
			return false
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		if beginsRegion(s[at+n:]) {
			return true
		}
		s = s[:at]
	}
	return false
}

// locative are words between a city and its country.
var locative = wordSet("in en in em nel nella")

// readCountryAndCity reads a country directly before a city: "中国天津". It returns the country and its length in
// bytes.
func readCountryAndCity(s string) (region, int, bool) {
	if !isIdeograph(firstRune(s)) || utf8.RuneCountInString(s) > 8 {
		return region{}, 0, false
	}
	for n := range s {
		if r, ok := countryIn(s[:n]); ok && n > 0 {
			return r, n, true
		}
	}
	return region{}, 0, false
}

// isKnownCity reports whether a part names a city of the region whose name is not also a common word.
func (p *placeReader) isKnownCity(q part, r region) bool {
	city, _ := p.cityAt(q)
	c, there := p.cityIn(city, r)
	return there && !c.Word
}

// splitState removes a state of the country from the end of a name: "Troy NY", "Halifax Nova Scotia". It
// returns the rest, the state, and whether there is one.
func splitState(name string, country region) (string, region, bool) {
	words := strings.Fields(name)
	for n := min(maxRegionWords, len(words)-1); n > 0 && country.state == ""; n-- {
		if s, ok := countryIn(strings.Join(words[len(words)-n:], " ")); ok && s.state != "" && s.code == country.code {
			return strings.Join(words[:len(words)-n], " "), s, true
		}
	}
	return name, country, false
}

// cityWithin finds a city of the region in the name of a building. It is at its end ("Concert Hall Lund"),
// at its start, or after "University of". It returns the city and its offset in the block.
func (p *placeReader) cityWithin(q part, r region) (string, int, bool) {
	if sp, ok := p.cityInInstitution(q); ok {
		if _, there := p.cityIn(sp.venue.City, r); there {
			return sp.venue.City, sp.from, true
		}
	}
	words := strings.Fields(cutToBytes(q.text, maxPlaceBlock))
	for n := min(maxCityWords, len(words)-1); n > 0; n-- {
		last, first := strings.Join(words[len(words)-n:], " "), strings.Join(words[:n], " ")
		if c, there := p.cityIn(last, r); there && c.Population >= minCity && strings.HasSuffix(q.text, last) {
			return last, q.end() - len(last), true
		}
		if c, there := p.cityIn(first, r); there && c.Population >= minCity && strings.HasPrefix(q.text, first) {
			return first, q.start, true
		}
	}
	return "", 0, false
}

// longestEnd returns the longest run of words at the end of s for which is returns true, or "".
func longestEnd(s string, is func(string) bool) string {
	for more := s != ""; more; _, s, more = strings.Cut(s, " ") {
		if is(s) {
			return s
		}
	}
	return ""
}

// cityAt is the function cityAt that also finds known cities with longer names.
func (p *placeReader) cityAt(q part) (string, int) {
	city, at := cityAt(q)
	if city == "" && len(p.citiesNamed(q.text)) > 0 && unicode.IsUpper(firstRune(q.text)) {
		return q.text, q.start
	}
	return city, at
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// cityAt returns the city that part q names, and its offset in the block; "" for none.
func cityAt(q part) (string, int) {
	city := cityOf(q.text)
	if city == "" {
		return "", 0
	}
	at := strings.LastIndex(q.text, city)
	if at < 0 { // printed in capitals
		at = max(0, strings.LastIndex(q.text, strings.ToUpper(city)))
	}
	return city, q.start + at
}

// district maps the codes of countries that consist of one city to the city. The part of an address before
// them is a district.
var district = map[string]string{"HK": "Hong Kong", "MO": "Macau", "SG": "Singapore"}

// readCityState reads a place in a country that consists of one city. The state that the country belongs to may
// follow.
func (p *placeReader) readCityState(parts []part, i int, city string, at, n int, r region) (placeMention, []int, bool) {
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
func (p *placeReader) readWashington(parts []part, i int, city string, at int, r region) (placeMention, bool) {
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
