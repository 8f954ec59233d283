package main

import (
	"cmp"
	"context"
	"flag"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/internal/nightly"
	"github.com/eventseer/eventseer/webgraph"
)

// full makes the proofs as long as doc/figures.md reports them:
//
//	go test ./cmd/eventseer -run 'World|Kill|Polite' -full -v
var full = flag.Bool("full", false, "crawl 10,000 pages of the hostile web, kill 50 times")

// TestWorld crawls a hostile web. The crawl ends within its budget, obeys every robots.txt and
// every delay as the servers see it, requests no private address, and stays within bounds of
// memory.
func TestWorld(t *testing.T) {
	t.Parallel()
	pages, sites := 600, 150
	switch {
	case *full:
		pages, sites = 10_000, 400
	case nightly.Enabled():
		pages = 1500
	}
	const delay = 50 * time.Millisecond
	c := childCrawl{
		Dir: t.TempDir(), Sites: sites, Budget: float64(pages), Workers: 48, HostDelay: delay, Timeout: 2 * time.Second,
		PerDomain: 60,
	}
	world, web := c.serve(t)
	r := c.run(t)
	log := web.Log()
	t.Logf("%d requests for %d pages of %d hosts in %v, ended by %s; %d MiB at most; %d connections",
		len(log), r.Stats.Pages, r.Stats.Hosts, r.Took.Round(time.Millisecond), r.Reason, r.RSS>>20, r.Dialled)
	if r.Reason != crawler.BudgetSpent || r.Stats.Pages != pages {
		t.Errorf("the crawl ended by %s after %d pages, want %d", r.Reason, r.Stats.Pages, pages)
	}
	if len(r.Private) > 0 {
		t.Errorf("dialled %q", r.Private)
	}
	if most := int64(1 << 30); !raceDetector && (r.RSS > most || r.RSS == 0 && runtime.GOOS == "linux") {
		t.Errorf("the crawl took %d MiB, want at most %d", r.RSS>>20, most>>20)
	}
	checkRobots(t, world, log)
	checkDelays(t, log, delay, world.Pause)
	checkState(t, c.Dir, log)
	checkShares(t, world, log, c.PerDomain)
}

// TestPolite crawls many hosts and measures the pauses between requests to each
// at the server.
func TestPolite(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
	c := childCrawl{
		Dir: t.TempDir(), Sites: 50, Peaceful: true, Budget: 500, Workers: 32, HostDelay: delay, Timeout: patience,
	}
	switch {
	case *full:
		c.Sites, c.Budget = 200, 20_000
	case nightly.Enabled():
		c.Sites, c.Budget = 200, 2000
	}
	world, web := c.serve(t)
	r := c.run(t)
	log := web.Log()
	t.Logf("%d requests for %d pages in %v", len(log), r.Stats.Pages, r.Took.Round(time.Millisecond))
	if r.Stats.Pages != int(c.Budget) || r.Stats.Hosts != c.Sites {
		t.Errorf("%d pages of %d hosts, want %v of %d", r.Stats.Pages, r.Stats.Hosts, c.Budget, c.Sites)
	}
	checkRobots(t, world, log)
	checkDelays(t, log, delay, world.Pause)
}

// checkRobots fails if a request was forbidden by a robots.txt, or came before the request for robots.txt.
func checkRobots(t *testing.T, world *webtest.World, log []webtest.Request) {
	t.Helper()
	known := map[string]bool{}
	denied, unasked := 0, 0
	for _, r := range log {
		robots := strings.HasSuffix(r.URL, "/robots.txt") || r.Host == "rules.example"
		known[r.Host] = known[r.Host] || robots
		if !known[r.Host] {
			unasked++
			t.Logf("%s was asked for before its robots.txt", r.URL)
		}
		if world.Denied(r.URL) {
			denied++
			t.Logf("%s is forbidden by robots.txt", r.URL)
		}
	}
	if denied+unasked > 0 {
		t.Errorf("of %d requests %d violate robots.txt and %d came before it", len(log), denied, unasked)
	}
}

// checkDelays fails if two requests to a host were too close. They must keep the host delay, its Crawl-delay,
// and the delay that its last response demanded.
func checkDelays(t *testing.T, log []webtest.Request, delay time.Duration, pause func(string) time.Duration) {
	t.Helper()
	type seen struct {
		last  webtest.Request
		pages bool // the Crawl-delay is known
	}
	hosts := map[string]seen{}
	least, gaps, violations := time.Hour, 0, 0
	for _, r := range log {
		before, ok := hosts[r.Host]
		after := seen{r, before.pages || !strings.HasSuffix(r.URL, "/robots.txt")}
		hosts[r.Host] = after
		if !ok {
			continue
		}
		want := max(delay, before.last.Rest)
		if p := pause(r.Host); before.pages {
			want = max(want, p)
		}
		gap := r.At - before.last.At
		gaps++
		least = min(least, gap)
		if gap < want {
			violations++
			t.Logf("%v between %s and %s, want %v", gap, before.last.URL, r.URL, want)
		}
	}
	t.Logf("%d hosts, %d gaps, the least %v, delay %v, %d violations", len(hosts), gaps, least, delay, violations)
	if violations > 0 || gaps == 0 {
		t.Errorf("%d of %d gaps are too short", violations, gaps)
	}
}

// checkState fails if the data directory is damaged or lacks the result of a request.
func checkState(t *testing.T, dir string, log []webtest.Request) {
	t.Helper()
	if code, stdout, _ := runCaptured(t, "check", "--data", dir); code != 0 {
		t.Errorf("check: exit %d\n%s", code, stdout)
	}
	f, err := frontier.Open(filepath.Join(dir, app.FrontierFile), frontier.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	progress, err := f.Progress(context.Background())
	if err != nil || progress.Leased > 0 {
		t.Errorf("%d leases are left, %v", progress.Leased, err)
	}
	missing := 0
	for _, r := range log {
		if strings.HasSuffix(r.URL, "/robots.txt") || r.Host == "rules.example" {
			continue
		}
		url, err := webgraph.Canonical(r.URL)
		if err != nil {
			t.Errorf("asked for %s: %v", r.URL, err)
			continue
		}
		if rec, ok, err := f.Lookup(url); err != nil || !ok || rec.Reason == "" && rec.Fate == "" {
			missing++
			t.Logf("%s was asked for and has no outcome: %+v, %v", url, rec, err)
		}
	}
	if missing > 0 {
		t.Errorf("%d requests have no outcome", missing)
	}
}

// checkShares fails unless all kinds of trouble occurred and none took more pages than the budget of its
// domain. Outstanding requests when the budget is reached, retries and redirects are added to it.
func checkShares(t *testing.T, web *webtest.World, log []webtest.Request, perDomain int) {
	t.Helper()
	count := map[string]int{}
	for _, r := range log {
		if !strings.HasSuffix(r.URL, "/robots.txt") {
			count[webgraph.RegisteredDomain(webgraph.Host(r.Host))]++
		}
	}
	for _, host := range web.Trouble() {
		if count[host] == 0 {
			t.Errorf("%s was never asked", host)
		}
	}
	domains := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	for _, d := range domains[:min(8, len(domains))] {
		t.Logf("%5d requests to %s", count[d], d)
	}
	if most := count[domains[0]]; most > 3*perDomain {
		t.Errorf("%d requests to %s, whose budget is %d pages", most, domains[0], perDomain)
	}
}
