package strategy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// graphTruth is a truth of edges "from to".
type graphTruth struct{ edges, targets []string }

func (g graphTruth) Targets() []string { return g.targets }
func (g graphTruth) Links(url string) (to []string) {
	for _, e := range g.edges {
		if from, target, _ := strings.Cut(e, " "); from == url {
			to = append(to, target)
		}
	}
	return to
}
func (g graphTruth) Sources(url string) (from []string) {
	for _, e := range g.edges {
		if source, to, _ := strings.Cut(e, " "); to == url {
			from = append(from, source)
		}
	}
	return from
}

func TestOracleGoesToTheNearestTargetLeft(t *testing.T) {
	const s, a, b, c, d, t1, t2, x = "http://s.example/", "http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/",
		"http://t1.example/", "http://t2.example/", "http://x.example/"
	truth := graphTruth{
		// a and b both lead to t1, c by d to t2, x and itself to nothing
		edges:   []string{s + " " + x, s + " " + c, s + " " + a, s + " " + b, a + " " + t1, b + " " + t1, c + " " + d, d + " " + t2, x + " " + x, t1 + " " + s},
		targets: []string{t1, t2},
	}
	p := fullParts()
	p.Truth = truth
	made, err := New(Oracle, p)
	if err != nil {
		t.Fatal(err)
	}
	got := crawlBy(t, made, map[string][]string{}, func(string) string { return "other" }, s)
	// b was as near as a until t1 came; then c is nearer, and b leads to t2 only by t1 and s.
	if diff := cmp.Diff([]string{s, a, t1, c, d, t2, b}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestOracleIsRefusedWithoutTruth(t *testing.T) {
	p := fullParts()
	p.Truth = nil
	if _, err := New(Oracle, p); err == nil || !strings.Contains(err.Error(), "--targets") {
		t.Errorf("error %v, want one that says what is needed", err)
	}
	p.Truth = graphTruth{} // a web without links and targets
	s, err := New(Oracle, p)
	if err != nil {
		t.Fatal(err)
	}
	if v := strategytest.Visit(t, s, strategytest.Arrive(t, "http://a.example/", "other", "http://b.example/ b")); len(v.Forward) != 0 {
		t.Errorf("without targets it proposes %v", v.Forward)
	}
}

// More pages may change their distance than are rescored at once.
func TestOracleRescoresInTurns(t *testing.T) {
	const n = maxRenewed + 10
	var truth graphTruth
	urls := make([]string, n)
	for i := range urls {
		urls[i] = "http://p" + strings.Repeat("x", i%50) + ".example/" + strings.Repeat("y", i/50)
	}
	truth.targets = []string{"http://t.example/", "http://u.example/"}
	g := &star{urls: urls, targets: truth.targets}
	p := fullParts()
	p.Truth = g
	s, err := New(Oracle, p)
	if err != nil {
		t.Fatal(err)
	}
	strategytest.Visit(t, s, strategytest.Arrive(t, "http://s.example/", "other"))
	first := strategytest.Visit(t, s, strategytest.Arrive(t, "http://t.example/", "other"))
	second := strategytest.Visit(t, s, strategytest.Arrive(t, urls[0], "other"))
	if len(first.Rescore) != maxRenewed || len(second.Rescore) == 0 || len(second.Rescore) > 10 {
		t.Errorf("%d rescored and then %d, want %d and the rest", len(first.Rescore), len(second.Rescore), maxRenewed)
	}
	if c := first.Rescore[0]; c.Score != unreachable || c.How != crawler.Origin("") {
		t.Errorf("rescored %+v, want a page that leads to nothing any more", c)
	}
}

// star is a web of a page that links to many, each of which links to the first target.
type star struct{ urls, targets []string }

func (g *star) Targets() []string { return g.targets }
func (g *star) Links(url string) []string {
	if url == "http://s.example/" {
		return g.urls
	}
	return nil
}
func (g *star) Sources(url string) []string {
	if url == g.targets[0] {
		return g.urls
	}
	if slices.Contains(g.urls[:1], url) {
		return []string{"http://s.example/"}
	}
	return nil
}

// The oracle with backlinks asks for them only if that is the nearest way to a target, calls included, and
// only between sites.
func TestOracleWithBacklinks(t *testing.T) {
	const s, a, hub, t1, t2, near = "http://s.example/", "http://a.example/", "http://hub.example/", "http://t1.example/", "http://t2.example/", "http://own.t1.example/list"
	visit := func(cost float64, edges []string, seed string) crawler.Verdict {
		t.Helper()
		p := fullParts()
		p.Truth, p.CallCost = graphTruth{edges: edges, targets: []string{t1, t2}}, cost
		made, err := New(OracleBack, p)
		if err != nil {
			t.Fatal(err)
		}
		return strategytest.Visit(t, made, strategytest.Arrive(t, seed, "cfp"))
	}
	sources := []webgraph.Link{{Source: hub, Target: t1}, {Source: "http://stranger.example/", Target: t1}}
	// No forward way leads from t1 to t2: only the hub that links to both.
	v := visit(1, []string{hub + " " + t1, hub + " " + t2}, t1)
	if v.Back == 0 || v.Backward == nil {
		t.Fatalf("it asks for no backlinks: %+v", v)
	}
	cs, notes := v.Backward(sources)
	if len(cs) != 1 || cs[0].URL != hub || cs[0].Score != -1 || len(notes) != 1 {
		t.Errorf("of the sources it proposes %+v, notes %v", cs, notes)
	}
	// a is as far from t2 as the hub: a call brings nothing. If it is two links farther, a call is worth its cost of 1, not of 2.
	if v := visit(1, []string{hub + " " + t1, hub + " " + t2, t1 + " " + a, a + " " + t2}, t1); v.Back != 0 {
		t.Error("it asks for backlinks although a link leads to a target")
	}
	far := []string{hub + " " + t1, hub + " " + t2, t1 + " " + s, s + " " + a, a + " http://c.example/", "http://c.example/ " + t2}
	if v := visit(1, far, t1); v.Back == 0 {
		t.Error("it follows three links where a call and two pages suffice")
	}
	if v := visit(2, far, t1); v.Back != 0 {
		t.Error("it asks for backlinks that cost as much as the way forward")
	}
	if v := visit(0, []string{near + " " + t1, near + " " + t2}, t1); v.Back != 0 {
		t.Error("it asks for backlinks although only a page of the same site links to it")
	}
	p := fullParts()
	p.Truth = graphTruth{edges: []string{hub + " " + t1, hub + " " + t2}, targets: []string{t1, t2}}
	forward, err := New(Oracle, p)
	if err != nil {
		t.Fatal(err)
	}
	if v := strategytest.Visit(t, forward, strategytest.Arrive(t, t1, "cfp")); v.Back != 0 {
		t.Error("the oracle without backlinks asks for them")
	}
}

// A resumed oracle knows which sources it proposed.
func TestOracleWithBacklinksResumes(t *testing.T) {
	const hub, t1, t2 = "http://hub.example/", "http://t1.example/", "http://t2.example/"
	p := fullParts()
	p.Truth, p.CallCost = graphTruth{edges: []string{hub + " " + t1, hub + " " + t2}, targets: []string{t1, t2}}, 1
	made := func() *oracle {
		s, err := New(OracleBack, p)
		if err != nil {
			t.Fatal(err)
		}
		return s.(*oracle)
	}
	first := made()
	v := strategytest.Visit(t, first, strategytest.Arrive(t, t1, "cfp"))
	_, more := v.Backward([]webgraph.Link{{Source: hub, Target: t1}})
	second := made()
	if err := second.RestoreNotes(slices.Concat(v.Notes, more)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.state, second.state) || !slices.Equal(first.proposed, second.proposed) || !slices.Equal(first.distance, second.distance) {
		t.Errorf("resumed: %v %v %v, not %v %v %v", second.state, second.proposed, second.distance, first.state, first.proposed, first.distance)
	}
	if err := made().RestoreNotes([]crawler.Note{{Key: sourcesNote + "/" + t1, Value: []byte("x")}}); err == nil {
		t.Error("a broken note is no error")
	}
}

// Distances by two queues are those of Dijkstra's search, here by relaxing all steps until none is shorter.
func TestOracleDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "pages")
		url := func(i int) string { return fmt.Sprintf("http://p%d.example/", i) }
		var truth graphTruth
		for _, e := range rapid.SliceOfN(rapid.IntRange(0, n*n-1), 0, 3*n).Draw(t, "links") {
			truth.edges = append(truth.edges, url(e/n)+" "+url(e%n))
		}
		truth.targets = []string{url(0), url(1)}
		g := newTruthGraph(truth, true)
		g.call = int32(rapid.IntRange(0, 3).Draw(t, "call"))
		want := map[string]int32{url(0): 0, url(1): 0}
		shorten := func(page, next string, step int32) bool {
			d, ok := want[next]
			if was, known := want[page]; !ok || known && was <= d+step {
				return false
			}
			want[page] = d + step
			return true
		}
		for again := true; again; {
			again = false
			for _, e := range truth.edges {
				from, to, _ := strings.Cut(e, " ")
				again = shorten(from, to, 1) || again
				again = from != to && shorten(to, from, 1+g.call) || again
			}
		}
		got := map[string]int32{}
		for page, d := range g.distances(map[int32]bool{g.ids[url(0)]: true, g.ids[url(1)]: true}) {
			if d >= 0 {
				got[g.urls[page]] = d
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("distances (-want +got):\n%s", diff)
		}
	})
}
