package strategy

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
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
	if c := first.Rescore[0]; c.Score != unreachable || c.How != crawler.How("") {
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
