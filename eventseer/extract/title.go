package extract

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

const (
	maxTitle      = 250 // bytes of a title
	maxTitleBlock = 600 // bytes of a block searched for a title
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
	sentence    = regexp.MustCompile(`(?i)\b(is|are|was|were|will|invites?|welcomes?|please|submit|submitted|submissions?|deadline|should|must|have|has|can|we|our|your|you|proceedings|published|registration|made with|powered by|designed by|theme|encourages?|following|provides?|brings?|aims?|seeks?|solicits?|offers?|focus(es)?|join|who|which|related)\b|https?:|@\w|\$`)
	calledBy    = regexp.MustCompile(`(?i)^[\s:–—|-]*((final |first |second |third |last |1st |2nd |3rd )?(call for (papers?|participation|abstracts?|submissions?|contributions?|proposals?|presentations?|posters?|workshops?|tutorials?|talks?|speakers|articles)( and (participation|posters|abstracts|papers|proposals|demos|demonstrations|presentations|submissions|contributions))?|call ?4 ?papers|cfp|c4p|abstract submissions?|paper submissions?|submissions?|important dates|dates|home( ?page)?|chamada de (trabalhos|artigos)|convocatoria|appel à communications?|welcome to( the)?|announcement( and)?|authors?|deadlines?))(?:\b|$)[\s:–—|-]*(?:for the|for|of the|to the|\bat\b)?\s*`)
	calledAt    = regexp.MustCompile(`(?i)[\s:–—|,-]*\(?(call for (papers?|participation|abstracts?|submissions?|contributions?|proposals?|presentations?|posters?)|cfp|abstract submissions?|submissions?|important dates|home( ?page)?|official (web)?site|website|web page)\)?\W*$`)
	titleCut    = regexp.MustCompile(`\s+[|»·•–—]\s+|\s+-\s+|\s*::\s*|\s+[|]|[|]\s+`)
)

// A titleCandidate is a text that may name the event.
type titleCandidate struct {
	text   string
	score  int
	source eventseer.Provenance
}

// title finds the event's name: the best of the title element, the headings,
// the first lines and the names spelt out in the first paragraphs.
//
// Where no text reads like a name, the acronym with the year is the title.
func (p *page) title() (string, eventseer.Provenance) {
	var best titleCandidate
	element := eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "title-element", Snippet: snippet(p.t.Title(), 0)}
	site := nounClass(p.t.Title())
	key := p.shortName()
	consider := func(text string, bonus int, src eventseer.Provenance) {
		text = cleanTitle(text)
		if len(text) > 3 && strings.Contains(element.Snippet, text) {
			bonus += 2
		}
		if key != "" && len(strings.Fields(text)) > 3 && nouns.MatchString(text) && strings.Contains(text, key) {
			bonus += 3
		}
		if c := nounClass(text); site != "" && c != "" && c != site {
			bonus -= 3
		}
		if s := titleScore(text) + bonus; text != "" && (best.text == "" || s > best.score) {
			best = titleCandidate{text, s, src}
		}
	}
	whole := clip(p.t.Title(), maxTitleBlock)
	consider(whole, 1, element)
	for _, part := range titleCut.Split(whole, 8) {
		consider(part, 2, element)
	}
	for i, b := range p.blocks {
		if i >= 3*maxTop || len(b.Text) > 4*maxTitleBlock {
			continue
		}
		bonus := 0
		switch {
		case i < 2:
			bonus = 3
		case i < maxTop/3:
			bonus = 2
		case i < maxTop:
			bonus = 1
		}
		beside := 0
		if otherEvent(b.Text) {
			beside = 4
		}
		src := p.source(i, 0, len(b.Text), "title-line")
		if len(b.Text) <= maxTitle+50 {
			text := p.titleLines(i)
			switch {
			case b.Kind == tagtree.Heading:
				consider(text, bonus+2-beside, src)
				consider(b.Text, bonus+2-beside, src)
			case b.Kind == tagtree.Item || b.Kind == tagtree.Cell || b.Kind == tagtree.Definition:
				consider(text, bonus-2-beside, src)
			case i < maxTop:
				consider(text, bonus-beside, src)
			}
		}
		src.Rule = "title-in-text"
		text := clip(b.Text, maxTitleBlock)
		for _, name := range namesIn(text) {
			before, _, _ := strings.Cut(text, name)
			if otherEvent(tail(before, maxHeading)) {
				continue
			}
			consider(name, bonus, src)
		}
	}
	if best.score < minTitleScore {
		if a, src := p.acronym(""); len(a) > 2 {
			src.Rule = "title-from-acronym"
			if y := p.editionYear(""); y != 0 {
				a += " " + strconv.Itoa(y)
			}
			return a, src
		}
	}
	return best.text, best.source
}

