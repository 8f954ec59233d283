package extract

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	nouns = regexp.MustCompile(`(?i)\b(conference|workshop|symposium|congress|summit|meeting|forum|school|colloquium|convention|seminar|jornadas?|congreso|conferencia|conférence|colloque|atelier|tagung|jahrestagung|konferenz|convegno|conferenza|simp[oó]sio|simposio|encontro|escola|f[oó]rum|foro|congresso)\b|会议|大会|會議|研討會|シンポジウム|학술대회`)
	rank  = regexp.MustCompile(`(?i)\b(\d{1,3}(st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|(twenty|thirty|forty)[- ]\w+)\b|^[IVXL]+\b|第.{1,4}[届屆回]|^\d{1,2}[.º°]`)
	scope = regexp.MustCompile(`(?i)\b(international|annual|biennial|european|ieee|acm|ifip|world|national|asian?|pacific|joint|brazilian|nacional|internacional|internationale)\b`)
	about = regexp.MustCompile(`(?i)\b(on|of|for|in|sobre|de|do|über|für|sur)\b`)
	// noTitle begins or fills lines that are headings of something else.
	noTitle = regexp.MustCompile(`(?i)^[\W\d]*(call for|cfp\b|submission|important|key dates|dates|home\b|program|committee|topics|contact|registration|about|welcome$|news|menu|author|paper|abstract|instructions|organi[sz]|venue|keynote|sponsor|skip to|toggle|deadline|scope|overview|proceedings|previous|chamada|convocatoria|appel|previous|past |during|after|before|all |our |this |each |next )`)
	notName = regexp.MustCompile(`(?i)\b(themes|topics|dates|deadlines?|venue|flyer|committees?|programme?|registration|website|series|home|papers|proceedings|schedule|chairs?|organi[sz]ers|paper|notifications?|date|submissions?|camera|overview|abstracts?|information|instructions|news|main|contact|menu|navigation|login)\b|위원회|委员会|委員会|委員`)
	// institution matches names of schools that are no events.
	institution = regexp.MustCompile(`(?i)\b(school|college|university|institute|department|faculty|academy) of\b|universit|\b(ltd|inc|gmbh)\b|conference (system|management|cent(er|re)|venue|proceedings)`)
	sentence    = regexp.MustCompile(`(?i)\b(is|are|was|were|will|invites?|welcomes?|please|submit|submitted|submissions?|deadline|should|must|have|has|can|could|would\w*|may|we|our|your|you|proceedings|published|registration|findet|wird|laden|celebrará|realizará|aura lieu|si terrà|made with|powered by|designed by|theme|encourages?|following|provides?|brings?|aims?|seeks?|solicits?|offers?|covers?|addresses|serves|continues?|establishes|attracts|features|held|takes|focus(es)?|join|who|which|related)\b|https?:|@\w|\$`)
)

// otherEvent reports whether a text speaks of an event beside the one called
// for.
func otherEvent(s string) bool { return besideWords.MatchString(clip(s, maxTitleBlock)) }

var besideWords = regexp.MustCompile(`(?i)\b(co-?located|colocated|conju\w+tion|as part of|previous|past|affiliated with|proceedings of)\b`)

// titleScore says how much a cleaned line reads like the name of an event.
func titleScore(s string) int {
	if !says(s) {
		return -20
	}
	n, score := len(s), 0
	noun := nouns.FindStringIndex(s)
	if institution.MatchString(s) {
		noun = nil
		score -= 3
	}
	if noun != nil {
		score += 4
		if f := len(strings.Fields(s)); f < 3 && len(years(s)) == 0 && acronymInTitle(s) == "" && !rank.MatchString(s) && !ideograph([]rune(s)[0]) {
			score -= 4 * (3 - f)
		}
		if about.MatchString(s[noun[1]:]) {
			score += 2
		}
	}
	if rank.MatchString(s) {
		score += 2
	}
	if scope.MatchString(s) {
		score++
	}
	if len(years(s)) > 0 {
		score++
	}
	if acronymInTitle(s) != "" {
		score++
	}
	switch {
	case n > maxTitle:
		score -= 8
	case n > 170:
		score -= 2
	case n < 4:
		score -= 4
	case n < 12:
		score--
	}
	if noun == nil && len(years(s)) == 0 && acronymInTitle(s) == "" && !shortEvent.MatchString(s) {
		score -= 3
	}
	if noTitle.MatchString(s) {
		score -= 6
	}
	if notName.MatchString(s) && len(strings.Fields(s)) <= 6 {
		score -= 4
	}
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		score -= 4
	}
	if strings.Contains(s, "©") || goesOn.MatchString(s) {
		score -= 4
	}
	if n > 30 {
		score++
	}
	score -= 4 * len(sentence.FindAllString(s, 3))
	if shortEvent.MatchString(s) && acronymShape(bareAcronym(s)) {
		score += 2
	}
	if numbered.MatchString(s) {
		score -= 5
	}
	if n > 40 && smallWordShare(s) > 0.6 {
		score -= 3
	}
	if r := []rune(s)[0]; unicode.IsLower(r) {
		score -= 2
	}
	return score
}

var (
	// shortEvent is an acronym with a year or an edition: "ICX 2027", "ICX-7".
	shortEvent = regexp.MustCompile(`^\p{L}[\p{L}/+&.@' -]{1,24}[ -]?(\d{1,2}|['’]\d\d|(19|20)\d\d)$`)
	numbered   = regexp.MustCompile(`^(\d+\.\d+|[IVX]+\.|\d+\))\s`)
)

// smallWordShare returns how many of the longer words of s are lower case, 0
// to 1: names of events are capitalised, sentences are not.
func smallWordShare(s string) float64 {
	small, all := 0, 0
	for _, w := range strings.Fields(s) {
		if len(w) <= 3 {
			continue
		}
		all++
		if !capital(w) {
			small++
		}
	}
	return float64(small) / float64(max(all, 1))
}

// nounClass returns the sort of event a text names, "" for none.
func nounClass(s string) string {
	noun := strings.ToLower(nouns.FindString(s))
	if noun == "workshop" || noun == "symposium" {
		return noun
	}
	if noun != "" {
		return "conference"
	}
	return ""
}
