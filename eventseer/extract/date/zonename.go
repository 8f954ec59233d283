package date

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// aoe is the zone "anywhere on Earth" (UTC-12), the last zone in which a day ends.
const aoe = "AoE"

// zoneCodes lists by zone name the abbreviations printed in calls. Calls use them all year round ("PST" in
// July), so each means the local time of a region and not a fixed offset.
var zoneCodes = invertWords(map[string]string{
	aoe:                   "AOE",
	"UTC":                 "UTC GMT",
	"America/Los_Angeles": "PT PST PDT",
	"America/Denver":      "MT MST MDT",
	"America/Chicago":     "CT CST CDT",
	"America/New_York":    "ET EST EDT",
	"America/Halifax":     "ADT",
	"America/St_Johns":    "NST NDT",
	"America/Anchorage":   "AKST AKDT",
	"Pacific/Honolulu":    "HST",
	"America/Sao_Paulo":   "BRT",
	"Europe/London":       "BST",
	"Europe/Lisbon":       "WET WEST",
	"Europe/Berlin":       "CET CEST MET MEST MEZ MESZ",
	"Europe/Athens":       "EET EEST",
	"Europe/Moscow":       "MSK",
	"Europe/Istanbul":     "TRT",
	"Africa/Johannesburg": "SAST",
	"Asia/Kolkata":        "IST",
	"Asia/Karachi":        "PKT",
	"Asia/Kathmandu":      "NPT",
	"Asia/Jakarta":        "WIB",
	"Asia/Kuala_Lumpur":   "MYT",
	"Asia/Singapore":      "SGT",
	"Asia/Hong_Kong":      "HKT",
	"Asia/Tokyo":          "JST",
	"Asia/Seoul":          "KST",
	"Australia/Perth":     "AWST",
	"Australia/Adelaide":  "ACST ACDT",
	"Australia/Sydney":    "AEST AEDT AET",
	"Pacific/Auckland":    "NZST NZDT NZT",
})

// zonePlaces lists by zone name the words before "time", in lower case with underscores for spaces.
var zonePlaces = invertWords(map[string]string{
	"America/Los_Angeles":            "pacific us_pacific us/pacific los_angeles california san_francisco seattle",
	"America/Denver":                 "mountain us_mountain denver",
	"America/Phoenix":                "arizona",
	"America/Chicago":                "central us_central chicago",
	"America/New_York":               "eastern easter us_eastern us/eastern new_york boston washington",
	"America/Toronto":                "toronto montreal",
	"America/Halifax":                "atlantic",
	"America/St_Johns":               "newfoundland",
	"America/Anchorage":              "alaska",
	"Pacific/Honolulu":               "hawaii hawaiian honolulu hawaii-aleutian",
	"Pacific/Pago_Pago":              "samoa american_samoa",
	"America/Mexico_City":            "mexico_city",
	"America/Bogota":                 "colombia colombian bogota bogotá",
	"America/Santiago":               "chile chilean santiago",
	"America/Argentina/Buenos_Aires": "argentina buenos_aires",
	"America/Sao_Paulo":              "brasilia brasília brazilian brazil são_paulo sao_paulo",
	"Europe/London":                  "london british uk u.k. united_kingdom",
	"Europe/Dublin":                  "irish dublin",
	"Europe/Lisbon":                  "western_european lisbon portuguese",
	"Europe/Berlin":                  "central_european central_europe middle_european german berlin vienna",
	"Europe/Paris":                   "paris french brussels amsterdam",
	"Europe/Madrid":                  "spanish madrid",
	"Europe/Rome":                    "italian rome",
	"Europe/Zurich":                  "swiss zurich geneva",
	"Europe/Warsaw":                  "warsaw polish",
	"Europe/Prague":                  "prague",
	"Europe/Stockholm":               "stockholm swedish",
	"Europe/Athens":                  "eastern_european athens greek",
	"Europe/Helsinki":                "helsinki finnish",
	"Europe/Kyiv":                    "kyiv kiev",
	"Europe/Istanbul":                "istanbul turkish turkey",
	"Europe/Moscow":                  "moscow",
	"Asia/Jerusalem":                 "israel jerusalem",
	"Asia/Dubai":                     "gulf dubai",
	"Asia/Tehran":                    "tehran iran",
	"Asia/Kolkata":                   "indian india",
	"Asia/Dhaka":                     "bangladesh dhaka",
	"Asia/Bangkok":                   "indochina bangkok thailand",
	"Asia/Jakarta":                   "jakarta western_indonesian",
	"Asia/Singapore":                 "singapore",
	"Asia/Manila":                    "manila philippine",
	"Asia/Hong_Kong":                 "hong_kong",
	"Asia/Shanghai":                  "beijing china chinese shanghai",
	"Asia/Taipei":                    "taipei taiwan",
	"Asia/Tokyo":                     "japan japanese tokyo",
	"Asia/Seoul":                     "korea korean seoul",
	"Africa/Johannesburg":            "south_african south_africa",
	"Africa/Nairobi":                 "east_african east_africa eastern_african nairobi",
	"Africa/Cairo":                   "cairo egypt",
	"Africa/Lagos":                   "west_african west_africa lagos",
	"Australia/Perth":                "australian_western perth",
	"Australia/Adelaide":             "australian_central adelaide",
	"Australia/Sydney":               "australian_eastern sydney melbourne canberra",
	"Australia/Brisbane":             "brisbane queensland",
	"Pacific/Auckland":               "new_zealand auckland",
})

