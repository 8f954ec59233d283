package search

import (
	"eventseer/eventseer/query"
	"eventseer/features/dictionary"
	"eventseer/internal/text"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"
)

// The analyzers: stems are those of the dictionary, as lists of readers are
// matched by them too, without English stop words; names keeps every word but for
// case and accents. Offsets are those of the text as it is.
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
		names: func(word, _ string) string { return text.Fold(word) },
	} {
		err := registry.RegisterAnalyzer(name, func(map[string]any, *registry.Cache) (analysis.Analyzer, error) {
			return analyzer(word), nil
		})
		if err != nil { // two packages of one name: a fault of the program
			panic(err)
		}
	}
}

// analyzer cuts a text into the dictionary's words; it returns of each word what
// is indexed, "" for nothing.
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
