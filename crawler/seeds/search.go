// Package seeds finds starting points of a crawl. It queries a search engine for calls by the words of
// topics, reads files of seeds, and has a list of starting points.
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

// Limits on the search for seeds.
const (
	MaxQueries  = 50              // queries of one crawl
	maxResults  = 20              // results used of one query
	maxFailures = 3               // consecutive failures that end the search
	Pause       = 2 * time.Second // time between two queries
)

// Scores of pages found by search. They rank after the seeds and among the best links of any strategy, whose
// scores are about 0 to 1. A page found by the words of calls is more likely to be a call than most links
// are.
const (
	searchScore = 1.0
	searchStep  = 0.001 // subtracted per rank of a result
)

// A Searcher answers queries. page is 0 or 1 for the first page of results; next is the number of the next
// one. See backlink.SearX.
type Searcher interface {
	Search(ctx context.Context, query string, page int) (results []backlink.Result, next int, err error)
}

// A Search has the queries that are made before a crawl begins. The zero Search makes no queries.
type Search struct {
	By      Searcher
	Queries []string
	Pause   time.Duration // time between two queries
}

// Run sends the queries and pushes the pages found into the frontier as seeds. given are the other seeds of
// the crawl. Failures of the search are logged; they and the end of ctx only end the search. An error is that
// of the frontier.
func (s Search) Run(ctx context.Context, o crawler.Options, given []string, logf func(format string, args ...any)) error {
	if len(s.Queries) == 0 {
		return nil
	}
	refusal, err := crawler.RefusalChecker(ctx, o)
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
		if asked > 0 && crawler.WaitFor(ctx, s.Pause) != nil {
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
		logf("%d of %d queries are not sent", len(s.Queries)-asked, len(s.Queries))
	}
	logf("%d seeds found by search, %d results left out", found, refused)
	return nil
}

// endsSearch reports whether further queries would fail too.
func endsSearch(err error) bool {
	var known *backlink.ProviderError
	return !errors.As(err, &known) || known.Trouble != backlink.Unreachable
}

// searchCandidates returns seeds for the results that are not in known, and adds them to known. refused is
// the number of results that must not be fetched.
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
