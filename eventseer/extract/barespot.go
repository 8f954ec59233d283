package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
)

// citiesWithoutCountry returns the cities in a part of a text that are known without their country.
func (p *placeReader) citiesWithoutCountry(q part) []placeMention {
	if isIdeograph(firstRune(q.text)) {
		return p.cityInUnspacedText(q)
	}
	var out []placeMention
	named, inName := p.cityInInstitution(q)
	if inName {
		out = append(out, named)
	}
	for _, run := range capitalRuns(q.text) {
		if sp, ok := p.cityInRun(q, run[0], run[1]); ok && !(inName && (sp.from < named.to && named.from < sp.to || sp.form != citySeparate)) {
			out = append(out, sp)
		}
	}
	return out
}

// cityInInstitution returns the city or country in the name of a university.
func (p *placeReader) cityInInstitution(q part) (placeMention, bool) {
	if !strings.Contains(q.text, "niver") && !mayNameInstitution(q.text) {
		return placeMention{}, false
	}
	m := institutionName.FindStringSubmatchIndex(q.text)
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		if sp, ok := p.cityWithoutCountry(q, m[g], m[g+1], cityInName); ok {
			return sp, true
		}
		if r, ok := countryIn(q.text[m[g]:m[g+1]]); ok && r.state == "" {
			return placeMention{venue: r.venueIn(""), form: countryOnly, from: q.start + m[g], to: q.start + m[g+1]}, true
		}
	}
	return placeMention{}, false
}

// institutionName matches the name of a university; group 1 or 2 is its city or country.
var institutionName = compilePattern(`\b(?:University of|Universit[äàé]t?|Université de|Universidad de|Università di|Universidade de|Hochschule|TU|ETH) ([\p{Lu}][\p{L}'’-]+)\b|\b([\p{Lu}][\p{L}'’-]+(?: [\p{Lu}][\p{L}'’-]+)?) (?:University|Universität|Institute of Technology)\b`)

// mayNameInstitution reports whether s contains a word of institutionName without "niver". It is a fast check.
func mayNameInstitution(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case 'H':
			if strings.HasPrefix(s[i:], "Hochschule") {
				return true
			}
		case 'T':
			if strings.HasPrefix(s[i:], "TU") || i > 0 && s[i-1] == 'E' && strings.HasPrefix(s[i:], "TH") {
				return true
			}
		case 'I':
			if strings.HasPrefix(s[i:], "Institute") {
				return true
			}
		}
	}
	return false
}

// capitalRuns finds names: words with capitals, joined by a space or hyphen, with at most two small words
// between them. It returns at most maxSpots of them as pairs of offsets.
func capitalRuns(s string) [][2]int {
	var out [][2]int
	for i := 0; i < len(s) && len(out) < maxSpots; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsUpper(r) {
			i += n
			continue
		}
		end := capitalEnd(s, i)
		for next := end; next < len(s); {
			at := next
			for small := 0; ; small++ {
				if at >= len(s) || s[at] != ' ' && s[at] != '-' {
					at = len(s)
					break
				}
				at++
				if r, _ := utf8.DecodeRuneInString(s[at:]); unicode.IsUpper(r) {
					break
				}
				word := at
				for at < len(s) && s[at] != ' ' && s[at] != '-' && at-word <= maxSmallWord {
					at++
				}
				if small == 2 || s[word:at] == "and" || !smallCityWords[s[word:at]] {
					at = len(s)
					break
				}
			}
			if at == len(s) {
				break
			}
			end = capitalEnd(s, at)
			next = end
		}
		out = append(out, [2]int{i, end})
		i = end
	}
	return out
}

// maxSmallWord is the maximum length of a small word in a name, in bytes.
const maxSmallWord = 4

// capitalEnd returns the end of the word at s[i], including apostrophes, full stops and hyphens.
func capitalEnd(s string, i int) int {
	for k, r := range s[i:] {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’' && r != '.' && r != '-' {
			return i + k
		}
	}
	return len(s)
}

// cityInRun returns the known city in a run of capitalised words. It is the whole run, or its last or first
// words.
func (p *placeReader) cityInRun(q part, from, to int) (placeMention, bool) {
	text := strings.TrimRight(q.text[from:to], ".-'’")
	to = from + len(text)
	words := strings.TrimRight(cutToBytes(text, maxPlaceBlock), " ") // single spaces separate the words of a run
	count := strings.Count(words, " ") + 1
	for n := min(maxCityWords, count); n > 0 && words != ""; n-- {
		last := words[startOfLastWords(words, n):]
		if _, _, known := p.lookupUnambiguous(last); known && strings.HasSuffix(text, last) && !institutionAfter.MatchString(q.text[to:]) {
			if sp, ok := p.cityWithoutCountry(q, to-len(last), to, p.formOfBareName(q.text[:to-len(last)], q.text[to:])); ok {
				return sp, true
			}
		}
	}
	for n := min(maxCityWords, count-1); n > 0; n-- {
		first := words[:startOfLastWords(words, count-n)-1]
		if _, _, known := p.lookupUnambiguous(first); known && strings.HasPrefix(text, first) && !institutionAfter.MatchString(text[len(first):]) {
			if sp, ok := p.cityWithoutCountry(q, from, from+len(first), cityAnywhere); ok {
				return sp, true
			}
		}
	}
	return placeMention{}, false
}

