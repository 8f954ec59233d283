package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/webgraph"
)

// Limits of the search for seeds.
const (
	MaxSearchQueries  = 50
	maxSearchResults  = 20 // of one query
	maxSearchFailures = 3  // in a row
	searchPause       = 2 * time.Second
)

// Pages that a search finds come after the seeds, and among the best links of any
// strategy, whose scores are about 0 to 1: what is found by the words of calls is
// likelier one than most links are, and surely no known one.
const (
	searchScore = 1.0
	searchStep  = 0.001 // less for every rank
)

// A searcher answers queries; see backlink.SearX.
type searcher interface {
	Search(ctx context.Context, query string, page int) (results []backlink.Result, next int, err error)
}

// A SeedSearch is what is asked of whom before a crawl begins. The zero seedSearch
// asks nothing.
type SeedSearch struct {
	By      searcher
	Queries []string
	pause   time.Duration // between two
}

// NewSeedSearch returns the search for seeds that --search-seeds asks for.
func NewSeedSearch(a *app.App, n int, topic string, w *Web) (SeedSearch, error) {
	switch {
	case n == 0:
		return SeedSearch{}, nil
	case n < 0 || n > MaxSearchQueries:
		return SeedSearch{}, app.Usagef("--search-seeds %d is not from 0 to %d", n, MaxSearchQueries)
	case w.Frozen:
		return SeedSearch{}, app.Usagef("--search-seeds finds pages of the live web, which no replay and no --sim holds")
	}
	by, err := Searx(a)
	if err != nil {
		return SeedSearch{}, err
	}
	if by == nil {
		return SeedSearch{}, app.Usagef("--search-seeds needs a SearXNG instance: a provider of type searxng below backlinks: providers: in the config file")
	}
	topics, err := SearchTopics(topic)
	if err != nil {
		return SeedSearch{}, err
	}
	return SeedSearch{by, SeedQueries(topics, CallYear(w.Now()), n), searchPause}, nil
}

// CallYear is the year of the conferences whose calls are open at a time: they are
// held half a year later.
func CallYear(now time.Time) int { return now.AddDate(0, 6, 0).Year() }

// SearchSeeds asks the queries of a plan and pushes what is found. They are seeds,
// for no page is known that links to them. What goes wrong with the search is said
// and ends nothing but the search, and so does ctx; an error is the frontier's. A
// crawl that goes on does not ask again.
func SearchSeeds(ctx context.Context, a *app.App, p Plan) error {
	if p.Resume || len(p.Search.Queries) == 0 {
		return nil
	}
	refusal, err := crawler.Refusals(ctx, p.Options)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, s := range p.Seeds {
		if url, err := webgraph.Canonical(s); err == nil {
			known[url] = true
		}
	}
	asked, found, refused, failures := 0, 0, 0, 0
	for _, query := range p.Search.Queries {
		if asked > 0 && sleep(ctx, p.Search.pause) != nil {
			break
		}
		results, _, err := p.Search.By.Search(ctx, query, 1)
		if ctx.Err() != nil {
			break
		}
		asked++
		if err != nil {
			failures++
			a.Logf("search for %s: %v", query, err)
			if endsSearch(err) || failures == maxSearchFailures {
				break
			}
			continue
		}
		failures = 0
		seeds, bad := searchCandidates(query, results, known, refusal)
		if err := p.Options.Frontier.Push(ctx, seeds); err != nil {
			return err
		}
		found, refused = found+len(seeds), refused+bad
	}
	if asked < len(p.Search.Queries) {
		a.Logf("%d of %d queries are not asked", len(p.Search.Queries)-asked, len(p.Search.Queries))
	}
	a.Logf("%d seeds found by search, %d results left out", found, refused)
	return nil
}

// endsSearch reports whether no other query will be answered either.
func endsSearch(err error) bool {
	var known *backlink.ProviderError
	return !errors.As(err, &known) || known.Trouble != backlink.Unreachable
}

// searchCandidates makes seeds of the first results that are not known, which they
// then are, and counts those that may not be followed.
func searchCandidates(query string, results []backlink.Result, known map[string]bool, refusal func(url string) string) (seeds []crawler.Candidate, refused int) {
	for rank, r := range results[:min(len(results), maxSearchResults)] {
		url, err := webgraph.Canonical(r.URL)
		if err != nil || refusal(url) != "" {
			refused++
			continue
		}
		if known[url] {
			continue
		}
		known[url] = true
		seeds = append(seeds, crawler.Candidate{
			URL: url, Score: searchScore - searchStep*float64(rank), Anchor: r.Title, How: crawler.Seed,
			Why: fmt.Sprintf("result %d of the search for %s", rank+1, query),
		})
	}
	return seeds, refused
}

// sleep waits, or returns ctx's error if it ends before that.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
