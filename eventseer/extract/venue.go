package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// A placeReader reads the place of an event from its page.
type placeReader struct {
	*page
	cities   func(string) []City // see Options.Cities; may be nil
	lookedUp map[string][]City   // cache of cities
	ranker   *classify.LogLinear // ranks places, see placeRanking; nil disables ranking
	ranking  *placeRanking       // places from which readVenue chose
}

// readVenue returns the place of the event and its source, nil for none. A ranker chooses among all places that
// the page names. title is the event's name, dateBlock the block with its days, -1 for none.
func (p *placeReader) readVenue(title string, dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	r, remote := p.findRemoteSentence(dateBlock)
	var v *eventseer.Venue
	var src eventseer.Provenance
	p.ranking = p.placesOf(title, dateBlock, remote)
	if l := p.ranking; p.ranker != nil && len(l.list) > 0 {
		if m, belief, ok := l.choosePlace(l.probabilities(p.ranker)); ok {
			v, src = p.placeOf(m, probability(p.ranker, belief))
		}
	}
	if remote {
		if v == nil {
			v, src = &eventseer.Venue{Text: printedText(p.blocks[r.block].Text[r.from:r.to], maxPlaceBlock)}, p.provenanceOf(r.block, r.from, r.to, "online")
		}
		v.Online, v.Hybrid = true, r.hybrid
	}
	return v, src
}

// formNames are the values of Provenance.Rule for places, by their form.
var formNames = [...]string{
	countryOnly:           "country",
	cityInName:            "city-of-university",
	cityAnywhere:          "city-loose",
	citySeparate:          "city-known",
	cityInNameWithCountry: "place-of-house",
	cityShaped:            "place",
	cityConfirmed:         "place-confirmed",
}

// placeOf converts a mention to the place of a record and its source.
func (p *placeReader) placeOf(c mention, confidence float64) (*eventseer.Venue, eventseer.Provenance) {
	v := c.venue
	from := 0
	if len(c.text) > maxPlaceBlock {
		from = phraseStart(c.text, c.from)
	}
	v.Text = printedText(c.text[from:], max(c.to-from, maxPlaceBlock))
	rule := formNames[c.form]
	src := eventseer.Provenance{URL: p.url, Path: c.path, Rule: rule, Snippet: snippet(c.text, c.from)}
	if c.block >= 0 {
		src = p.provenanceOf(c.block, c.from, c.to, rule)
	}
	src.Inferred, src.Confidence = c.inferred, confidence
	if src.Inferred == "" && v.Region != "" && !containsRegion(c.text[c.from:c.to], v.Region) {
		src.Inferred = "region from the city"
	}
	return &v, src
}

// containsRegion reports whether the text of a place contains a region, by name or by code.
func containsRegion(place, name string) bool {
	if strings.Contains(strings.ToLower(place), strings.ToLower(name)) {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(place, isPlaceSeparator), func(word string) bool {
		r, _ := countryIn(word)
		return r.state == name || regionCodes[word] == name
	})
}

