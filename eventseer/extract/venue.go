package extract

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"eventseer/eventseer"
)

var (
	venueHeading = regexp.MustCompile(`(?i)\b(venue|location|where|place|lugar|local|ort|lieu|sede|luogo|地点|地點|会場|장소)\b|^(地点|地點|会場|장소)`)
	// elsewhere marks places that are not the event's: where people work, where
	// earlier editions were, whose event it is held with.
	elsewhere = regexp.MustCompile(`(?i)\b(previous|past|earlier|last year|former|university|univers\p{L}*|institute|department|chair|committee|prof|dr|phd|professor)\b|@`)
	workplace = regexp.MustCompile(`(?i)\b(previous|past|earlier|former|chair|committee|prof|dr|phd|professor)\b|@`)
	online    = regexp.MustCompile(`(?i)\b(online|virtually|hybrid|remotely|h[ií]brida?|presencial y virtual)\b|オンライン|线上|온라인|(^|[,(]\s*)virtual\s*($|[,)])`)
	heldOn    = regexp.MustCompile(`(?i)\b(held|hosted|take[s]? place|taking place|format|mode|modalidad|attend\w*|particip\w*)\b[^.]{0,80}\b(online|virtual(ly)?|hybrid|h[ií]brid[ao]|remotely)\b|\b(online|virtual|hybrid) (conference|workshop|event|symposium|meeting|mode|format|edition|congress)|\((online|virtual|hybrid)[^)]{0,20}\)|^(online|virtual|hybrid)( event)?$|\bin virtual\b|virtual land`)
)

// venue finds where the event takes place: near its dates, in the title, under
// a heading that says so, at the top of the page, in a sentence that says
// "held in".
func (p *page) venue(title string, dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	var v *eventseer.Venue
	var src eventseer.Provenance
	for _, i := range p.venueBlocks(dateBlock) {
		text := p.blocks[i].Text
		got, ok := placeIn(p.venueText(i, dateBlock))
		if !ok {
			continue
		}
		got.Text = clip(text, maxPlaceBlock)
		v, src = &got, p.source(i, 0, len(got.Text), "place")
		break
	}
	if v == nil {
		for _, s := range []string{title, clip(p.t.Title(), maxTitleBlock)} {
			if got, ok := placeIn(s); ok {
				got.Text = s
				v = &got
				src = eventseer.Provenance{URL: p.url, Rule: "place-in-title", Snippet: snippet(s, 0)}
				break
			}
		}
	}
	if v == nil {
		v, src = p.bareCity(dateBlock)
	}
	if i := p.onlineBlock(dateBlock); i >= 0 {
		if v == nil {
			v, src = &eventseer.Venue{}, p.source(i, 0, len(p.blocks[i].Text), "online")
		}
		v.Online = true
	}
	return v, src
}

// cityPhrases find a city that is named without its country; group 1 is the
// city.
var cityPhrases = []*regexp.Regexp{
	regexp.MustCompile(`(?:held|hosted|take place|takes place|located|seeing you)\b[^.;]{0,60}?\bin (?:the city of |beautiful )?` + cityName + `(?:[.,!;)|]| on\b| from\b| between\b|$| and\b)`),
	regexp.MustCompile(`^Welcome to ` + cityName + `$`),
	regexp.MustCompile(`^` + cityName + `, \|`),
	regexp.MustCompile(`\| ` + cityName + `, \|`),
	regexp.MustCompile(`(?:held|hosted|place|statt|an der)\b[^.;]{0,60}?\b(?:University of|Universit[äà]t|Université de|Universidad de) ([\p{Lu}][\p{L}'’-]+)\b`),
}

const cityName = `([\p{Lu}][\p{L}'’-]+(?: [\p{Lu}][\p{L}'’-]+){0,2})`

