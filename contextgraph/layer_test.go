package contextgraph_test

import (
	"bytes"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/nb"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestDistances(t *testing.T) {
	link := func(from, to string) webgraph.Link {
		return webgraph.Link{Source: "http://" + from + ".example/", Target: "http://" + to + ".example/"}
	}
	g, _, err := contextgraph.NewLinkGraph("", slices.Values([]webgraph.Link{
		link("a", "call"), link("b", "a"), link("call", "b"), // a circle
		link("c", "b"), link("c", "a"), // the nearer counts
		link("a", "a"), link("other", "c"), link("call", "away"), link("island", "island2"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for i, d := range g.Distances(map[string]bool{"http://call.example/": true, "http://unknown.example/": true}) {
		got[g.Nodes[i].URL] = d
	}
	want := map[string]int{
		"http://call.example/": 0, "http://a.example/": 1, "http://b.example/": 2, "http://c.example/": 2, "http://other.example/": 3,
		"http://away.example/": contextgraph.NoLayer, "http://island.example/": contextgraph.NoLayer, "http://island2.example/": contextgraph.NoLayer,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func shipped(t *testing.T, name string) *classify.Model {
	t.Helper()
	data, err := fs.ReadFile(models.Files(), name+".model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := classify.ReadModel(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func parse(t *testing.T, body string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: "http://gardens.example/", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestLayerModels(t *testing.T) {
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	m, err := contextgraph.NewLayerModels(judge, classify.NewFolded(shipped(t, "link")), classify.NewFolded(shipped(t, "layer")))
	if err != nil {
		t.Fatal(err)
	}
	likeliest := func(body string) int {
		p := m.Layers(parse(t, body))
		sum := 0.0
		for _, x := range p {
			sum += x
		}
		if len(p) != 5 || math.Abs(sum-1) > 1e-9 {
			t.Fatalf("layers %v", p)
		}
		return slices.Index(p, slices.Max(p))
	}
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"nothing": {"", 4},
		"call": {`<title>Call for papers: Gardens 2027</title><h1>Call for Papers</h1><p>The workshop on gardens invites submissions of original papers.
			<h2>Topics of interest</h2><ul><li>roses<li>hedges<li>moss</ul><h2>Important dates</h2><p>Paper submission: 1 May 2027. Notification of acceptance: 1 June 2027.
			Camera-ready: 1 July 2027.<h2>Submission</h2><p>Papers of at most 10 pages are to be submitted as PDF. <h2>Program committee</h2><p>Ann Bee, Cee University`, 0},
		"page of a conference": {`<title>Gardens 2027</title><h1>Gardens 2027 - International Conference on Gardens</h1><ul><li><a href="cfp.html">Call for papers</a>
			<li><a href="dates.html">Important dates</a><li><a href="program.html">Program</a><li><a href="hotels.html">Hotels</a></ul><p>Registration for the conference is open. We look forward to seeing you in Rose Town.`, 1},
	} {
		if got := likeliest(tt.body); got != tt.want {
			t.Errorf("%s: layer %d, want %d", name, got, tt.want)
		}
	}
	if a := m.Accuracy(); !(a > 0.5 && a < 1) {
		t.Errorf("accuracy %v", a)
	}
}

func TestNewLayerModelsRefusesOtherTasks(t *testing.T) {
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	link := classify.NewFolded(shipped(t, "link"))
	if _, err := contextgraph.NewLayerModels(judge, link, link); err == nil {
		t.Error("a link model tells layers: no error")
	}
}

func TestRejectingLearnsLayersAlone(t *testing.T) {
	classes := []string{"0", "1", "2", classify.Other}
	x := func(index ...uint32) features.Vector {
		v := features.Vector{Index: index}
		for range index {
			v.Value = append(v.Value, 1)
		}
		return v
	}
	examples := []classify.Example{{X: x(0, 1), Class: 0}, {X: x(0, 2), Class: 0}, {X: x(3), Class: 1}, {X: x(3, 4), Class: 1}, {X: x(6), Class: 2}, {X: x(5), Class: 3}}
	trainer := contextgraph.RejectionTrainer{Layers: nb.Diligenti{}}
	c, err := trainer.Train(t.Context(), classes, examples)
	if err != nil {
		t.Fatal(err)
	}
	for class, d := range map[int][]float64{0: c.Decide(x(0)), 1: c.Decide(x(3))} {
		if len(d) != 4 || d[3] != 0 || d[class] < max(d[1-class], d[2]) {
			t.Errorf("a page of layer %d: %v", class, d)
		}
	}
	if _, err := trainer.Train(t.Context(), classes[:3], examples[:5]); err == nil {
		t.Error("two layers alone: no error")
	}
}
