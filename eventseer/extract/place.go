package extract

import (
	"strings"
	"unicode"

	"github.com/biter777/countries"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/internal/text"
)

// maxPlaceBlock is the maximum length, in bytes, of a block that is read as a place.
const maxPlaceBlock = 200

// A region is a country, or a state or province with its country.
type region struct {
	country, code string
	state         string // "" for a country
}

// countryAliases maps names in calls, in lower case, to country codes. They are names that package
// countries does not know, and the short names in records.
var countryAliases = map[string]string{
	"usa": "US", "u.s.a.": "US", "u.s.a": "US", "u.s.": "US", "us": "US", "u. s. a.": "US", "united states": "US", "united states of america": "US", "the united states": "US",
	"uk": "GB", "u.k.": "GB", "united kingdom": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "northern ireland": "GB", "great britain": "GB",
	"the netherlands": "NL", "netherlands": "NL", "holland": "NL", "nederland": "NL",
	"korea": "KR", "south korea": "KR", "republic of korea": "KR", "korea (south)": "KR", "p.r. china": "CN", "pr china": "CN", "p. r. china": "CN", "people's republic of china": "CN", "mainland china": "CN", "中国": "CN", "中國": "CN",
	"czech republic": "CZ", "czechia": "CZ", "russia": "RU", "vietnam": "VN", "viet nam": "VN", "taiwan": "TW", "台灣": "TW", "臺灣": "TW", "hong kong": "HK", "hong kong sar": "HK", "hksar": "HK", "macau sar": "MO", "macao sar": "MO", "macau": "MO", "macao": "MO",
	"uae": "AE", "u.a.e.": "AE", "türkiye": "TR", "turkiye": "TR", "turkey": "TR", "deutschland": "DE", "österreich": "AT", "schweiz": "CH", "suisse": "CH", "italia": "IT", "españa": "ES", "brasil": "BR", "méxico": "MX", "mexico": "MX", "perú": "PE",
	"россия": "RU", "україна": "UA", "беларусь": "BY", "българия": "BG", "србија": "RS", "ελλάδα": "GR", "ελλάς": "GR", "κύπρος": "CY", "الجزائر": "DZ", "المغرب": "MA", "تونس": "TN", "مصر": "EG", "ישראל": "IL", "ایران": "IR", "भारत": "IN", "ประเทศไทย": "TH", "việt nam": "VN",
	"germania": "DE", "allemagne": "DE", "alemania": "DE", "alemanha": "DE", "niemcy": "DE", "duitsland": "DE", "frankreich": "FR", "francia": "FR", "frança": "FR", "frankrijk": "FR", "spanien": "ES", "espagne": "ES", "espanha": "ES", "spagna": "ES", "italien": "IT", "italie": "IT", "itália": "IT", "vereinigtes königreich": "GB", "großbritannien": "GB", "royaume-uni": "GB", "reino unido": "GB", "regno unito": "GB", "états-unis": "US", "estados unidos": "US", "ee.uu.": "US", "eeuu": "US", "stati uniti": "US", "vereinigte staaten": "US", "suiza": "CH", "suíça": "CH", "svizzera": "CH", "belgien": "BE", "bélgica": "BE", "belgio": "BE", "niederlande": "NL", "pays-bas": "NL", "países bajos": "NL", "países baixos": "NL", "paesi bassi": "NL", "autriche": "AT", "polen": "PL", "pologne": "PL", "polonia": "PL", "tschechien": "CZ", "česko": "CZ", "česká republika": "CZ", "slovensko": "SK", "slovenija": "SI", "hrvatska": "HR", "magyarország": "HU", "ungarn": "HU", "românia": "RO", "suomi": "FI", "finnland": "FI", "schweden": "SE", "norwegen": "NO", "dänemark": "DK", "griechenland": "GR", "grèce": "GR", "japon": "JP", "japón": "JP", "japão": "JP", "chine": "CN", "canadá": "CA", "marruecos": "MA", "algérie": "DZ", "türkei": "TR", "turquie": "TR", "turquía": "TR", "república dominicana": "DO", "panamá": "PA", "eire": "IE", "éire": "IE",
	"日本": "JP", "한국": "KR", "대한민국": "KR", "belgique": "BE", "belgië": "BE", "danmark": "DK", "norge": "NO", "sverige": "SE", "polska": "PL", "méjico": "MX", "maroc": "MA", "tunisie": "TN", "ivory coast": "CI", "aotearoa new zealand": "NZ", "st. kitts": "KN", "iran": "IR", "syria": "SY", "bosnia": "BA", "bosnia and herzegovina": "BA", "north macedonia": "MK", "macedonia": "MK", "moldova": "MD", "bolivia": "BO", "venezuela": "VE", "tanzania": "TZ", "laos": "LA", "brunei": "BN", "puerto rico": "PR",
}

