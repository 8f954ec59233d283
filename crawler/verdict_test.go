package crawler_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// scripted is a strategy that gives one verdict on the seed.
type scripted struct{ verdict crawler.Verdict }

func (s scripted) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	if a.Lease.How == crawler.Seed {
		return s.verdict, nil
	}
	return crawler.Verdict{}, nil
}

// citing is a Backlinker with one answer.
type citing []string

func (c citing) Backlinks(ctx context.Context, url string, limit int) (links []webgraph.Link, calls int, err error) {
	for _, source := range c[:min(limit, len(c))] {
		links = append(links, webgraph.Link{Source: source, Target: url})
	}
	return links, 1, nil
}

// Every part of a verdict is carried out: links are added, dropped and rescored, and the strategy scores the
// backlinks.
func TestVerdict(t *testing.T) {
	const a, b, c, d, e, f = "https://a.org/", "https://b.org/", "https://c.org/", "https://d.org/", "https://e.org/", "https://f.org/"
	forward := []crawler.Candidate{{URL: b, Score: 0.1}, {URL: c, Score: 0.5}, {URL: d, Score: 0.9}}
	for name, test := range map[string]struct {
		verdict crawler.Verdict
		want    []string
		cost    float64
		notes   int
	}{
		"nothing":      {crawler.Verdict{}, []string{a}, 1, 0},
		"forward":      {crawler.Verdict{Forward: forward}, []string{a, d, c, b}, 4, 0},
		"rescore":      {crawler.Verdict{Forward: forward, Rescore: []crawler.Candidate{{URL: b, Score: 2}}}, []string{a, b, d, c}, 4, 0},
		"drop":         {crawler.Verdict{Forward: forward, Drop: []string{d}}, []string{a, c, b}, 3, 0},
		"back":         {crawler.Verdict{Relevance: 0.6, Forward: forward, Back: 2}, []string{a, d, e, f, c, b}, 7, 0},
		"back limited": {crawler.Verdict{Relevance: 0.6, Back: 1}, []string{a, e}, 3, 0},
		"back dropped": {crawler.Verdict{Relevance: 0.6, Back: 2, Drop: []string{e}}, []string{a, f}, 3, 0},
		"backward": {crawler.Verdict{Back: 2, Notes: []crawler.Note{{Key: "n", Value: []byte("1")}},
			Backward: func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
				return []crawler.Candidate{{URL: links[1].Source}}, []crawler.Note{{Key: "m", Value: []byte("2")}}
			}}, []string{a, f}, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{pages: map[string]string{a: "<p>seed", b: "b", c: "c", d: "d", e: "e", f: "f"}}
			dir := t.TempDir()
			cr := openCrawl(t, w, dir)
			o := cr.options()
			o.Strategy, o.Backlinker = scripted{test.verdict}, citing{e, f}
			run, err := crawler.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.PushSeeds(t.Context(), []string{a}); err != nil {
				t.Fatal(err)
			}
			stats, err := run.Run(t.Context())
			if err != nil || stats.Spent != test.cost {
				t.Errorf("%+v, %v; want a cost of %v", stats, err, test.cost)
			}
			notes := -1 // the crawler's own
			err = cr.frontier.Notes(t.Context(), func(crawler.Note) error { notes++; return nil })
			if err != nil || notes != test.notes {
				t.Errorf("%d notes, %v; want %d", notes, err, test.notes)
			}
			cr.end()
			var got []string
			for _, p := range pagesOf(t, dir) {
				if p.How != "backlinks" {
					got = append(got, p.URL)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A link keeps the parent its strategy names, and has else the page itself.
func TestParents(t *testing.T) {
	const b, c, d = "https://b.org/", "https://c.org/", "https://d.org/"
	a := pageURL(0)
	w := &world{pages: map[string]string{a: "<p>seed", b: "b", c: "c"}}
	dir, _, err := runWith(t, w, func(o *crawler.Options) {
		o.Strategy, o.Backlinker = scripted{crawler.Verdict{Forward: []crawler.Candidate{{URL: b, Score: 1}, {URL: c, Parent: d, Depth: 7}}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pagesOf(t, dir) {
		got = append(got, fmt.Sprintf("%s from %s %s %d", p.URL, p.Parent, p.How, p.Depth))
	}
	want := []string{a + " from  seed 0", b + " from " + a + " forward 1", c + " from " + d + " forward 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A strategy that returns a million candidates without scores is bounded, and the omitted ones are reported.
func TestAMillionCandidates(t *testing.T) {
	const million = 1_000_000
	wild := make([]crawler.Candidate, million)
	drop := make([]string, million)
	for i := range wild {
		wild[i] = crawler.Candidate{URL: fmt.Sprintf("https://s%d.org/", i), Score: []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[i%3], Parent: pageURL(0)}
		drop[i] = "https://nobody.org/"
	}
	v := crawler.Verdict{Relevance: math.NaN(), Forward: wild, Rescore: wild, Drop: drop, Back: million,
		Backward: func([]webgraph.Link) ([]crawler.Candidate, []crawler.Note) { return wild, nil }}
	dir, stats, err := runWith(t, &world{pages: map[string]string{pageURL(0): "<p>seed"}}, func(o *crawler.Options) {
		o.Strategy, o.Backlinker, o.Budget, o.Workers = scripted{v}, citing{"https://citing.org/"}, 10, 1
	})
	if err != nil || stats.Spent > 10 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if known := stats.Waiting + stats.Steps; known > 2*crawler.DefaultMaxForward+1 {
		t.Errorf("%d links were taken up", known)
	}
	if skipped := strings.Join(pagesOf(t, dir)[0].Skipped, "\n"); !strings.Contains(skipped, "not among the best links of its page") {
		t.Errorf("what was left out is not told: %q", skipped)
	}
}
