package query

import (
	"slices"

	"eventseer/features/dictionary"
	"eventseer/internal/text"
)

// IsStopWord reports whether a word, in lower case, is a function word of English, which
// says nothing of what a text is about. The search index leaves such words out of texts.
func IsStopWord(word string) bool { return stopWords[word] }

// IsStop reports whether a term without a field has no words but stop words. Such a term
// is looked for in acronyms only, some of which are such words ("IT", "BE").
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

// Considered returns the clauses that decide: all but those of stop words alone, or all
// if there are no others.
func (x Expr) Considered() [][]Term {
	strong := slices.DeleteFunc(slices.Clone(x.Clauses), func(clause []Term) bool {
		return !slices.ContainsFunc(clause, func(t Term) bool { return !t.IsStop() })
	})
	if len(strong) == 0 {
		return x.Clauses
	}
	return strong
}

// stopWords are those of the Snowball project for English, as Bleve has them: pronouns,
// auxiliaries, conjunctions, prepositions. Contractions are left out, since an apostrophe
// ends a word.
var stopWords = text.WordSet(`
	i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
	it its itself they them their theirs themselves what which who whom this that these those
	am is are was were be been being have has had having do does did doing would should could ought cannot
	a an the and but if or because as until while
	of at by for with about against between into through during before after above below to from up down in out
	on off over under again further then once here there when where why how
	all any both each few more most other some such no nor not only own same so than too very`)
