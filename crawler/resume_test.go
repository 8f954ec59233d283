package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errKilled = errors.New("killed")

// A fuse burns down with every step that writes; when it is out the process
// counts as killed, before the step or right after it.
type fuse struct {
	left  int
	after bool
}

func (f *fuse) burn(step func() error) error {
	f.left--
	if f.left < 0 || f.left == 0 && !f.after {
		return errKilled
	}
	if err := step(); err != nil {
		return err
	}
	if f.left == 0 {
		return errKilled
	}
	return nil
}

// fused is a frontier, a link store and an observer on a fuse.
type fused struct {
	crawler.Frontier
	links crawler.LinkStore
	run   crawler.Observer
	f     *fuse
}

func (x *fused) Push(ctx context.Context, cs []crawler.Candidate) error {
	return x.f.burn(func() error { return x.Frontier.Push(ctx, cs) })
}

func (x *fused) Next(ctx context.Context) (l crawler.Lease, err error) {
	err = x.f.burn(func() error { l, err = x.Frontier.Next(ctx); return err })
	return l, err
}

func (x *fused) RecordAddress(ctx context.Context, l crawler.Lease, url string) (mine bool, err error) {
	err = x.f.burn(func() error { mine, err = x.Frontier.RecordAddress(ctx, l, url); return err })
	return mine, err
}

func (x *fused) Done(ctx context.Context, ends ...crawler.End) error {
	return x.f.burn(func() error { return x.Frontier.Done(ctx, ends...) })
}

func (x *fused) Add(ctx context.Context, links []webgraph.Link) error {
	return x.f.burn(func() error { return x.links.Add(ctx, links) })
}

func (x *fused) ObservePages(batch []crawler.StepRecord) error {
	return x.f.burn(func() error { return x.run.ObservePages(batch) })
}

// part runs a crawl until the fuse is out or it ends.
func part(t *testing.T, w *world, dir string, budget float64, f *fuse) (crawler.Stats, error) {
	t.Helper()
	c := openCrawl(t, w, dir)
	o := c.options()
	o.Budget = budget
	o.MinHarvest = crawler.Harvest{Rate: 0.05, Window: 10}
	o.Lists = true
	x := &fused{o.Frontier, o.Links, o.Observer, f}
	o.Frontier, o.Links, o.Observer = x, x, x
	stats, err := c.start(o)
	if err != nil {
		c.kill()
		return stats, err
	}
	c.end()
	return stats, nil
}

// whole runs a crawl without a break and returns its files and its writes.
func whole(t *testing.T, w *world, budget float64) (crawler.Stats, map[string]string, int) {
	t.Helper()
	dir := t.TempDir()
	f := &fuse{left: 1 << 30}
	stats, err := part(t, w, dir, budget, f)
	if err != nil {
		t.Fatal(err)
	}
	return stats, (&crawl{t: t, dir: dir}).files(), 1<<30 - f.left
}

// A crawl killed at any write, before or after it, and resumed, gives the very
// files of one that was not.
func TestResumeAfterKill(t *testing.T) {
	const budget = 24
	stats := resumeAfterKill(t, newWorld(120), budget, 7)
	if stats.Reason != crawler.BudgetSpent || stats.Spent != budget || stats.Targets < 3 || stats.Asked == 0 {
		t.Fatalf("the whole crawl shows too little: %+v", stats)
	}
}

