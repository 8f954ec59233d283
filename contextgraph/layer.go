package contextgraph

import (
	"fmt"

	"eventseer/classify"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// Distances returns for each node the least number of links of g from it to a
// target, 0 for a target itself: its layer (Diligenti et al. 2000, section 2.1;
// paper 002, section 2.3.2); NoLayer where no target is reached. Links within a
// site count as others do; targets that are no nodes change nothing.
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

// Accuracy is the mean recall on pages of hosts held out of the layers and of
// what is in none: the accuracy if all held as many pages. Paper 002, section
// 3.3, lets a classifier guide a crawl only from some accuracy on.
func (m *LayerModels) Accuracy() float64 {
	for _, f := range m.layers.Full().Figures {
		if f.Name == "macro_recall" {
			return f.Value
		}
	}
	return 0
}

// WithReach returns the document d of page t with what layers are told by besides
// its words: what a judge said of it, and what a model of task link says of its
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
