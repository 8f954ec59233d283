package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/biter777/countries"
)

// PlaceKeys are the normalized names by which city:, country: and where: match a place.
type PlaceKeys struct {
	City, Country, Where []string
}

// maxKeyWords is the maximum number of words in a part of a name that is a separate key.
const maxKeyWords = 4

// MakePlaceKeys returns the keys of a place. They are all runs of words of its city, region and
// country ("new york" and "york" of New York), the country's code, its continent, "eu", and
// "online", "hybrid" or "onsite". A nil place has no keys.
func MakePlaceKeys(v *eventseer.Venue) PlaceKeys {
	if v == nil {
		return PlaceKeys{}
	}
	var k PlaceKeys
	k.City = wordRuns(v.City)
	k.Country = wordRuns(v.Country)
	if code := CountryCode(v); code != "" {
		k.Country = append(k.Country, strings.ToLower(code))
		if c := continentOf(code); c != "" {
			k.Where = append(k.Where, c)
		}
		if slices.Contains(euCountries, code) {
			k.Where = append(k.Where, "eu")
		}
	}
	k.Where = append(k.Where, AttendanceKeys(v)...)
	k.Where = append(k.Where, k.City...)
	k.Where = append(k.Where, wordRuns(v.Region)...)
	k.Where = append(k.Where, k.Country...)
	if v.City != "" && v.Country != "" {
		k.Where = append(k.Where, text.FoldForComparison(v.City+" "+v.Country))
	}
	return k
}

// AttendanceKeys returns the modes of attendance: "online", "hybrid" or "onsite".
func AttendanceKeys(v *eventseer.Venue) (keys []string) {
	if v == nil {
		return nil
	}
	if v.Online || v.Hybrid {
		keys = append(keys, "online")
	}
	if v.Hybrid {
		keys = append(keys, "hybrid")
	}
	if v.Hybrid || !v.Online && (v.City != "" || v.Country != "" || v.CountryCode != "") {
		keys = append(keys, "onsite")
	}
	return keys
}

// wordRuns returns all runs of up to maxKeyWords words of a name, and the name.
func wordRuns(name string) (keys []string) {
	words := strings.Fields(text.FoldForComparison(text.CutName(name)))
	words = words[:min(len(words), 12)]
	for i := range words {
		for j := i + 1; j <= min(i+maxKeyWords, len(words)); j++ {
			keys = append(keys, strings.Join(words[i:j], " "))
		}
	}
	if len(words) > maxKeyWords {
		keys = append(keys, strings.Join(words, " "))
	}
	return keys
}

// CountryCode returns the ISO 3166-1 alpha-2 code of a place's country, "" if it is unknown. If the
// record has no code, it is derived from the country's name.
func CountryCode(v *eventseer.Venue) string {
	if v == nil {
		return ""
	}
	if len(v.CountryCode) == 2 {
		return strings.ToUpper(v.CountryCode)
	}
	return codeOfCountry(v.Country)
}

func codeOfCountry(name string) string {
	if c := text.CountryNamed(text.CutName(name)); c != countries.Unknown {
		return c.Alpha2()
	}
	return ""
}

// continentOf returns the normalized name of the continent of a country code, "" if the code is
// invalid.
func continentOf(code string) string {
	c := text.CountryNamed(code)
	if c == countries.Unknown {
		return ""
	}
	if c == countries.CYP { // a member of the European Union, and usually counted as Europe
		return "europe"
	}
	return text.FoldForComparison(c.Region().String())
}

// euCountries are the members of the European Union, by ISO 3166-1 alpha-2.
var euCountries = strings.Fields("AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE")

// A Region is a value of where:, a part of the world or a mode of attendance.
type Region struct{ Key, Name string }

// Regions returns the regions that where: accepts, each a value of the facet.
func Regions() []Region {
	return []Region{
		{"online", "Online"}, {"hybrid", "Hybrid"}, {"onsite", "In person"},
		{"europe", "Europe"}, {"eu", "European Union"}, {"asia", "Asia"}, {"africa", "Africa"},
		{"north america", "North America"}, {"south america", "South America"}, {"oceania", "Oceania"}, {"antarctica", "Antarctica"},
	}
}

