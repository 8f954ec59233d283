//go:build measure

package main

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// Layers as classify/train tells them apart.
const numLayers = 4

var layerKinds = []string{"page", "pdf", "mail"}

// webFiles reads what doc/reproduction.md measures of the frozen web. It returns the kind of each
// node of status 200, with the page type of real pages, its graph of links, and the targets of some
// kinds in it.
func webFiles(t *testing.T, kinds []string) (dir string, kind map[string]string, g *contextgraph.Graph, targets map[string]bool) {
	t.Helper()
	dir = filepath.Dir(golden.SharedPath(t, "corpora/web/nodes.tsv"))
	a := &app.App{}
	a.Config.Quiet = true
	g, err := readLinkGraph(a, filepath.Join(dir, "links.tsv.gz"))
	if err == nil {
		targets, err = readTargets(filepath.Join(dir, "targets.tsv"), kinds)
	}
	if err != nil {
		t.Fatal(err)
	}
	kind = map[string]string{}
	file, err := tsv.Open(filepath.Join(dir, "nodes.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // read only: nothing to lose
	err = tsv.Rows(file, []string{"url", "status", "kind", "page_type", "is_cfp"}, nil, func(f []string) error {
		if f[1] == "200" {
			kind[string([]byte(f[0]))] = string([]byte(f[2]))
			if f[2] == "real" {
				kind[string([]byte(f[0]))] = "real " + f[3] + map[string]string{"true": ", a call"}[f[4]]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, kind, g, targets
}

// A linkSample is links with where each leads, as two ways score them.
type linkSample struct {
	pages         []int
	model, cosine []eval.Prediction
}

func (s *linkSample) add(page, truth int, host string, model, cosine float64) {
	s.pages = append(s.pages, page)
	s.model = append(s.model, eval.Prediction{Truth: truth, Score: model, Group: host})
	s.cosine = append(s.cosine, eval.Prediction{Truth: truth, Score: cosine, Group: host})
}

// TestLinkModelOnTheFrozenWeb measures how well the cross-fitted link models rank the links of the
// frozen web. They have seen neither the pages nor any link between sites.
//
//	go test -tags measure -run TestLinkModelOnTheFrozenWeb -v ./cmd/eventseer
func TestLinkModelOnTheFrozenWeb(t *testing.T) {
	dir, kind, g, targets := webFiles(t, []string{"page", "pdf"})
	leads := map[string]int{} // 1 to a target, of the links that need no redirect
	for _, e := range g.Edges {
		truth := 0
		if targets[g.Nodes[e.To].URL] {
			truth = 1
		}
		leads[g.Nodes[e.From].URL+" "+g.Nodes[e.To].URL] = truth
	}
	links, err := judges.CrossFittedSet().Links()
	if err != nil {
		t.Fatal(err)
	}
	model, err := judges.OpenModel("topic")
	if err != nil {
		t.Fatal(err)
	}
	topic, samples, n := strategy.NewTopic(model), map[string]*linkSample{}, 0
	for page, err := range warc.Pages(filepath.Join(dir, "web.warc.gz")) {
		if err != nil || kind[page.URL] == "" || slices.Contains([]string{"gen", "pdf", "calendar", "session", "robots", "sitemap", "file"}, kind[page.URL]) {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			continue
		}
		n++
		host := webgraph.HostOf(page.URL)
		for i, score := range links.LinkProbabilities(tree) {
			l := tree.Links()[i]
			truth, ok := leads[tree.Page.URL+" "+l.Target]
			if !ok {
				continue
			}
			where := "away"
			if webgraph.SameSite(webgraph.HostOf(l.Target), host) {
				where = "within"
			}
			for _, name := range []string{where, where + " from " + kind[page.URL]} {
				s := cmp.Or(samples[name], &linkSample{})
				samples[name] = s
				s.add(n, truth, string(host), score, topic.TextCosine(l.Anchor))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		s := samples[name]
		positives := 0
		for _, p := range s.model {
			positives += p.Truth
		}
		precision, _ := eval.FigureValue(eval.AveragePrecision, 2, s.model)
		byCosine, _ := eval.FigureValue(eval.AveragePrecision, 2, s.cosine)
		top, pages := eval.TopOfListShare(s.model, s.pages, 1)
		topCosine, _ := eval.TopOfListShare(s.cosine, s.pages, 1)
		t.Logf("%-40s %6d links, %4d to a target; average precision %.3f, cosine %.3f; best link of %d pages %.3f, cosine %.3f",
			name, len(s.model), positives, precision, byCosine, pages, top.Value, topCosine.Value)
	}
}

// TestWhatLayersAreMadeOf describes the layers of the frozen web. It prints the page types of each
// layer, the recall with the true types alone, and how many pages are in their layer by one link
// alone.
//
//	go test -tags measure -run TestWhatLayersAreMadeOf -v ./cmd/eventseer
func TestWhatLayersAreMadeOf(t *testing.T) {
	_, kind, g, targets := webFiles(t, layerKinds)
	layers := g.Distances(targets)
	ways := make([]int, len(g.Nodes)) // links one layer down
	for _, e := range g.Edges {
		if e.From != e.To && layers[e.To] != contextgraph.NoLayer && layers[e.To] == layers[e.From]-1 {
			ways[e.From]++
		}
	}
	types, all := map[string][]int{}, make([]int, numLayers+1)
	var pages, single [numLayers + 1]int
	for i, n := range g.Nodes {
		name, real := kind[n.URL], len(kind[n.URL]) > 4 && kind[n.URL][:4] == "real"
		if !real {
			continue
		}
		k := numLayers
		if layers[i] != contextgraph.NoLayer {
			k = min(layers[i], numLayers)
		}
		pages[k]++
		if ways[i] == 1 {
			single[k]++
		}
		if name == "real " {
			continue // not labelled
		}
		if types[name] == nil {
			types[name] = make([]int, numLayers+1)
		}
		types[name][k]++
		all[k]++
	}
	recall := make([]float64, numLayers+1)
	for _, name := range slices.Sorted(maps.Keys(types)) {
		counts, best := types[name], 0
		for k := range counts {
			if counts[k]*all[best] > counts[best]*all[k] {
				best = k
			}
		}
		recall[best] += float64(counts[best]) / float64(all[best])
		t.Logf("%-40s %v", name, counts)
	}
	t.Logf("recall by the true type %.2f; pages %v, of them by one link %v", recall, pages, single)
}
