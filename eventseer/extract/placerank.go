package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/block"
)

const (
	maxPlaceBlocks = 600     // blocks searched for the event's place
	maxPlaceText   = 6_000   // bytes of one block that are searched for places
	maxPlaceBytes  = 120_000 // bytes per page that are searched for places
	placeWindow    = 160     // maximum bytes between a place and the days beside it
	maxMentions    = 250     // places per page that are ranked
	minOtherRole   = .9      // probability of other roles from which a block is not searched for places
)

// A mention is a place named in a block or in text that is not visible.
type mention struct {
	placeMention
	block int    // index of the block; below 0 the kind of invisible text
	text  string // text of the block, or the invisible text
	path  string // path of an invisible text, otherwise ""
}

// keyFacts are data about all mentions of one place.
type keyFacts struct {
	times, blocks, last    int
	roles                  block.Scores // maximum of each role over its blocks
	days, element, address bool
}

// A placeRanking holds the places that a page names with the data for their features. The page naming no
// place of the event is an additional candidate after the last one.
type placeRanking struct {
	p         *placeReader
	dateBlock int
	remote    bool // the page mentions remote participation
	list      []mention
	keys      map[string]*keyFacts
	blocks    map[int]*blockFacts
	name      map[uint32]bool // hashes of the words of the event's name
	host      string          // country code in the page's address
	words     []uint32
}

// placeKey returns a key that is equal for mentions of the same place: its city or, without one, its
// country code after "=".
func placeKey(v eventseer.Venue) string {
	if v.City == "" {
		return "=" + v.CountryCode
	}
	return strings.ToLower(v.City)
}

// placesOf returns the places that a page names. title is the event's name, dateBlock the block with its
// days, -1 for none. remote means that the page mentions remote participation.
func (p *placeReader) placesOf(title string, dateBlock int, remote bool) *placeRanking {
	l := &placeRanking{p: p, dateBlock: dateBlock, remote: remote, keys: map[string]*keyFacts{}, blocks: map[int]*blockFacts{}, name: map[uint32]bool{}, host: countryOfHost(p.url)}
	for _, w := range placeWords(nil, title, placeNameSize) {
		l.name[w] = true
	}
	for _, u := range p.invisibleTexts() {
		l.addMentions(u.kind, u.text, withoutDates(u.text), u.path)
	}
	read := 0
	for i, b := range p.blocks {
		if i >= maxPlaceBlocks || read >= maxPlaceBytes {
			break
		}
		if !p.mayNamePlace(i, dateBlock) {
			continue
		}
		text := strings.ToValidUTF8(cutToBytes(b.Text, maxPlaceText), " ")
		read += len(text)
		l.addMentions(i, text, blankDates(text, p.spansIn(i, len(text))), "")
	}
	address := strings.ToLower(p.url)
	for _, k := range l.list {
		f := l.keys[placeKey(k.venue)]
		f.address = f.address || len(k.venue.City) > 3 && strings.Contains(address, strings.ToLower(strings.ReplaceAll(k.venue.City, " ", "")))
	}
	return l
}

// mayNamePlace reports whether block i may name the event's place. Blocks that are almost certainly about
// people, papers or topics are excluded, unless they are beside the event's days.
func (p *placeReader) mayNamePlace(i, dateBlock int) bool {
	if p.roles == nil || dateBlock >= 0 && i >= dateBlock-2 && i <= dateBlock+2 {
		return true
	}
	s := &p.roles[i]
	return s[block.Committee]+s[block.Speakers]+s[block.Programme]+s[block.Topics] < minOtherRole
}

// addMentions adds the places of text i. plain is the text without its dates, of the same length; path is that of
// an invisible text.
func (l *placeRanking) addMentions(i int, text, plain, path string) {
	spots := l.p.placesNamedInUndated(plain)
	if len(spots) == 0 {
		return
	}
	l.blocks[i] = &blockFacts{spots: len(spots)}
	for _, s := range spots {
		if len(l.list) >= maxMentions {
			return
		}
		l.list = append(l.list, mention{placeMention: s, block: i, text: text, path: path})
		key := placeKey(s.venue)
		f := l.keys[key]
		if f == nil {
			f = &keyFacts{last: -2}
			l.keys[key] = f
		}
		f.times++
		if f.last != i {
			f.blocks++
			f.last = i
		}
		if i < 0 {
			f.element = true
			continue
		}
		if l.p.roles != nil {
			for r, q := range l.p.roles[i] {
				f.roles[r] = max(f.roles[r], q)
			}
		}
		f.days = f.days || l.p.hasEventDays(i, l.dateBlock, s.from)
	}
}

