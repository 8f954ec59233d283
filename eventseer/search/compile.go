package search

import (
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
)

// anyField are the fields a term without field is looked for in, and what a
// match there counts.
var anyField = []struct {
	name  string
	boost float64
}{{"acronym", 6}, {"title", 3}, {"topic", 1}, {"place", 1}}

// compile turns a parsed query into one of bleve's.
func compile(q parsed, m mapping.IndexMapping) query.Query {
	root := bleve.NewBooleanQuery()
	if must := clauses(q.clauses, m); must != nil {
		root.AddMust(must)
	} else {
		root.AddMust(bleve.NewMatchAllQuery())
	}
	for _, t := range q.excluded {
		root.AddMustNot(termQuery(t))
	}
	return root
}

// clauses joins the clauses; nil means that everything matches. Clauses of stop
// words alone ("the", "of") count only where the query has no other: then they
// are looked for in acronyms, of which some are such words ("IT", "BE").
func clauses(clauses [][]term, m mapping.IndexMapping) query.Query {
	var strong, weak []query.Query
	for _, alternatives := range clauses {
		var queries, acronyms []query.Query
		for _, t := range alternatives {
			if t.field == "" && isStop(t.text, m) {
				acronyms = append(acronyms, match("acronym", t))
			} else {
				queries = append(queries, termQuery(t))
			}
		}
		if len(queries) > 0 {
			strong = append(strong, bleve.NewDisjunctionQuery(append(queries, acronyms...)...))
		} else {
			weak = append(weak, bleve.NewDisjunctionQuery(acronyms...))
		}
	}
	switch {
	case len(strong) > 0:
		return bleve.NewConjunctionQuery(strong...)
	case len(weak) > 0:
		return bleve.NewConjunctionQuery(weak...)
	}
	return nil
}

func isStop(text string, m mapping.IndexMapping) bool {
	return len(m.AnalyzerNamed(english).Analyze([]byte(text))) == 0
}

func termQuery(t term) query.Query {
	switch t.field {
	case "":
		return anyQuery(t)
	case "year":
		year, _ := isYear(t.text)
		return yearQuery(year)
	case "kind":
		kind := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(t.text))
		q := bleve.NewTermQuery(kind)
		q.SetField("kind")
		return q
	}
	return match(t.field, t)
}

func anyQuery(t term) query.Query {
	fields := bleve.NewDisjunctionQuery()
	for _, f := range anyField {
		q := match(f.name, t)
		q.(query.BoostableQuery).SetBoost(f.boost)
		fields.AddQuery(q)
	}
	if year, ok := isYear(t.text); ok {
		fields.AddQuery(yearQuery(year))
	}
	return fields
}

// match looks for the words of t in one field: all of them, and one behind the
// other if it is a phrase.
func match(field string, t term) query.Query {
	if t.phrase {
		q := bleve.NewMatchPhraseQuery(t.text)
		q.SetField(field)
		return q
	}
	q := bleve.NewMatchQuery(t.text)
	q.SetField(field)
	q.SetOperator(query.MatchQueryOperatorAnd)
	return q
}

func yearQuery(year float64) query.Query {
	yes := true
	q := bleve.NewNumericRangeInclusiveQuery(&year, &year, &yes, &yes)
	q.SetField("year")
	return q
}
