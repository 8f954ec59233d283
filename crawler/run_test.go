package crawler_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// pagesOf reads the lines of a run.
func pagesOf(t testing.TB, dir string) []rundir.Page {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "run", rundir.PagesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pages []rundir.Page
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var p rundir.Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	return pages
}

// noPageTwice checks that no address was paid for twice.
func noPageTwice(t testing.TB, dir string) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range pagesOf(t, dir) {
		if p.Cost == 0 || p.How == "backlinks" || p.Status == 503 {
			continue
		}
		if seen[p.URL] {
			t.Errorf("%s was paid for twice", p.URL)
		}
		seen[p.URL] = true
	}
}

// runWith crawls once, with the options changed.
func runWith(t *testing.T, w *world, change func(*crawler.Options)) (string, crawler.Stats, error) {
	t.Helper()
	dir := t.TempDir()
	c := openCrawl(t, w, dir)
	o := c.options()
	change(&o)
	stats, err := c.start(o)
	c.end()
	return dir, stats, err
}

// follower is a strategy that follows every link and learns nothing, so that
// the set of pages does not depend on their order.
type follower struct{}

func (follower) Visit(ctx context.Context, a crawler.Arrival) (v crawler.Verdict, err error) {
	if a.Tree == nil {
		return v, nil
	}
	v.Target = strings.Contains(a.Tree.Text(), "call for papers")
	v.Relevance = 0.5
	v.Back = 2
	for _, l := range a.Tree.Links() {
		v.Forward = append(v.Forward, crawler.Candidate{URL: l.Target, Anchor: l.Anchor, Score: math.NaN()})
	}
	return v, nil
}

// One worker or eight: when drained, the same pages.
func TestWorkersFindTheSamePages(t *testing.T) {
	w := newWorld(120)
	var want []string
	for _, workers := range []int{1, 8} {
		dir, stats, err := runWith(t, w, func(o *crawler.Options) { o.Workers, o.Strategy = workers, follower{} })
		if err != nil || stats.Reason != crawler.Drained || stats.Waiting+stats.Leased != 0 {
			t.Fatalf("%+v, %v", stats, err)
		}
		var got []string
		for _, p := range pagesOf(t, dir) {
			if p.How != "backlinks" && p.Cost > 0 {
				got = append(got, p.URL)
			}
		}
		slices.Sort(got)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers (-one +these):\n%s", workers, diff)
		}
		noPageTwice(t, dir)
	}
}

// However many workers, the budget is spent to the page and never passed.
func TestBudgetIsExact(t *testing.T) {
	w := newWorld(120)
	for _, workers := range []int{1, 8} {
		for _, budget := range []float64{1, 2, 7, 23} {
			dir, stats, err := runWith(t, w, func(o *crawler.Options) {
				o.Workers, o.Budget, o.Strategy = workers, budget, follower{}
			})
			if err != nil || stats.Spent != budget || stats.Reason != crawler.BudgetSpent {
				t.Errorf("%d workers, budget %v: %+v, %v", workers, budget, stats, err)
			}
			sum := 0.0
			for _, p := range pagesOf(t, dir) {
				sum += p.Cost
			}
			if sum != budget {
				t.Errorf("%d workers, budget %v: the lines cost %v", workers, budget, sum)
			}
		}
	}
}