// firstPlace is the index of the first of Regions that is a part of the world.
const firstPlace = 3

var regionAliases = map[string]string{
	"european union": "eu", "virtual": "online", "on site": "onsite", "in person": "onsite", "inperson": "onsite", "australia and oceania": "oceania",
}

// maxPlaceWords is the maximum number of words of a name that are searched together.
const maxPlaceWords = 3

// isPlain reports whether a term is words of any field, as typed.
func (t Term) isPlain() bool { return t.Field == "" && t.Near == 0 }

// placeTerm returns the term for the place named by a text. It must be a part of the world, or a
// country with a name of at least four letters, because codes and short names are also words.
func placeTerm(name string) (t Term, ok bool) {
	key := text.FoldForComparison(name)
	if alias := regionAliases[key]; alias != "" {
		key = alias
	}
	switch i := slices.IndexFunc(Regions(), func(r Region) bool { return r.Key == key }); {
	case i >= firstPlace:
		return Term{Field: "where", Op: ":", Text: key}, true
	case i < 0 && len([]rune(key)) >= 4 && !strings.ContainsFunc(name, unicode.IsDigit) && isPlace(continentOf(codeOfCountry(name))):
		return Term{Field: "country", Op: ":", Text: name}, true
	}
	return t, false
}

// isPlace reports whether a key is that of a part of the world. Names such as "international" have
// a code but no place.
func isPlace(key string) bool {
	return slices.ContainsFunc(Regions()[firstPlace:], func(r Region) bool { return r.Key == key })
}

// withPlaces adds to each clause that names a place the calls there as an alternative: "europe"
// finds calls in Norway. A name may consist of several one-word clauses, which become one.
func withPlaces(clauses [][]Term) (out [][]Term) {
	for i := 0; i < len(clauses); i++ {
		clause := clauses[i]
		for n := min(maxPlaceWords, len(clauses)-i); n > 1; n-- {
			if name, ok := joinAsPhrase(clauses[i : i+n]); ok {
				if place, ok := placeTerm(name.Text); ok {
					place.Pos, clause = name.Pos, []Term{name, place}
					i += n - 1
					break
				}
			}
		}
		var places []Term
		for _, t := range clause {
			if place, ok := placeTerm(t.Text); ok && t.isPlain() {
				place.Pos = t.Pos
				places = append(places, place)
			}
		}
		if len(places) > 0 && !slices.ContainsFunc(clause, Term.IsFact) {
			clause = append(slices.Clone(clause), places...)
		}
		out = append(out, clause)
	}
	return out
}

// joinAsPhrase returns clauses of one plain word each as a phrase.
func joinAsPhrase(clauses [][]Term) (t Term, ok bool) {
	var words []string
	for _, c := range clauses {
		if len(c) != 1 || !c[0].isPlain() || c[0].Phrase {
			return t, false
		}
		words = append(words, c[0].Text)
	}
	return Term{Text: strings.Join(words, " "), Phrase: true, Pos: clauses[0][0].Pos}, true
}

// Modes returns the modes of attendance, each a value of the facet mode.
func Modes() []Region { return Regions()[:firstPlace] }

func modeKeys() (keys []string) {
	for _, m := range Modes() {
		keys = append(keys, m.Key)
	}
	return keys
}

// readMode reads a mode of attendance.
func readMode(op, name string) (string, string, error) {
	key := text.FoldForComparison(name)
	key = cmp.Or(regionAliases[key], key)
	if !slices.Contains(modeKeys(), key) {
		return "", "", fmt.Errorf("needs one of %s", strings.Join(modeKeys(), ", "))
	}
	return op, key, nil
}

// placeTest returns the keys of which a place must have at least one for a value of city:, country:
// or where:.
func placeTest(field, value string) (keys []string) {
	key := text.FoldForComparison(value)
	if alias, ok := regionAliases[key]; ok && field == "where" {
		key = alias
	}
	keys = []string{key}
	if field != "city" {
		if code := strings.ToLower(codeOfCountry(value)); code != "" && code != key {
			keys = append(keys, code)
		}
	}
	return keys
}

func hasAny(keys, of []string) bool {
	return slices.ContainsFunc(of, func(k string) bool { return slices.Contains(keys, k) })
}