// A run that continues another one counts its own pages separately: it has none.
func TestCountsOnlyOwnPages(t *testing.T) {
	w, dir := newWorld(20), t.TempDir()
	for i := range 2 {
		stats, err := part(t, w, dir, 12, &fuse{left: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{stats.Pages, 0}[i]; stats.Pages == 0 || stats.Own != want {
			t.Errorf("run %d: %d of %d pages are its own, want %d", i, stats.Own, stats.Pages, want)
		}
	}
}

// So does one that meets traps: what it has learned about them is not lost.
func TestResumeInTraps(t *testing.T) {
	resumeAfterKill(t, roughWorld(), 0, 23)
}

// resumeAfterKill kills crawls at every so manyth write.
func resumeAfterKill(t *testing.T, w *world, budget float64, every int) crawler.Stats {
	t.Helper()
	stats, want, writes := whole(t, w, budget)
	if _, again, _ := whole(t, w, budget); !cmp.Equal(want, again) {
		t.Fatalf("two crawls differ:\n%s", cmp.Diff(want, again))
	}
	for n := 1; n <= writes; n += every { // before a write and after it by turns
		dir := t.TempDir()
		if _, err := part(t, w, dir, budget, &fuse{left: n, after: n%2 == 0}); !errors.Is(err, errKilled) {
			t.Fatalf("write %d of %d: %v, want a kill", n, writes, err)
		}
		got, err := part(t, w, dir, budget, &fuse{left: 1 << 30})
		if err != nil {
			t.Fatalf("resumed after write %d: %v", n, err)
		}
		if diff := cmp.Diff(want, (&crawl{t: t, dir: dir}).files()); diff != "" {
			t.Fatalf("killed at write %d (-whole +resumed):\n%s", n, diff)
		}
		if got.Own = stats.Own; !cmp.Equal(stats, got) { // of the last part only
			diff := cmp.Diff(stats, got)
			t.Fatalf("killed at write %d (-whole +resumed):\n%s", n, diff)
		}
	}
	return stats
}

// roughWorld returns a world of hard cases. It has an endless calendar, a host that never answers
// 404, a page of many names, and a call with its feed and sitemap.
func roughWorld() *world {
	w := calendar()
	month := w.endless
	w.pages["https://dup.org/"] = filler("dup", 40) + "call for papers " + links("https://dup.org/?a=1", "https://dup.org/?a=2")
	w.endless = func(url string) string {
		switch {
		case strings.HasPrefix(url, "https://soft.org/"):
			return "<title>Not found</title>" + links(fmt.Sprintf("https://soft.org/%c", 'a'+hash(url)%26), fmt.Sprintf("https://soft.org/x/%c", 'a'+hash("x", url)%26))
		case strings.HasPrefix(url, "https://dup.org/?"):
			return w.pages["https://dup.org/"]
		}
		return month(url)
	}
	w.pages["https://call.org/"] = `<head><link rel=alternate type="application/atom+xml" href="/feed"></head>call for papers`
	w.pages[pageURL(0)] += links("https://soft.org/a", "https://dup.org/", "https://call.org/")
	w.sitemaps = map[string][]string{"https://call.org/": {"https://call.org/map.xml"}}
	w.entries = map[string][]webgraph.Entry{
		"https://call.org/feed":    {{URL: "https://call.org/p1", Title: "one"}, {URL: pageURL(1), Title: "two"}},
		"https://call.org/map.xml": {{URL: "https://call.org/p2"}, {URL: "https://call.org/more.xml", Sitemap: true}},
	}
	return w
}

// Killed again and again, it still gets there.
func TestResumeAfterManyKills(t *testing.T) {
	w := newWorld(120)
	const budget = 40
	stats, want, _ := whole(t, w, budget)
	for _, every := range []int{7, 9, 11} {
		dir := t.TempDir()
		for kills := 0; ; kills++ {
			got, err := part(t, w, dir, budget, &fuse{left: every, after: kills%2 == 0})
			if errors.Is(err, errKilled) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got.Own = stats.Own // of the last part only
			if diff := cmp.Diff(stats, got); kills < 10 || diff != "" {
				t.Errorf("%d kills (-whole +resumed):\n%s", kills, diff)
			}
			break
		}
		if diff := cmp.Diff(want, (&crawl{t: t, dir: dir}).files()); diff != "" {
			t.Fatalf("killed every %d writes (-whole +resumed):\n%s", every, diff)
		}
	}
}

// A crawl that has spent its budget continues with a larger one.
func TestResumeWithMoreBudget(t *testing.T) {
	w := newWorld(120)
	dir := t.TempDir()
	for _, budget := range []float64{10, 10, 25} {
		got, err := part(t, w, dir, budget, &fuse{left: 1 << 30})
		if err != nil || got.Spent != budget || got.Reason != crawler.BudgetSpent {
			t.Fatalf("budget %v: %+v, %v", budget, got, err)
		}
	}
	noPageTwice(t, dir)
}

// A crawl's budget ends between a call and the query for its backlinks. When it continues, it
// queries them first and fetches the call only once.
func TestPendingBacklinksAfterBudget(t *testing.T) {
	const a, b, c = "https://b.org/", "https://c.org/", "https://d.org/"
	w := &world{pages: map[string]string{pageURL(0): "<p>call for papers" + links(a), a: "a", b: "b", c: "c"}}
	run := func(dir string, budget float64) (crawler.Stats, []string) {
		cr := openCrawl(t, w, dir)
		o := cr.options()
		o.Budget, o.Backlinker = budget, citing{b, c}
		stats, err := cr.start(o)
		if err != nil {
			t.Fatal(err)
		}
		cr.end()
		var lines []string
		for _, p := range pagesOf(t, dir) {
			lines = append(lines, fmt.Sprintf("%s %s %v %s", p.URL, p.How, p.Cost, p.Parent))
		}
		return stats, lines
	}
	call := pageURL(0)
	seed, forward := call+" seed 1 ", a+" forward 1 "+call
	asked := []string{call + " monitor 0 ", call + " backlinks 1 "}
	sources := []string{b + " back 1 " + call, c + " back 1 " + call}
	for name, test := range map[string]struct {
		budgets []float64
		want    [][]string
		spent   float64
	}{
		"enough":          {[]float64{9}, [][]string{{seed, asked[1]}, sources, {forward}}, 5},
		"after the call":  {[]float64{1, 1, 2, 9}, [][]string{{seed, forward}, asked, sources}, 5},
		"one page later":  {[]float64{2, 9}, [][]string{{seed, forward}, asked, sources}, 5},
		"just enough":     {[]float64{2, 4, 9}, [][]string{{seed, forward}, asked, sources}, 5},
		"never any more":  {[]float64{2, 3}, [][]string{{seed, forward}}, 2},
		"without a limit": {[]float64{1, 0}, [][]string{{seed}, asked, sources, {forward}}, 5},
	} {
		dir := t.TempDir()
		var stats crawler.Stats
		var got []string
		for _, budget := range test.budgets {
			stats, got = run(dir, budget)
		}
		if diff := cmp.Diff(slices.Concat(test.want...), got); diff != "" || stats.Spent != test.spent || stats.Targets != 1 {
			t.Errorf("%s: %+v (-want +got):\n%s", name, stats, diff)
		}
	}
}
