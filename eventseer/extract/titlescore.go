package extract

import (
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

var (
	nouns = compilePattern(`(?i)\b(conference|workshop|symposium|congress|summit|meeting|forum|school|colloquium|convention|seminar|jornadas?|congreso|conferencia|conférence|colloque|atelier|tagung|jahrestagung|konferenz|convegno|conferenza|simp[oó]sio|simposio|encontro|escola|f[oó]rum|foro|congresso)\b|会议|大会|會議|研討會|シンポジウム|학술대회`)
	rank  = compilePattern(`(?i)\b(\d{1,3}(st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|(twenty|thirty|forty)[- ]\w+)\b|^[IVXL]+\b|第.{1,4}[届屆回]|^\d{1,2}[.º°]`)
	scope = compilePattern(`(?i)\b(international|annual|biennial|european|ieee|acm|ifip|world|national|asian?|pacific|joint|brazilian|nacional|internacional|internationale)\b`)
	about = compilePattern(`(?i)\b(on|of|for|in|sobre|de|do|über|für|sur)\b`)
	// noTitle matches the beginning or the whole of lines that are headings of sections.
	noTitle = compilePattern(`(?i)^[\W\d]*(call for|cfp\b|submission|important|key dates|dates|home\b|program|committee|topics|contact|registration|about|welcome$|news|menu|author|paper|abstract|instructions|organi[sz]|venue|keynote|sponsor|skip to|toggle|deadline|scope|overview|proceedings|previous|chamada|convocatoria|appel|previous|past |during|after|before|all |our |this |each |next |requirements|guidelines|eligibility|timeline|mentoring|code of conduct|(i |we )?want to |quiero |quieres |propon|envía|env[ií]o|enviar |presentar |proposer |soumettre |einreich)|(提出|募集|応募|投稿|日程)(する|について|要項|案内)?$`)
	notName = compilePattern(`(?i)\b(themes|topics|dates|deadlines?|venue|flyer|committees?|programme?|registration|website|series|home|papers|proceedings|schedule|chairs?|organi[sz]ers|paper|notifications?|date|submissions?|camera|overview|abstracts?|information|instructions|news|main|contact|menu|navigation|login)\b|위원회|委员会|委員会|委員`)
	// institution matches names of schools and institutions that are not events.
	institution = compilePattern(`(?i)\b(school|college|university|institute|department|faculty|academy) of\b|universit|\b(ltd|inc|gmbh)\b|conference (system|management|cent(er|re)|venue|proceedings)`)
	sentence    = compilePattern(`(?i)\b(is|are|was|were|will|invites?|welcomes?|please|submit|submitted|submissions?|deadline|should|must|have|has|can|could|would\w*|may|we|our|your|you|proceedings|published|registration|findet|wird|laden|celebrará|realizará|aura lieu|si terrà|made with|powered by|designed by|theme|encourages?|following|provides?|brings?|aims?|seeks?|solicits?|offers?|covers?|addresses|serves|continues?|establishes|attracts|features|held|takes|focus(es)?|join|who|which|related)\b|https?:|@\w|\$`)
)

// isAboutOtherEvent reports whether a text is about an event other than the one called for.
func isAboutOtherEvent(s string) bool {
	return otherEventWords.MatchString(cutToBytes(s, maxTitleBlock))
}

var otherEventWords = compilePattern(`(?i)\b(co-?located|colocated|conjunction|as part of|previous|past|affiliated with|proceedings of)\b`)

// titleScore returns the points of a cleaned line for its resemblance to the name of an event.
func titleScore(n nameText) int {
	if !containsWord(n.text) {
		return -20
	}
	score := sizePoints(len(n.text))
	if sentence.MayMatch(n.in) {
		score -= 4 * len(sentence.FindAllString(n.text, 3))
	}
	for _, r := range nameRules {
		if r.holds(n) {
			score += r.points
		}
	}
	return score
}

// sizePoints returns the points for the length of a line, in bytes.
func sizePoints(n int) int {
	switch {
	case n > maxTitle:
		return -7
	case n > 170:
		return -1
	case n > 30:
		return 1
	case n < 4:
		return -4
	case n < 12:
		return -1
	}
	return 0
}

// A nameText is a line that may name the event, with data that several rules need.
type nameText struct {
	text      string
	in        *pattern.Text // the text of which it is a part; only until the score is known
	size      int           // number of words
	noun      bool          // contains a noun for events and is not an institution
	afterNoun string        // text after that noun
	school    bool          // is an institution
	edition   bool          // contains the number of the edition
	dated     bool          // contains a year
	acronym   bool
	short     bool // is an acronym with a year or an edition
}

// A readTitle is a cleaned text with data for rules and rankers that do not depend on the acronym.
type readTitle struct {
	nameText
	score   int    // points by titleScore
	class   string // result of nounClass
	words   []string
	key     string   // words joined by spaces
	lows    []string // letters of each word; set by contentWords
	content []string // letters of the words except link words, years and editions; set by contentWords
	framed  bool     // content and lows are set
}

// titleTexts caches the readTitle of each text of a page, by the printed and the cleaned text.
type titleTexts struct {
	raw, clean map[string]*readTitle
	in         pattern.Text // the text that is read
}

// read returns the data of a text, or nil if nothing is left after cleaning.
func (ts *titleTexts) read(text string) *readTitle {
	if t, ok := ts.raw[text]; ok {
		return t
	}
	if ts.raw == nil {
		ts.raw, ts.clean = map[string]*readTitle{}, map[string]*readTitle{}
	}
	whole := cutToBytes(text, maxTitleBlock)
	ts.in.Set(whole)
	s := cleanTitleIn(&ts.in, whole)
	t := ts.clean[s]
	if t == nil && s != "" {
		n := readName(&ts.in, s)
		t = &readTitle{nameText: n, score: titleScore(n), words: nameWords(s)}
		if t.in = nil; nouns.MayMatch(&ts.in) {
			t.class = nounClass(s)
		}
		t.key = strings.Join(t.words, " ")
		ts.clean[s] = t
	}
	ts.raw[text] = t
	return t
}

// contentWords returns the letters of the words that say what the event is about, computed at the first call.
func (t *readTitle) contentWords() []string {
	if !t.framed {
		t.framed = true
		for _, w := range nameWords(nameFrame.ReplaceAllString(t.text, " ")) {
			if l := lowerLetters(w); l != "" && !nameLink[w] {
				t.content = append(t.content, l)
			}
		}
		for _, w := range t.words {
			t.lows = append(t.lows, lowerLetters(w))
		}
	}
	return t.content
}

// readName reads a part s of t.
func readName(t *pattern.Text, s string) nameText {
	n := nameText{
		text: s, in: t, size: countFields(s), school: institution.MatchPart(t, s), edition: rank.MatchPart(t, s),
		dated: len(date.Years(s)) > 0, acronym: acronymInTitle(s) != "", short: endsInDigit(s) && shortEvent.MatchString(s),
	}
	if n.school || !nouns.MayMatch(t) {
		return n
	}
	if m := nouns.FindStringIndex(s); m != nil {
		n.noun, n.afterNoun = true, s[m[1]:]
	}
	return n
}

// endsInDigit reports whether the last byte of s is a digit of ASCII, which shortEvent needs.
func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// nameRules are the rules of titleScore with their points, negative for evidence against a name.
var nameRules = []struct {
	points int
	holds  func(nameText) bool
}{
	{4, func(n nameText) bool { return n.noun }},
	{2, func(n nameText) bool { return n.noun && about.MatchPart(n.in, n.afterNoun) }},
	{2, func(n nameText) bool { return n.edition }},
	{2, func(n nameText) bool { return n.short && isAcronymShaped(bareAcronym(n.text)) }},
	{1, func(n nameText) bool { return scope.MatchPart(n.in, n.text) }},
	{1, func(n nameText) bool { return n.dated }},
	{1, func(n nameText) bool { return n.acronym }},
	{-2, func(n nameText) bool { return unicode.IsLower([]rune(n.text)[0]) }},
	{-3, func(n nameText) bool { return n.school }},
	{-3, func(n nameText) bool { return !n.noun && !n.dated && !n.acronym && !n.short }},
	{-3, func(n nameText) bool { return len(n.text) > 40 && smallWordShare(n.text) > 0.6 }},
	{-4, func(n nameText) bool { return n.hasBareNoun() && n.size < 3 }},
	{-4, func(n nameText) bool { return n.hasBareNoun() && n.size < 2 }},
	{-4, func(n nameText) bool { return n.size <= 6 && notName.MatchPart(n.in, n.text) }},
	{-4, func(n nameText) bool { return strings.Contains(n.text, "©") || endsWithLink(n.text) }},
	{-5, func(n nameText) bool { return numbered.MatchPart(n.in, n.text) }},
	{-6, func(n nameText) bool { return noTitle.MatchPart(n.in, n.text) }},
}

// hasBareNoun reports whether only other words can make the noun a name. "Workshop" says too little, "第三届大会"
// is enough.
func (n nameText) hasBareNoun() bool {
	return n.noun && !n.dated && !n.acronym && !n.edition && !isIdeograph([]rune(n.text)[0])
}

var (
	// shortEvent matches an acronym with a year or an edition: "ICX 2027", "ICX-7".
	shortEvent = compilePattern(`^\p{L}[\p{L}/+&.@' -]{1,24}[ -]?(\d{1,2}|['’]\d\d|(19|20)\d\d)$`)
	numbered   = compilePattern(`^(\d+\.\d+|[IVX]+\.|\d+\))\s`)
)

// smallWordShare returns the share of the longer words of s that are in lower case, from 0 to 1. Names of
// events are capitalised, sentences are not.
func smallWordShare(s string) float64 {
	small, all := 0, 0
	for w := range strings.FieldsSeq(s) {
		if len(w) <= 3 {
			continue
		}
		all++
		if !isCapitalised(w) {
			small++
		}
	}
	return float64(small) / float64(max(all, 1))
}

// nounClass returns the class of the event that a text names: workshop, symposium, conference for any other
// noun, or "" for none.
func nounClass(s string) string {
	noun := strings.ToLower(nouns.FindString(s))
	if noun == "workshop" || noun == "symposium" {
		return noun
	}
	switch {
	case noun == "":
		return ""
	case workshopOf.MatchString(s) && !bothKinds.MatchString(s):
		return "workshop"
	}
	return "conference"
}

// workshopOf matches the title of a workshop after the name of the conference that it belongs to:
// "Conference on Kites Workshop: Strings".
var workshopOf = compilePattern(`(?i)\bworkshop\s*($|[:–—|•(-])`)
