package classify

import (
	"eventseer/features"
	"eventseer/features/tagtree"
)

// Links returns, for each of t.Links(), the probability that a model of task
// link gives it to lead to a call.
func (m *Model) Links(t *tagtree.Tree) []float64 {
	scores := make([]float64, len(t.Links()))
	for i, link := range features.ReadLinks(t, nil) {
		scores[i] = m.Scores(link)[1]
	}
	return scores
}
