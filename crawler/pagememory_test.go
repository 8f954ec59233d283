package crawler_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// heavies is a web of pages that are nothing but tags, each linking to more.
type heavies struct{ body string }

func (h heavies) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	return &webgraph.Page{
		Requested: r.URL, URL: r.URL, Status: 200, FetchedAt: recorded, Body: []byte(h.body),
		Header: http.Header{"Content-Type": {"text/html"}},
	}, nil
}

// counting notes how many pages are with it at once.
type counting struct{ now, most atomic.Int64 }

func (c *counting) Visit(_ context.Context, a crawler.Arrival) (v crawler.Verdict, err error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	for range 100 {
		runtime.Gosched()
	}
	if a.Lease.Depth == 0 {
		for i := range 3 {
			v.Forward = append(v.Forward, crawler.Candidate{URL: pageURL(i + 1)})
		}
	}
	return v, nil
}

// Pages whose trees would fill the memory are read one at a time, whatever the
// number of workers.
func TestHeavyPagesAlone(t *testing.T) {
	c := openCrawl(t, &world{}, t.TempDir())
	defer c.end()
	strategy := &counting{}
	o := c.options()
	o.Fetcher = heavies{strings.Repeat("<p>", 230_000)}
	o.Strategy, o.Workers, o.NoTraps = strategy, 8, true
	stats, err := c.start(o)
	if err != nil || stats.Pages != 4 {
		t.Fatalf("%d pages, %v; want 4", stats.Pages, err)
	}
	if most := strategy.most.Load(); most > 1 {
		t.Errorf("%d heavy pages were in hand at once", most)
	}
}
