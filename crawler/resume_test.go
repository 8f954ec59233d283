package crawler_test

import (
	"context"
	"errors"
	"testing"

	"eventseer/crawler"
	"eventseer/webgraph"

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

func (x *fused) Claim(ctx context.Context, l crawler.Lease, url string) (mine bool, err error) {
	err = x.f.burn(func() error { mine, err = x.Frontier.Claim(ctx, l, url); return err })
	return mine, err
}

func (x *fused) Done(ctx context.Context, ends ...crawler.End) error {
	return x.f.burn(func() error { return x.Frontier.Done(ctx, ends...) })
}

func (x *fused) Add(ctx context.Context, links []webgraph.Link) error {
	return x.f.burn(func() error { return x.links.Add(ctx, links) })
}

func (x *fused) Arrived(batch []crawler.Told) error {
	return x.f.burn(func() error { return x.run.Arrived(batch) })
}

// part runs a crawl until the fuse is out or it ends.
func part(t *testing.T, w *world, dir string, budget float64, f *fuse) (crawler.Stats, error) {
	t.Helper()
	c := openCrawl(t, w, dir)
	o := c.options()
	o.Budget = budget
	o.MinHarvest = crawler.Harvest{Rate: 0.05, Window: 10}
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
	w := newWorld(120)
	const budget = 24
	stats, want, writes := whole(t, w, budget)
	if stats.Reason != crawler.BudgetSpent || stats.Spent != budget || stats.Targets < 3 || stats.Asked == 0 {
		t.Fatalf("the whole crawl shows too little: %+v", stats)
	}
	if _, again, _ := whole(t, w, budget); !cmp.Equal(want, again) {
		t.Fatalf("two crawls differ:\n%s", cmp.Diff(want, again))
	}
	for n := 1; n <= writes; n += 7 { // before a write and after it by turns
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
		if diff := cmp.Diff(stats, got); diff != "" {
			t.Fatalf("killed at write %d (-whole +resumed):\n%s", n, diff)
		}
	}
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

// A crawl that has spent its budget goes on with a larger one.
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
