package search

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
)

// bleveQuery is the query of Bleve that corresponds to a node, for comparison.
func bleveQuery(n searchNode) query.Query {
	switch n := n.(type) {
	case anyOfNodes:
		return bleve.NewDisjunctionQuery(bleveQueries(n)...)
	case allOfNodes:
		return bleve.NewConjunctionQuery(bleveQueries(n)...)
	case textOrFields: // the events have no texts
		return bleveQuery(n.fields)
	}
	l := n.(*fieldWords)
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

func bleveQueries(nodes []searchNode) (queries []query.Query) {
	for _, n := range nodes {
		queries = append(queries, bleveQuery(n))
	}
	return queries
}

// blevePlaces are the places of what Bleve found in a document.
func blevePlaces(m *search.DocumentMatch) []eventseer.WordPosition {
	var out []eventseer.WordPosition
	for _, l := range m.FieldTermLocations {
		p := eventseer.WordPosition{Field: strings.Clone(l.Field), Offset: [2]int{int(l.Location.Start), int(l.Location.End)}}
		if len(l.Location.ArrayPositions) > 0 {
			p.Part = int(l.Location.ArrayPositions[0])
		}
		if fieldOrder[p.Field] > 0 && (p.Field != "place" || p.Part == 0) {
			out = append(out, p)
		}
	}
	return slices.Clone(sortedPlaces(out))
}

// run calls each for the documents that match a query, in order of number, until
// it returns false.
func (f *viewSearch) run(ctx context.Context, q query.Query, o search.SearcherOptions, each func(uint32, *search.DocumentMatch) bool) (err error) {
	searcher, err := q.Searcher(ctx, f.reader, f.mapping, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	c := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(searcher.DocumentMatchPoolSize()+1, 0), IndexReader: f.reader}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m, err := searcher.Next(c)
		if err != nil || m == nil {
			return err
		}
		document := uint32(m.IndexInternalID.Value())
		if int(document) < len(f.rows) && !each(document, m) {
			return nil
		}
		c.DocumentMatchPool.Put(m)
	}
}