// minTitleScore is what a text must reach to be trusted as a name.
const minTitleScore = 3

// shortName returns the acronym that the title element or the first lines
// print, "" for none: a longer name that holds it is the same event's.
func (p *page) shortName() string {
	texts := []string{clip(p.t.Title(), maxTitleBlock)}
	for i, b := range p.blocks {
		if i < 2 {
			texts = append(texts, clip(b.Text, maxTitle))
		}
	}
	for _, s := range texts {
		if a := acronymInTitle(ownName(s)); a != "" {
			return a
		}
	}
	return ""
}

// titleLines returns line i with the lines that continue it: a title is often
// broken in the middle.
func (p *page) titleLines(i int) string {
	b := p.blocks[i]
	s := b.Text
	for j := i + 1; j < len(p.blocks) && j <= i+maxTitleLines && len(s) <= maxTitle; j++ {
		next := p.blocks[j]
		if next.Kind != b.Kind || next.Level != b.Level || len(p.datesIn(j)) > 0 {
			break
		}
		if _, place := placeIn(next.Text); !goesOn.MatchString(s) && !goesBack.MatchString(next.Text) && (place || b.Kind != tagtree.Heading || next.Path != b.Path) {
			break
		}
		s += " " + next.Text
	}
	return s
}

const maxTitleLines = 3

// goesBack matches a line that cannot begin a title.
var goesBack = regexp.MustCompile(`(?i)^(on|of|for|and|in|de|sobre|für|&)\s`)

// goesOn matches a line that cannot end a title.
var goesOn = regexp.MustCompile(`(?i)(\b(on|of|for|and|in|the|to|de|der|des|sobre|für|international|annual|acm|ieee)|[,:&])\s*$`)

// otherEvent reports whether a text speaks of an event beside the one called
// for.
func otherEvent(s string) bool { return besideWords.MatchString(clip(s, maxTitleBlock)) }

var besideWords = regexp.MustCompile(`(?i)\b(co-?located|colocated|in conjunction|conjunction with|as part of|previous|past|affiliated with|proceedings of)\b`)

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

// cleanTitle strips what stands around a name: "Call for Papers", dates and
// places at its end, punctuation.
func cleanTitle(s string) string {
	s = clip(s, maxTitleBlock)
	for n := 0; n < 3; n++ {
		if m := calledBy.FindStringIndex(s); m != nil && m[1] < len(s) {
			s = s[m[1]:]
		}
		s = calledAt.ReplaceAllString(s, "")
	}
	s = yearSpan.ReplaceAllString(s, "")
	if m := heldTail.FindStringIndex(s); m != nil && m[0] > 8 {
		s = s[:m[0]]
	}
	if !says(withoutDates(s)) {
		return ""
	}
	for _, d := range dates(s, "en") {
		if d.from.day != 0 && d.start > 8 {
			s = s[:d.start]
			break
		}
	}
	s = strings.TrimSpace(strings.Trim(s, " \t,;:|–—-·•*=_.#>«»"))
	if m := leadingName.FindStringSubmatch(s); m != nil && nouns.MatchString(m[1]) && (rank.MatchString(m[1]) || scope.MatchString(m[1])) {
		s = m[1]
	}
	if m := placeTail.FindStringSubmatchIndex(s); m != nil && (nouns.MatchString(s[:m[0]]) || len(years(s[:m[0]])) > 0) {
		if _, ok := placeIn(s[m[0]:]); ok {
			s = strings.TrimRight(s[:m[0]], " ,;:–—-(")
		}
	}
	return s
}

// yearSpan is a copyright's years before a name.
var yearSpan = regexp.MustCompile(`^(©|\(c\))?\s*\d{4}\s*[-–]\s*\d{4}\s+`)

// heldTail is what follows a name in one line: ", hosted by …".
var heldTail = regexp.MustCompile(`(?i)[\s,;:(]+(to be |is being |will be )?(held|hosted|co-?located|collocated|in conjunction|organi[sz]ed by|affiliated)\b.*$`)

// leadingName is "ICX 2027: " or "ICX'27 - " before the full name.
var leadingName = regexp.MustCompile(`^[\p{Lu}\d][\p{L}\d'’&+@.-]*(?:\s\p{Lu}{2,})?\s?(?:['’]?\d\d|\d{4})?\s*(?:[:–—]|\s-)\s+(.{12,})$`)

// placeTail is ", City, Country" or "- City, Country" at the end of a title.
var placeTail = regexp.MustCompile(`(?:,|\s[-–—|(]|\.)\s+[\p{Lu}][\p{L}. '-]+,\s*[\p{Lu}][\p{L}., '-]+\)?$`)