// zonePhrases maps phrases of other languages to zone names.
var zonePhrases = map[string]string{
	"北京时间": "Asia/Shanghai", "北京時間": "Asia/Shanghai", "台灣時間": "Asia/Taipei", "台北時間": "Asia/Taipei",
	"日本時間": "Asia/Tokyo", "日本标准时间": "Asia/Tokyo", "한국시간": "Asia/Seoul", "한국 시간": "Asia/Seoul",
	"horário de brasília": "America/Sao_Paulo", "hora de brasília": "America/Sao_Paulo", "horário de lisboa": "Europe/Lisbon",
	"hora peninsular": "Europe/Madrid", "hora de madrid": "Europe/Madrid", "hora de españa": "Europe/Madrid",
	"hora de méxico": "America/Mexico_City", "hora de colombia": "America/Bogota", "hora de chile": "America/Santiago",
	"heure de paris": "Europe/Paris", "heure française": "Europe/Paris", "heure de montréal": "America/Toronto",
	"ora italiana": "Europe/Rome", "московское время": "Europe/Moscow", "по московскому времени": "Europe/Moscow", "мск": "Europe/Moscow",
}

// capitalCodes are codes that are also words or names. They count only if printed in capitals.
var capitalCodes = text.WordSet("PT ET MT CT MET MEST IST EST MST CST PST BST NST HST WEST ADT AET WIB")

// zoneByCountry maps an abbreviation and the code of the event's country to a zone. It has only meanings
// that differ from zoneCodes.
var zoneByCountry = map[string]map[string]string{
	"IST": {"IE": "Europe/Dublin", "IL": "Asia/Jerusalem"},
	"BST": {"BD": "Asia/Dhaka"},
	"CST": {"CN": "Asia/Shanghai", "TW": "Asia/Taipei", "MX": "America/Mexico_City", "CU": "America/Havana", "AU": "Australia/Adelaide"},
	"CDT": {"CU": "America/Havana", "AU": "Australia/Adelaide"},
	"EST": {"AU": "Australia/Sydney"},
	"EDT": {"AU": "Australia/Sydney"},
	"MST": {"MY": "Asia/Kuala_Lumpur"},
	"PST": {"PH": "Asia/Manila"},
}

// invertWords converts a map of name → words to one of word → name.
func invertWords(m map[string]string) map[string]string {
	out := map[string]string{}
	for name, words := range m {
		for _, w := range strings.Fields(words) {
			out[strings.ReplaceAll(w, "_", " ")] = name
		}
	}
	return out
}