// shortNames maps country codes to the names in records if package countries has a longer one.
var shortNames = map[string]string{
	"US": "USA", "GB": "United Kingdom", "KR": "South Korea", "CZ": "Czech Republic", "RU": "Russia", "VN": "Vietnam", "TW": "Taiwan", "HK": "Hong Kong", "MO": "Macau", "AE": "United Arab Emirates", "TR": "Turkey", "IR": "Iran", "SY": "Syria", "BA": "Bosnia and Herzegovina", "MK": "North Macedonia", "MD": "Moldova", "BO": "Bolivia", "VE": "Venezuela", "TZ": "Tanzania", "LA": "Laos", "BN": "Brunei", "NL": "Netherlands", "CI": "Ivory Coast",
}

// states are the postal code and name of each state of the United States, provinces those of Canada.
const states = `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|FL Florida|HI Hawaii|HI Hawai'i|HI Hawai’i|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|DC District of Columbia|DC D.C.|DC Washington DC|DC Washington D.C.|DC DC`

const provinces = `AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland|NS Nova Scotia|ON Ontario|PE Prince Edward Island|QC Quebec|QC Québec|SK Saskatchewan`

// regions maps countries, states and provinces by name in lower case. Postal codes are keys in capitals
// after "=".
var regions = func() map[string]region {
	m := map[string]region{}
	for _, c := range countries.All() {
		if code := c.Alpha2(); len(code) == 2 {
			name := strings.TrimSuffix(c.String(), " (the)")
			m[strings.ToLower(name)] = region{country: countryName(code), code: code}
		}
	}
	for alias, code := range countryAliases {
		m[alias] = region{country: countryName(code), code: code}
	}
	for _, list := range []struct{ names, code string }{{states, "US"}, {provinces, "CA"}} {
		for _, s := range strings.Split(list.names, "|") {
			abbr, name, _ := strings.Cut(s, " ")
			r, other := m["="+abbr] // if a code has several names, records use the first
			if !other {
				r = region{country: countryName(list.code), code: list.code, state: name}
			}
			m[strings.ToLower(name)] = r
			m["="+abbr] = r // the code in capitals
		}
	}
	// The name Georgia usually means the country, but the code GA the state.
	m["=GA"] = region{country: "USA", code: "US", state: "Georgia"}
	return m
}()

// countryName returns the name in records of the country with an ISO 3166-1 alpha-2 code.
func countryName(code string) string {
	if s := shortNames[code]; s != "" {
		return s
	}
	return strings.TrimSuffix(countries.ByName(code).String(), " (the)")
}

// CountryName returns the name of a country as records use it, or "" for an invalid code. Readers of other
// sources than pages use it so that all records name countries alike.
func CountryName(code string) string {
	if !text.CountryNamed(code).IsValid() {
		return ""
	}
	return countryName(code)
}

// countryIn returns the region that a word or phrase names. ok is false if it names none.
func countryIn(s string) (region, bool) {
	if first, _, _ := strings.Cut(s, " "); !beginsRegion(first) {
		return region{}, false
	}
	s = strings.Trim(s, " ()[]|·•:;!")
	if r, ok := regions["="+strings.Trim(s, ".")]; ok {
		return r, true
	}
	s = strings.ToLower(s)
	if r, ok := regions[s]; ok {
		return r, true
	}
	r, ok := regions[strings.TrimRight(s, ".")]
	return r, ok
}

