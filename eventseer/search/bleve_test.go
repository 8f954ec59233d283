package search

import (
	"slices"
	"strings"

	"eventseer/eventseer"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
)

// bleveQuery is the query of Bleve's that a node stands for, by which nodes are judged.
func bleveQuery(n node) query.Query {
	switch n := n.(type) {
	case anyOf:
		return bleve.NewDisjunctionQuery(bleveQueries(n)...)
	case allOf:
		return bleve.NewConjunctionQuery(bleveQueries(n)...)
	}
	l := n.(*leaf)
	if len(l.words) == 0 {
		return bleve.NewMatchNoneQuery()
	}
	if l.phrase {
		terms := make([][]string, l.words[len(l.words)-1].offset+1)
		for _, w := range l.words {
			terms[w.offset] = append(terms[w.offset], w.text)
		}
		q := query.NewMultiPhraseQuery(terms, l.field)
		q.SetBoost(l.boost)
		return q
	}
	var words []query.Query
	for _, w := range l.words {
		q := bleve.NewTermQuery(w.text)
		q.SetField(l.field)
		q.SetBoost(l.boost)
		words = append(words, q)
	}
	return bleve.NewConjunctionQuery(words...)
}

func bleveQueries(nodes []node) (queries []query.Query) {
	for _, n := range nodes {
		queries = append(queries, bleveQuery(n))
	}
	return queries
}

// blevePlaces are the places of what Bleve found in a document.
func blevePlaces(m *search.DocumentMatch) []eventseer.Place {
	var out []eventseer.Place
	for _, l := range m.FieldTermLocations {
		p := eventseer.Place{Field: strings.Clone(l.Field), Offset: [2]int{int(l.Location.Start), int(l.Location.End)}}
		if len(l.Location.ArrayPositions) > 0 {
			p.Part = int(l.Location.ArrayPositions[0])
		}
		if fieldOrder[p.Field] > 0 && (p.Field != "place" || p.Part == 0) {
			out = append(out, p)
		}
	}
	return slices.Clone(inOrder(out))
}
