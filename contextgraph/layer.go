package contextgraph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Distances returns for each node of g the smallest number of links from it to a target, 0 for a target
// itself. That is its layer (Diligenti et al. 2000, section 2.1; paper 002, section 2.3.2). It is NoLayer
// if no target can be reached. Links within a site count like others; targets that are not nodes have no
// effect.
func (g *Graph) Distances(targets map[string]bool) []int {
	sources := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		sources[e.To] = append(sources[e.To], e.From)
	}
	layers := make([]int, len(g.Nodes))
	var queue []int
	for i, n := range g.Nodes {
		layers[i] = NoLayer
		if targets[n.URL] {
			layers[i] = 0
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		for _, source := range sources[node] {
			if layers[source] == NoLayer {
				layers[source] = layers[node] + 1
				queue = append(queue, source)
			}
		}
	}
	return layers
}

// LayerModels predict the layers of pages from the words of a page and from outputs of other models on
// the page and its links. Make them with NewLayerModels. They are safe for concurrent use.
type LayerModels struct {
	judge         PageJudge
	links, layers *classify.Folded[*classify.Model]
}

// A PageJudge returns the judge to use for a page: one for all pages, or one per fold.
type PageJudge interface {
	For(pageURL string) *classify.Judge
}

// NewLayerModels returns LayerModels that use a judge, models of task link and models of task layer.
func NewLayerModels(judge PageJudge, links, layers *classify.Folded[*classify.Model]) (*LayerModels, error) {
	for _, need := range []struct {
		models *classify.Folded[*classify.Model]
		task   string
	}{{links, classify.TaskLink}, {layers, classify.TaskLayer}} {
		if task := need.models.FullModel().Task; task != need.task {
			return nil, fmt.Errorf("layers: a model of task %q is given, one of task %q is needed", task, need.task)
		}
	}
	return &LayerModels{judge, links, layers}, nil
}

// Layers returns the probabilities that a page is 0, 1, 2 and 3 links before a target, and last that it
// is in no layer. They sum to 1. They are calibrated as if all layers had the same number of pages.
func (m *LayerModels) Layers(t *tagtree.Tree) []float64 {
	d := features.Read(t)
	return m.Document(t, d, m.judge.For(t.Page.URL).JudgeDocument(d))
}

// Document is like Layers for a page whose features and judgement have already been computed.
func (m *LayerModels) Document(t *tagtree.Tree, d *features.Document, said classify.Judgement) []float64 {
	return m.layers.For(t.Page.URL).Scores(WithReach(d, t, said, m.links.For(t.Page.URL)))
}

// Accuracy returns the mean recall over the layers and "in no layer" on pages of held-out hosts. It is
// the accuracy if all classes have the same number of pages. In paper 002, section 3.3, a classifier
// guides a crawl only if its accuracy is high enough.
func (m *LayerModels) Accuracy() float64 {
	for _, f := range m.layers.FullModel().Figures {
		if f.Name == "macro_recall" {
			return f.Value
		}
	}
	return 0
}

// WithReach returns the document d of page t with the additional features for predicting layers. They are
// the judgement of the page and the scores of its links by a model of task link.
func WithReach(d *features.Document, t *tagtree.Tree, said classify.Judgement, links *classify.Model) *features.Document {
	r := features.Reach{Call: said.CFPScore, Types: said.PageTypeScores}
	here, targets := webgraph.HostOf(t.Page.URL), t.Links()
	for i, score := range links.LinkProbabilities(t) {
		if webgraph.SameSite(webgraph.HostOf(targets[i].Target), here) {
			r.Within = append(r.Within, score)
		} else {
			r.Away = append(r.Away, score)
		}
	}
	return d.WithReach(r)
}

// An Agreement counts how often the predicted layers of pages are those of a graph. The last predicted
// layer stands for "in no layer", and so do layers of the graph with that number or more. The zero value
// is ready to use.
type Agreement struct {
	counts [][]int // number of pages by layer of the graph and predicted layer
}

