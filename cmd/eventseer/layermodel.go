package main

import (
	"eventseer/classify"
	"eventseer/contextgraph"
	"eventseer/crawler/strategy"
	"eventseer/features"
	"eventseer/features/tagtree"
)

// layerFolds is the folder of the cross-fitted layer models: their folds are of
// the hosts of the frozen web.
const layerFolds = "crossfit/layer"

// A reachReader reads the documents of pages that layers are told by.
type reachReader struct {
	judge pageJudge
	links *classify.Folded
}

// Document reads the document of a page.
func (r reachReader) Document(t *tagtree.Tree) *features.Document {
	d := features.Read(t)
	return contextgraph.WithReach(d, t, r.judge.For(t.Page.URL).Document(d), r.links.For(t.Page.URL))
}

// newReachReader returns a reader with the cross-fitted models.
func newReachReader() (reachReader, error) {
	judge, err := newPageJudge("cross-fitted", nil)
	if err != nil {
		return reachReader{}, err
	}
	links, err := shippedFolded(classify.TaskLink, "cross-fitted")
	return reachReader{judge, links}, err
}

// layerModelOf returns the layer model of a plan, that of a laboratory with a memory.
func layerModelOf(p plan) (strategy.LayerModel, error) {
	open := func() (*contextgraph.LayerModels, error) {
		judge, err := newPageJudge(modelsOf(p), nil)
		if err != nil {
			return nil, err
		}
		return newLayerModels(judge, modelsOf(p))
	}
	if p.memo == nil {
		return open()
	}
	return p.memo.layers.get(func() (*layerMemo, error) {
		m, err := open()
		return &layerMemo{LayerModel: m}, err
	})
}

// newLayerModels returns the shipped layer model around a judge and the shipped
// link model; both models cross-fitted if which says so.
func newLayerModels(judge pageJudge, which string) (*contextgraph.LayerModels, error) {
	links, err := shippedFolded(classify.TaskLink, which)
	if err != nil {
		return nil, err
	}
	layers, err := shippedFolded(classify.TaskLayer, which)
	if err != nil {
		return nil, err
	}
	return contextgraph.NewLayerModels(judge, links, layers)
}
