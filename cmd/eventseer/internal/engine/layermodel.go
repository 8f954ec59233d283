package engine

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
	judge PageJudge
	links *classify.Folded
}

// Document reads the document of a page.
func (r reachReader) Document(t *tagtree.Tree) *features.Document {
	d := features.Read(t)
	return contextgraph.WithReach(d, t, r.judge.For(t.Page.URL).Document(d), r.links.For(t.Page.URL))
}

// NewReachReader returns a reader with the cross-fitted models.
func NewReachReader() (reachReader, error) {
	judge, err := NewPageJudge("cross-fitted", nil)
	if err != nil {
		return reachReader{}, err
	}
	links, err := ShippedFolded(classify.TaskLink, "cross-fitted")
	return reachReader{judge, links}, err
}

// layerModelOf returns the layer model of a plan, that of a laboratory with a memory.
func layerModelOf(p Plan) (strategy.LayerModel, error) {
	open := func() (*contextgraph.LayerModels, error) {
		judge, err := NewPageJudge(ModelsOf(p), nil)
		if err != nil {
			return nil, err
		}
		return NewLayerModels(judge, ModelsOf(p))
	}
	if p.Memo == nil {
		return open()
	}
	return p.Memo.layers.get(func() (*layerMemo, error) {
		m, err := open()
		return &layerMemo{LayerModel: m}, err
	})
}

// NewLayerModels returns the shipped layer model around a judge and the shipped
// link model; both models cross-fitted if which says so.
func NewLayerModels(judge PageJudge, which string) (*contextgraph.LayerModels, error) {
	links, err := ShippedFolded(classify.TaskLink, which)
	if err != nil {
		return nil, err
	}
	layers, err := ShippedFolded(classify.TaskLayer, which)
	if err != nil {
		return nil, err
	}
	return contextgraph.NewLayerModels(judge, links, layers)
}
