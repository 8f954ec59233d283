package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
)

// A placeWording is the way in which a place is printed, in the order of increasing certainty.
type placeWording int

const (
	countryOnly           placeWording = iota // such as "in Austria"
	cityInName                                // a city in the name of a university
	cityAnywhere                              // a known city anywhere in the text
	citySeparate                              // a known city that is separate or after "in"
	cityInNameWithCountry                     // a city in the name of an institution, with its country: "University of Vienna, Austria"
	cityShaped                                // an unknown name with a country: "Xxx, Austria"
	cityConfirmed                             // a city known to be in the printed country: "Vienna, Austria"
)

// A placeMention is a place that a text names at bytes [from, to).
type placeMention struct {
	venue    eventseer.Venue
	form     placeWording
	from, to int
	small    bool // has a population below smallCity or an unknown one
	inferred string
}

// A part is a trimmed piece of a text between separators; start is its offset.
type part struct {
	text   string
	start  int
	inside bool // in parentheses
	slash  bool // after a slash

	cityRead  bool // city and cityStart are set, see ownCity
	city      string
	cityStart int
}

func (q part) end() int { return q.start + len(q.text) }

const (
	maxSpots = 40  // places read per text
	maxParts = 100 // parts read per text
)

// addressParts splits a text at dates and at separators of addresses.
func addressParts(s string) []part {
	var out []part
	start := 0
	add := func(end int) {
		text := s[start:end]
		left := strings.TrimLeft(text, " .\u00a0\t\"'“”!*_")
		trimmed := strings.TrimRight(left, " \u00a0\t\"'“”!*_")
		if strings.ContainsFunc(trimmed, unicode.IsLetter) { // a part without letters is a postal code and ignored
			out = append(out, part{text: trimmed, start: start + len(text) - len(left), inside: start > 0 && s[start-1] == '(', slash: start > 0 && s[start-1] == '/'})
		}
	}
	for i, r := range s {
		if r == ' ' || r|0x20 >= 'a' && r|0x20 <= 'z' { // a fast path: most runes are not separators
			continue
		}
		if len(out) >= maxParts {
			return out
		}
		if strings.ContainsRune(",;|·•()[]/–—─:\n、，。@！（）<>", r) || r == '-' && i > 0 && i+1 < len(s) && (s[i-1] == ' ' || s[i+1] == ' ') {
			add(i)
			start = i + utf8.RuneLen(r)
		} else if r == '-' && hasCodeAfterHyphen(s, i) {
			add(i)
			start = i + 1
		}
	}
	if len(out) < maxParts {
		add(len(s))
	}
	return out
}

// hasCodeAfterHyphen reports whether the hyphen at s[i] joins a name with the code of a region or a postal
// code: "Recife-PE", "Chennai-600036".
func hasCodeAfterHyphen(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if n := leadingDigits(s[i+1:]); n > 0 {
		return unicode.IsLetter(before) && n >= minPostalCode
	}
	if i == 0 || i+3 > len(s) || !isCapital(s[i+1]) || !isCapital(s[i+2]) {
		return false
	}
	behind, _ := utf8.DecodeRuneInString(s[i+3:])
	return unicode.IsLower(before) && !unicode.IsLetter(behind) && !unicode.IsDigit(behind) && behind != '-'
}

// minPostalCode is the minimum number of digits of a postal code that a hyphen joins to a city.
const minPostalCode = 4

