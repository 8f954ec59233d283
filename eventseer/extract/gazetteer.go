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
func (p *placeReader) citiesNamed(name string) []City {
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
func (p *placeReader) lookupCities(name string) []City {
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
func (p *placeReader) isRegion(name, code string) bool {
	if p.cities == nil || len(name) > maxNameLookup {
		return false
	}
	cs := p.cities(name)
	return slices.ContainsFunc(cs[len(onlyCities(cs)):], func(c City) bool { return c.Country == code })
}

// cityIn returns the largest city with a name in region r, and whether there is one.
func (p *placeReader) cityIn(name string, r region) (City, bool) {
	for _, c := range p.citiesNamed(name) {
		if (c.Country == r.code || r.code == "CN" && (c.Country == "HK" || c.Country == "MO")) && (r.state == "" || sameRegion(c.Region, r.state)) {
			return c, true
		}
	}
	return City{}, false
}

// inRegion returns the largest city with a name in a named region, such as a state or province. The region
// is in the country with the given code, or in any country if code is "".
func (p *placeReader) inRegion(name, regionName, code string) (City, bool) {
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
func (p *placeReader) lookupUnambiguous(name string) (code, regionName string, ok bool) {
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

// isSmallCity reports whether no city of that name has a population of at least smallCity.
func (p *placeReader) isSmallCity(name string) bool {
	found := p.citiesNamed(name)
	return !commonCities[name] && (len(found) == 0 || found[0].Population < smallCity)
}

// cityNames are cities that calls often name without their country. The list decides that a separate word
// is a city, but not in which country.
const cityNames = `Aachen|Aarhus|Abu Dhabi|Adelaide|Amsterdam|Ann Arbor|Antwerp|Athens|Atlanta|Auckland|Austin|Baltimore|Bangalore|Bangkok|Barcelona|Basel|Beijing|Belfast|Belgrade|Bergen|Berkeley|Berlin|Bern|Bilbao|Birmingham|Bochum|Bogotá|Bologna|Bordeaux|Boston|Boulder|Bremen|Brighton|Brisbane|Bristol|Brno|Brussels|Bucharest|Budapest|Buenos Aires|Busan|Cairo|Calgary|Cambridge|Canberra|Cape Town|Cardiff|Chengdu|Chennai|Chicago|Cologne|Copenhagen|Coimbra|Cork|Dagstuhl|Dallas|Darmstadt|Delft|Denver|Detroit|Doha|Dortmund|Dresden|Dubai|Dublin|Dubrovnik|Durham|Düsseldorf|Edinburgh|Eindhoven|Espoo|Florence|Florianópolis|Frankfurt|Freiburg|Funchal|Gdańsk|Geneva|Genoa|Genova|Ghent|Glasgow|Göttingen|Gothenburg|Granada|Graz|Grenoble|Groningen|Guangzhou|Haifa|Hamburg|Hangzhou|Hannover|Hanoi|Heidelberg|Helsinki|Heraklion|Hiroshima|Hong Kong|Honolulu|Houston|Hyderabad|Innsbruck|Istanbul|İstanbul|Izmir|Jakarta|Jeju|Jena|Jerusalem|Karlsruhe|Kassel|Kraków|Krakow|Kuala Lumpur|Kyiv|Kyoto|La Rochelle|Lancaster|Las Vegas|Lausanne|Leeds|Leiden|Leipzig|Leuven|Liège|Lille|Lima|Limassol|Linköping|Linz|Lisbon|Lisboa|Liverpool|Ljubljana|London|Los Angeles|Lugano|Lund|Luxembourg|Lyon|Macau|Madeira|Madison|Madrid|Magdeburg|Málaga|Malaga|Manchester|Manila|Mannheim|Marrakech|Marseille|Melbourne|Memphis|Miami|Milan|Milano|Minneapolis|Montevideo|Montpellier|Montréal|Montreal|Moscow|Mumbai|München|Munich|Münster|Nagoya|Nancy|Nanjing|Nantes|Naples|Nara|New Delhi|New Orleans|New York|New York City|Newcastle|Nice|Nicosia|Nottingham|Novi Sad|Oldenburg|Orlando|Osaka|Oslo|Ottawa|Oulu|Oxford|Paderborn|Padova|Palermo|Palo Alto|Paris|Passau|Perth|Philadelphia|Phoenix|Pisa|Pittsburgh|Porto|Porto Alegre|Portland|Potsdam|Poznań|Prague|Praha|Pretoria|Princeton|Providence|Québec|Quebec City|Recife|Rennes|Reykjavik|Riga|Rio de Janeiro|Rome|Roma|Rotterdam|Saarbrücken|Salamanca|Salt Lake City|Salvador|Salzburg|San Diego|San Francisco|San Jose|San Juan|Santa Barbara|Santa Cruz|Santa Fe|Santiago|Santiago de Chile|São Paulo|Sarajevo|Seattle|Seoul|Seville|Sevilla|Shanghai|Sheffield|Shenzhen|Singapore|Skopje|Sofia|Southampton|Split|St Andrews|Stanford|Stockholm|Strasbourg|Stuttgart|Sydney|Taipei|Tallinn|Tampere|Tartu|Tel Aviv|Thessaloniki|Tianjin|Tokyo|Toronto|Toulouse|Trento|Trieste|Trondheim|Tübingen|Tunis|Turin|Torino|Turku|Twente|Ulm|Uppsala|Utrecht|Valencia|Valletta|Vancouver|Venice|Verona|Vienna|Wien|Vilnius|Warsaw|Washington DC|Waterloo|Wellington|Wrocław|Wuhan|Würzburg|Xi'an|Yokohama|York|Zagreb|Zaragoza|Zurich|Zürich|北京|上海|天津|广州|深圳|南京|杭州|武汉|成都|西安|香港|台北|臺北|台中|臺中|高雄|東京|京都|大阪|名古屋|札幌|福岡|横浜|서울|부산|대전|제주도|제주|광주`

var commonCities = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Split(cityNames, "|") {
		m[name] = true
	}
	return m
}()

// isCity reports whether s is the name of a city that is known without its country.
func (p *placeReader) isCity(s string) bool {
	_, _, ok := p.lookupUnambiguous(s)
	return ok
}

// knownCity returns a known city that is separate in a text: between punctuation, after a year or after
// "in". It returns "" for none.
func (p *placeReader) knownCity(s string) string {
	for _, part := range placeParts(s) {
		part = strings.Trim(part, " .!\u00a0")
		if p.isCity(part) {
			return part
		}
		if m := cityAfterIn.FindStringSubmatch(part); m != nil && p.isCity(m[1]) {
			return m[1]
		}
		if r := []rune(part); len(r) > 1 && isIdeograph(r[0]) {
			for n := min(3, len(r)); n > 1; n-- {
				if commonCities[string(r[:n])] {
					return string(r[:n])
				}
			}
		}
	}
	return ""
}

// cityAfterIn matches a name after "in" or a year at the end of a text; group 1 is the name.
var cityAfterIn = compilePattern(`^(?:.*\s)?(?:[Ii]n|[Aa]t|IN|(?:19|20)\d\d)(?: the)?(?: \p{Ll}+)?(?: city of)? ` + cityName + `$`)

const cityName = `([\p{Lu}][\p{L}'’-]+(?: [\p{Lu}][\p{L}'’-]+){0,2})`
