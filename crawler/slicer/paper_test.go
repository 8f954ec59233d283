package slicer

import (
	"math"
	"testing"

	"github.com/eventseer/eventseer/crawler"

	"github.com/google/go-cmp/cmp"
)

const (
	p1 = "http://a.example/p1"
	p2 = "http://a.example/p2"
	p3 = "http://b.example/p3"
)

// example3 is the search hyperspace of figure 9 as examples 3 and 4 describe it. P1 has key nodes
// K1 (link H1) and K2 (link H4), and H2 and H3 two edges away from them; P2 one key node that is
// link H5; P3, of another domain, k4.
func example3() *world {
	return &world{pages: map[string]string{
		p1: `<ul><li><a href="/p2">wanted</a><a href="/p2">H2</a></li></ul>
			<ol><li><a href="/p1">wanted</a><a href="http://b.example/p3">H3</a></li></ol>`,
		p2: `<p><a href="http://b.example/p3">wanted</a></p>`,
		p3: `<p>wanted</p>`,
	}}
}

// TestExample4 follows the paper. After P1 it follows hyperlink 1 to P2, not 4, which leads to the
// initial page, nor 2, which leads to P2; then 3 to P3, not 5, which leads to P3.
func TestExample4(t *testing.T) {
	w := example3()
	results, sum := w.run(t, p1, "wanted", Options{Precision: 2})
	if diff := cmp.Diff([]string{p2, p3}, w.asked); diff != "" {
		t.Errorf("fetched:\n%s", diff)
	}
	if diff := cmp.Diff([]string{p1, p2, p3}, urls(results)); diff != "" {
		t.Fatalf("shown:\n%s", diff)
	}
	if sum.End != Exhausted || sum.Pages != 3 || sum.Shown != 3 || len(sum.Left) != 0 {
		t.Errorf("summary = %+v", sum)
	}
	for i, want := range []struct {
		distance  crawler.Distance
		relevance float64
		parent    int
	}{{crawler.Distance{}, math.Inf(1), -1}, {crawler.Distance{}, math.Inf(1), 0}, {crawler.Distance{Tree: 2}, 0.5, 0}} {
		r := results[i]
		if r.Distance != want.distance || r.Relevance != want.relevance {
			t.Errorf("%s: distance %+v, relevance %v, want %+v, %v", r.URL, r.Distance, r.Relevance, want.distance, want.relevance)
		}
		if want.parent >= 0 && r.Parent != results[want.parent] {
			t.Errorf("%s: parent %s", r.URL, r.Parent.URL)
		}
	}
}

// TestTable1 computes the distances of table 1. Its row 5 gives 1000 for link 5, which is in P2, and so do
// we. Section III.B says that the distance of node k4 is 0+2·10³+1·10⁶. It is in P3, in the other domain,
// whose page distance is 1 by link 3 and 2 only by link 5: text and table, or text and figure, disagree. By
// definition 6 the lower number counts.
func TestTable1(t *testing.T) {
	w := example3()
	w.pages["http://a.example/old"] = "→" + p1
	w.pages[p1] = `<ul><li><a href="/p2">wanted</a><a href="/two">H2</a></li></ul>
		<ol><li><a href="/old">wanted</a><a href="http://b.example/p3">H3</a></li></ol>`
	results, _ := w.run(t, p1, "wanted", Options{Precision: 2, MaxPages: 1})
	got := map[string]int64{}
	for _, l := range results[0].Slice.Links() {
		d := crawler.Distance{Tree: l.Distance}
		got[results[0].Tree.Links()[l.Link].Target] = d.OntologicalDistance(crawler.PageWeight, crawler.DomainWeight)
	}
	want := map[string]int64{p2: 0, "http://a.example/two": 2, p3: 2, "http://a.example/old": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("distances:\n%s", diff)
	}
	if d := (crawler.Distance{Pages: 1}).OntologicalDistance(crawler.PageWeight, crawler.DomainWeight); d != 1000 || crawler.Relevance(d) != 0.001 {
		t.Errorf("row 5: D = %d, R = %v", d, crawler.Relevance(d))
	}

	results, _ = example3().run(t, p1, "wanted", Options{Precision: 2})
	if k4 := results[2]; k4.Pages != 1 || k4.Domains != 1 {
		t.Errorf("P3 is %d pages and %d domains away, want 1 and 1", k4.Pages, k4.Domains)
	}
	w = example3() // without link 3 the text is right
	w.pages[p1] = `<p><a href="/p2">wanted</a></p>`
	results, _ = w.run(t, p1, "wanted", Options{Precision: 2})
	k4 := results[2]
	if got := (crawler.Distance{Pages: k4.Pages, Domains: k4.Domains}).OntologicalDistance(crawler.PageWeight, crawler.DomainWeight); got != 2*1000+1*1_000_000 {
		t.Errorf("k4 by link 5: D = %d, want 1002000", got)
	}
}

// TestExample2 follows n2 before n1 with K_P = 1, and n1 first with K_P = 10.
func TestExample2(t *testing.T) {
	const n1, n2 = "http://a.example/n1", "http://a.example/n2"
	for _, tt := range []struct {
		kp    int
		order []string
		d     int64 // of the link followed after the one to P2
	}{{1, []string{p2, n2, n1}, 2}, {10, []string{p2, n1, n2}, 3}, {0, []string{p2, n1, n2}, 3}} {
		w := &world{pages: map[string]string{
			p1: `<p><span><a href="/p2">wanted</a></span> <a href="/n1">n1</a></p>`,
			p2: `<p>wanted <a href="/n2">n2</a></p>`,
			n1: `<p>nothing here</p>`, n2: `<p>nor here</p>`,
		}}
		results, _ := w.run(t, p1, "wanted", Options{Precision: 3, PageWeight: tt.kp})
		if diff := cmp.Diff(tt.order, w.asked); diff != "" {
			t.Errorf("K_P = %d:\n%s", tt.kp, diff)
		}
		if results[2].D != tt.d {
			t.Errorf("K_P = %d: D = %d, want %d", tt.kp, results[2].D, tt.d)
		}
	}
}
