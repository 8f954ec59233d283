package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster/worker"
	"github.com/eventseer/eventseer/webgraph"
)

var _ engine.ClusterWrapper = (*worker.Worker)(nil)

// A countingCrew counts what a crawl does by way of its cluster.
type countingCrew struct {
	of               crawler.Frontier
	commits, fetches atomic.Int64
}

func (c *countingCrew) Frontier() crawler.Frontier { return countingFrontier{c.of, c} }

func (c *countingCrew) GuardFetcher(f crawler.Fetcher) crawler.Fetcher { return countingFetcher{f, c} }

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

// All leases, commits and fetches of a cluster's crawl go through the cluster. A crawler that may
// not join makes no request.
func TestCrawlOfACluster(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	t.Cleanup(func() { _ = a.Close() })
	ctx := context.Background()
	web, err := engine.OpenWeb(ctx, a, engine.CrawlOptions{Sim: "seed=1"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	refused := errors.New("another version")
	c := &countingCrew{}
	plan := func(run string, join func(context.Context, engine.State) (engine.ClusterWrapper, error)) engine.Plan {
		return engine.NewCrawl(web, engine.Folders{Run: filepath.Join(dir, run), State: filepath.Join(dir, run, "state")},
			engine.Guide{Strategy: "breadth-first"}, engine.Seeding{Seeds: web.Sim.Seeds()}, engine.Bounds{Budget: 20}, engine.PageRules{Workers: 1},
		).InCluster(engine.Membership{Join: join})
	}
	p := plan("a", func(context.Context, engine.State) (engine.ClusterWrapper, error) { return nil, refused })
	if r, err := engine.RunPlan(ctx, a, p); !errors.Is(err, refused) || r.Stats.Pages > 0 {
		t.Fatalf("a crawler that may not join: %+v, %v", r.Stats, err)
	}
	p = plan("b", func(_ context.Context, s engine.State) (engine.ClusterWrapper, error) {
		c.of = s.Frontier
		return c, nil
	})
	r, err := engine.RunPlan(ctx, a, p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stats.Pages == 0 || int(c.fetches.Load()) < r.Stats.Pages || int(c.commits.Load()) < r.Stats.Pages {
		t.Errorf("%d pages, %d fetches and %d ends through the cluster", r.Stats.Pages, c.fetches.Load(), c.commits.Load())
	}
}
