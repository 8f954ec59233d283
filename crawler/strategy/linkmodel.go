package strategy

import (
	"fmt"

	"eventseer/classify"
	"eventseer/features/tagtree"
)

// linkModel scores links with the trained models of task link.
type linkModel struct{ models *classify.Folded }

var _ LinkModel = linkModel{}

// NewLinkModel returns the link model of trained models of task link. The links
// of a page are scored by the model that was trained without the page's group.
// A score is a probability for links within a site, which the models are
// trained on; links to other sites it ranks by the same words and places.
func NewLinkModel(models *classify.Folded) (LinkModel, error) {
	if task := models.Full().Task; task != classify.TaskLink {
		return nil, fmt.Errorf("link model: a model of task %q where one of task %q is needed", task, classify.TaskLink)
	}
	return linkModel{models}, nil
}

// Links scores each of t.Links() by itself.
func (m linkModel) Links(t *tagtree.Tree) []float64 { return m.models.For(t.Page.URL).Links(t) }