// regionHeads are the first words of the keys of regions, in the form of regionHead.
var regionHeads = func() map[string]bool {
	heads := map[string]bool{}
	for name := range regions {
		first, _, _ := strings.Cut(strings.TrimPrefix(name, "="), " ")
		heads[regionHead(first)] = true
	}
	return heads
}()

// regionHead returns a word in lower case without the punctuation that countryIn ignores.
func regionHead(w string) string { return strings.ToLower(strings.Trim(w, "()[]|·•:;!.")) }

// beginsRegion reports whether countryIn may accept a phrase that begins with w. It is a fast check.
func beginsRegion(w string) bool {
	var buf [24]byte
	if low, ok := appendLowerWord(buf[:0], w); ok {
		return regionHeads[string(low)]
	}
	head := regionHead(w)
	return head == "" || regionHeads[head]
}

// appendLowerWord appends a word of ASCII letters to b, in lower case. ok is false for any other text, and if
// the capacity of b is too small.
func appendLowerWord(b []byte, w string) (low []byte, ok bool) {
	if w == "" || len(w) > cap(b)-len(b) {
		return b, false
	}
	for i := range len(w) {
		c := w[i] | 0x20
		if c < 'a' || c > 'z' {
			return b, false
		}
		b = append(b, c)
	}
	return b, true
}

// placeIn returns the first place of the form "City, Country" in a text.
func placeIn(s string) (eventseer.Venue, bool) {
	parts := placeParts(s)
	for i := 1; i < len(parts); i++ {
		r, ok := regionAt(parts, i)
		if !ok {
			continue
		}
		city := cityOf(parts[i-1])
		if i >= 2 && provinceCode.MatchString(strings.TrimSpace(parts[i-1])) && cityOf(parts[i-2]) != "" {
			if r.state == "" {
				r.state = strings.TrimSpace(parts[i-1])
			}
			city = cityOf(parts[i-2])
		}
		if city == "" {
			continue
		}
		if capitalCity[strings.ToLower(strings.Trim(city, "."))] {
			return eventseer.Venue{City: "Washington DC", Region: regions["=DC"].state, Country: r.country, CountryCode: r.code}, true
		}
		if _, isRegion := countryIn(city); isRegion && !cityStates[strings.ToLower(city)] {
			if i < 2 || cityOf(parts[i-2]) == "" {
				continue
			}
			if p, _ := countryIn(city); p.state != "" || r.state == "" {
				r.state, city = city, cityOf(parts[i-2])
			}
		}
		if i >= 2 && strings.HasSuffix(strings.TrimSpace(parts[i-2]), " City") && cityOf(parts[i-2]) != "" {
			city = cityOf(parts[i-2])
		}
		return eventseer.Venue{City: city, Region: r.state, Country: r.country, CountryCode: r.code}, true
	}
	return eventseer.Venue{}, false
}

// namesPlace reports whether a text contains a place of the form "City, Country".
func namesPlace(s string) bool {
	_, ok := placeIn(s)
	return ok
}

// placeParts splits a text at dates and at separators of addresses.
func placeParts(s string) []string {
	return strings.FieldsFunc(withoutDates(cutToBytes(s, maxBlockBytes)), func(r rune) bool {
		isLetter := r|0x20 >= 'a' && r|0x20 <= 'z' // a fast path: most runes are not separators
		return !isLetter && r != ' ' && strings.ContainsRune(",;|·•()[]/–—─:\n、，。@", r)
	})
}

// capitalCity are spellings of Washington with its district, in lower case.
var capitalCity = map[string]bool{"washington dc": true, "washington d.c": true}

// provinceCode matches the code of a province between a city and a country: "Recife, PE, Brazil".
var provinceCode = compilePattern(`^[A-Z]{2,3}$`)

var cityStates = map[string]bool{"singapore": true, "luxembourg": true, "monaco": true, "hong kong": true, "macau": true, "macao": true, "new york": true, "washington": true, "quebec": true, "québec": true, "mexico": true, "panama": true}