// alternationOf returns a regular expression that matches the keys of m, the longest first.
func alternationOf(m map[string]string) string {
	var keys []string
	for k := range m {
		keys = append(keys, regexp.QuoteMeta(k))
	}
	slices.SortFunc(keys, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return `(?:` + strings.Join(keys, "|") + `)`
}

const zoneSeason = `(?:[ -](?:standard|daylight|summer|winter|local))?`

var zoneTail = pattern.Compile(zoneSeason + `(?:[ -]time)?$`)

// zonePattern matches a printed zone. Its groups are, in order: anywhere on Earth, an IANA name, an offset,
// a place before "time", a region after a time of day, a phrase, an abbreviation, the Z of ISO 8601.
var zonePattern = pattern.Compile(`(?i)(\bany[- ]?(?:where|place|time)[- ](?:in|on)[- ](?:the[- ])?(?:earth|world)\b|\ba\.o\.e\b)` +
	`|(\b(?:africa|america|antarctica|asia|atlantic|australia|europe|indian|pacific)/[a-z_]+(?:/[a-z_]+)?|\betc/gmt[+-]\d{1,2}\b)` +
	`|(\b(?:utc|gmt)(?:\s?/\s?(?:utc|gmt))?(?: time)?\s?[±+\-−–]\s?\d{1,2}(?::?\d\d)?\b|:\d\d\s?\+\d\d:?\d\d\b|t\d\d:\d\d(?::\d\d)?[+\-−]\d\d:?\d\d\b)` +
	`|\b((?:` + alternationOf(zonePlaces) + `)` + zoneSeason + `[ -]time)\b` +
	`|(?:\d|[ap]\.?m\.?|noon|midnight),?\s+\(?((?:(?:central|eastern|western) european|(?:us[ /-])?(?:eastern|pacific|central|mountain))` + zoneSeason + `(?:[ -]time)?)\b` +
	`|(` + alternationOf(zonePhrases) + `)` +
	`|\b(` + alternationOf(zoneCodes) + `)\b` +
	`|:\d\d(z)\b`)

// A zoneSpan is a zone printed at the bytes [start, end) of a text.
type zoneSpan struct {
	name, printed string
	start, end    int
	offset        bool // an offset from UTC instead of a name
}

// FirstZone returns the first time zone in the first maxAroundDate bytes of s, by its name and as printed; "" if
// there is none. An offset after an abbreviation decides between its meanings: CST (UTC+8).
func FirstZone(s string) (name, printed string) {
	zs := findZones(text.CutBytes(s, maxAroundDate))
	switch {
	case len(zs) == 0:
		return "", ""
	case len(zs) > 1 && zs[1].offset && zs[1].start-zs[0].end < 4 && !hasOffset(zs[0].name, zs[1].name):
		return zs[1].name, s[zs[0].start:zs[1].end]
	}
	return zs[0].name, zs[0].printed
}

// findZones returns the zones printed in s, from at most 8 matches of zonePattern.
func findZones(s string) []zoneSpan {
	if !mayContainZone(s) {
		return nil
	}
	var zs []zoneSpan
	for _, m := range zonePattern.FindAllStringSubmatchIndex(s, 8) {
		for g := 1; 2*g < len(m); g++ {
			if m[2*g] < 0 {
				continue
			}
			z := zoneSpan{start: m[2*g], end: m[2*g+1], offset: g == 3}
			z.name, z.printed = zoneOfMatch(g, s[z.start:z.end]), s[z.start:z.end]
			if z.name != "" {
				zs = append(zs, z)
			}
		}
	}
	return zs
}

// zoneHints are strings of which every match of zonePattern contains at least one, except for matches of
// zoneCodes.
var zoneHints = append(slices.Sorted(maps.Keys(zonePhrases)), "time", "where", "place", "utc", "gmt", "european", "eastern", "pacific", "central", "mountain", ":", "/", "a.o.e")

// mayContainZone reports whether zonePattern can match s. It is a fast check before a slow pattern.
func mayContainZone(s string) bool {
	s = strings.ToLower(s)
	for _, hint := range zoneHints {
		if strings.Contains(s, hint) {
			return true
		}
	}
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }) {
		if _, ok := zoneCodes[strings.ToUpper(w)]; ok {
			return true
		}
	}
	return false
}

// hasOffset reports whether zone name has the given offset in summer or in winter.
func hasOffset(name, offset string) bool {
	a, b := Location(name), Location(offset)
	for _, month := range []time.Month{time.January, time.July} {
		t := time.Date(2026, month, 1, 12, 0, 0, 0, time.UTC)
		_, x := t.In(a).Zone()
		if _, y := t.In(b).Zone(); x == y {
			return true
		}
	}
	return false
}

// zoneOfMatch returns the name of the zone printed as s, which the given group of zonePattern matched. It
// returns "" if s is not a zone.
func zoneOfMatch(group int, s string) string {
	lower, upper := strings.ToLower(s), strings.ToUpper(s)
	switch group {
	case 1:
		return aoe
	case 2:
		return ianaZone(s)
	case 3:
		return zoneOfOffset(s)
	case 4, 5:
		return zonePlaces[zoneTail.ReplaceAllString(lower, "")]
	case 6:
		return zonePhrases[lower]
	case 7:
		if capitalCodes[upper] && s != upper {
			return ""
		}
		return zoneCodes[upper]
	}
	return "UTC"
}

// ianaZone returns an IANA name as printed, or "" if it is unknown. Etc/GMT+5, which has the inverted sign
// of POSIX, becomes UTC-5.
func ianaZone(s string) string {
	if rest := strings.TrimPrefix(strings.ToLower(s), "etc/gmt"); len(rest) < len(s) {
		return zoneOfOffset(strings.Map(func(r rune) rune {
			switch r {
			case '+':
				return '-'
			case '-':
				return '+'
			}
			return r
		}, rest))
	}
	if _, err := time.LoadLocation(s); err != nil {
		return ""
	}
	return s
}

// WithoutTimes returns s without the printed times of day and zones.
func WithoutTimes(s string) string {
	return zonePattern.ReplaceAllString(clockPattern.ReplaceAllString(s, ""), "")
}

// ZoneIn returns the zone that an abbreviation means in the country of an event, given by its code. It
// returns "" if that is the usual zone.
func ZoneIn(abbreviation, country string) string {
	return zoneByCountry[strings.ToUpper(abbreviation)][country]
}
