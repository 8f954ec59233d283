package query

import (
	"slices"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/eventseer/topic"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/text"
)

// maxWays is the maximum number of variants of one term: itself and its synonyms.
const maxWays = 1 + dictionary.MaxSynonyms

// A Pattern is one term, used by one or more programs.
type Pattern struct {
	Term
	Number int            // index among the terms of its compiler
	Ways   []WordSequence // the term, then its synonyms; none for a term about a fact

	exact  bool
	fields fieldSet          // fields in which its words may occur
	value  int32             // key of the required value, or -1
	year   int               // the year that the term means if it is read as a year
	topic  string            // topic of the vocabulary named by a term of the field topic, or ""
	test   func(*Facts) bool // test of a fact that does not depend on the time
}

// A WordSequence is one sequence of words.
type WordSequence struct {
	Text string

	stems []int32
	words []int32
	stops []bool
	// from and to are the range of words without stop words at the ends: those searched in text.
	from, to int
	// loose means that the words may be anywhere in one field, such as those of "self-driving". In the texts
	// of pages they follow each other.
	loose bool
	// notInText means that the words are not searched in texts and places, see IsSearchedInTexts.
	notInText bool
}

func (c *Compiler) compileTerm(t Term, o Options) Pattern {
	p := Pattern{Term: t, exact: o.Exact, value: -1}
	if t.IsFact() {
		if key := valueKey(t); key != "" {
			p.value = c.addKey(key)
		}
		if !t.IsTimed() {
			p.test = t.FactTest(time.Time{})
		}
		return p
	}
	p.fields = fieldsOf(t)
	if t.Field == "" && t.Near == 0 && t.IsYear() {
		p.year, _ = strconv.Atoi(t.Text)
		p.value = c.addKey("vyear:" + t.Text)
	}
	if name, ok := t.Topic(); ok {
		p.topic = name
		p.value = c.addKey("vtopic:" + name)
	}
	p.addAlternative(c, t.Text)
	if o.Synonyms != nil && t.hasSynonyms() {
		synonyms := o.Synonyms(t.Text)
		names := append(slices.Clone(synonyms), t.Text)
		for _, s := range synonyms {
			if n := len(p.Ways); p.addAlternative(c, s) {
				p.Ways[n].notInText = !IsSearchedInTexts(s, names)
			}
		}
	}
	return p
}

// hasSynonyms reports whether synonyms may match a term.
func (t Term) hasSynonyms() bool {
	return t.Near == 0 && (t.Field == "" && !t.IsStop() || t.Field == "title" || t.Field == "topic")
}

// IsYear reports whether the text of a term is a number that may be a year.
func (t Term) IsYear() bool {
	n, err := strconv.Atoi(t.Text)
	return err == nil && len(t.Text) == 4 && n >= 1000
}

// Topic returns the topic of the vocabulary that a term of the field topic names. Such a term finds
// the events that print it in any form.
func (t Term) Topic() (name string, ok bool) {
	if t.Field != "topic" || t.Near > 0 {
		return "", false
	}
	return topic.Named(t.Text)
}

// IsTimed reports whether the matches of a term depend on the time of the query.
func (t Term) IsTimed() bool {
	switch t.Field {
	case "due", "start", "new", "changed":
		return true
	}
	return false
}

// addAlternative adds a variant of the term. It returns false if the variant has no words or there are too many.
func (p *Pattern) addAlternative(c *Compiler, way string) bool {
	if len(p.Ways) == maxWays {
		return false
	}
	y := WordSequence{Text: way, from: -1, loose: !p.Phrase && p.Near == 0 && len(p.Ways) == 0}
	for word := range dictionary.Words(way, "") {
		stop := IsStopWord(word.Text)
		y.stems = append(y.stems, c.addKey("s"+word.Stem))
		y.words = append(y.words, c.addKey("w"+text.FoldForComparison(word.Text)))
		y.stops = append(y.stops, stop)
		if !stop {
			y.to = len(y.words)
			if y.from < 0 {
				y.from = len(y.words) - 1
			}
		}
	}
	y.from = max(y.from, 0)
	y.loose = y.loose && len(y.words) > 1
	if len(y.words) > 0 {
		p.Ways = append(p.Ways, y)
	}
	return len(y.words) > 0
}

