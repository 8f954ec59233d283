package search

import (
	"context"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/query"
)

// A tier returns those of some documents that belong to a tier of words.
type tier func(ctx context.Context, of set) (set, error)

// tiers are the tiers of a query with words; together and inText are nil if no two words are
// adjacent in it.
type tiers struct{ names, together, inText, fields tier }

// wordTiers returns the tiers of a query, nil for a query without words. names are the events with
// all words in their name, place and year; fields those with all words in their fields. together
// are those of fields that have the words of each run near each other in one field; inText those
// that have them near each other anywhere. A place counts as a word of fields if the event is held
// there, and as a word of the text if it is only mentioned.
func (f *finding) wordTiers(x query.Expr) *tiers {
	p := f.plan(x)
	if p.words == nil && !slices.ContainsFunc(p.mixed, hasWords) {
		return nil
	}
	w := &tiers{
		names: func(ctx context.Context, of set) (set, error) { return f.within(ctx, p, of, inNames, nameFields) },
		fields: func(ctx context.Context, of set) (set, error) {
			return f.within(ctx, p, of, withoutTexts, fieldsWithoutText())
		},
	}
	if runs := wordRuns(x); len(runs) > 0 {
		w.inText = func(ctx context.Context, of set) (set, error) { return f.together(ctx, runs, of, anywhere()) }
		w.together = func(ctx context.Context, of set) (set, error) {
			found, err := w.fields(ctx, of)
			if err != nil {
				return nil, err
			}
			return f.together(ctx, runs, found, fieldsWithoutText())
		}
	}
	return w
}

// byDeadline returns the tiers within which events are sorted by deadline, the best first. Two
// separate words of a topic are weaker evidence than both together in the text of a page.
func (w *tiers) byDeadline() []tier {
	switch {
	case w == nil:
		return nil
	case w.together == nil:
		return []tier{w.names, w.fields}
	}
	return []tier{w.names, w.together, w.inText, w.fields}
}

// byRelevance returns the tiers within which events are sorted by score. Scores distinguish events
// with all words in their fields.
func (w *tiers) byRelevance() []tier {
	switch {
	case w == nil:
		return nil
	case w.inText == nil:
		return []tier{w.fields}
	}
	return []tier{w.fields, w.inText}
}

// tierNumbers returns the number of the tier by relevance of each of some documents.
func (f *finding) tierNumbers(ctx context.Context, x query.Expr, of set) (map[uint32]uint8, error) {
	number := make(map[uint32]uint8, of.len())
	left := slices.Clone(of)
	last := uint8(0)
	for _, find := range f.wordTiers(x).byRelevance() {
		found, err := find(ctx, left)
		if err != nil {
			return nil, err
		}
		left.without(found)
		for d := range found.all {
			number[d] = last
		}
		last++
	}
	for d := range left.all {
		number[d] = last
	}
	return number, nil
}

// hasWords reports whether some term is not a fact.
func hasWords(terms []query.Term) bool {
	return slices.ContainsFunc(terms, func(t query.Term) bool { return !t.IsFact() })
}

// within returns the documents of a set that match a plan within a part of the fields. limit
// restricts the fields of words, fields those of adjacent words.
func (f *finding) within(ctx context.Context, p plan, of set, limit func(node) node, fields []string) (set, error) {
	found := slices.Clone(of)
	if p.words != nil {
		having, err := f.set(ctx, limit(p.words))
		if err != nil {
			return nil, err
		}
		found.intersect(having)
	}
	for _, clause := range p.mixed {
		if !hasWords(clause) {
			continue
		}
		union := newSet(len(f.rows))
		for _, t := range clause {
			var fits set
			var err error
			switch test := t.Test(f.now); {
			case test != nil:
				fits = f.fitting(found, t, test)
			case t.Near > 0:
				fits, err = f.near(ctx, t, intersection(fieldsOf(t), fields), found)
			default:
				fits, err = f.set(ctx, limit(f.term(t)))
			}
			if err != nil {
				return nil, err
			}
			union.unite(fits)
		}
		found.intersect(union)
	}
	return found, ctx.Err()
}

// together returns the documents of a set that have the words of each run near each other in one of
// some fields.
func (f *finding) together(ctx context.Context, runs []query.Term, of set, fields []string) (set, error) {
	found := slices.Clone(of)
	for _, run := range runs {
		near, err := f.near(ctx, run, fields, found)
		if err != nil {
			return nil, err
		}
		found.intersect(near)
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
	for _, clause := range x.Considered() {
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
	all := anywhere()
	return all[:len(all)-1]
}

// intersection returns the fields that both lists have.
func intersection(fields, of []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return !slices.Contains(of, field) })
}

// withoutTexts returns a node that is not searched in texts, unless the query requests it.
func withoutTexts(n node) node {
	switch n := n.(type) {
	case withText:
		return n.fields
	case anyOf:
		return anyOf(eachWithoutTexts(n))
	case allOf:
		return allOf(eachWithoutTexts(n))
	}
	return n
}

// nameFields are the fields by which an event is known.
var nameFields = []string{"acronym", "title", "place", "year"}

// inNames returns a node that searches words without a field only in names, places and years.
func inNames(n node) node {
	var nodes []node
	switch n := n.(type) {
	case withText:
		return slices.DeleteFunc(slices.Clone(n.fields), func(one node) bool {
			l, ok := one.(*leaf)
			return ok && !slices.Contains(nameFields, l.field)
		})
	case anyOf:
		for _, one := range n {
			nodes = append(nodes, inNames(one))
		}
		return anyOf(nodes)
	case allOf:
		for _, one := range n {
			nodes = append(nodes, inNames(one))
		}
		return allOf(nodes)
	}
	return n
}

func eachWithoutTexts(nodes []node) (out []node) {
	for _, n := range nodes {
		out = append(out, withoutTexts(n))
	}
	return out
}
