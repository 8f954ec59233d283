package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"eventseer/crawler"
	"eventseer/crawler/cluster/worker"
	"eventseer/webgraph"
)

var _ crew = (*worker.Worker)(nil)

// A countingCrew counts what a crawl does by way of its cluster.
type countingCrew struct {
	of               crawler.Frontier
	commits, fetches atomic.Int64
}

func (c *countingCrew) Frontier() crawler.Frontier { return countingFrontier{c.of, c} }

func (c *countingCrew) Guard(f crawler.Fetcher) crawler.Fetcher { return countingFetcher{f, c} }

type countingFrontier struct {
	crawler.Frontier
	crew *countingCrew
}

func (f countingFrontier) Done(ctx context.Context, ends ...crawler.End) error {
	f.crew.commits.Add(int64(len(ends)))
	return f.Frontier.Done(ctx, ends...)
}

type countingFetcher struct {
	crawler.Fetcher
	crew *countingCrew
}

func (f countingFetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	f.crew.fetches.Add(1)
	return f.Fetcher.Fetch(ctx, r)
}

// All that a crawl of a cluster leases, commits and fetches goes through the cluster,
// and a crawler that may not join asks nobody.
func TestCrawlOfACluster(t *testing.T) {
	a := newTestApp(t)
	t.Cleanup(func() { _ = a.close() })
	ctx := context.Background()
	web, err := a.openWeb(ctx, crawlFlags{sim: "seed=1"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	refused := errors.New("another version")
	c := &countingCrew{}
	p := plan{
		web: web, strategy: "breadth-first", seeds: web.sim.Seeds(), run: filepath.Join(dir, "a"), state: filepath.Join(dir, "a", "state"),
		options: crawler.Options{Budget: 20, Workers: 1, Now: web.now},
		join:    func(context.Context, state) (crew, error) { return nil, refused },
	}
	if r, err := a.runPlan(ctx, p); !errors.Is(err, refused) || r.stats.Pages > 0 {
		t.Fatalf("a crawler that may not join: %+v, %v", r.stats, err)
	}
	p.run, p.state = filepath.Join(dir, "b"), filepath.Join(dir, "b", "state")
	p.join = func(_ context.Context, s state) (crew, error) {
		c.of = s.frontier
		return c, nil
	}
	r, err := a.runPlan(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if r.stats.Pages == 0 || int(c.fetches.Load()) < r.stats.Pages || int(c.commits.Load()) < r.stats.Pages {
		t.Errorf("%d pages, %d fetches and %d ends through the cluster", r.stats.Pages, c.fetches.Load(), c.commits.Load())
	}
}
