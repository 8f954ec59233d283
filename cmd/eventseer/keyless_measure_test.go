//go:build measure

package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/internal/golden"
)

// A troubledProvider returns pages of few links in the given scopes, and fails on every failEvery-th call with one of
// its errors in turn.
type troubledProvider struct {
	backlink.Provider
	name      string
	scopes    []backlink.Scope
	pageSize  int
	failEvery int
	errors    []backlink.ProviderError // After is relative to the zero time
	calls     int
	now       func() time.Time
}

// clockStep is by how much the clock of a crawl advances whenever it is read. Without it providers would rest for the
// whole crawl. The log shows the resulting time of a page.
const clockStep = 50 * time.Millisecond

func (p *troubledProvider) Name() string             { return p.name }
func (p *troubledProvider) Scopes() []backlink.Scope { return p.scopes }

// Backlinks returns at most pageSize links, or an error.
func (p *troubledProvider) Backlinks(ctx context.Context, q backlink.Query) (backlink.Answer, error) {
	if p.calls++; p.calls%p.failEvery == 0 {
		e := p.errors[(p.calls/p.failEvery)%len(p.errors)]
		e.Provider = p.name
		if !e.After.IsZero() {
			e.After = p.now().Add(e.After.Sub(time.Time{}))
		}
		return backlink.Answer{Calls: 1}, &e
	}
	q.Limit = min(q.Limit, p.pageSize)
	a, err := p.Provider.Backlinks(ctx, q)
	a.Calls = 1
	return a, err
}

// keylessFakes returns fakes of the two keyless services. Together they know coverage of the links, and stale of their
// answers are out of date. The wiki returns 5 links a page, and every fifth call fails; the search knows hosts only,
// returns 20 links a page, is busy at every third call and allows 100 calls per day.
func keylessFakes(t *testing.T, links, coverage, stale string, now func() time.Time) []backlink.Source {
	t.Helper()
	spec, err := backlink.ParseSpec(links + ":coverage=" + coverage + ",stale=" + stale)
	if err != nil {
		t.Fatal(err)
	}
	edges, err := backlink.OpenEdgeList(spec)
	if err != nil {
		t.Fatal(err)
	}
	lag, broken, busy := errors.New("maxlag"), errors.New("not JSON"), errors.New("status 503")
	return []backlink.Source{
		{Provider: &troubledProvider{
			Provider: edges, name: "wikipedia", scopes: []backlink.Scope{backlink.Page, backlink.Directory, backlink.Host, backlink.Domain}, pageSize: 5, failEvery: 5, now: now,
			errors: []backlink.ProviderError{{Trouble: backlink.Busy, After: time.Time{}.Add(5 * time.Second), Err: lag}, {Trouble: backlink.Nonsense, Err: broken}},
		}},
		{Provider: &troubledProvider{
			Provider: edges, name: "marginalia", scopes: []backlink.Scope{backlink.Host}, pageSize: 20, failEvery: 3, now: now,
			errors: []backlink.ProviderError{{Trouble: backlink.Busy, Err: busy}},
		}, Limits: backlink.Limits{CallsPerDay: 100}},
	}
}

// TestKeylessInTheLab crawls the frozen web by the default strategy with different backlink providers. These are the whole
// links file, troubled fakes of the keyless services at several coverages, and the local links alone. It prints the areas, their shares of the
// first, and what each provider returned. EVENTSEER_DRAWS is the number of draws (12), EVENTSEER_BUDGET that of pages (1000).
//
//	go test -tags measure -timeout 60m -run TestKeylessInTheLab -v ./cmd/eventseer
func TestKeylessInTheLab(t *testing.T) {
	budget, draws := 1000, 12
	for name, n := range map[string]*int{"EVENTSEER_BUDGET": &budget, "EVENTSEER_DRAWS": &draws} {
		if text := os.Getenv(name); text != "" {
			var err error
			if *n, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	web := filepath.Dir(golden.SharedPath(t, "corpora/web/web.warc.gz"))
	links := filepath.Join(web, "links.tsv.gz")
	a := newTestApp(t)
	a.Config.Render = "off"
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	f := lab.Options{
		Web: filepath.Join(web, "web.warc.gz"), Targets: filepath.Join(web, "targets.tsv"), Seeds: filepath.Join(web, "seeds"), Kinds: []string{"page", "pdf"}, Backlinks: links,
		Strategies: []string{"eventseer"}, Models: "cross-fitted", Budget: budget, Repeats: 1, BacklinkCost: 1, Parallel: 1, Seed: 1,
	}
	if err := checkLab(&f); err != nil {
		t.Fatal(err)
	}
	b, err := openLabBench(t.Context(), a, f, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := engine.LinksFileSource(a, links, false)
	if err != nil {
		t.Fatal(err)
	}
	b.seeds = b.seeds[:draws]
	still := b.web.Now
	var first float64
	for _, c := range []struct{ name, coverage string }{{"all links", ""}, {"keyless, 10 % of the links", "0.1"}, {"keyless, 5 %", "0.05"}, {"local links alone", "0"}} {
		b.dir = t.TempDir()
		e := b.experiment()
		var names []string
		for _, s := range b.seeds {
			names = append(names, s.name)
		}
		e.Seeds, e.Parallel = names, 1
		seconds := 0.0
		counts := map[string]backlink.Tally{}
		e.Crawl = func(ctx context.Context, cell lab.Cell) (lab.Record, error) {
			var reads atomic.Int64
			b.web.Now = func() time.Time { return still().Add(time.Duration(reads.Add(1)) * clockStep) }
			switch c.coverage {
			case "":
				b.web.Sources = []backlink.Source{whole}
			case "0":
				b.web.Sources = nil
			default:
				b.web.Sources = keylessFakes(t, links, c.coverage, "0.2", b.web.Now)
			}
			r, err := b.runOrReadCell(ctx, cell)
			seconds += b.web.Now().Sub(still()).Seconds() / float64(budget*len(names))
			if err == nil {
				addTallies(t, counts, filepath.Join(b.dir, lab.RunsDir, cell.Name()))
			}
			return r, err
		}
		runs, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		area, found := 0.0, 0
		for i := range runs {
			area += runs[i].HarvestArea(budget, float64(len(e.Targets))) / float64(len(runs))
			found += runs[i].Found()
		}
		if first == 0 {
			first = area
		}
		t.Logf("%-28s area %.4f, %.3f of all links, %.1f targets found, %.2f s a page", c.name, area, area/first, float64(found)/float64(len(runs)), seconds)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			n := counts[name]
			t.Logf("    %-12s %d queries, %d calls, %d failures, %d links, %d of %d visited verified", name, n.Asked, n.Calls, n.Failed, n.Returned, n.Verified, n.Visited)
		}
	}
	b.web.Now = still
}

// addTallies adds the counts of the providers in the record of a run.
func addTallies(t *testing.T, sum map[string]backlink.Tally, run string) {
	t.Helper()
	r, err := engine.ReadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Providers {
		s := sum[p.Name]
		s.Asked, s.Calls, s.Failed, s.Returned, s.Visited, s.Verified = s.Asked+p.Asked, s.Calls+p.Calls, s.Failed+p.Failed, s.Returned+p.Returned, s.Visited+p.Visited, s.Verified+p.Verified
		sum[p.Name] = s
	}
	if !slices.Contains(r.BacklinkSources, backlink.Own) {
		t.Errorf("the record of %s names the sources %v, not the local link database", run, r.BacklinkSources)
	}
}