// bareCity finds a city named without its country.
func (p *page) bareCity(dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	blocks := p.venueBlocks(dateBlock)
	for _, i := range blocks {
		text := p.venueText(i, dateBlock)
		if city := p.knownCity(text); city != "" && utf8.RuneCountInString(text) <= maxPlaceBlock {
			return p.cityFrom(i, city, "city-known")
		}
	}
	if city := p.knownCity(clip(p.t.Title(), maxTitleBlock)); city != "" {
		src := eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "city-in-title", Snippet: snippet(p.t.Title(), 0)}
		return p.cityVenue(city, p.t.Title()), src
	}
	for _, i := range blocks {
		if text := p.venueText(i, dateBlock); heldWords.MatchString(text) {
			if city := p.cityInSentence(text); city != "" {
				return p.cityFrom(i, city, "city-in-sentence")
			}
		}
	}
	for _, i := range blocks {
		s := withoutDates(p.venueText(i, dateBlock))
		for _, phrase := range cityPhrases {
			if m := phrase.FindStringSubmatch(s); m != nil && cityAlone(m[1]) != "" {
				return p.cityFrom(i, cityAlone(m[1]), "city-phrase")
			}
		}
	}
	if v, src := p.taggedCity(blocks, dateBlock); v != nil {
		return v, src
	}
	return p.bareCountry(blocks, dateBlock)
}

// bareCountry finds a country named without a city, in the line of the event's
// days or a sentence that says where it is held.
func (p *page) bareCountry(blocks []int, dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	for _, i := range blocks {
		text := p.venueText(i, dateBlock)
		if i != dateBlock && !heldWords.MatchString(text) {
			continue
		}
		for _, part := range placeParts(text) {
			r, ok := countryIn(strings.TrimSpace(part))
			if !ok {
				r, ok = leadingRegion(strings.TrimSpace(part))
			}
			if ok && len(strings.TrimSpace(part)) > 3 {
				text = clip(p.blocks[i].Text, maxPlaceBlock)
				return &eventseer.Venue{Region: r.state, Country: r.country, CountryCode: r.code, Text: text}, p.source(i, 0, len(text), "country")
			}
		}
	}
	return nil, eventseer.Provenance{}
}

// taggedCity asks the tagger, where no pattern found a city, whether a name
// behind "in" in a sentence about the event is a place.
func (p *page) taggedCity(blocks []int, dateBlock int) (*eventseer.Venue, eventseer.Provenance) {
	for n, i := range blocks {
		if n >= maxTagged {
			break
		}
		s := p.venueText(i, dateBlock)
		m := heldIn.FindStringSubmatch(s)
		if m != nil && cityAlone(m[1]) != "" && p.names.isPlace(s, m[1]) {
			return p.cityFrom(i, cityAlone(m[1]), "city-tagged")
		}
	}
	return nil, eventseer.Provenance{}
}

// heldIn finds a name that may be where the event is held.
var heldIn = regexp.MustCompile(`\b(?:held|hosted|takes? place|taking place|organi[sz]ed|come|gather|convene|meet|meeting)\b[^.;]{0,80}?\bin ` + cityName)

// maxTagged bounds the blocks of a page given to the tagger.
const maxTagged = 12

func (p *page) cityFrom(i int, city, rule string) (*eventseer.Venue, eventseer.Provenance) {
	text := clip(p.blocks[i].Text, maxPlaceBlock)
	return p.cityVenue(city, text), p.source(i, 0, len(text), rule)
}

// cityVenue is a place known by its city; the country is added where the name
// of the city leaves no doubt of it.
func (p *page) cityVenue(city, text string) *eventseer.Venue {
	v := &eventseer.Venue{City: city, Text: clip(text, maxPlaceBlock)}
	if code := p.cities[city]; code != "" {
		v.Country, v.CountryCode = countryName(code), code
	}
	return v
}

// cityAlone returns s if it can be a city that stands alone, else "".
func cityAlone(s string) string {
	city := cityOf(s)
	if _, region := countryIn(city); region || nouns.MatchString(city) || acronymShape(city) || months[strings.ToLower(city)] != 0 || weekdays[strings.ToLower(city)] {
		return ""
	}
	return city
}

