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

// Distances returns for each node of g the least number of links from it to a target, 0 for a
// target itself. That is its layer (Diligenti et al. 2000, section 2.1; paper 002, section 2.3.2);
// NoLayer where no target is reached. Links within a site count as others do; targets that are no
// nodes change nothing.
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

// LayerModels tell the layers of pages, by the words of a page and by what other
// models say of it and of its links. Make them with NewLayerModels. They are safe
// for concurrent use.
type LayerModels struct {
	judge         PageJudge
	links, layers *classify.Folded[*classify.Model]
}

// A PageJudge finds the judge of a page: one for all, or that of its fold.
type PageJudge interface {
	For(pageURL string) *classify.Judge
}

// NewLayerModels returns what tells layers by models of task layer, with what a
// judge and models of task link say.
func NewLayerModels(judge PageJudge, links, layers *classify.Folded[*classify.Model]) (*LayerModels, error) {
	for _, need := range []struct {
		models *classify.Folded[*classify.Model]
		task   string
	}{{links, classify.TaskLink}, {layers, classify.TaskLayer}} {
		if task := need.models.Full().Task; task != need.task {
			return nil, fmt.Errorf("layers: a model of task %q where one of task %q is needed", task, need.task)
		}
	}
	return &LayerModels{judge, links, layers}, nil
}

// Layers returns the probabilities that a page is 0, 1, 2 and 3 links before a
// target, and last that it is none of that. They sum to 1, and are what they would
// be if all layers held as many pages.
func (m *LayerModels) Layers(t *tagtree.Tree) []float64 {
	d := features.Read(t)
	return m.Document(t, d, m.judge.For(t.Page.URL).Document(d))
}

// Document is Layers for a page whose features have been read and judged already.
func (m *LayerModels) Document(t *tagtree.Tree, d *features.Document, said classify.Judgement) []float64 {
	return m.layers.For(t.Page.URL).Scores(WithReach(d, t, said, m.links.For(t.Page.URL)))
}

// Accuracy returns the mean recall of the layers and of "in no layer" on pages of held-out hosts.
// It is the accuracy if all classes had equally many pages. Paper 002, section 3.3, lets a
// classifier guide a crawl only from some accuracy on.
func (m *LayerModels) Accuracy() float64 {
	for _, f := range m.layers.Full().Figures {
		if f.Name == "macro_recall" {
			return f.Value
		}
	}
	return 0
}

// WithReach returns the document d of page t with the signals, besides words, by which layers are
// recognised. They are the judgement of the page and the scores that a model of task link gives its
// links.
func WithReach(d *features.Document, t *tagtree.Tree, said classify.Judgement, links *classify.Model) *features.Document {
	r := features.Reach{Call: said.CFPScore, Types: said.PageTypeScores}
	here, targets := webgraph.HostOf(t.Page.URL), t.Links()
	for i, score := range links.Links(t) {
		if webgraph.SameSite(webgraph.HostOf(targets[i].Target), here) {
			r.Within = append(r.Within, score)
		} else {
			r.Away = append(r.Away, score)
		}
	}
	return d.WithReach(r)
}

// An Agreement counts how often the recognised layers of pages are those of a graph. The last
// predicted layer stands for none, as do the layers of the graph from it on. The zero value has
// counted nothing.
type Agreement struct {
	counts [][]int // by layer of the graph and predicted layer
}

// Add counts a page of a layer by its scores for layers 0, 1, … and, last, for no layer.
func (a *Agreement) Add(layer int, scores []float64) {
	n := len(scores)
	for len(a.counts) < n {
		a.counts = append(a.counts, make([]int, n))
	}
	a.counts[min(layer, n-1)][LikeliestLayer(scores)]++
}

// LikeliestLayer returns the index of the likeliest layer, the last for none.
func LikeliestLayer(scores []float64) int { return slices.Index(scores, slices.Max(scores)) }

// Counts returns the pages by layer of the graph and predicted layer. They must not be changed.
func (a *Agreement) Counts() [][]int { return a.counts }

// Totals returns how many pages of a layer there are, and how many were predicted to be of it.
func (a *Agreement) Totals(layer int) (pages, told int) {
	for k, n := range a.counts[layer] {
		pages, told = pages+n, told+a.counts[k][layer]
	}
	return pages, told
}

// MeanRecall returns the mean of the recalls of the layers that hold pages, without none; ok is
// false if there are no such layers.
func (a *Agreement) MeanRecall() (recall float64, ok bool) {
	layers := 0
	for layer := range max(0, len(a.counts)-1) {
		if pages, _ := a.Totals(layer); pages > 0 {
			recall, layers = recall+float64(a.counts[layer][layer])/float64(pages), layers+1
		}
	}
	return recall / float64(layers), layers > 0
}

// DrawNodes draws at most n of the nodes of each layer, in their order; all if n
// is 0. Nodes without a layer are left out.
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

// A Rejecting trainer learns to tell layers apart from the pages of layers alone,
// as the context-focused crawlers do (Diligenti et al. 2000, section 3.2; paper
// 002, section 3.3), and leaves to the last class, of what is in no layer, the
// pages that no layer is sure of: its decision value is always 0, so its
// probability, once calibrated, is a threshold on that of the others. It is safe
// for concurrent use if Layers is.
type Rejecting struct {
	// Layers learns all classes but the last. It must return a *classify.Linear.
	Layers classify.Trainer
}

var _ classify.Trainer = Rejecting{}

// Train returns a *classify.Linear with a row a class.
func (r Rejecting) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	if err := classify.CheckExamples(classes, examples); err != nil {
		return nil, err
	}
	last := len(classes) - 1
	if last < 3 { // of two classes a learner may keep one row
		return nil, fmt.Errorf("layers: %d classes, at least three layers and what is in none are needed", len(classes))
	}
	inside := slices.DeleteFunc(slices.Clone(examples), func(e classify.Example) bool { return e.Class == last })
	c, err := r.Layers.Train(ctx, classes[:last], inside)
	if err != nil {
		return nil, err
	}
	linear, ok := c.(*classify.Linear)
	if !ok || len(linear.Weights) != last {
		return nil, fmt.Errorf("layers: the learner gives a %T, it must be linear with a row a layer", c)
	}
	return &classify.Linear{Weights: append(slices.Clone(linear.Weights), nil), Bias: append(slices.Clone(linear.Bias), 0)}, nil
}
