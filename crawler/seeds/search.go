// Package seeds finds starting points of a crawl: it queries a search engine for calls by the words
// of topics.
package seeds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits of the search for seeds.
const (
	MaxQueries  = 50              // of one crawl
	maxResults  = 20              // of one query
	maxFailures = 3               // in a row
	Pause       = 2 * time.Second // between two queries
)

// Scores of pages that a search finds. They come after the seeds, and among the best links of any
// strategy, whose scores are about 0 to 1. A page found by the words of calls is likelier one than
// most links are, and surely not a known one.
const (
	searchScore = 1.0
	searchStep  = 0.001 // less for every rank
)

// A Searcher answers queries; see backlink.SearX.
type Searcher interface {
	Search(ctx context.Context, query string, page int) (results []backlink.Result, next int, err error)
}

// A Search holds the queries made before a crawl begins. The zero Search makes no queries.
type Search struct {
	By      Searcher
	Queries []string
	Pause   time.Duration // between two
}

// Run sends the queries and pushes the pages found into the frontier of a crawl with these seeds.
// They are seeds too, for no page is known that links to them. What goes wrong with the search is
// said and ends nothing but the search, and so does ctx; an error is the frontier's.
func (s Search) Run(ctx context.Context, o crawler.Options, given []string, logf func(format string, args ...any)) error {
	if len(s.Queries) == 0 {
		return nil
	}
	refusal, err := crawler.Refusals(ctx, o)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, seed := range given {
		if url, err := webgraph.Canonical(seed); err == nil {
			known[url] = true
		}
	}
	asked, found, refused, failures := 0, 0, 0, 0
	for _, query := range s.Queries {
		if asked > 0 && crawler.Pause(ctx, s.Pause) != nil {
			break
		}
		results, _, err := s.By.Search(ctx, query, 1)
		if ctx.Err() != nil {
			break
		}
		asked++
		if err != nil {
			failures++
			logf("search for %s: %v", query, err)
			if endsSearch(err) || failures == maxFailures {
				break
			}
			continue
		}
		failures = 0
		pages, bad := searchCandidates(query, results, known, refusal)
		if err := o.Frontier.Push(ctx, pages); err != nil {
			return err
		}
		found, refused = found+len(pages), refused+bad
	}
	if asked < len(s.Queries) {
		logf("%d of %d queries are not asked", len(s.Queries)-asked, len(s.Queries))
	}
	logf("%d seeds found by search, %d results left out", found, refused)
	return nil
}

// endsSearch reports whether no other query will be answered either.
func endsSearch(err error) bool {
	var known *backlink.ProviderError
	return !errors.As(err, &known) || known.Trouble != backlink.Unreachable
}

// searchCandidates makes seeds of the first results that are not known, which they
// then are, and counts those that may not be followed.
func searchCandidates(query string, results []backlink.Result, known map[string]bool, refusal func(url string) string) (found []crawler.Candidate, refused int) {
	for rank, r := range results[:min(len(results), maxResults)] {
		url, err := webgraph.Canonical(r.URL)
		if err != nil || refusal(url) != "" {
			refused++
			continue
		}
		if known[url] {
			continue
		}
		known[url] = true
		found = append(found, crawler.Candidate{
			URL: url, Score: searchScore - searchStep*float64(rank), Anchor: r.Title, How: crawler.Seed,
			Why: fmt.Sprintf("result %d of the search for %s", rank+1, query),
		})
	}
	return found, refused
}