func isPlaceSeparator(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;()/", r) }

// phraseStart returns the start of the sentence in s that contains byte at. If it begins more than
// placeWindow/2 bytes before, the start of a word is returned.
func phraseStart(s string, at int) int {
	from := max(0, at-placeWindow/2)
	if i := strings.LastIndexAny(s[from:at], ".;:!?"); i >= 0 && i+1 < at-from {
		return from + i + 1
	}
	if from == 0 {
		return 0
	}
	if i := strings.IndexByte(s[from:at], ' '); i >= 0 {
		return from + i
	}
	return at
}

var venueHeading = compilePattern(`(?i)\b(venue|location|where|place|lugar|local|ort|lieu|sede|luogo|地点|地點|会場|장소)\b|^(地点|地點|会場|장소)`)

// cityAlone returns s if it can be a city without its country, otherwise "".
func cityAlone(s string) string {
	city := cityOf(s)
	if _, region := countryIn(city); region && !cityStates[strings.ToLower(city)] || nouns.MatchString(city) || isAcronymShaped(city) || date.IsDateWord(strings.ToLower(city)) {
		return ""
	}
	return city
}

// areInSameSection reports whether two blocks may be about the same thing. They are both at the top or
// below the same heading.
func (p *placeReader) areInSameSection(i, j int) bool {
	return i < maxTop && j < maxTop || p.head[i] == p.head[j] || p.head[i] == j || p.head[j] == i
}

// daysInAdjacentBlock reports whether block j contains the event's days, is short, and may be about the
// same thing as block i.
func (p *placeReader) daysInAdjacentBlock(i, j, dateBlock int) bool {
	return j >= 0 && j < len(p.blocks) && len(p.blocks[j].Text) <= 2*maxPlaceBlock && p.areInSameSection(i, j) && p.hasEventDays(j, dateBlock, 0)
}

// hasEventDays reports whether block i contains the event's days. In a long block they must be near byte at.
func (p *placeReader) hasEventDays(i, dateBlock, at int) bool {
	if dateBlock < 0 || len(p.datesIn(dateBlock)) == 0 {
		return false
	}
	when := p.datesIn(dateBlock)
	for _, d := range p.datesIn(i) {
		if near := len(p.blocks[i].Text) <= 2*maxPlaceBlock || d.Start-at < placeWindow && at-d.End < placeWindow; !near {
			continue
		}
		for _, w := range when {
			if i == dateBlock || d.From.Day == w.From.Day && d.To == w.To && d.From != d.To {
				return true
			}
		}
	}
	return false
}

// peopleHeadingWords reports whether block i is below a heading about people.
func (p *placeReader) isUnderPeopleHeading(i int) bool {
	return i >= maxTop/3 && peopleHeadingWords.MatchString(cutToBytes(p.headingAbove(i), maxHeading)) && !heldWords.MatchString(cutToBytes(p.blocks[i].Text, maxPlaceBlock))
}

var peopleHeadingWords = compilePattern(`(?i)\b(committees?|chairs?|chairmen|organi[sz](ers?|ation)|organi[sz]ing|speakers?|keynotes?|board|team|contacts?|sponsors?|partners|previous|past|reviewers|members|history|people|comit[eé]|comiss[aã]o|news|accepted|programa?)\b|委员|委員`)

// remoteWords are words about remote participation.
const remoteWords = `(?:online|on-line|virtual(?:ly)?|remote(?:ly)?|hybrid(?:ly)?|h[ií]brid[ao]|en línea|en ligne|in linea|à distance|a distancia|via zoom|on zoom)`

// remoteOffered matches an offer of remote participation.
const remoteOffered = `(?:remote|virtual|online) (?:participation|attendance|presentations?) (?:is|are|will be) (?:possible|allowed|supported|offered|available|welcome|conducted|held|given)`

const gathering = `(?:conference|workshop|event|symposium|meeting|congress|edition|summit|forum|school|seminar|attendance|participation|mode|format|form)`

var (
	// remoteHeld matches a sentence which says that an event is held remotely.
	remoteHeld = compilePattern(`(?i)\b(?:held|hosted|take[s]? place|taking place|organi[sz]ed|conducted|convened?|celebrar\p{L}*|realizar\p{L}*)\b[^.;]{0,60}?\b` + remoteWords + `\b` +
		`|\b(?:online|virtual|hybrid)[ -](?:only |and in-person )?` + gathering + `\b` +
		`|\b(?:conference|workshop|event|symposium|meeting|congress|it)\b[^.;]{0,30} (?:will be|is|goes|go) (?:a |an |be )?(?:fully |entirely |completely )?(?:online|virtual|hybrid|remote)\b(?: ` + gathering + `)?[^\p{L}]*(?:$|[,.;(]|due|because|and in|via|on|from)` +
		`|\b(?:attend|attending|participate|participating|participation|join|joining)\b[^.;]{0,40}\b(?:online|virtually|remotely|via zoom)\b` +
		`|\b(?:(?:format|mode|modality|modalidad|modalidade)\b|modalit[éà])[^.;]{0,20}\b` + remoteWords + `\b` +
		`|\b` + remoteOffered + `\b` +
		`|\bin virtual\b|virtual land|\b(?:fully|entirely|completely|all|both) (?:online|virtual|remote)\b`)
	// hybridWords matches a text that offers the event both on site and remotely.
	hybridWords = compilePattern(`(?i)\bhybrid\b|h[ií]brid[ao]|\b` + remoteOffered + `\b|(?:in[- ]person|on[- ]?site|physical\w*|face[- ]to[- ]face|f2f|presencial|en présentiel|offline)\b.{0,60}\b` + remoteWords + `\b|\b` + remoteWords + `\b.{0,60}\b(?:in[- ]person|on[- ]?site|physical\w*|face[- ]to[- ]face|f2f|presencial|offline)\b|线上线下|線上線下|ハイブリッド|하이브리드`)
	// remoteBeside matches a word for remote participation beside the days of the event or instead of its
	// place.
	remoteBeside = compilePattern(`(?i)\b(online|virtually|virtual|hybrid|remotely|remote (?:participation|attendance|presentations?)|h[ií]brid[ao]|en línea)\b|オンライン|ハイブリッド|线上|線上|온라인`)
	remoteCJK    = compilePattern(`(?:线上|線上|オンライン|ハイブリッド|온라인)(?:会议|會議|开催|開催|举行|舉行|线下|で|으로|개최|及|和|与|與)`)
	// remotePlace matches a word for remote participation that is printed instead of a place.
	remotePlace = compilePattern(`(?i)^\W*(?:fully |entirely |held )?(?:online|virtual(?:ly)?|hybrid)(?:[ -]` + gathering + `)?\W*$`)
	// notRemote matches "online" and "hybrid" about other things than the event.
	notRemote = compilePattern(`(?i)\bonline[- ](submissions?|systems?|proceedings|publications?|registrations?|first|appendi\w+|version|journal|social|learning|algorithms?|communit\w+|manuscript|form|tool|paper|at|games?|services?|library|materials?|resources?|reviews?)|submi\w*[^.;]{0,60}\b(on-?line|electronic\w*|remotely)\b|\b(publish|submi|upload|regist|availab|accessib|appear|review|post)\w*\b[^.;]{0,40}\b(on-?line)\b|virtual[- ](worlds?|environments?|realit\w+|machines?|memor\w+|agents?|humans?|teams?|organi[sz]ations?|assistants?|labs?|learning|communit\w+|spaces?)|hybrid[- ](models?|model\w+|systems?|intelligen\w+|methods?|approach\w*|algorithms?|learning|clouds?|electric|control|automata|simulation|energy|architectures?|network\w*|quantum|techniques?|work)|remote (sensing|work\w*|control|access)`)
	// otherOccasionWords matches words about other editions, exceptions and possibilities.
	otherOccasionWords = compilePattern(`(?i)\b(previous|past|earlier|last year|former|was held|were held|has been held|have been held|not be|no (online|virtual|hybrid|remote)|unable|emergency|only if|in case|study|exception\w*|might|visa|upon request|allowed for)\b`)
	sentenceStop       = compilePattern(`[.;!?。；！？]\s|[。；！？]|$`)
)

// A remoteSpan is a sentence about remote participation, bytes [from, to) of a block. hybrid means that
// participation on site is possible too.
type remoteSpan struct {
	block, from, to int
	hybrid          bool
}

// findRemoteSentence returns the sentence which says that the event is held online, entirely or in part.
// dateBlock is the block with the days of the event, -1 for none.
func (p *placeReader) findRemoteSentence(dateBlock int) (remoteSpan, bool) {
	for i, b := range p.blocks {
		if i > 8*maxTop && i > dateBlock+1 {
			break
		}
		if !p.mayMatch(i, remoteBeside) || !remoteBeside.MatchString(cutToBytes(b.Text, maxPlaceText)) {
			continue
		}
		near := dateBlock >= 0 && i >= dateBlock-1 && i <= dateBlock+1 && len(b.Text) <= maxPlaceBlock
		place := len(b.Text) <= maxPlaceBlock && (venueHeading.MatchString(cutToBytes(b.Text, 20)) || i-p.head[i] <= 2 && venueHeading.MatchString(cutToBytes(p.headingAbove(i), maxHeading)))
		from := 0
		for _, end := range sentenceStop.FindAllStringIndex(cutToBytes(b.Text, maxPlaceText), maxSentences) {
			s := b.Text[from:end[0]]
			if p.saysRemote(s, i, near || place) {
				return remoteSpan{i, from, end[0], hybridWords.MatchString(s)}, true
			}
			from = end[1]
		}
	}
	return remoteSpan{}, false
}

// maxSentences is the maximum number of sentences read per block.
const maxSentences = 200

// saysRemote reports whether a sentence of block i says that the event is held remotely. beside means that
// it is beside the event's days or place.
func (p *placeReader) saysRemote(s string, i int, beside bool) bool {
	if !remoteBeside.MatchString(s) || notRemote.MatchString(s) || otherOccasionWords.MatchString(s) {
		return false
	}
	switch {
	case beside && isShortRemote(s), remotePlace.MatchString(s) && i < maxTop, remoteCJK.MatchString(s):
		return true
	}
	return remoteHeld.MatchString(s) && !p.isUnderPeopleHeading(i) && (len(s) > maxHeading || i < maxTop || heldWords.MatchString(s))
}

// isShortRemote reports whether a part of an address, or a part of few words, contains a word for remote
// participation.
func isShortRemote(s string) bool {
	for _, q := range addressParts(withoutDates(s)) {
		if remoteBeside.MatchString(q.text) && len(strings.Fields(q.text)) <= maxRemoteWords {
			return true
		}
	}
	return false
}

const maxRemoteWords = 4
