package engine

import (
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/crawler/strategy"
)

// A PageJudge returns the judge of a page: one for all, or that of its fold.
type PageJudge = judges.PageJudge

// layerModelOf returns the layer model of a plan, in a laboratory with a cache.
func layerModelOf(p Plan) (strategy.LayerModel, error) {
	open := func() (*contextgraph.LayerModels, error) {
		judge, err := p.models.PageJudge()
		if err != nil {
			return nil, err
		}
		return p.models.Layers(judge)
	}
	if p.memo == nil {
		return open()
	}
	return p.memo.layers.openOnce(func() (*layerMemo, error) {
		m, err := open()
		return &layerMemo{LayerModel: m}, err
	})
}

// linkModelOf returns the link model of a plan, in a laboratory with a cache.
func linkModelOf(p Plan) (strategy.LinkModel, error) {
	if p.memo == nil {
		return p.models.Links()
	}
	return p.memo.links.openOnce(func() (*linkMemo, error) {
		m, err := p.models.Links()
		return &linkMemo{model: m}, err
	})
}