// allTerms returns the features of each mention, followed by those of the decision that there is no place.
func (l *placeRanking) allTerms() [][]classify.Term {
	out := make([][]classify.Term, 0, len(l.list)+1)
	for i := range l.list {
		out = append(out, l.termsOf(i))
	}
	return append(out, l.noneTerms())
}

const (
	// minPlace is the minimum probability of a country and its cities for choosing it. minAgainstNone is
	// the minimum ratio to the probability of "no place".
	minPlace       = .3
	minAgainstNone = 1.5
	// minCityShare is the minimum share of its country's probability for choosing a city.
	minCityShare = .4
)

// choosePlace returns the mention that is the event's place, and its probability. p is the result of
// probabilities. The probabilities of mentions are summed by country first and by city of the best country
// then. ok is false if no place is probable enough.
func (l *placeRanking) choosePlace(p []float64) (best mention, belief float64, ok bool) {
	none := p[len(p)-1]
	code := map[string]string{} // city → code of its country, from mentions that have one
	for i := range l.list {
		if v := l.list[i].venue; v.City != "" && v.CountryCode != "" && code[placeKey(v)] == "" {
			code[placeKey(v)] = v.CountryCode
		}
	}
	countryOf := func(m *mention) string {
		return cmp.Or(m.venue.CountryCode, code[placeKey(m.venue)], placeKey(m.venue))
	}
	best1 := func(key func(*mention) string) string {
		sum, top := map[string]float64{}, ""
		for i := range l.list {
			k := key(&l.list[i])
			if k == "" {
				continue
			}
			sum[k] += p[i]
		}
		for i := range l.list {
			if k := key(&l.list[i]); k != "" && (top == "" || sum[k] > sum[top]) {
				top = k
			}
		}
		belief = sum[top]
		return top
	}
	country := best1(countryOf)
	within := belief
	if country == "" || within < minPlace || within < minAgainstNone*none {
		return best, none, false
	}
	place := best1(func(m *mention) string {
		if countryOf(m) != country || m.venue.City == "" {
			return ""
		}
		return placeKey(m.venue)
	})
	if place == "" || belief < minCityShare*within {
		place = "=" + country
		best1(func(m *mention) string {
			if placeKey(m.venue) != place {
				return ""
			}
			return place
		})
	}
	at := -1
	for i := range l.list {
		if m := &l.list[i]; countryOf(m) == country && placeKey(m.venue) == place && (at < 0 || p[i] > p[at]) {
			at = i
		}
	}
	if at < 0 {
		return best, none, false
	}
	best = l.list[at]
	if best.venue.City != "" && (best.inferred != "" || best.venue.Country == "") {
		again := slices.IndexFunc(l.list, func(m mention) bool {
			return m.form >= cityInNameWithCountry && m.inferred == "" && placeKey(m.venue) == place && m.venue.CountryCode == country
		})
		if again >= 0 {
			v := l.list[again].venue
			best.venue.Region, best.venue.Country, best.venue.CountryCode = v.Region, v.Country, v.CountryCode
			best.inferred = "country from another mention of the city"
		}
	}
	return best, belief, true
}

// probabilities returns the probability of each mention, followed by that of "no place".
func (l *placeRanking) probabilities(m *classify.LogLinear) []float64 {
	scores := make([]float64, 0, len(l.list)+1)
	for _, ts := range l.allTerms() {
		scores = append(scores, m.Score(ts))
	}
	classify.Softmax(scores)
	return scores
}

// probability returns the calibrated probability that a choice with this belief is right.
func probability(m *classify.LogLinear, belief float64) float64 {
	if m.Calibration == nil {
		return belief
	}
	return m.Calibration.Probability(belief)
}
