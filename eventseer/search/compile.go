package search

import (
	"github.com/eventseer/eventseer/eventseer/query"
	"slices"
	"strings"

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

// A plan is the evaluation of a query: words all at once in Bleve's postings, the rest row by row.
type plan struct {
	// words is the node that all must match, nil without words.
	words node
	// mixed are the clauses with a fact or a proximity, any term of which must match.
	mixed    [][]query.Term
	excluded []query.Term
}

// A node is a part of a search for words: an anyOf, an allOf, a withText or a *leaf.
type node any

type (
	anyOf []node // at least one of them; the number of matches counts in the score
	allOf []node // each of them
	// withText matches fields, or else the text of pages. Matches in the text add to the score of
	// the fields but are not counted as fields; otherwise long pages would come before matches in
	// the name.
	withText struct {
		fields anyOf
		text   *leaf
	}
)

// A leaf is words in one field: all of them, consecutive if it is a phrase. A leaf without words
// matches nothing.
type leaf struct {
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

// A compiler converts terms of words to nodes.
type compiler struct {
	mapping        mapping.IndexMapping
	synonyms, same func(string) []string // nil without facts
}

// plan parts a query.
func (c compiler) plan(x query.Expr) plan {
	p := plan{excluded: x.Excluded}
	var words allOf
	for _, alternatives := range x.Considered() {
		if slices.ContainsFunc(alternatives, func(t query.Term) bool { return t.IsFact() || t.Near > 0 }) {
			p.mixed = append(p.mixed, alternatives)
			continue
		}
		var nodes, acronyms anyOf
		for _, t := range alternatives {
			if t.IsStop() {
				acronyms = append(acronyms, c.term(t))
			} else {
				nodes = append(nodes, c.term(t))
			}
		}
		words = append(words, append(nodes, acronyms...))
	}
	if len(words) > 0 {
		p.words = words
	}
	return p
}

// term returns the node of a term of words, with synonyms if it has no field. Stop words are
// searched in acronyms.
func (c compiler) term(t query.Term) node {
	switch {
	case t.Field != "":
		words := c.leaf(t.Field, t, 1)
		if name, ok := t.Topic(); ok {
			return anyOf{words, &leaf{field: "named", words: []placedWord{{text: name}}, boost: 1}}
		}
		return words
	case t.IsStop():
		return c.leaf("acronym", t, 1)
	}
	var nodes anyOf
	known := false // t is one of the names
	if c.same != nil {
		names := c.same(t.Text)
		for _, name := range names {
			known = known || strings.EqualFold(name, t.Text)
			nodes = append(nodes, c.anywhere(query.Term{Text: name, Phrase: true}, 1))
		}
	}
	if !known {
		nodes = append(anyOf{c.anywhere(t, 1)}, nodes...)
	}
	if c.synonyms == nil {
		return nodes
	}
	for _, s := range c.synonyms(t.Text) {
		if c.same == nil || !slices.Contains(c.same(t.Text), s) {
			nodes = append(nodes, c.anywhere(query.Term{Text: s, Phrase: true}, synonymWeight))
		}
	}
	return nodes
}

// anywhere searches t in all fields for terms without one, and in texts. A year in a text, often
// that of another edition, matches but does not affect the score.
func (c compiler) anywhere(t query.Term, weight float64) node {
	var fields anyOf
	boost := textBoost * weight
	for _, f := range anyField {
		fields = append(fields, c.leaf(f.name, t, f.boost*weight))
	}
	if t.IsYear() {
		fields = append(fields, &leaf{field: "year", words: []placedWord{{text: t.Text}}, boost: 1})
		boost = 0
	}
	return withText{fields, c.leaf("text", t, boost)}
}

// leaf looks for the words of t in one field.
func (c compiler) leaf(field string, t query.Term, boost float64) *leaf {
	l := &leaf{field: field, boost: boost}
	tokens := c.mapping.AnalyzerNamed(c.mapping.AnalyzerNameForPath(field)).Analyze([]byte(t.Text))
	for _, token := range tokens {
		l.words = append(l.words, placedWord{string(token.Term), token.Position - tokens[0].Position})
	}
	l.phrase = t.Phrase && len(l.words) > 1
	return l
}
