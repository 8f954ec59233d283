package match

import (
	"eventseer/eventseer"
	"eventseer/features/dictionary"
)

// Limits on what is read of one document.
const (
	maxTextTopics = 300
	maxTextClips  = 50
	maxTextPeople = 1000
	maxTextWords  = 20_000
)

// A field is a part of a document that words are looked for in, as the search index has
// them.
type field uint8

const (
	inAcronym field = iota
	inTitle
	inTopic
	inPlace // in one line, then as printed
	inClip
	inPerson
	numFields
)

// A fieldSet has a bit for each field.
type fieldSet uint16

func setOf(fields ...field) (s fieldSet) {
	for _, f := range fields {
		s |= 1 << f
	}
	return s
}

func (s fieldSet) has(f field) bool { return s&(1<<f) != 0 }

// names are fields that hold proper names: their words are compared as written. The
// others hold text, whose stop words are not compared.
var names = setOf(inAcronym, inPlace, inPerson)

// anywhere is where a term without a field is looked for.
var anywhere = setOf(inAcronym, inTitle, inTopic, inPlace, inClip)

// A token is a word of a document. Its keys are ids of a vocabulary, -1 where no list
// has the word.
type token struct {
	stem, word int32
	field      field
	part       int32 // index of the topic or the clip
	start, end int32 // bytes of the part's text
}

// A text is a document cut into words, with the tokens of each key.
type text struct {
	doc    eventseer.Document
	facts  *eventseer.Facts
	tokens []token
	at     map[int32][]int32 // by key, stems and words

	// What is known of terms already, by their numbers: lists share many.
	answers []answer
	located map[int]located
}

// An answer says whether a text has a term.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

// located is where a text has a term, and why that counts.
type located struct {
	found []occurrence
	why   string
}

// A vocabulary numbers the keys of lists: "s" and a stem, "w" and a word, "v" and the
// value of a field. Terms that several lists have are kept once.
type vocabulary struct {
	keys  map[string]int32
	terms map[string]*wanted
}

func newVocabulary() vocabulary {
	return vocabulary{map[string]int32{}, map[string]*wanted{}}
}

func (v vocabulary) id(key string) int32 {
	if id, ok := v.keys[key]; ok {
		return id
	}
	return -1
}

func (v vocabulary) add(key string) int32 {
	id, ok := v.keys[key]
	if !ok {
		id = int32(len(v.keys))
		v.keys[key] = id
	}
	return id
}

// read cuts a document into the words that the vocabulary knows, those of people too if
// they are shown.
func (v vocabulary) read(d eventseer.Document, people bool) *text {
	facts := eventseer.FactsOf(d)
	t := &text{
		doc: d, facts: &facts, at: make(map[int32][]int32, 128), tokens: make([]token, 0, 256), answers: make([]answer, len(v.terms)), located: map[int]located{},
	}
	e := d.Event
	v.words(t, inAcronym, 0, e.Acronym)
	v.words(t, inTitle, 0, e.Title)
	for i, topic := range bounded(e.Topics, maxTextTopics) {
		v.words(t, inTopic, i, topic)
	}
	if l := e.Location; l != nil {
		v.words(t, inPlace, 0, l.String())
		v.words(t, inPlace, 1, l.Text)
	}
	for i, c := range bounded(d.Clips, maxTextClips) {
		v.words(t, inClip, i, c.Summary)
	}
	if people {
		for i, p := range bounded(e.Committee, maxTextPeople) {
			v.words(t, inPerson, i, p.Name)
		}
	}
	return t
}

func bounded[T any](all []T, limit int) []T { return all[:min(len(all), limit)] }

func (v vocabulary) words(t *text, f field, part int, s string) {
	for w := range dictionary.Words(s, "") {
		if len(t.tokens) == maxTextWords {
			return
		}
		tk := token{
			stem: v.id("s" + w.Stem), word: v.id("w" + eventseer.FoldPlace(w.Text)), field: f, part: int32(part),
			start: int32(w.Start), end: int32(w.End),
		}
		n := int32(len(t.tokens))
		for _, key := range [2]int32{tk.stem, tk.word} {
			if key >= 0 {
				t.at[key] = append(t.at[key], n)
			}
		}
		t.tokens = append(t.tokens, tk)
	}
}