// valueKey returns the key of the required value of a term about a fact, by which programs are
// found. It is "" if a single value does not decide the term.
func valueKey(t Term) string {
	if t.Op != ":" {
		return ""
	}
	switch t.Field {
	case "kind", "year", "series", "id":
		return "v" + t.Field + ":" + t.Text
	}
	return ""
}

// valueKeys returns the values that a document has.
func valueKeys(f *Facts) []string {
	return []string{
		"vkind:" + string(f.Kind), "vyear:" + strconv.Itoa(f.Year), "vseries:" + f.Series, "vid:" + string(f.ID),
	}
}

// isIn reports whether the term is in the document.
func (p *Pattern) isIn(t *Words, now time.Time) bool {
	if p.FactsMatch(t, now) {
		return true
	}
	for i := range p.Ways {
		for range p.positions(&p.Ways[i], t) {
			return true
		}
	}
	return false
}

// FactsMatch reports whether the facts of a document satisfy the term, ignoring the positions of its
// words.
func (p *Pattern) FactsMatch(t *Words, now time.Time) bool {
	test := p.test
	if test == nil {
		if !p.IsFact() {
			return p.year != 0 && p.year == t.Facts.Year || p.topic != "" && slices.Contains(t.VocabularyTopics(), p.topic)
		}
		test = p.FactTest(now)
	}
	return test != nil && test(t.Facts)
}

// Keys returns for each variant of the term the keys of which a document must have at least one. It
// is nil if a variant needs none.
func (p *Pattern) Keys() (ways [][]int32) {
	if p.value < 0 && len(p.Ways) == 0 {
		return nil
	}
	if p.value >= 0 {
		ways = append(ways, []int32{p.value})
	}
	for i := range p.Ways {
		ways = append(ways, p.keysOf(&p.Ways[i]))
	}
	return ways
}

// keysOf returns the keys that a text with this variant must have: those of its words that are
// compared in all fields. An exact word also has its stem, so stems are sufficient for names too.
func (p *Pattern) keysOf(y *WordSequence) []int32 {
	keys := p.wordsOf(y)
	if y.to == 0 || p.exact { // only stop words, or stop words are compared too
		return keys
	}
	var needed []int32
	for i, k := range keys {
		if !y.stops[i] {
			needed = append(needed, k)
		}
	}
	return needed
}

// wordsOf returns the keys by which the words of a variant are found.
func (p *Pattern) wordsOf(y *WordSequence) []int32 {
	if p.exact {
		return y.words
	}
	return y.stems
}

// An Occurrence is a position at which a term was found.
type Occurrence struct {
	Pattern *Pattern
	Way     int // index in Pattern.Ways
	Field   Field
	Part    int32  // index of the topic or the clip
	Bytes   [2]int // half-open byte range in the part's text
}

// Occurrences returns the positions of a term found by a program, at most most for each variant. It
// is nil for a term that Matches did not find.
func (p *Pattern) Occurrences(t *Words, most int) (all []Occurrence) {
	if t.answers[p.Number] == no {
		return nil
	}
	for i := range p.Ways {
		n := 0
		for s := range p.positions(&p.Ways[i], t) {
			if n++; n > most {
				break
			}
			first, last := t.tokens[s.first], t.tokens[s.last]
			all = append(all, Occurrence{p, i, first.field, first.part, [2]int{int(first.start), int(last.end)}})
		}
	}
	return slices.Clip(all)
}

// IsMissing reports whether a program found that the document does not have the term.
func (p *Pattern) IsMissing(t *Words) bool { return t.answers[p.Number] == no }
