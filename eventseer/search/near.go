package search

import (
	"context"

	"eventseer/eventseer/query"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	blevequery "github.com/blevesearch/bleve/v2/search/query"
)

// fieldsOf returns the fields that a term is looked for in.
func fieldsOf(t query.Term) []string {
	switch {
	case t.Field != "":
		return []string{t.Field}
	case t.IsStop():
		return []string{"acronym"}
	}
	return anywhere()
}

// anywhere returns the fields that a term without a field is looked for in.
func anywhere() (fields []string) {
	for _, field := range anyField {
		fields = append(fields, field.name)
	}
	return fields
}

// near returns the documents in one of some fields of which the words of t stand within
// t.Near words of each other, in any order.
func (f *finding) near(ctx context.Context, t query.Term, fields []string) (set, error) {
	found := newSet(len(f.rows))
	for _, field := range fields {
		words := f.distinct(field, t.Text)
		if len(words) == 0 {
			continue
		}
		var queries []blevequery.Query
		for _, w := range words {
			q := bleve.NewTermQuery(w)
			q.SetField(field)
			queries = append(queries, q)
		}
		err := f.run(ctx, bleve.NewConjunctionQuery(queries...), search.SearcherOptions{Score: "none", IncludeTermVectors: true}, func(n uint32, m *search.DocumentMatch) bool {
			if closeBy(m.FieldTermLocations, len(words), uint64(t.Near)) {
				found.add(n)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	found.keep(f.live)
	return found, nil
}

// distinct returns the words of a text as a field has them, each once.
func (f *finding) distinct(field, text string) (words []string) {
	seen := map[string]bool{}
	for _, token := range f.mapping.AnalyzerNamed(f.mapping.AnalyzerNameForPath(field)).Analyze([]byte(text)) {
		if w := string(token.Term); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// maxPlacesNear bounds the places of words that are compared for nearness.
const maxPlacesNear = 400

// closeBy tells whether n different words stand within so many words of each
// other in one value of the field.
func closeBy(places []search.FieldTermLocation, n int, within uint64) bool {
	places = places[:min(len(places), maxPlacesNear)]
	for _, first := range places {
		near := map[string]bool{}
		for _, p := range places {
			if p.Location.ArrayPositions.Equals(first.Location.ArrayPositions) && p.Location.Pos >= first.Location.Pos && p.Location.Pos-first.Location.Pos <= within {
				near[p.Term] = true
			}
		}
		if len(near) == n {
			return true
		}
	}
	return false
}
