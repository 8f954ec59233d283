package match

import (
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/features/dictionary"
)

// fieldsOf returns where the words of a term may stand.
func fieldsOf(t eventseer.Term) fieldSet {
	switch t.Field {
	case "title":
		return setOf(inTitle)
	case "acronym":
		return setOf(inAcronym)
	case "topic":
		return setOf(inTopic)
	case "place":
		return setOf(inPlace)
	case "clip":
		return setOf(inClip)
	case "person":
		return setOf(inPerson)
	}
	if isStop(t) {
		return setOf(inAcronym)
	}
	return anywhere
}

// valueKey names the value that a term about a fact asks for, so that lists are found by
// it; "" where one value does not decide it.
func valueKey(t eventseer.Term) string {
	if t.Op != ":" {
		return ""
	}
	switch t.Field {
	case "kind", "year", "series", "id":
		return "v" + t.Field + ":" + t.Text
	}
	return ""
}

// valueKeys are the values that a document has.
func valueKeys(f *eventseer.Facts) []string {
	return []string{
		"vkind:" + string(f.Kind), "vyear:" + strconv.Itoa(f.Year), "vseries:" + f.Series, "vid:" + string(f.ID),
	}
}

// timeless reports whether what a term asks for does not depend on when it is asked.
func timeless(t eventseer.Term) bool {
	switch t.Field {
	case "due", "start", "new", "changed":
		return false
	}
	return true
}

// fits reports whether the facts of a text are what the term asks for.
func (w *wanted) fits(t *text, now time.Time) bool {
	test := w.test
	if test == nil {
		if !w.IsFact() {
			return w.year != 0 && w.year == t.facts.Year
		}
		test = w.Test(now)
	}
	return test != nil && test(t.facts)
}

func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= 1000
}

// isStop reports whether a term without field has no words but such as nearly every text
// has. Such a term is looked for in acronyms alone.
func isStop(t eventseer.Term) bool {
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
