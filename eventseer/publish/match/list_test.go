package match

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// previewDays is the number of days that previews look back.
const previewDays = 90

// TestWidestWindowHoldsAll holds the query that finds candidates against the windows of
// every day since.
func TestWidestWindowHoldsAll(t *testing.T) {
	since := noon.AddDate(0, 0, -previewDays)
	for _, q := range []string{"due<30d", "due<1m", "due<=2w", "start<3m", "start<2d", "due<4h"} {
		c, err := compileList(query.NewCompiler(), eventseer.List{Query: q}, nil)
		if err != nil {
			t.Fatal(err)
		}
		wide := widestQuery(c.Clauses[0][0], since, noon)
		for day := -previewDays; day <= 100; day++ {
			date := eventseer.Date(noon.AddDate(0, 0, day).Format(time.DateOnly))
			doc := eventseer.Document{Event: eventseer.Event{ID: "e", EventStart: date, Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: date}}}}
			for back := 0; back <= previewDays; back += 3 {
				if matcherOfQuery(t, q).MatchesList("l", doc, noon.AddDate(0, 0, -back)) && !matcherOfQuery(t, wide).MatchesList("l", doc, noon) {
					t.Fatalf("%s was in the window of %s %d days ago and %s does not find it", date, q, back, wide)
				}
			}
		}
	}
}

var queryMatchers = map[string]*Matcher{}

func matcherOfQuery(t *testing.T, query string) *Matcher {
	if queryMatchers[query] == nil {
		queryMatchers[query] = matcherOf(t, eventseer.List{ID: "l", Query: query})
	}
	return queryMatchers[query]
}
