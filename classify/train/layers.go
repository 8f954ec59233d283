package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/internal/usage"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// maxOfLayer is the largest number of pages of a layer for training. Those with the smallest hashes of
// their URLs are chosen.
const maxOfLayer = 2500

// layerKinds are the kinds of targets from which layers are counted.
var layerKinds = []string{"page", "pdf", "mail"}

// A layerTable holds the layers and labels of pages.
type layerTable struct {
	class map[string]int            // by URL
	label map[string]datasets.Label // by URL; its Group is the host
}

// readLayers reads pages for the task layer. The layer of a page of a frozen web is its link distance to a
// target in the graph of the web; pages of context graphs have their layers there. The page types and the
// scores of links are those of cross-fitted models, which were not trained on the page's site.
func readLayers(ctx context.Context, o Options, env Environment) (*corpus, error) {
	graphs := usesGraphs(o)
	if len(o.Exclude) > 0 || graphs && (o.Links != "" || o.Targets != "") || !graphs && (len(o.Labels) != 1 || o.Links == "" || o.Targets == "") {
		return nil, usage.Errorf("--task layer reads one --data NODES.tsv (columns url, status, kind), --targets TARGETS.tsv and --links LINKS.tsv, or --data FILE.graph of `eventseer graph build`; it does not take --exclude-type")
	}
	read := readLayerTable
	if graphs {
		read = readGraphLayers
	}
	table, err := read(o, env)
	if err != nil {
		return nil, err
	}
	classes, err := classify.Classes(classify.TaskLayer)
	if err != nil {
		return nil, err
	}
	c := &corpus{task: classify.TaskLayer, classes: classes}
	reader, err := env.Layers()
	if err != nil {
		return nil, err
	}
	var lines []string // of the digest
	for page, err := range env.ReadPages(ctx, o.Pages) {
		label, ok := table.label[page.URL]
		if !ok || err != nil {
			continue
		}
		delete(table.label, page.URL) // so that a second copy of the page is ignored
		tree, err := tagtree.Parse(page)
		if err != nil {
			continue // the page has no text, whatever its media type
		}
		c.labels = append(c.labels, label)
		c.docs = append(c.docs, reader.Document(tree))
		c.class = append(c.class, table.class[page.URL])
		c.groups = append(c.groups, label.Group)
		lines = append(lines, fmt.Sprintf("%s\t%d\t%s", page.URL, table.class[page.URL], page.Digest()))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(c.docs) == 0 {
		return nil, fmt.Errorf("%s: none of its real pages is in the input", o.Labels[0])
	}
	c.sizes = []int{len(c.docs)}
	slices.Sort(lines)
	c.digest = "sha256:" + digestOf(lines)
	return c, nil
}

// readLayerTable reads which pages exist and how far each is from a target.
func readLayerTable(o Options, env Environment) (layerTable, error) {
	table := layerTable{class: map[string]int{}, label: map[string]datasets.Label{}}
	targets, err := env.ReadTargets(o.Targets, layerKinds)
	if err != nil {
		return table, err
	}
	graph, err := env.ReadLinks(o.Links)
	if err != nil {
		return table, err
	}
	distance := map[string]int{}
	for i, d := range graph.Distances(targets) {
		distance[graph.Nodes[i].URL] = d
	}
	file, err := tsv.Open(o.Labels[0])
	if err != nil {
		return table, err
	}
	defer func() { _ = file.Close() }() // opened for reading: an error on closing loses nothing
	layers := make(layeredLabels, numLayers+1)
	err = tsv.Rows(file, []string{"url", "status", "kind"}, []string{"page_type"}, func(fields []string) error {
		if fields[1] != "200" || fields[2] != "real" {
			return nil
		}
		url := strings.Clone(fields[0])
		layers.addPage(layerClass(url, distance), url, strings.Clone(fields[3]))
		return nil
	})
	if err != nil {
		return table, fmt.Errorf("%s: %w", o.Labels[0], err)
	}
	return layers.sampleLayers(), nil
}

// usesGraphs reports whether the labels are .graph files.
func usesGraphs(o Options) bool {
	return len(o.Labels) > 0 && !slices.ContainsFunc(o.Labels, func(path string) bool { return !strings.HasSuffix(path, ".graph") })
}

// readGraphLayers reads the layers of the pages of context graphs. A page of several graphs has its least
// layer; a layer from numLayers on is other, as is a page in no layer. Pages that were not fetched for the
// graph count too, if the input has them.
func readGraphLayers(o Options, _ Environment) (layerTable, error) {
	graphs, err := contextgraph.ReadFiles(o.Labels)
	if err != nil {
		return layerTable{}, err
	}
	layers := make(layeredLabels, numLayers+1)
	for _, n := range contextgraph.Merge("", graphs...).Nodes {
		k := n.Layer
		if k == contextgraph.NoLayer || k > numLayers {
			k = numLayers
		}
		layers.addPage(k, n.URL, n.PageType)
	}
	return layers.sampleLayers(), nil
}

// layeredLabels are pages by layer, last those in none.
type layeredLabels [][]datasets.Label

// addPage adds a page to a layer.
func (l layeredLabels) addPage(layer int, url, pageType string) {
	l[layer] = append(l[layer], datasets.Label{URL: url, PageType: pageType, Group: layerGroup(url)})
}

// sampleLayers returns the table of at most maxOfLayer pages of each layer.
func (l layeredLabels) sampleLayers() layerTable {
	table := layerTable{class: map[string]int{}, label: map[string]datasets.Label{}}
	for k, labels := range l {
		slices.SortFunc(labels, func(a, b datasets.Label) int { return cmp.Compare(xxh3.HashString(a.URL), xxh3.HashString(b.URL)) })
		for _, label := range labels[:min(len(labels), maxOfLayer)] {
			table.class[label.URL], table.label[label.URL] = k, label
		}
	}
	return table
}

// numLayers is the number of layers. Pages that are farther away have class "other".
const numLayers = 4

func layerClass(url string, distance map[string]int) int {
	if canonical, err := webgraph.Canonical(url); err == nil {
		if d, ok := distance[canonical]; ok && d != contextgraph.NoLayer {
			return min(d, numLayers)
		}
	}
	return numLayers
}

// layerGroup returns the host of a page without a leading www.
func layerGroup(url string) string { return strings.TrimPrefix(webgraph.HostKey(url), "www.") }

// layerFigures returns two mean recalls of the layers. The first allows the guess "other"; the second
// measures only pages in layers and compares only the scores of layers.
func layerFigures(ps []eval.Prediction, seed uint64) []classify.Figure {
	var inside []eval.Prediction
	for _, p := range ps {
		if p.Truth < numLayers {
			p.Guess = classify.DecideClass(p.Scores[:numLayers], 0)
			inside = append(inside, p)
		}
	}
	return []classify.Figure{
		eval.MeanRecall("layer_recall", ps, numLayers, seed), eval.MeanRecall("layer_recall_without_other", inside, numLayers, seed),
	}
}