// namesPerson reports whether a line is a person with an affiliation, whose
// place is not the event's.
func namesPerson(s string) bool {
	person, ok := personIn(s)
	if !ok || person.Affiliation == "" {
		return false
	}
	_, country := countryIn(person.Affiliation)
	return !country
}

// venueText is the part of a block that may name the place: of a long one the
// sentence about the event.
func (p *page) venueText(i, dateBlock int) string {
	text := p.blocks[i].Text
	if strings.HasSuffix(text, ",") && i+1 < len(p.blocks) {
		text += " " + p.blocks[i+1].Text
	}
	if len(text) <= maxPlaceBlock {
		return text
	}
	from, to := 0, len(text)
	if m := heldWords.FindStringIndex(text); m != nil {
		from = m[0]
	} else if ds := p.datesIn(i); len(ds) > 0 && i == dateBlock {
		from = max(0, ds[0].start-maxPlaceBlock/2)
	}
	if to-from > 2*maxPlaceBlock {
		to = from + 2*maxPlaceBlock
	}
	return strings.ToValidUTF8(text[from:to], "")
}

// venueBlocks lists the blocks that may name the place, likeliest first.
func (p *page) venueBlocks(dateBlock int) []int {
	var out []int
	seen := map[int]bool{}
	add := func(i int) {
		if i >= 0 && i < len(p.blocks) && !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	if dateBlock >= 0 {
		when := p.datesIn(dateBlock)
		for _, d := range p.dates {
			if len(when) > 0 && d.from.day == when[0].from.day && d.to == when[0].to && d.block < 8*maxTop {
				add(d.block)
			}
		}
		for _, d := range []int{0, 1, -1, 2, -2} {
			if j := dateBlock + d; d == 0 || j >= 0 && j < len(p.blocks) && len(p.blocks[j].Text) <= maxPlaceBlock && !workplace.MatchString(p.blocks[j].Text) && p.sameRun(j, dateBlock) {
				add(j)
			}
		}
	}
	for i, b := range p.blocks {
		if len(b.Text) <= maxPlaceBlock && (i-p.head[i] <= 4 && venueHeading.MatchString(p.heading(i)) || venueHeading.MatchString(clip(b.Text, 20))) {
			add(i)
		}
	}
	for i, b := range p.blocks {
		if i < maxTop && len(b.Text) <= maxPlaceBlock && !elsewhere.MatchString(b.Text) && !namesPerson(b.Text) {
			add(i)
		}
	}
	for i, b := range p.blocks {
		if len(b.Text) <= maxPlaceBlock && nouns.MatchString(b.Text) && acronymInTitle(b.Text) != "" && !otherEvent(b.Text) {
			add(i)
		}
	}
	for i, b := range p.blocks {
		if i < 4*maxTop && heldWords.MatchString(b.Text) && !otherYear.MatchString(b.Text) {
			add(i)
		}
	}
	return out
}

// sameRun reports whether two blocks may speak of the same thing: near the top
// or under one heading.
func (p *page) sameRun(i, j int) bool {
	return i < maxTop && j < maxTop || p.head[i] == p.head[j]
}

// onlineBlock returns the block that says that the event is held on line,
// wholly or in part, or -1.
func (p *page) onlineBlock(dateBlock int) int {
	for i, b := range p.blocks {
		if i > 8*maxTop {
			break
		}
		near := dateBlock >= 0 && i >= dateBlock-1 && i <= dateBlock+1 && len(b.Text) <= maxPlaceBlock
		if near && online.MatchString(b.Text) && !submitOnline.MatchString(b.Text) {
			return i
		}
		if heldOn.MatchString(clip(b.Text, maxBlockBytes)) && !submitOnline.MatchString(b.Text) && (i < maxTop || nouns.MatchString(b.Text)) {
			return i
		}
	}
	return -1
}

var submitOnline = regexp.MustCompile(`(?i)online (submissions?|system|proceedings|publication|registration|first)|submit\w* online|virtual (world|environment|realit|machine|memory)`)
