package search

import (
	"strconv"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/topic"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
)

// schemaVersion is stored in the index; an index of another version is rebuilt.
//
//	1  title, acronym, topic, city, place, country, kind, year, deadline
//	2  the dictionary's stems; clips, people, words for spelling; facts in one
//	   stored field instead of a field each
//	3  the acronyms of the series of an event; doubts among its facts
//	4  deadlines of other calls than the main one only after its last
//	5  fields of research among the facts
//	6  topics of the vocabulary
//	7  texts of pages
const schemaVersion = "7"

// document is the form of an event in Bleve: the searched words, and the stored facts, which are in
// memory while the index is open.
type document struct {
	Title string `json:"title"`
	// Acronym is the event's acronym, then those of its series.
	Acronym []string `json:"acronym"`
	Topic   []string `json:"topic"`
	// Place is the place in one line, then as printed.
	Place []string `json:"place"`
	Clip  []string `json:"clip"`
	// Text is the text of its page, a string, or those of its pages. Each position of a word in one of
	// several strings takes a byte more.
	Text   any      `json:"text"`
	Person []string `json:"person"`
	Year   string   `json:"year"`
	// Named are the topics of the vocabulary in Topic, see package topic.
	Named []string `json:"named"`
	// Word contains the words of title, acronym and topics as written, for correcting misspelt
	// ones.
	Word  []string `json:"word"`
	Facts string   `json:"facts"`
}

func newMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	doc := bleve.NewDocumentStaticMapping()
	for field, analyzer := range map[string]string{
		"title": stems, "topic": stems, "clip": stems, "text": stems, "acronym": names, "place": names, "person": names,
		"word": names, "year": keyword.Name, "named": keyword.Name,
	} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.DocValues = analyzer, false, false, false
		f.IncludeTermVectors = field != "word" && field != "year" && field != "named"
		f.SkipFreqNorm = !f.IncludeTermVectors
		doc.AddFieldMappingsAt(field, f)
	}
	facts := bleve.NewTextFieldMapping()
	facts.Index, facts.Store, facts.IncludeInAll, facts.DocValues, facts.IncludeTermVectors = false, true, false, false, false
	doc.AddFieldMappingsAt("facts", facts)
	m.DefaultMapping = doc
	m.DefaultAnalyzer = stems
	return m
}

// maxClips bounds the clips of one event that are indexed.
const maxClips = 50

func newDocument(d eventseer.Document, people bool) document {
	e := d.Event
	out := document{
		Title: e.Title, Acronym: append([]string{e.Acronym}, d.Acronyms...), Topic: e.Topics, Facts: string(encodeRow(d)),
		Word: append([]string{e.Title, e.Acronym}, e.Topics...),
	}
	out.Named = topic.NamesInAll(e.Topics)
	if e.Year > 0 {
		out.Year = strconv.Itoa(e.Year)
	}
	if v := e.Location; v != nil {
		out.Place = []string{v.String(), v.Text}
	}
	for _, c := range d.Clips[:min(len(d.Clips), maxClips)] {
		out.Clip = append(out.Clip, c.Summary)
	}
	if len(d.Texts) == 1 {
		out.Text = d.Texts[0].Text
	} else if len(d.Texts) > 1 {
		texts := make([]string, len(d.Texts))
		for i, t := range d.Texts {
			texts[i] = t.Text
		}
		out.Text = texts
	}
	if people {
		for _, p := range e.Committee {
			out.Person = append(out.Person, p.Name)
		}
	}
	return out
}

// The analyzers. Text is stemmed by the dictionary, like in readers' lists, without English stop
// words; names keeps every word except for case and accents. Offsets are those of the unchanged
// text.
const (
	stems = "eventseer stems"
	names = "eventseer names"
)

func init() {
	for name, word := range map[string]func(text, stem string) string{
		stems: func(word, stem string) string {
			if query.IsStopWord(word) {
				return ""
			}
			return stem
		},
		names: func(word, _ string) string { return text.FoldForComparison(word) },
	} {
		err := registry.RegisterAnalyzer(name, func(map[string]any, *registry.Cache) (analysis.Analyzer, error) {
			return analyzer(word), nil
		})
		if err != nil { // two packages of one name: a bug in the program
			panic(err)
		}
	}
}

// analyzer splits a text into the dictionary's words; it returns the indexed form of each word, ""
// for none.
type analyzer func(text, stem string) string

func (a analyzer) Analyze(text []byte) (out analysis.TokenStream) {
	position := 0
	for w := range dictionary.Words(string(text), "") {
		position++
		if term := a(w.Text, w.Stem); term != "" {
			out = append(out, &analysis.Token{Start: w.Start, End: w.End, Term: []byte(term), Position: position, Type: analysis.AlphaNumeric})
		}
	}
	return out
}