// Redirects, robots and second answers from one address are free; errors of the
// server cost.
func TestWhatCostsBudget(t *testing.T) {
	const a, b, c, d, e, f = "https://a.org/", "https://b.org/", "https://c.org/", "https://d.org/", "https://e.org/", "https://f.org/"
	w := &world{
		pages:     map[string]string{a: fmt.Sprintf("<a href=%q>1</a> <a href=%q>2</a> <a href=%q>3</a> <a href=%q>4</a>", b, c, d, e), f: "<p>final"},
		redirects: map[string]string{b: f, c: f},
		status:    map[string]int{d: 500},
		refused:   map[string]bool{e: true},
	}
	dir := t.TempDir()
	cr := openCrawl(t, w, dir)
	o := cr.options()
	o.Strategy, o.Backlinker = follower{}, nil
	run, err := crawler.New(o)
	if err != nil {
		t.Fatal(err)
	}
	rejected, err := run.PushSeeds(t.Context(), []string{"HTTPS://A.org", "mailto:x@a.org", "https://a.org/logo.png", "::"})
	if err != nil || len(rejected) != 3 {
		t.Errorf("rejected %v, %v", rejected, err)
	}
	stats, err := run.Run(t.Context())
	if err != nil || stats.Spent != 3 || stats.Pages != 3 || stats.Steps != 5 {
		t.Errorf("%+v, %v", stats, err)
	}
	rec, _, err := cr.frontier.Lookup(c)
	if err != nil || rec.Reason != "duplicate of "+f {
		t.Errorf("%+v, %v", rec, err)
	}
	cr.end()
	type line struct {
		URL    string
		Status int
		Cost   float64
	}
	var got []line
	for _, p := range pagesOf(t, dir) {
		got = append(got, line{p.URL, p.Status, p.Cost})
	}
	want := []line{{a, 200, 1}, {f, 200, 1}, {c, 200, 0}, {d, 500, 1}, {e, 0, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFree(t *testing.T) {
	w := &world{pages: map[string]string{pageURL(0): `<a href="https://b.org/">b</a>`, "https://b.org/": "<p>free"}}
	dir, stats, err := runWith(t, w, func(o *crawler.Options) {
		o.Strategy, o.Backlinker = follower{}, nil
		o.Free = func(p *webgraph.Page) bool { return p.URL == "https://b.org/" }
	})
	if err != nil || stats.Spent != 1 || len(pagesOf(t, dir)) != 2 {
		t.Errorf("%d pages, %+v, %v; want two pages and one paid for", len(pagesOf(t, dir)), stats, err)
	}
}

func TestLimits(t *testing.T) {
	w := newWorld(120)
	for name, test := range map[string]struct {
		change func(*crawler.Options)
		reason crawler.Reason
		holds  func(crawler.Stats) bool
	}{
		"until found": {func(o *crawler.Options) { o.UntilFound = 3 }, crawler.FoundEnough, func(s crawler.Stats) bool { return s.Targets == 3 }},
		"min harvest": {func(o *crawler.Options) { o.MinHarvest = crawler.Harvest{Rate: 1, Window: 5} }, crawler.HarvestSmall, func(s crawler.Stats) bool { return s.Pages == 5 }},
		"depth":       {func(o *crawler.Options) { o.MaxDepth, o.Backlinker = 1, nil }, crawler.Drained, func(s crawler.Stats) bool { return s.Steps <= 8 && s.Steps > 2 }},
		"forward":     {func(o *crawler.Options) { o.MaxForward, o.MaxDepth, o.Backlinker = 2, 1, nil }, crawler.Drained, func(s crawler.Stats) bool { return s.Steps == 3 }},
		"scope":       {func(o *crawler.Options) { o.Scope.Hosts = []string{"example0.org"} }, crawler.Drained, func(s crawler.Stats) bool { return s.Hosts == 1 }},
		"excluded":    {func(o *crawler.Options) { o.Scope.Exclude = []string{"example1.org", "H2.example2.org"} }, crawler.Drained, func(s crawler.Stats) bool { return s.Hosts < 20 }},
		"no sink":     {func(o *crawler.Options) { o.Sink = nil }, crawler.Drained, func(s crawler.Stats) bool { return s.Clips == 0 && s.Targets > 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			_, stats, err := runWith(t, w, func(o *crawler.Options) {
				o.Strategy = follower{}
				test.change(o)
			})
			if err != nil || stats.Reason != test.reason || !test.holds(stats) {
				t.Errorf("%+v, %v; want reason %s", stats, err, test.reason)
			}
		})
	}
}

// MaxTime ends a crawl that waits for a host.
func TestMaxTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(120)
		w.onFetch = func(string) { time.Sleep(time.Minute) }
		start := time.Now()
		_, stats, err := runWith(t, w, func(o *crawler.Options) { o.MaxTime = 90 * time.Second })
		if err != nil || stats.Reason != crawler.TimeUp || stats.Steps != 2 || time.Since(start) != 2*time.Minute {
			t.Errorf("%+v, %v after %v", stats, err, time.Since(start))
		}
	})
}

