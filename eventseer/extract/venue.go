package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// readVenue returns the place of the event and its source, nil for none. A ranker chooses among all places that
// the page names. title is the event's name, dateBlock the block with its days, -1 for none.
func (p *page) readVenue(title string, dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	r, remote := p.findRemoteSentence(dateBlock)
	var v *eventseer.Venue
	var src eventseer.Provenance
	p.places = p.placesOf(title, dateBlock, remote)
	if l := p.places; p.placeRanker != nil && len(l.list) > 0 {
		if m, belief, ok := l.choosePlace(l.probabilities(p.placeRanker)); ok {
			v, src = p.placeOf(m, probability(p.placeRanker, belief))
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
func (p *page) placeOf(c mention, confidence float64) (*eventseer.Venue, eventseer.Provenance) {
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
func (p *page) areInSameSection(i, j int) bool {
	return i < maxTop && j < maxTop || p.head[i] == p.head[j] || p.head[i] == j || p.head[j] == i
}

// daysInAdjacentBlock reports whether block j contains the event's days, is short, and may be about the
// same thing as block i.
func (p *page) daysInAdjacentBlock(i, j, dateBlock int) bool {
	return j >= 0 && j < len(p.blocks) && len(p.blocks[j].Text) <= 2*maxPlaceBlock && p.areInSameSection(i, j) && p.hasEventDays(j, dateBlock, 0)
}

// hasEventDays reports whether block i contains the event's days. In a long block they must be near byte at.
func (p *page) hasEventDays(i, dateBlock, at int) bool {
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
func (p *page) isUnderPeopleHeading(i int) bool {
	return i >= maxTop/3 && peopleHeadingWords.MatchString(cutToBytes(p.headingAbove(i), maxHeading)) && !heldWords.MatchString(cutToBytes(p.blocks[i].Text, maxPlaceBlock))
}

var peopleHeadingWords = compilePattern(`(?i)\b(committees?|chairs?|chairmen|organi[sz](ers?|ation)|organi[sz]ing|speakers?|keynotes?|board|team|contacts?|sponsors?|partners|previous|past|reviewers|members|history|people|comit[eé]|comiss[aã]o|news|accepted|programa?)\b|委员|委員`)
