package contextgraph

import (
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestStats(t *testing.T) {
	web := toy("a > t u", "t/x > t", "b > a", "c > a", "t > u")
	g, err := Build(t.Context(), urls("t u"), Options{Name: "x", Asker: web, Fetcher: web, InSite: true, Layers: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := g.Stats()
	want := Stats{
		Name: "x", Nodes: 6, Edges: 6, Hosts: 5, VerifiedEdge: 6,
		Layers: []LayerStats{
			{
				Layer: 0, Nodes: 2, Sites: 2, URLBytes: 36, Walks: 2, WalkBytes: 36, Fetched: 2, TextBytes: 10,
				Asked: 2, Coverage: 1, Calls: 2, Cost: 1, Told: 4, DuplicateShare: .5, InSiteShare: .25,
				Types: []TypeCount{{"", 1, 0}, {"list", 1, 0}},
			},
			{
				Layer: 1, Nodes: 2, Sites: 2, Growth: 1, URLBytes: 37, Walks: 4, WalkBytes: 73, Fetched: 2, TextBytes: 20,
				Asked: 2, Coverage: .5, Calls: 2, Cost: 1, Told: 2,
				Types: []TypeCount{{"list", 2, 0}},
			},
			{
				Layer: 2, Nodes: 2, Sites: 2, Growth: 1, URLBytes: 36, Walks: 6, WalkBytes: 109, Fetched: 2, TextBytes: 20,
				Types: []TypeCount{{"list", 2, 0}},
			},
		},
		Parents: []TypeCount{{"list", 2, 4}},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if s := (&Graph{Nodes: []Node{{URL: "http://a.example/", Layer: NoLayer}}}).Stats(); len(s.Layers) != 0 || s.Nodes != 1 {
		t.Errorf("of a graph without layers: %+v", s)
	}
}

func TestLinkGraph(t *testing.T) {
	links := []webgraph.Link{
		{Source: at("a"), Target: at("t"), Anchor: "first"},
		{Source: "HTTP://A.example", Target: at("t"), Anchor: "second"},
		{Source: at("b"), Target: at("a"), NoFollow: true},
		{Source: "nonsense", Target: at("t")},
		{Source: at("t"), Target: at("t")},
	}
	g, skipped, err := NewLinkGraph("links", func(yield func(webgraph.Link) bool) {
		for _, l := range links {
			if !yield(l) {
				return
			}
		}
	})
	want := &Graph{
		Name:  "links",
		Nodes: []Node{{URL: at("a"), Layer: NoLayer, Pages: 1}, {URL: at("t"), Layer: NoLayer, Pages: 1}, {URL: at("b"), Layer: NoLayer, Pages: 1}},
		Edges: []Edge{{From: 0, To: 1, Anchor: "first", Weight: 1}, {From: 1, To: 1, Weight: 1}, {From: 2, To: 0, NoFollow: true, Weight: 1}},
	}
	if diff := cmp.Diff(want, g); err != nil || skipped != 1 || diff != "" {
		t.Errorf("%v, %d skipped (-want +got):\n%s", err, skipped, diff)
	}
	built, err := Build(t.Context(), []string{at("t"), at("unknown")}, Options{Asker: g.BacklinkSource(), Layers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t unknown", "a", "b"}, layersOf(built)); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
}
