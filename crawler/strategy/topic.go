package strategy

import (
	"eventseer/classify"
	"eventseer/features"
	"eventseer/features/tagtree"
)

// centroid is the topic of a nearest-centroid model: cosines to the mean
// direction of the calls it was trained on.
type centroid struct{ model *classify.Model }

var _ Topic = centroid{}

// NewTopic returns the topic of a two-class model trained by classify/centroid
// over vectors of unit length.
func NewTopic(m *classify.Model) Topic { return centroid{m} }

func (c centroid) PageCosine(t *tagtree.Tree) float64 { return c.cosine(features.Read(t)) }
func (c centroid) TextCosine(s string) float64        { return c.cosine(features.ReadText(s)) }

func (c centroid) cosine(d *features.Document) float64 {
	return max(0, c.model.Classifier.Decide(c.model.Vectorizer.Vector(d))[1])
}