// startOfLastWords returns the byte at which the last n words of s begin. Single spaces separate the words.
func startOfLastWords(s string, n int) int {
	at := len(s) + 1
	for ; n > 0 && at > 0; n-- {
		at = strings.LastIndexByte(s[:at-1], ' ') + 1
	}
	return at
}

// formOfBareName returns citySeparate if the text before and after a known name shows that the city is meant,
// otherwise cityAnywhere.
func (p *placeReader) formOfBareName(before, after string) placeWording {
	if (strings.TrimSpace(before) == "" || placeBefore.MatchString(before)) && (strings.TrimSpace(after) == "" || placeAfter.MatchString(after)) {
		return citySeparate
	}
	return cityAnywhere
}

var (
	placeBefore = compilePattern(`(?i)(\b(in|at|near|from|to|en|à|a|em|aus|nach|city of|ciudad de|cidade de|beautiful|historic|historical|sunny)|\b(19|20)\d\d|'\d\d)\s+(the\s+)?$`)
	placeAfter  = compilePattern(`(?i)^[\s.!]*($|\b(on|from|between|and|during|this|next|for|with|at|by|as|where|will|is|welcomes|hosts)\b)`)
	// institutionAfter matches text after a name which shows that it belongs to a building, an institution or
	// another thing, not to the city.
	institutionAfter = compilePattern(`(?i)^\s+(university|univ|institute|college|school|hotel|inn|hall|cent(er|re)|laborator\w+|lodge|street|road|avenue|declaration|protocol|convention|treaty|time|statement|press|journal|process|system|theorem|method|criterion|principles|style|house|museum|airport|building|room|plaza|society|academy|foundation|group|model|school|state university)\b`)
)

// cityWithoutCountry returns bytes [from, to) of a part as a city that is known without its country. ok is false if
// the name is too uncertain.
func (p *placeReader) cityWithoutCountry(q part, from, to int, form placeWording) (placeMention, bool) {
	name := q.text[from:to]
	if form == cityAnywhere && len(name) < 4 {
		return placeMention{}, false
	}
	code, regionName, ok := p.lookupUnambiguous(name)
	if !ok || !commonCities[name] && !p.needsNoCountry(name) {
		return placeMention{}, false
	}
	if shout := strings.ToUpper(name) == name && strings.ToLower(name) != name; shout && len(name) < 5 {
		return placeMention{}, false // an acronym
	}
	if district[code] != "" {
		regionName = ""
	}
	v := eventseer.Venue{City: withInitialCapitals(name), Region: regionName}
	sp := placeMention{form: form, from: q.start + from, to: q.start + to, small: p.isSmallCity(name)}
	if code != "" {
		v.Country, v.CountryCode, sp.inferred = countryName(code), code, "country from the city"
	}
	sp.venue = v
	return sp, true
}

// needsNoCountry reports whether a name can be a city without its country. A known name of several words may
// contain words that are otherwise no cities: "College Park".
func (p *placeReader) needsNoCountry(name string) bool {
	if strings.Contains(name, " ") && len(p.citiesNamed(name)) > 0 {
		_, isRegion := countryIn(name)
		return !isRegion || cityStates[strings.ToLower(name)]
	}
	return cityAlone(name) != ""
}

// withInitialCapitals returns a name in capitals with only its initials in capitals, and any other name unchanged.
func withInitialCapitals(s string) string {
	if strings.ToUpper(s) != s || !strings.ContainsFunc(s, unicode.IsUpper) {
		return s
	}
	words := strings.Fields(s)
	for i, w := range words {
		_, n := utf8.DecodeRuneInString(w)
		words[i] = w[:n] + strings.ToLower(w[n:])
	}
	return strings.Join(words, " ")
}

const (
	maxHanRun  = 60 // runes of a part without spaces that are searched for cities
	maxHanCity = 5  // runes of a city's name

	maxHanInstitution = 30 // bytes after a city that are searched for the rest of an institution's name
)

// hanInstitutionEnd matches the rest of the name of a university or school that begins with a city.
var hanInstitutionEnd = compilePattern(`^\p{Han}{0,6}?(大学|大學|学院|學院)`)

// cityInUnspacedText returns the known city in a text without spaces, as a list of at most one.
func (p *placeReader) cityInUnspacedText(q part) []placeMention {
	runes := 0
	for i := range q.text {
		if runes++; runes > maxHanRun {
			break
		}
		for n := maxHanCity; n >= 2; n-- {
			end := i
			for range n {
				_, w := utf8.DecodeRuneInString(q.text[end:])
				end += w
			}
			name := q.text[i:end]
			if utf8.RuneCountInString(name) != n || strings.ContainsFunc(name, isNotLetter) {
				continue
			}
			if !commonCities[name] {
				found := p.citiesNamed(name)
				if len(found) == 0 {
					found = p.citiesNamed(name + "市")
				}
				if len(found) == 0 || found[0].Population < 10*minCity {
					continue
				}
			}
			form := cityAnywhere
			if i == 0 {
				form = citySeparate
			}
			if hanInstitutionEnd.MatchString(cutToBytes(q.text[end:], maxHanInstitution)) {
				form = cityInName
			}
			if sp, ok := p.cityWithoutCountry(q, i, end, form); ok {
				return []placeMention{sp}
			}
		}
	}
	return nil
}
