package extract

import (
	"slices"
	"strings"
	"unicode"

	"eventseer/eventseer"
)

const (
	maxPlaceBlocks = 150     // blocks searched for the event's place
	maxPlaceText   = 6_000   // bytes of one block searched for places
	maxPlaceBytes  = 120_000 // bytes of a page searched for places
	placeWindow    = 160     // bytes before a place that say what happens there
	minPlaceScore  = 2.0     // what a place must reach to be trusted as the event's
	maxCandidates  = 400     // places weighed of a page
	maxTagged      = 12      // blocks of a page given to the tagger
)

// A placeCandidate is a place that may be the event's, with what several rules
// ask.
type placeCandidate struct {
	spot
	p         *page
	block     int // -1 for the page's title
	dateBlock int
	before    string // text of the block before the place, at most placeWindow bytes
	after     string
	text      string // of the block
	named     bool   // the block names an event by kind and acronym
	points    float64
}

// venue finds where the event takes place: of all places named beside its
// dates, in titles, under a heading that says so, at the top of the page and
// in sentences that say "held in", the one that most speaks for.
func (p *page) venue(title string, dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	best, ok := p.bestPlace(p.placeCandidates(title, dateBlock))
	var v *eventseer.Venue
	var src eventseer.Provenance
	if ok {
		v, src = p.placeOf(best)
	} else {
		v, src = p.taggedCity(dateBlock)
	}
	if r, ok := p.remote(dateBlock); ok {
		if v == nil {
			v, src = &eventseer.Venue{Text: printedText(p.blocks[r.block].Text[r.from:r.to], maxPlaceBlock)}, p.source(r.block, r.from, r.to, "online")
		}
		v.Online, v.Hybrid = true, r.hybrid
	}
	return v, src
}

// bestPlace returns the candidate with the most points, counting that a city
// is named again; its country is taken from where the city is named with one.
func (p *page) bestPlace(cs []placeCandidate) (placeCandidate, bool) {
	again := map[string]int{}
	for _, c := range cs {
		again[cityKey(c.venue)]++
	}
	best := placeCandidate{points: minPlaceScore}
	found := false
	for _, c := range cs {
		if c.venue.City != "" {
			c.points += againPoints * float64(min(again[cityKey(c.venue)]-1, 3))
		}
		if c.points > best.points || c.points == best.points && !found {
			best, found = c, true
		}
	}
	if !found {
		return best, false
	}
	for _, c := range cs {
		if cityKey(c.venue) == cityKey(best.venue) && c.form >= cityShaped && best.form < cityShaped && c.venue.Country != "" && c.points > 0 && c.inferred == "" {
			best.venue.Region, best.venue.Country, best.venue.CountryCode = c.venue.Region, c.venue.Country, c.venue.CountryCode
			best.inferred = "country from where the page names the city again"
			break
		}
	}
	return best, true
}

func cityKey(v eventseer.Venue) string {
	if v.City == "" {
		return "=" + v.Country
	}
	return strings.ToLower(v.City)
}

// placeOf makes the record's place of a candidate.
func (p *page) placeOf(c placeCandidate) (*eventseer.Venue, eventseer.Provenance) {
	v := c.venue
	from := 0
	if len(c.text) > maxPlaceBlock {
		from = phraseStart(c.text, c.from)
	}
	v.Text = printedText(c.text[from:], max(c.to-from, maxPlaceBlock))
	rule := placeRules[c.form].name
	src := eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: rule, Snippet: snippet(c.text, c.from)}
	if c.block >= 0 {
		src = p.source(c.block, c.from, c.to, rule)
	}
	src.Inferred, src.Confidence = c.inferred, placeRules[c.form].right
	if src.Inferred == "" && v.Region != "" && !regionPrinted(c.text[c.from:c.to], v.Region) {
		src.Inferred = "region from the city"
	}
	return &v, src
}

// regionPrinted reports whether a place names a region, by name or by code.
func regionPrinted(place, name string) bool {
	if strings.Contains(strings.ToLower(place), strings.ToLower(name)) {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(place, isPlaceBreak), func(word string) bool {
		r, _ := countryIn(word)
		return r.state == name || regionCodes[word] == name
	})
}

