package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/models"
)

// OpenModel reads a model file, or a shipped model by its name.
func OpenModel(name string) (*classify.Model, error) {
	f, err := os.Open(name)
	if mayBeShipped(name, err) {
		return ShippedModel(name)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	m, err := classify.ReadModel(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ShippedModel reads a shipped model by its name.
func ShippedModel(name string) (*classify.Model, error) {
	f, err := models.Files().Open(strings.TrimSuffix(name, ".model") + ".model")
	if err != nil {
		return nil, fmt.Errorf("no model file %s and no shipped model of that name, see `eventseer model list`", name)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return classify.ReadModel(f)
}

// ShippedMeta returns the metadata of a shipped model of any kind.
func ShippedMeta(file string) (classify.Meta, error) {
	b, err := fs.ReadFile(models.Files(), file)
	if err != nil {
		return classify.Meta{}, err
	}
	m, err := classify.ReadMeta(b)
	if err != nil {
		return classify.Meta{}, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// mayBeShipped reports whether a name that could not be opened may be that of a shipped model. Such
// a name has no folder, and the working directory has no such file or is not readable.
func mayBeShipped(name string, err error) bool {
	return !strings.Contains(name, "/") && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission))
}

// ReadModelFile reads a model file, or a shipped model by its name.
func ReadModelFile(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if mayBeShipped(name, err) {
		return fs.ReadFile(models.Files(), strings.TrimSuffix(name, ".model")+".model")
	}
	return b, err
}

// OpenMeta is ShippedMeta for a model file, or a shipped model by its name.
func OpenMeta(name string) (classify.Meta, error) {
	b, err := ReadModelFile(name)
	if err != nil {
		return classify.Meta{}, err
	}
	m, err := classify.ReadMeta(b)
	if err != nil {
		return classify.Meta{}, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// A PageJudge returns the judge of a page: one for all, or that of its fold.
type PageJudge interface {
	For(pageURL string) *classify.Judge
}

// NewPageJudge returns the shipped models, cross-fitted or not, with given model files replacing
// the shipped model of their task.
func NewPageJudge(which string, files []string) (PageJudge, error) {
	full, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		return nil, err
	}
	switch {
	case which == "cross-fitted" && len(files) > 0:
		return nil, app.Usagef("--model and --models cross-fitted exclude each other")
	case which == "cross-fitted":
		return classify.ReadCrossFitted(models.Files(), "crossfit", full)
	case which != "shipped":
		return nil, app.Usagef("--models %q is neither shipped nor cross-fitted", which)
	}
	cfp, pageType := full.CFP(), full.PageType()
	for _, file := range files {
		m, err := OpenModel(file)
		if err != nil {
			return nil, err
		}
		switch m.Task {
		case classify.TaskCFP:
			cfp = m
		case classify.TaskPageType:
			pageType = m
		default:
			return nil, fmt.Errorf("%s: %w: it is of task %q, only cfp and page-type models judge pages", file, classify.ErrIncompatible, m.Task)
		}
	}
	return classify.NewJudge(cfp, pageType)
}

// layerFolds is the folder of the cross-fitted layer models, whose folds are by hosts of the frozen
// web.
const layerFolds = "crossfit/layer"

// A reachReader computes the documents of pages for the task layer.
type reachReader struct {
	judge PageJudge
	links *classify.Folded[*classify.Model]
}

// Document returns the document of a page.
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

// layerModelOf returns the layer model of a plan, in a laboratory with a cache.
func layerModelOf(p Plan) (strategy.LayerModel, error) {
	open := func() (*contextgraph.LayerModels, error) {
		judge, err := NewPageJudge(p.guide.Models, nil)
		if err != nil {
			return nil, err
		}
		return NewLayerModels(judge, p.guide.Models)
	}
	if p.lab.memo == nil {
		return open()
	}
	return p.lab.memo.layers.get(func() (*layerMemo, error) {
		m, err := open()
		return &layerMemo{LayerModel: m}, err
	})
}

// NewLayerModels returns the shipped layer model around a judge and the shipped link model; both
// models cross-fitted if which requests it.
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

// CrossFitted are the tasks whose shipped models are cross-fitted.
var CrossFitted = []string{classify.TaskCFP, classify.TaskPageType, classify.TaskLink, classify.TaskLayer}

// ShippedFolded returns the shipped model of a task, cross-fitted if which says so.
func ShippedFolded(task, which string) (*classify.Folded[*classify.Model], error) {
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

// linkModelOf returns the link model of a plan, in a laboratory with a cache.
func linkModelOf(p Plan) (strategy.LinkModel, error) {
	if p.lab.memo == nil {
		return NewLinkModel(p.guide.Models)
	}
	return p.lab.memo.links.get(func() (*linkMemo, error) {
		m, err := NewLinkModel(p.guide.Models)
		return &linkMemo{model: m}, err
	})
}

// NewLinkModel returns the shipped link model, cross-fitted if which requests it.
func NewLinkModel(which string) (strategy.LinkModel, error) {
	m, err := ShippedFolded(classify.TaskLink, which)
	if err != nil {
		return nil, fmt.Errorf("link model: %w", err)
	}
	return strategy.NewLinkModel(m)
}
