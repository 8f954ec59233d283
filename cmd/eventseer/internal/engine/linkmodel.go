package engine

import (
	"fmt"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/strategy"
	"eventseer/models"
)

// CrossFitted are the tasks whose shipped models are cross-fitted.
var CrossFitted = []string{classify.TaskCFP, classify.TaskPageType, classify.TaskLink, classify.TaskLayer}

// ShippedFolded returns the shipped model of a task, cross-fitted if which says so.
func ShippedFolded(task, which string) (*classify.Folded, error) {
	full, err := ShippedModel(task)
	if err != nil {
		return nil, err
	}
	switch which {
	case "shipped":
		return classify.NewFolded(full), nil
	case "cross-fitted":
		dir := "crossfit"
		if task == classify.TaskLayer {
			dir = layerFolds
		}
		return classify.ReadFolded(models.Files(), dir, full)
	}
	return nil, app.Usagef("--models %q is neither shipped nor cross-fitted", which)
}

// linkModelOf returns the link model of a plan, that of a laboratory with a memory.
func linkModelOf(p Plan) (strategy.LinkModel, error) {
	if p.Memo == nil {
		return newLinkModel(ModelsOf(p))
	}
	return p.Memo.links.get(func() (*linkMemo, error) {
		m, err := newLinkModel(ModelsOf(p))
		return &linkMemo{model: m}, err
	})
}

// newLinkModel returns the shipped link model, cross-fitted if which says so.
func newLinkModel(which string) (strategy.LinkModel, error) {
	m, err := ShippedFolded(classify.TaskLink, which)
	if err != nil {
		return nil, fmt.Errorf("link model: %w", err)
	}
	return strategy.NewLinkModel(m)
}