// regionAt returns the region at parts[i], considering the country that may follow a state.
func regionAt(parts []string, i int) (region, bool) {
	text := strings.TrimSpace(parts[i])
	if i+1 < len(parts) && strings.EqualFold(text, "Georgia") {
		if c, ok := countryIn(parts[i+1]); ok && c.code == "US" {
			return regions["=GA"], true
		}
	}
	r, ok := countryIn(text)
	if !ok {
		r, ok = regionAtStartOfPhrase(text)
	}
	if !ok {
		return r, false
	}
	if r.state != "" && i+1 < len(parts) {
		if c, ok := countryIn(parts[i+1]); ok && c.state == "" && c.code != r.code {
			return region{}, false // the state of that name is not meant
		}
	}
	return r, true
}

// regionAtStartOfPhrase returns the region at the start of a longer phrase: "France on …".
func regionAtStartOfPhrase(s string) (region, bool) {
	words := strings.Fields(cutToBytes(s, maxPlaceBlock))
	for n := min(maxRegionWords, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		if n == 1 && strings.ToUpper(name) != name && !unicode.IsUpper([]rune(name)[0]) {
			break
		}
		if r, ok := countryIn(name); ok {
			return r, true
		}
	}
	return region{}, false
}

const maxRegionWords = 4

// withoutDates returns a text with spaces instead of dates, so that "Vienna, May 3" ends with the city.
func withoutDates(s string) string { return blankDates(s, date.Read(s, "en")) }

// blankDates returns a text of the same length with spaces instead of dates, and a bar at the start of each.
func blankDates(s string, dates []date.Span) string {
	if len(dates) == 0 {
		return s
	}
	b := []byte(s)
	for _, d := range dates {
		for i := d.Start; i < d.End; i++ {
			b[i] = ' '
		}
		b[d.Start] = '|'
	}
	return string(b)
}

const maxCityWords = 4

var notCity = compilePattern(`(?i)\b(university|univers\p{L}*|institute|college|school|department|hotel|cent(er|re)|hall|campus|street|avenue|road|library|conference|workshop|symposium|committee|academy|laborator\w+|research|inc|ltd|corp\w*|faculty|museum|room|building|park|session|chair|track|microsoft|google|ibm|lab|labs|call|papers|topics|dates?|online|virtual|hybrid|usa|society|association|press|science|technology|open|international|national|springer|email|contact|education|medicine|arts?|congress|central|recognition|conjunction|person)\b`)

var cityLead = compilePattern(`(?i)^.*\b(in|at|near|from|of|to|the city of|city of|en|à|a|em|location|venue|where|place)\s+`)

// cityOf returns the name of a city at the end of a phrase. It consists of capitalised words without digits
// and is not part of an institution's name. It is "" if there is none.
func cityOf(s string) string {
	s = withoutCodes(strings.Trim(s, " .-\u00a0\t\"'“”"))
	if last := s[strings.LastIndexByte(s, ' ')+1:]; !smallCityWords[last] {
		if r := firstRune(last); !unicode.IsUpper(r) && !isIdeograph(r) {
			return "" // most phrases are rejected here, since a name does not end in lower case
		}
	}
	if m := cityLead.FindStringIndex(s); m != nil {
		s = s[m[1]:]
	}
	s = withoutCodes(s)
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > maxCityWords || len(s) > 40 || notCity.MatchString(s) || strings.ContainsAny(s, "0123456789@&+?!*\"\ufffd") {
		return ""
	}
	for i, w := range words {
		r := firstRune(w)
		if isIdeograph(r) {
			continue
		}
		if !unicode.IsUpper(r) && (i == 0 || !smallCityWords[w]) {
			return ""
		}
	}
	if len(words) == 1 && len(s) > 3 && !isIdeograph(firstRune(s)) {
		s = withInitialCapitals(s)
	}
	return s
}

// withoutCodes returns a name without postal codes at its ends: "A-1010 Vienna".
func withoutCodes(s string) string {
	for {
		first, rest, more := strings.Cut(s, " ")
		if !more || !strings.ContainsAny(first, "0123456789") {
			break
		}
		s = strings.TrimLeft(rest, " -")
	}
	for {
		i := strings.LastIndexByte(s, ' ')
		if i < 0 || !strings.ContainsAny(s[i:], "0123456789") {
			return s
		}
		s = strings.TrimRight(s[:i], " -")
	}
}

var smallCityWords = wordSet("de del la do da dos das of am an der upon sur le les en di al el the and i y")