// When its context ends, a run finishes and commits the pages being fetched.
func TestInterrupted(t *testing.T) {
	w := newWorld(120)
	dir := t.TempDir()
	c := openCrawl(t, w, dir)
	o := c.options()
	o.Workers = 4
	ctx, cancel := context.WithCancel(t.Context())
	var fetches atomic.Int32
	w.onFetch = func(string) {
		if fetches.Add(1) == 10 {
			cancel()
		}
	}
	cr, err := crawler.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cr.PushSeeds(ctx, []string{pageURL(0)}); err != nil {
		t.Fatal(err)
	}
	stats, err := cr.Run(ctx)
	if !errors.Is(err, context.Canceled) || stats.Reason != crawler.Interrupted || stats.Leased != 0 || stats.Steps != int(fetches.Load()) {
		t.Errorf("%+v, %v after %d fetches", stats, err, fetches.Load())
	}
	c.end()
}

// broken fails where it is told to fail.
type broken struct {
	follower
	rundir *rundir.Dir
	where  string
}

var errBroken = errors.New("disk full")

func (b broken) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, err := b.follower.Visit(ctx, a)
	v.Relevance, v.TopicScore = math.NaN(), math.NaN()
	if b.where == "strategy" && a.Lease.URL != pageURL(0) {
		err = errBroken
	}
	return v, err
}

func (b broken) StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) ([]string, error) {
	if b.where == "sink" {
		return nil, errBroken
	}
	return nil, nil
}

func (b broken) StoreRelated(context.Context, *tagtree.Tree, float64) error { return nil }

func (b broken) ObservePages(batch []crawler.StepRecord) error {
	if b.where == "observer" && batch[len(batch)-1].N >= 3 {
		return errBroken
	}
	return b.rundir.ObservePages(batch)
}

func (b broken) Add(ctx context.Context, links []webgraph.Link) error {
	if b.where == "links" {
		return errBroken
	}
	return nil
}

func (b broken) Backlinks(ctx context.Context, url string, limit int) ([]webgraph.Link, int, error) {
	if b.where == "backlinks" {
		return nil, 1, errBroken
	}
	return nil, 0, nil
}

// A page's trouble is recorded and the crawl continues; a disk's trouble ends it.
func TestErrors(t *testing.T) {
	w := newWorld(120)
	for where, test := range map[string]struct{ ends, fails bool }{
		"strategy": {false, true}, "sink": {false, true}, "backlinks": {false, false}, "observer": {true, false}, "links": {true, false},
	} {
		t.Run(where, func(t *testing.T) {
			_, stats, err := runWith(t, w, func(o *crawler.Options) {
				b := broken{rundir: o.Observer.(*rundir.Dir), where: where}
				o.Strategy, o.Sink, o.Observer, o.Links, o.Backlinker = b, b, b, b, b
				o.Workers = 3
			})
			if ends := errors.Is(err, errBroken) && stats.Reason == crawler.Broken; ends != test.ends {
				t.Errorf("%+v, %v", stats, err)
			}
			if (stats.Failed > 0) != test.fails {
				t.Errorf("%d failed", stats.Failed)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	good := crawler.Options{Frontier: &fused{}, Fetcher: &world{}, Strategy: follower{}}
	if _, err := crawler.New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*crawler.Options){
		"no frontier":    func(o *crawler.Options) { o.Frontier = nil },
		"budget":         func(o *crawler.Options) { o.Budget = math.NaN() },
		"backlink cost":  func(o *crawler.Options) { o.BacklinkCost = -1 },
		"harvest":        func(o *crawler.Options) { o.MinHarvest.Rate = 2 },
		"harvest window": func(o *crawler.Options) { o.MinHarvest.Rate = 0.1 },
		"workers":        func(o *crawler.Options) { o.Workers = -1 },
	} {
		o := good
		change(&o)
		if _, err := crawler.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Anyone may look at the figures while the crawl runs.
func TestStatsWhileRunning(t *testing.T) {
	w := newWorld(60)
	c := openCrawl(t, w, t.TempDir())
	cr, err := crawler.New(c.options())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cr.PushSeeds(t.Context(), []string{pageURL(0)}); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for last := 0; ; {
			s := cr.Stats()
			if s.Pages < last || s.HarvestRate() > 1 {
				t.Errorf("%+v after %d pages", s, last)
			}
			last = s.Pages
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	stats, err := cr.Run(t.Context())
	close(stop)
	<-done
	if err != nil || stats.HarvestRate() <= 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	c.end()
}
