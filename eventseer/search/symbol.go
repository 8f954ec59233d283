package search

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/topic"
	"github.com/eventseer/eventseer/internal/text"
)

// symbols numbers the values of facets and stores one copy of data common to many rows. Only one
// goroutine may add; the lists only grow, so copies are read without a lock.
type symbols struct {
	texts  map[string]string
	places map[eventseer.Venue]*storedVenue
	sets   map[string]*rankSet
	has    map[string][]string
	// printed maps printed topics to values of the facet topic.
	printed map[string][]uint32
	lists
}

// Lists of values by number; groups counts different spellings of one value as one.
type lists struct {
	topics, kinds, countries, ranks, months values
}

func newSymbols() *symbols {
	return &symbols{
		texts: map[string]string{}, places: map[eventseer.Venue]*storedVenue{}, sets: map[string]*rankSet{}, has: map[string][]string{},
		printed: map[string][]uint32{},
		lists:   lists{newValues(), newValues(), newValues(), newValues(), newValues()},
	}
}

// values are the spellings of a facet's values. Number 0 means none.
type values struct {
	number  map[string]uint32
	text    []string // by number
	group   []uint32 // for each spelling, the number of the first spelling of the same value
	byGroup map[string]uint32
}

func newValues() values {
	return values{number: map[string]uint32{}, text: []string{""}, group: []uint32{0}, byGroup: map[string]uint32{}}
}

// numberOf returns the number of a spelling of the value key.
func (v *values) numberOf(text, key string) uint32 {
	if n, ok := v.number[text]; ok {
		return n
	}
	n := uint32(len(v.text))
	first, known := v.byGroup[key]
	if !known {
		first = n
		v.byGroup[key] = n
	}
	v.number[text] = n
	v.text, v.group = append(v.text, text), append(v.group, first)
	return n
}

func (s *symbols) sharedText(t string) string {
	if kept, ok := s.texts[t]; ok {
		return kept
	}
	s.texts[t] = t
	return t
}

// maxTopic bounds a topic used as a facet value, in bytes: longer ones are sentences.
const maxTopic = 80

// topicSet returns the facet values of a printed topic. They are the topics of the vocabulary in
// it, or if there are none, the topic itself.
func (s *symbols) topicSet(printed string) []uint32 {
	if set, ok := s.printed[printed]; ok {
		return set
	}
	var set []uint32
	for _, name := range topic.NamesIn(printed) {
		set = append(set, s.topics.numberOf(capitalize(name), name))
	}
	if key := text.FoldForComparison(printed); set == nil && key != "" && len(printed) <= maxTopic && query.TermText("topic", printed) != "" {
		set = []uint32{s.topics.numberOf(printed, "printed "+key)}
	}
	s.printed[s.sharedText(printed)] = set
	return set
}

// capitalize makes the first letter a capital, unless the word already has capitals.
func capitalize(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if strings.ToLower(word) != word {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (s *symbols) kindNumber(k string) uint32 {
	if n, ok := s.kinds.number[k]; ok {
		return n
	}
	if query.TermText("kind", k) == "" {
		return 0
	}
	return s.kinds.numberOf(k, k)
}

// monthNumber returns the month of a day, such as "2027-06".
func (s *symbols) monthNumber(day time.Time) uint32 {
	if day.IsZero() {
		return 0
	}
	month := day.Format(monthLayout)
	return s.months.numberOf(month, month)
}

const monthLayout = "2006-01"

func (s *symbols) splitWords(joined string) []string {
	if joined == "" {
		return nil
	}
	if _, ok := s.has[joined]; !ok {
		s.has[joined] = strings.Fields(joined)
	}
	return s.has[joined]
}

// A rankSet is the ranks of one or more series.
type rankSet struct {
	ranks   []eventseer.Rank
	symbols []uint32
}

func (s *symbols) ranksAndNumbers(ranks []eventseer.Rank) ([]eventseer.Rank, []uint32) {
	if len(ranks) == 0 {
		return nil, nil
	}
	var key strings.Builder
	for _, r := range ranks {
		key.WriteString(r.System + "\x00" + r.Value + "\x00" + strconv.Itoa(r.Year) + "\x00")
	}
	set := s.sets[key.String()]
	if set == nil {
		set = &rankSet{ranks: ranks}
		for _, r := range ranks {
			name := r.System + "=" + r.Value
			if query.TermText("rank", name) != "" {
				set.symbols = append(set.symbols, s.ranks.numberOf(name, name))
			}
		}
		s.sets[key.String()] = set
	}
	return set.ranks, set.symbols
}

// A storedVenue is the stored data of a venue.
type storedVenue struct {
	keys    query.PlaceKeys
	country uint32
	regions uint16
}

func (s *symbols) storedVenueOf(v eventseer.Venue) *storedVenue {
	if p := s.places[v]; p != nil {
		return p
	}
	p := &storedVenue{keys: query.MakePlaceKeys(&v)}
	for i, r := range query.Regions() {
		if slices.Contains(p.keys.Where, r.Key) {
			p.regions |= 1 << i
		}
	}
	if term := countryTerm(v); term != "" {
		p.country = s.countries.numberOf(v.Country+"\x00"+term, term)
	}
	s.places[v] = p
	return p
}

// countryTerm returns the query term for a place's country.
func countryTerm(v eventseer.Venue) string {
	if code := query.CountryCode(&v); code != "" {
		return query.TermText("country", code)
	}
	return query.TermText("country", v.Country)
}
