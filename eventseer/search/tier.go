package search

import (
	"context"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/query"
)

// A wordTier returns those of some documents that belong to a tier of words.
type wordTier func(ctx context.Context, of documentSet) (documentSet, error)

// queryTiers are the tiers of a query with words; together and inText are nil if no two words are
// adjacent in it.
type queryTiers struct{ names, together, inText, fields wordTier }

// wordTiers returns the tiers of a query, nil for a query without words. names are the events with
// all words in their name, place and year; fields those with all words in their fields. together
// are those of fields that have the words of each run near each other in one field; inText those
// that have them near each other anywhere. A place counts as a word of fields if the event is held
// there, and as a word of the text if it is only mentioned.
func (f *viewSearch) wordTiers(x query.Expr) *queryTiers {
	p := f.splitQuery(x)
	if p.words == nil && !slices.ContainsFunc(p.mixed, hasWords) {
		return nil
	}
	w := &queryTiers{
		names: func(ctx context.Context, of documentSet) (documentSet, error) {
			return f.matchWithin(ctx, p, of, nodeInNames, nameFields)
		},
		fields: func(ctx context.Context, of documentSet) (documentSet, error) {
			return f.matchWithin(ctx, p, of, nodeWithoutTexts, fieldsWithoutText())
		},
	}
	if runs := wordRuns(x); len(runs) > 0 {
		w.inText = func(ctx context.Context, of documentSet) (documentSet, error) {
			return f.documentsWithRuns(ctx, runs, of, anywhereFields())
		}
		w.together = func(ctx context.Context, of documentSet) (documentSet, error) {
			found, err := w.fields(ctx, of)
			if err != nil {
				return nil, err
			}
			return f.documentsWithRuns(ctx, runs, found, fieldsWithoutText())
		}
	}
	return w
}

// deadlineTiers returns the tiers within which events are sorted by deadline, the best first. Two
// separate words of a topic are weaker evidence than both together in the text of a page.
func (w *queryTiers) deadlineTiers() []wordTier {
	switch {
	case w == nil:
		return nil
	case w.together == nil:
		return []wordTier{w.names, w.fields}
	}
	return []wordTier{w.names, w.together, w.inText, w.fields}
}

// relevanceTiers returns the tiers within which events are sorted by score. Scores distinguish events
// with all words in their fields.
func (w *queryTiers) relevanceTiers() []wordTier {
	switch {
	case w == nil:
		return nil
	case w.inText == nil:
		return []wordTier{w.fields}
	}
	return []wordTier{w.fields, w.inText}
}

// hasWords reports whether some term is not a fact.
func hasWords(terms []query.Term) bool {
	return slices.ContainsFunc(terms, func(t query.Term) bool { return !t.IsFact() })
}

// matchWithin returns the documents of a set that match a plan within a part of the fields. limit
// restricts the fields of words, fields those of adjacent words.
func (f *viewSearch) matchWithin(ctx context.Context, p queryPlan, of documentSet, limit func(searchNode) searchNode, fields []string) (documentSet, error) {
	found := slices.Clone(of)
	if p.words != nil {
		var err error
		if found, err = f.documentsOf(ctx, limit(p.words), of); err != nil {
			return nil, err
		}
	}
	for _, clause := range p.mixed {
		if !hasWords(clause) {
			continue
		}
		union := newDocumentSet(len(f.rows))
		for _, t := range clause {
			var fits documentSet
			var err error
			switch test := t.FactTest(f.now); {
			case test != nil:
				fits = f.documentsPassing(found, t, test)
			case t.Near > 0:
				fits, err = f.documentsWithNear(ctx, t, commonFields(fieldsOf(t), fields), found)
			default:
				fits, err = f.documentsOf(ctx, limit(f.termNode(t)), found)
			}
			if err != nil {
				return nil, err
			}
			union.addAll(fits)
		}
		found.keepCommon(union)
	}
	return found, ctx.Err()
}

// documentsWithRuns returns the documents of a set that have the words of each run near each other in one of
// some fields.
func (f *viewSearch) documentsWithRuns(ctx context.Context, runs []query.Term, of documentSet, fields []string) (documentSet, error) {
	found := slices.Clone(of)
	for _, run := range runs {
		near, err := f.documentsWithNear(ctx, run, fields, found)
		if err != nil {
			return nil, err
		}
		found.keepCommon(near)
	}
	return found, nil
}

// maxRun bounds the words of a run: more words name several things, which are in different places
// of a call.
const maxRun = 3

// wordRuns returns the runs of two to maxRun words that are beside each other in a query. The words
// of a run are near each other if at most one more is between them. Words with a field, quoted
// ones, years, places and stop words end a run.
func wordRuns(x query.Expr) (runs []query.Term) {
	var words []string
	add := func() {
		if len(words) > 1 && len(words) <= maxRun {
			runs = append(runs, query.Term{Text: strings.Join(words, " "), Near: len(words)})
		}
		words = nil
	}
	for _, clause := range x.RelevantClauses() {
		t := clause[0]
		if len(clause) > 1 || t.Field != "" || t.Phrase || t.Near > 0 || t.IsYear() || t.IsStop() {
			add()
			continue
		}
		words = append(words, t.Text)
	}
	add()
	return runs
}

// fieldsWithoutText returns the fields in which a term without a field is searched, except the text
// of pages.
func fieldsWithoutText() []string {
	all := anywhereFields()
	return all[:len(all)-1]
}

// commonFields returns the fields that both lists have.
func commonFields(fields, of []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return !slices.Contains(of, field) })
}

// nodeWithoutTexts returns a node that is not searched in texts, unless the query requests it.
func nodeWithoutTexts(n searchNode) searchNode {
	switch n := n.(type) {
	case textOrFields:
		return n.fields
	case anyOfNodes:
		return anyOfNodes(nodesWithoutTexts(n))
	case allOfNodes:
		return allOfNodes(nodesWithoutTexts(n))
	}
	return n
}

// nameFields are the fields by which an event is known.
var nameFields = []string{"acronym", "title", "place", "year"}

// nodeInNames returns a node that searches words without a field only in names, places and years.
func nodeInNames(n searchNode) searchNode {
	var nodes []searchNode
	switch n := n.(type) {
	case textOrFields:
		return slices.DeleteFunc(slices.Clone(n.fields), func(one searchNode) bool {
			l, ok := one.(*fieldWords)
			return ok && !slices.Contains(nameFields, l.field)
		})
	case anyOfNodes:
		for _, one := range n {
			nodes = append(nodes, nodeInNames(one))
		}
		return anyOfNodes(nodes)
	case allOfNodes:
		for _, one := range n {
			nodes = append(nodes, nodeInNames(one))
		}
		return allOfNodes(nodes)
	}
	return n
}

func nodesWithoutTexts(nodes []searchNode) (out []searchNode) {
	for _, n := range nodes {
		out = append(out, nodeWithoutTexts(n))
	}
	return out
}