func isPlaceBreak(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;()/", r) }

// phraseStart is where the line or sentence begins that holds byte at of s, or
// a word at most placeWindow/2 bytes before.
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

// placeCandidates lists the places named where the event's may be, with their
// points.
func (p *page) placeCandidates(title string, dateBlock int) []placeCandidate {
	var out []placeCandidate
	add := func(block int, text string) {
		line := clip(text, maxTitleBlock)
		named := block >= 0 && nouns.MatchString(line) && acronymInTitle(line) != ""
		for _, s := range p.spots(text) {
			if len(out) >= maxCandidates {
				return
			}
			c := placeCandidate{spot: s, p: p, block: block, dateBlock: dateBlock, text: text, named: named,
				before: text[max(0, s.from-placeWindow):s.from], after: clip(text[s.to:], placeWindow/4)}
			c.points = placeRules[c.form].worth
			for _, e := range placeEvidence {
				if e.holds(&c) {
					c.points += e.points
				}
			}
			out = append(out, c)
		}
	}
	for _, i := range p.placeBlocks(dateBlock) {
		add(i, strings.ToValidUTF8(clip(p.blocks[i].Text, maxPlaceText), " "))
	}
	for _, s := range []string{title, clip(p.t.Title(), maxTitleBlock)} {
		add(-1, strings.ToValidUTF8(s, " "))
	}
	return out
}

// placeBlocks lists the blocks that may name the place, in their order.
func (p *page) placeBlocks(dateBlock int) []int {
	var out []int
	read := 0
	for i, b := range p.blocks {
		if len(out) >= maxPlaceBlocks || read >= maxPlaceBytes {
			break
		}
		short := len(b.Text) <= 2*maxPlaceBlock
		beside := i >= dateBlock-2 && i <= dateBlock+2 && dateBlock >= 0
		if beside || i < maxTop || p.hasDays(i, dateBlock, 0) ||
			short && i-p.head[i] <= 4 && venueHeading.MatchString(clip(p.heading(i), maxHeading)) || short && venueHeading.MatchString(clip(b.Text, 20)) ||
			heldWords.MatchString(clip(b.Text, maxPlaceText)) || short && nouns.MatchString(b.Text) && acronymInTitle(b.Text) != "" {
			out = append(out, i)
			read += min(len(b.Text), maxPlaceText)
		}
	}
	return out
}

// taggedCity asks the tagger, where no rule found a city, whether a name
// behind "in" in a sentence about the event is a place.
func (p *page) taggedCity(dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	asked := 0
	for _, i := range p.placeBlocks(dateBlock) {
		text := clip(p.blocks[i].Text, maxNER)
		m := heldIn.FindStringSubmatchIndex(text)
		if m == nil || cityAlone(text[m[2]:m[3]]) == "" || pastPlace.MatchString(text[:m[2]]) || len(years(text)) > 1 {
			continue
		}
		if asked++; asked > maxTagged {
			break
		}
		if name := text[m[2]:m[3]]; p.names.isPlace(text, name) {
			src := p.source(i, m[2], m[3], "city-tagged")
			return &eventseer.Venue{City: cityAlone(name), Text: printedText(text[m[2]:], maxPlaceBlock)}, src
		}
	}
	return nil, eventseer.Provenance{}
}

const cityName = `([\p{Lu}][\p{L}'’-]+(?: [\p{Lu}][\p{L}'’-]+){0,2})`

// heldIn finds a name that may be where the event is held.
var heldIn = compile(`\b(?:held|hosted|takes? place|taking place|organi[sz]ed|come|gather|convene|meet|meeting)\b[^.;]{0,80}?\bin ` + cityName)

var (
	venueHeading = compile(`(?i)\b(venue|location|where|place|lugar|local|ort|lieu|sede|luogo|地点|地點|会場|장소)\b|^(地点|地點|会場|장소)`)
	// elsewhere marks places that are not the event's: where people work, where
	// earlier editions were, whose event it is held with.
	elsewhere = compile(`(?i)\b(previous|past|earlier|last year|former|university|univers\p{L}*|institute|department|chair|committee|prof|dr|phd|professor)\b|@`)
)

// cityAlone returns s if it can be a city that stands alone, else "".
func cityAlone(s string) string {
	city := cityOf(s)
	if _, region := countryIn(city); region && !cityStates[strings.ToLower(city)] || nouns.MatchString(city) || acronymShape(city) || months[strings.ToLower(city)] != 0 || weekdays[strings.ToLower(city)] {
		return ""
	}
	return city
}

// sameRun reports whether two blocks may speak of the same thing: near the top
// or under one heading.
func (p *page) sameRun(i, j int) bool {
	return i < maxTop && j < maxTop || p.head[i] == p.head[j] || p.head[i] == j || p.head[j] == i
}
