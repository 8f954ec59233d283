package search

import (
	"iter"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/features/dictionary"

	"github.com/blevesearch/bleve/v2/mapping"
)

// anyField are the fields searched for a term without a field, the most important first, with the
// weight of a match.
var anyField = []struct {
	name  string
	boost float64
}{{"acronym", 6}, {"title", 3}, {"topic", 1}, {"place", 1}, {"clip", 0.3}}

// textBoost is the weight of a match in the text of a page, compared with those of anyField, for
// words without a field.
const textBoost = 0.1

// synonymWeight is the weight of a synonym, relative to the word itself.
const synonymWeight = 0.3

// A queryPlan is the evaluation of a query: words all at once in Bleve's postings, the rest row by row.
type queryPlan struct {
	// words is the node that all must match, nil without words.
	words searchNode
	// mixed are the clauses with a fact or a proximity, any term of which must match.
	mixed    [][]query.Term
	excluded []query.Term
}

// A searchNode is a part of a search for words: an anyOfNodes, an allOfNodes, a textOrFields or a *leaf.
type searchNode any

type (
	anyOfNodes []searchNode // at least one of them; the number of matches counts in the score
	allOfNodes []searchNode // each of them
	// textOrFields matches fields, or else the text of pages. Matches in the text add to the score of
	// the fields but are not counted as fields; otherwise long pages would come before matches in
	// the name.
	textOrFields struct {
		fields anyOfNodes
		text   *fieldWords
	}
)

// A fieldWords is words in one field: all of them, consecutive if it is a phrase. A leaf without words
// matches nothing.
type fieldWords struct {
	field  string
	words  []placedWord
	phrase bool
	boost  float64
}

// A placedWord is a word in the form of its field, with its offset from the first word of its
// phrase.
type placedWord struct {
	text   string
	offset int
}

// A termCompiler converts terms of words to nodes.
type termCompiler struct {
	mapping        mapping.IndexMapping
	synonyms, same func(string) []string // nil without facts
}

// splitQuery parts a query.
func (c termCompiler) splitQuery(x query.Expr) queryPlan {
	p := queryPlan{excluded: x.Excluded}
	var words allOfNodes
	for _, alternatives := range x.RelevantClauses() {
		if slices.ContainsFunc(alternatives, func(t query.Term) bool { return t.IsFact() || t.Near > 0 }) {
			p.mixed = append(p.mixed, alternatives)
			continue
		}
		var nodes, acronyms anyOfNodes
		for _, t := range alternatives {
			if t.IsStop() {
				acronyms = append(acronyms, c.termNode(t))
			} else {
				nodes = append(nodes, c.termNode(t))
			}
		}
		words = append(words, append(nodes, acronyms...))
	}
	if len(words) > 0 {
		p.words = words
	}
	return p
}

// termNode returns the node of a term of words, with synonyms if it has no field. Stop words are
// searched in acronyms.
func (c termCompiler) termNode(t query.Term) searchNode {
	switch {
	case t.Field != "":
		words := c.fieldWordsIn(t.Field, t, 1)
		if name, ok := t.Topic(); ok {
			return anyOfNodes{words, &fieldWords{field: "named", words: []placedWord{{text: name}}, boost: 1}}
		}
		return words
	case t.IsStop():
		return c.fieldWordsIn("acronym", t, 1)
	}
	var nodes anyOfNodes
	known := false // t is one of the names
	if c.same != nil {
		names := c.same(t.Text)
		for _, name := range names {
			known = known || strings.EqualFold(name, t.Text) || t.Phrase && haveSameWords(name, t.Text)
			nodes = append(nodes, c.synonymNode(name, t.Text, names, 1))
		}
	}
	if !known {
		nodes = append(anyOfNodes{c.anywhereNode(t, 1)}, nodes...)
	}
	if c.synonyms == nil {
		return nodes
	}
	synonyms := c.synonyms(t.Text)
	names := append(slices.Clone(synonyms), t.Text)
	for _, s := range synonyms {
		if c.same == nil || !slices.Contains(c.same(t.Text), s) {
			nodes = append(nodes, c.synonymNode(s, t.Text, names, synonymWeight))
		}
	}
	return nodes
}

// synonymNode searches one of several names for a term like anywhereNode, in texts and places only if
// query.IsSearchedInTexts.
func (c termCompiler) synonymNode(name, term string, names []string, weight float64) searchNode {
	node := c.anywhereNode(query.Term{Text: name, Phrase: true}, weight)
	if !haveSameWords(name, term) && !query.IsSearchedInTexts(name, names) {
		node.text = &fieldWords{field: "text"}
		node.fields = slices.DeleteFunc(node.fields, func(n searchNode) bool {
			l, ok := n.(*fieldWords)
			return ok && (l.field == "place" || l.field == "clip")
		})
	}
	return node
}

// haveSameWords reports whether names differ only in case, hyphens and spaces.
func haveSameWords(a, b string) bool {
	other, stop := iter.Pull(dictionary.Words(b, ""))
	defer stop()
	for w := range dictionary.Words(a, "") {
		if o, ok := other(); !ok || !strings.EqualFold(w.Text, o.Text) {
			return false
		}
	}
	_, more := other()
	return !more
}

// anywhereNode searches t in all fields for terms without one, and in texts. A year in a text, often
// that of another edition, matches but does not affect the score.
func (c termCompiler) anywhereNode(t query.Term, weight float64) textOrFields {
	var fields anyOfNodes
	boost := textBoost * weight
	for _, f := range anyField {
		fields = append(fields, c.fieldWordsIn(f.name, t, f.boost*weight))
	}
	if t.IsYear() {
		fields = append(fields, &fieldWords{field: "year", words: []placedWord{{text: t.Text}}, boost: 1})
		boost = 0
	}
	return textOrFields{fields, c.fieldWordsIn("text", t, boost)}
}

// fieldWordsIn looks for the words of t in one field. In texts the words of "self-driving" follow each other.
func (c termCompiler) fieldWordsIn(field string, t query.Term, boost float64) *fieldWords {
	l := &fieldWords{field: field, boost: boost}
	tokens := c.mapping.AnalyzerNamed(c.mapping.AnalyzerNameForPath(field)).Analyze([]byte(t.Text))
	for _, token := range tokens {
		l.words = append(l.words, placedWord{string(token.Term), token.Position - tokens[0].Position})
	}
	l.phrase = (t.Phrase || field == "text") && len(l.words) > 1
	return l
}
