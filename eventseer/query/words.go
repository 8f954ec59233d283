package query

import (
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/topic"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the text read of one document.
const (
	maxTopics = 300
	maxClips  = 50
	maxPeople = 1000
	maxWords  = 20_000 // words of all fields except page texts, which eventseer.SearchedTexts limits
)

// A Field is a part of a document in which words are searched.
type Field uint8

// Fields of words, the strongest first.
const (
	InAcronym Field = iota
	InTitle
	InTopic
	InPlace // the place in normalized form in one line, then as printed
	InClip
	InText // texts of the event's pages
	InPerson
	NumFields
)

var fieldOfName = map[string]Field{
	"acronym": InAcronym, "title": InTitle, "topic": InTopic, "place": InPlace, "clip": InClip, "text": InText, "person": InPerson,
}

// A fieldSet has a bit for each field.
type fieldSet uint16

func setOf(fields ...Field) (s fieldSet) {
	for _, f := range fields {
		s |= 1 << f
	}
	return s
}

func (s fieldSet) has(f Field) bool { return s&(1<<f) != 0 }

// names are fields with proper names, whose words are compared as written. The others contain text,
// whose stop words are ignored.
var names = setOf(InAcronym, InPlace, InPerson)

// texts are fields with texts about an event, and its place, whose words may be about something else.
var texts = setOf(InPlace, InClip, InText)

// anywhere are the fields searched for a term without a field.
var anywhere = setOf(InAcronym, InTitle, InTopic, InPlace, InClip, InText)

// fieldsOf returns the fields in which the words of a term may occur.
func fieldsOf(t Term) fieldSet {
	if f, ok := fieldOfName[t.Field]; ok {
		return setOf(f)
	}
	if t.IsStop() {
		return setOf(InAcronym)
	}
	return anywhere
}

// A token is a word of a document. Its keys are numbers of a Compiler, -1 if no program has the
// word.
type token struct {
	stem, word int32
	field      Field
	part       int32 // index of the topic or the clip
	start, end int32 // byte range in the part's text
}

// Words is a document split into words, on which the programs of one Compiler are evaluated. The
// results of terms are cached, so that programs with common terms are fast. It is not safe for
// concurrent use.
type Words struct {
	Document eventseer.Document
	Facts    *Facts

	tokens  []token
	at      map[int32][]int32 // positions of tokens by key of a stem or word
	answers []cachedAnswer    // answers by number of the term
	named   []string          // topics of the vocabulary, nil before Named is called
}

// A cachedAnswer reports whether a document has a term.
type cachedAnswer uint8

const (
	unasked cachedAnswer = iota
	yes
	no
)

// ClearCache clears the cached answers of terms, so that another time can be used.
func (t *Words) ClearCache() { clear(t.answers) }

// Keys calls each with those keys of the document's words and values that programs use.
func (t *Words) Keys(c *Compiler, each func(key int32)) {
	for key := range t.at {
		each(key)
	}
	values := valueKeys(t.Facts)
	for _, name := range t.VocabularyTopics() {
		values = append(values, "vtopic:"+name)
	}
	for _, value := range values {
		if key, ok := c.keys[value]; ok {
			each(key)
		}
	}
}

// VocabularyTopics returns the topics of the vocabulary in the document's topics.
func (t *Words) VocabularyTopics() []string {
	if t.named == nil {
		t.named = append([]string{}, topic.NamesInAll(t.Topics())...)
	}
	return t.named
}

// Topics returns the topics of the document that are read.
func (t *Words) Topics() []string { return firstN(t.Document.Event.Topics, maxTopics) }

// Clips returns the clips of the document that are read.
func (t *Words) Clips() []eventseer.Clip { return firstN(t.Document.Clips, maxClips) }

// Read cuts a document into the words that the compiled programs use, those of people too if they
// are shown.
func (c *Compiler) Read(d eventseer.Document, people bool) *Words {
	facts := FactsOf(d)
	t := &Words{
		Document: d, Facts: &facts, at: make(map[int32][]int32, 128), tokens: make([]token, 0, 256), answers: make([]cachedAnswer, len(c.terms)),
	}
	e := d.Event
	c.addWords(t, InAcronym, 0, e.Acronym)
	for i, a := range d.Acronyms {
		c.addWords(t, InAcronym, i+1, a)
	}
	c.addWords(t, InTitle, 0, e.Title)
	for i, topic := range t.Topics() {
		c.addWords(t, InTopic, i, topic)
	}
	if l := e.Location; l != nil {
		c.addWords(t, InPlace, 0, l.String())
		c.addWords(t, InPlace, 1, l.Text)
	}
	for i, clip := range t.Clips() {
		c.addWords(t, InClip, i, clip.Summary)
	}
	if people {
		for i, p := range firstN(e.Committee, maxPeople) {
			c.addWords(t, InPerson, i, p.Name)
		}
	}
	for i, page := range t.Document.Texts {
		c.addWords(t, InText, i, page.Main())
	}
	return t
}

func firstN[T any](all []T, limit int) []T { return all[:min(len(all), limit)] }

func (c *Compiler) addWords(t *Words, f Field, part int, s string) {
	for w := range dictionary.Words(s, "") {
		if f != InText && len(t.tokens) >= maxWords {
			return
		}
		tk := token{
			stem: c.keyOf("s" + w.Stem), word: c.keyOf("w" + text.FoldForComparison(w.Text)), field: f, part: int32(part),
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

// IsStopWord reports whether a word, in lower case, is a function word of English, which does not
// describe a subject. The search index ignores such words in texts.
func IsStopWord(word string) bool { return stopWords[word] }

// IsStop reports whether a term without a field consists only of stop words. Such a term is
// searched in acronyms only, some of which are such words ("IT", "BE").
func (t Term) IsStop() bool {
	if t.Field != "" {
		return false
	}
	for w := range dictionary.Words(t.Text, "") {
		if !stopWords[w.Text] {
			return false
		}
	}
	return true
}

// RelevantClauses returns the relevant clauses: all except those consisting of stop words, or all if
// there are no others. A clause that names a part of the world or a country also has the calls
// there as an alternative.
func (x Expr) RelevantClauses() [][]Term { return withPlaces(x.decisiveClauses()) }

// decisiveClauses returns the clauses that do not consist of stop words, or all if there are no others.
func (x Expr) decisiveClauses() [][]Term {
	strong := slices.DeleteFunc(slices.Clone(x.Clauses), func(clause []Term) bool {
		return !slices.ContainsFunc(clause, func(t Term) bool { return !t.IsStop() })
	})
	if len(strong) == 0 {
		return x.Clauses
	}
	return strong
}

// stopWords are the English stop words of the Snowball project, as in Bleve: pronouns, auxiliaries,
// conjunctions, prepositions. Contractions are left out, because an apostrophe ends a word.
var stopWords = text.WordSet(`
	i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
	it its itself they them their theirs themselves what which who whom this that these those
	am is are was were be been being have has had having do does did doing would should could ought cannot
	a an the and but if or because as until while
	of at by for with about against between into through during before after above below to from up down in out
	on off over under again further then once here there when where why how
	all any both each few more most other some such no nor not only own same so than too very`)
