package publish

import (
	"strings"

	"eventseer/eventseer/query"
	"eventseer/features/dictionary"
)

// isStop reports whether a term without field has no words but such as nearly every text
// has. Such a term is looked for in acronyms alone.
func isStop(t query.Term) bool {
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

// stopWords are the function words of English: pronouns, forms of to be, to have and to
// do, auxiliaries, conjunctions, prepositions. The search index leaves the same out.
var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`
		i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
		it its itself they them their theirs themselves what which who whom this that these those
		am is are was were be been being have has had having do does did doing would should could ought
		a an the and but if or because as until while
		of at by for with about against between into through during before after above below to from up down in out
		on off over under again further then once here there when where why how
		all any both each few more most other some such no nor not only own same so than too very`) {
		words[w] = true
	}
	return words
}()
