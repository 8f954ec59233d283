package extract

import (
	"strings"
)

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
func (p *page) isCity(s string) bool {
	_, _, ok := p.lookupUnambiguous(s)
	return ok
}

// knownCity returns a known city that is separate in a text: between punctuation, after a year or after
// "in". It returns "" for none.
func (p *page) knownCity(s string) string {
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
