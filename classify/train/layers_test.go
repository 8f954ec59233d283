package train

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// writeTSV writes a file of lines whose fields are separated by blanks.
func writeTSV(t *testing.T, dir, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	text := strings.ReplaceAll(strings.Join(lines, "\n"), " ", "\t") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// readTestTargets reads the URLs of a file of targets.
func readTestTargets(path string, kinds []string) (map[string]bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	targets := map[string]bool{}
	err = tsv.Rows(f, []string{"url", "kind"}, nil, func(row []string) error {
		if slices.Contains(kinds, row[1]) {
			targets[row[0]] = true
		}
		return nil
	})
	return targets, err
}

// readTestLinks reads a file of links.
func readTestLinks(path string) (*contextgraph.Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	var links []webgraph.Link
	err = tsv.Rows(f, []string{"source", "target"}, nil, func(row []string) error {
		links = append(links, webgraph.Link{Source: row[0], Target: row[1]})
		return nil
	})
	if err != nil {
		return nil, err
	}
	g, _, err := contextgraph.NewLinkGraph("test", slices.Values(links))
	return g, err
}

func TestReadLayerTable(t *testing.T) {
	dir := t.TempDir()
	f := Options{Task: "layer"}
	f.Labels = []string{writeTSV(t, dir, "nodes.tsv", "url status kind page_type",
		"http://www.a.example/cfp 200 real cfp", "http://a.example/ 200 real conference", "http://b.example/ 200 real homepage",
		"http://far.example/ 200 real other", "http://island.example/ 200 real weblog",
		"http://hub.example/ 200 hub cfp_list", "http://gone.example/ 404 real other")}
	f.Targets = writeTSV(t, dir, "targets.tsv", "url kind", "http://www.a.example/cfp page", "http://mail.example/1 mail")
	f.Links = writeTSV(t, dir, "links.tsv", "source target",
		"http://a.example/ http://www.a.example/cfp", "http://b.example/ http://a.example/", "http://hub.example/ http://b.example/",
		"http://x.example/ http://hub.example/", "http://far.example/ http://x.example/", "http://gone.example/ http://www.a.example/cfp")
	env := Environment{ReadTargets: readTestTargets, ReadLinks: readTestLinks}
	table, err := readLayerTable(f, env)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"http://www.a.example/cfp": 0, "http://a.example/": 1, "http://b.example/": 2, "http://far.example/": 4, "http://island.example/": 4,
	}
	if diff := cmp.Diff(want, table.class); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l := table.label["http://www.a.example/cfp"]; l.Group != "a.example" || l.PageType != "cfp" {
		t.Errorf("label %+v", l)
	}
	f.Targets = filepath.Join(dir, "none.tsv")
	if _, err := readLayerTable(f, env); err == nil {
		t.Error("no file of targets: no error")
	}
}

// TestReadGraphLayers reads the layers of two graphs. A page of both has its least layer.
func TestReadGraphLayers(t *testing.T) {
	dir := t.TempDir()
	node := func(url string, layer int) contextgraph.Node {
		return contextgraph.Node{URL: url, Layer: layer, Pages: 1, PageType: "conference"}
	}
	var paths []string
	for i, nodes := range [][]contextgraph.Node{
		{node("http://a.example/cfp", 0), node("http://hub.example/", 1), node("http://b.example/", 3), node("http://far.example/", 5)},
		{node("http://b.example/", 2), node("http://c.example/", 4)},
	} {
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".graph"))
		if err := contextgraph.WriteFile(paths[i], []*contextgraph.Graph{{Name: "test", Nodes: nodes}}); err != nil {
			t.Fatal(err)
		}
	}
	table, err := readGraphLayers(Options{Task: "layer", Labels: paths}, Environment{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"http://a.example/cfp": 0, "http://hub.example/": 1, "http://b.example/": 2, "http://c.example/": 4, "http://far.example/": 4}
	if diff := cmp.Diff(want, table.class); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l := table.label["http://b.example/"]; l.Group != "b.example" || l.PageType != "conference" {
		t.Errorf("label %+v", l)
	}
	for name, o := range map[string]Options{
		"with targets":        {Labels: paths, Targets: "targets.tsv"},
		"beside a table":      {Labels: append(slices.Clone(paths), "nodes.tsv")},
		"without types":       {Labels: paths, Exclude: []string{"weblog"}},
		"that does not exist": {Labels: []string{filepath.Join(dir, "none.graph")}},
	} {
		o.Task = "layer"
		if _, err := readLayers(t.Context(), o, Environment{}); err == nil {
			t.Errorf("a graph %s: no error", name)
		}
	}
}

func TestLayerFigures(t *testing.T) {
	p := func(truth, guess int, scores ...float64) eval.Prediction {
		return eval.Prediction{Truth: truth, Guess: guess, Scores: scores, Group: "g"}
	}
	got := layerFigures([]eval.Prediction{
		p(0, 0, .9, 0, 0, 0, .1), p(1, 4, 0, .4, 0, 0, .6), p(2, 1, 0, .5, .3, .2, 0), p(3, 3, 0, 0, 0, 1, 0), p(4, 0, 1, 0, 0, 0, 0),
	}, 1)
	if got[0].Value != 0.5 || got[1].Value != 0.75 {
		t.Errorf("%+v, want .5 with other and .75 without", got)
	}
}