// leadingDigits returns the number of digits at the start of s, at most minPostalCode.
func leadingDigits(s string) int {
	n := 0
	for n < min(len(s), minPostalCode) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func isCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

// placesNamedIn returns the places that a text names.
func (p *placeReader) placesNamedIn(s string) []placeMention {
	return p.placesNamedInUndated(withoutDates(strings.ToValidUTF8(cutToBytes(s, maxBlockBytes), " ")))
}

// placesNamedInUndated is placesNamedIn for a text whose dates are removed.
func (p *placeReader) placesNamedInUndated(s string) []placeMention {
	parts := addressParts(s)
	var out, countries []placeMention
	taken := map[int]bool{} // parts that are the city or region of a place
	for i := range parts {
		if len(out) >= maxSpots {
			break
		}
		for _, read := range []func(*placeReader, []part, int) (placeMention, []int, bool){(*placeReader).readAddress, (*placeReader).readAddressWithoutSeparator} {
			if sp, used, ok := read(p, parts, i); ok {
				if sp.form == cityInNameWithCountry { // the institution may be elsewhere in the country
					v := sp.venue
					v.City, v.Region = "", ""
					countries = append(countries, placeMention{venue: v, form: countryOnly, from: parts[i].start, to: sp.to})
				}
				out = joinPlaces(out, sp)
				for _, j := range used {
					taken[j] = true
				}
				break
			}
		}
	}
	addresses := out
	for i, q := range parts {
		if len(out) >= maxSpots {
			break
		}
		bare := p.citiesWithoutCountry(q)
		if taken[i] { // "Graz is two hours from London, UK" names two places
			bare = slices.DeleteFunc(bare, func(s placeMention) bool {
				return s.form == cityInName || slices.ContainsFunc(addresses, func(a placeMention) bool { return s.from < a.to && a.from < s.to })
			})
		}
		out = append(out, bare...)
	}
	for i, q := range parts {
		if !taken[i] && len(out) < maxSpots {
			countries = appendCountries(countries, q)
		}
	}
	for i := range out {
		out[i].venue.City = p.withoutCity(out[i].venue.City)
	}
	return append(out, countries[:min(len(countries), maxSpots)]...)
}

// withoutCity removes "City" from the name of a city that the gazetteer knows only without it: "Nagoya
// City". The word is kept if the rest is also the name of a country or region: "Luxembourg City".
func (p *placeReader) withoutCity(name string) string {
	short := strings.TrimSuffix(name, " City")
	if short == name || p.cities == nil || len(name) > maxNameLookup || len(onlyCities(p.cities(name))) > 0 || len(p.citiesNamed(short)) == 0 {
		return name
	}
	if _, isRegion := countryIn(short); isRegion {
		return name
	}
	return short
}

// appendCountries appends the countries named in a part: a country or state at its start, or countries in
// its runs of capitalised words.
func appendCountries(out []placeMention, q part) []placeMention {
	if r, n, ok := regionAtStart(q.text); ok && n > 3 {
		s := placeMention{venue: r.venueIn(""), form: countryOnly, from: q.start, to: q.start + n}
		if r.state != "" {
			s.inferred = "country from the region"
		}
		return append(out, s)
	}
	for _, run := range capitalRuns(q.text) {
		text := strings.TrimRight(q.text[run[0]:run[1]], ".-'’")
		words := strings.Fields(cutToBytes(text, maxPlaceBlock))
		for n := min(maxRegionWords, len(words)); n > 0; n-- {
			if !beginsRegion(words[len(words)-n]) {
				continue
			}
			name := strings.Join(words[len(words)-n:], " ")
			if len(name) < 4 || !strings.HasSuffix(text, name) {
				continue
			}
			if r, ok := countryIn(name); ok && r.state == "" {
				end := q.start + run[0] + len(text)
				out = append(out, placeMention{venue: r.venueIn(""), form: countryOnly, from: end - len(name), to: end})
				break
			}
		}
	}
	return out
}

// joinPlaces appends a place to those before it. If it overlaps the last one, as "City, Region" and "City,
// Region, Country" do, only the better one is kept.
func joinPlaces(before []placeMention, s placeMention) []placeMention {
	n := len(before) - 1
	switch {
	case n < 0 || s.from >= before[n].to:
		return append(before, s)
	case s.from <= before[n].from || s.form > before[n].form:
		return append(before[:n], s)
	}
	before[n].to = max(before[n].to, s.to)
	return before
}

func (r region) venueIn(city string) eventseer.Venue {
	return eventseer.Venue{City: city, Region: r.state, Country: r.country, CountryCode: r.code}
}

// regionAtStart returns the region at the start of a phrase and its length in bytes. ok is false if there is
// none.
func regionAtStart(s string) (region, int, bool) {
	beginning := cutToBytes(s, maxPlaceBlock)
	for first := range strings.FieldsSeq(beginning) {
		if !beginsRegion(first) {
			return region{}, 0, false
		}
		break
	}
	words := strings.Fields(beginning)
	for n := min(maxRegionWords, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		if unicode.IsLower(firstRune(name)) && n == 1 {
			break
		}
		if name == "us" || name == "Us" {
			break // the pronoun
		}
		if r, ok := countryIn(name); ok && strings.HasPrefix(s, name) {
			return r, len(strings.TrimRight(name, ".!")), true
		}
	}
	return region{}, 0, false
}

// An invisibleText is text that a page does not display as text. It is the title element or the alternative
// text of a picture, which is often a banner. Metadata for programs is not read, since it often belongs to
// an earlier edition.
type invisibleText struct {
	text string
	path string // path of the element
	kind int    // invisibleTitle or invisiblePicture
}

// The kinds of text that is not visible. They are used as block numbers of mentions.
const (
	invisibleTitle   = -1
	invisiblePicture = -2
)

const (
	maxElement     = 400 // bytes read of a text that is not shown
	minPictureName = 8   // minimum bytes of a picture's text
	maxPictures    = 40  // pictures whose texts are read
)

// invisibleTexts returns the page's title element and the texts of its first pictures. Each is valid UTF-8
// of at most maxElement bytes.
func (p *placeReader) invisibleTexts() []invisibleText {
	var out []invisibleText
	add := func(s, path string, kind int) {
		if s = strings.TrimSpace(strings.ToValidUTF8(cutToBytes(s, maxElement), " ")); s != "" {
			out = append(out, invisibleText{s, path, kind})
		}
	}
	add(p.t.Title(), "html/head/title", invisibleTitle)
	for _, picture := range p.t.Pictures(maxPictures, minPictureName) {
		add(picture.Name, p.t.ElementPath(int(picture.Element)), invisiblePicture)
	}
	return out
}