// Add counts a page of a layer by its scores for layers 0, 1, … and, last, for no layer.
func (a *Agreement) Add(layer int, scores []float64) {
	n := len(scores)
	for len(a.counts) < n {
		a.counts = append(a.counts, make([]int, n))
	}
	a.counts[min(layer, n-1)][LikeliestLayer(scores)]++
}

// LikeliestLayer returns the index of the highest score; the last index means no layer.
func LikeliestLayer(scores []float64) int { return slices.Index(scores, slices.Max(scores)) }

// Counts returns the numbers of pages by layer of the graph and predicted layer. Callers must not change
// them.
func (a *Agreement) Counts() [][]int { return a.counts }

// LayerTotals returns the number of pages in a layer, and the number of pages predicted to be in it.
func (a *Agreement) LayerTotals(layer int) (pages, told int) {
	for k, n := range a.counts[layer] {
		pages, told = pages+n, told+a.counts[k][layer]
	}
	return pages, told
}

// MeanRecall returns the mean recall of the layers that have pages, without "in no layer". If there are
// no such layers, ok is false.
func (a *Agreement) MeanRecall() (recall float64, ok bool) {
	layers := 0
	for layer := range max(0, len(a.counts)-1) {
		if pages, _ := a.LayerTotals(layer); pages > 0 {
			recall, layers = recall+float64(a.counts[layer][layer])/float64(pages), layers+1
		}
	}
	return recall / float64(layers), layers > 0
}

// DrawNodes draws at most n of the nodes of each layer and keeps their order. If n is 0 it returns all.
// Nodes without a layer are left out.
func DrawNodes(nodes []Node, n int, seed uint64) []Node {
	byLayer := map[int][]int{}
	for i, node := range nodes {
		if node.Layer >= 0 {
			byLayer[node.Layer] = append(byLayer[node.Layer], i)
		}
	}
	var picks []int
	for layer, of := range byLayer {
		if n > 0 && len(of) > n {
			r := rand.New(rand.NewPCG(seed, uint64(layer)))
			r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
			of = of[:n]
		}
		picks = append(picks, of...)
	}
	slices.Sort(picks)
	drawn := make([]Node, len(picks))
	for i, at := range picks {
		drawn[i] = nodes[at]
	}
	return drawn
}

// A RejectionTrainer learns the layers only from pages that are in layers, as the context-focused crawlers do
// (Diligenti et al. 2000, section 3.2; paper 002, section 3.3). Pages about which it is uncertain go to the
// last class, "in no layer". The decision value of that class is always 0, so that its calibrated probability
// acts as a threshold on those of the other classes. A Rejecting is safe for concurrent use if Layers is.
type RejectionTrainer struct {
	// Layers trains the classifier of all classes except the last. It must return a *classify.Linear.
	Layers classify.Trainer
}

var _ classify.Trainer = RejectionTrainer{}

// Train returns a *classify.Linear with one row per class.
func (r RejectionTrainer) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	last := len(classes) - 1
	if last < 3 { // for two classes a trainer may return one row
		return nil, fmt.Errorf("layers: the model has %d classes; it needs at least three layers and one class for all other pages", len(classes))
	}
	inside := slices.DeleteFunc(slices.Clone(examples), func(e classify.Example) bool { return e.Class == last })
	c, err := r.Layers.Train(ctx, classes[:last], inside)
	if err != nil {
		return nil, err
	}
	linear, ok := c.(*classify.Linear)
	if !ok || len(linear.Weights) != last {
		return nil, fmt.Errorf("layers: the learner returned a %T; it must return a linear classifier with one row per layer", c)
	}
	return &classify.Linear{Weights: append(slices.Clone(linear.Weights), nil), Bias: append(slices.Clone(linear.Bias), 0)}, nil
}
