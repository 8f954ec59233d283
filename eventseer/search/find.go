package search

import (
	"context"
	"fmt"
	"time"

	"eventseer/eventseer"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Limits on a page of results.
const (
	defaultLimit = 50
	maxLimit     = 1000
	maxFrom      = 10_000
)

// Find implements eventseer.Index. Of equally relevant events the one with the
// latest deadline comes first. A text that cannot be understood gives a
// *QueryError. From beyond 10,000 gives the total and no hits.
func (x *Index) Find(ctx context.Context, q eventseer.Query) (eventseer.Found, error) {
	parsed, err := parse(q.Text)
	if err != nil {
		return eventseer.Found{}, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	root := compile(parsed, x.index.Mapping())
	if !q.OpenAt.IsZero() {
		root = bleve.NewConjunctionQuery(root, openAt(q.OpenAt))
	}
	result, err := x.index.SearchInContext(ctx, newRequest(root, q))
	if err != nil {
		return eventseer.Found{}, fmt.Errorf("find %q: %w", q.Text, err)
	}
	found := eventseer.Found{Total: int(result.Total)}
	for _, hit := range result.Hits {
		found.Hits = append(found.Hits, eventseer.Hit{ID: eventseer.EventID(hit.ID), Score: hit.Score})
	}
	return found, nil
}

func newRequest(root query.Query, q eventseer.Query) *bleve.SearchRequest {
	limit := min(max(q.Limit, 0), maxLimit)
	if limit == 0 {
		limit = defaultLimit
	}
	from := max(q.From, 0)
	if from > maxFrom {
		from, limit = 0, 0
	}
	request := bleve.NewSearchRequestOptions(root, limit, from, false)
	score, id := &search.SortScore{Desc: true}, &search.SortDocID{}
	newest := &search.SortField{Field: "deadline", Desc: true, Type: search.SortFieldAsDate, Mode: search.SortFieldMax}
	request.Sort = search.SortOrder{score, newest, id}
	if q.ByDeadline {
		request.Sort = search.SortOrder{newByDeadline(q.OpenAt), score, id}
	}
	return request
}

// openAt matches events with a deadline at or after t. It scores nothing.
func openAt(t time.Time) query.Query {
	yes := true
	q := bleve.NewDateRangeInclusiveQuery(indexable(t), time.Time{}, &yes, nil)
	q.SetField("deadline")
	q.SetBoost(0)
	return q
}
