package strategy

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// TestSyntaxDistanceOrders has links of the slice before others, those of
// nearer domains and pages before those of farther ones, nearer ones in the
// tree first.
func TestSyntaxDistanceOrders(t *testing.T) {
	s := newStrategy(t, "syntax-distance")
	page := func(lease crawler.Candidate) map[string]float64 {
		tree, err := tagtree.Parse(&webgraph.Page{
			URL: lease.URL, Header: http.Header{"Content-Type": {"text/html"}},
			Body: []byte(`<ul><li><a href="http://a.example/cfp">Call for papers</a></li></ul>
				<div><div><p><a href="http://a.example/x">Elsewhere</a></p></div></div>`),
		})
		if err != nil {
			t.Fatal(err)
		}
		a := crawler.Arrival{Lease: crawler.Lease{Candidate: lease}, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200}, Tree: tree}
		return strategytest.Scores(strategytest.Visit(t, s, a).Forward)
	}
	const near, far = "http://a.example/cfp", "http://a.example/x"
	seed := page(crawler.Candidate{URL: "http://a.example/", Score: crawler.MaxScore, How: crawler.Seed})
	next := page(crawler.Candidate{URL: "http://a.example/2", Score: seed[near], Parent: "http://a.example/", How: crawler.Forward})
	away := page(crawler.Candidate{URL: "http://b.example/", Score: seed[near], Parent: "http://a.example/", How: crawler.Forward})
	lost := page(crawler.Candidate{URL: "http://a.example/3", Score: seed[far], Parent: "http://a.example/", How: crawler.Forward})
	order := []float64{seed[near], next[near], away[near], seed[far], next[far], away[far]}
	for i := 1; i < len(order); i++ {
		if order[i] >= order[i-1] {
			t.Errorf("scores = %v: the %d-th is out of order", order, i+1)
		}
	}
	if lost[near] != next[near] || lost[far] != next[far] {
		t.Errorf("a page reached by a link outside the slice gives %v, want %v", lost, next)
	}
}

// TestSyntaxDistanceEnds follows no link that is more than five from a seed,
// whatever domains lie between.
func TestSyntaxDistanceEnds(t *testing.T) {
	s := newStrategy(t, "syntax-distance")
	lease := crawler.Candidate{URL: "http://h0.example/", Score: crawler.MaxScore, How: crawler.Seed}
	for steps := range maxPages + 1 {
		next := fmt.Sprintf("http://h%d.example/", steps+1)
		a := strategytest.Arrive(t, lease.URL, "other", next+" Deadlines")
		a.Lease.Candidate = lease
		if d := distanceOf(a); d.Pages != steps || d.Domains != steps {
			t.Fatalf("after %d links: %+v", steps, d)
		}
		links := strategytest.Visit(t, s, a).Forward
		if len(links) != min(1, maxPages-steps) {
			t.Fatalf("after %d links: %d links", steps, len(links))
		}
		if steps < maxPages {
			lease = crawler.Candidate{URL: next, Score: links[0].Score, Parent: lease.URL, How: crawler.Forward}
		}
	}
}

// TestSyntaxDistanceOfOtherScores gives links that another strategy has scored a
// distance too.
func TestSyntaxDistanceOfOtherScores(t *testing.T) {
	for _, score := range []float64{0, 1e-300, 0.3, outside, -1.5, -7} {
		var a crawler.Arrival
		a.Lease.Candidate = crawler.Candidate{URL: "http://a.example/2", Parent: "http://a.example/", Score: score, How: crawler.Forward}
		if d := distanceOf(a); d != (crawler.Distance{Pages: 1}) {
			t.Errorf("score %g: %+v", score, d)
		}
	}
}
