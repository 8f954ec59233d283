package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
)

// setDisciplineInputs sets the inputs to words of the text. The structure of a page and the name of its host
// do not depend on its discipline. The cost is that for few examples.
func setDisciplineInputs(r *Recipe) {
	r.features.Blocks = []string{features.Body, features.Headings}
	r.features.NGrams = 1
	r.Terms = 150
	r.Cost *= 16
	r.bySite = true
}

// addLists returns a corpus of disciplines extended by the lists of topics, and index extended by their
// indexes. The lists are used for learning only.
func (c *corpus) addLists(index []int) (*corpus, []int) {
	more := *c
	more.docs, more.class, more.groups = slices.Clone(c.docs), slices.Clone(c.class), slices.Clone(c.groups)
	for n, list := range datasets.Disciplines() {
		index = append(index, len(more.docs))
		more.docs = append(more.docs, features.ReadText(list.Topics))
		more.class = append(more.class, classOf(c.task, c.classes, datasets.Label{Discipline: list.Discipline}))
		more.groups = append(more.groups, fmt.Sprintf("topics %d", n))
	}
	return &more, index
}

// sumBySite returns one example per group and class: the sum of its examples, scaled to length 1 if unit is
// set. Otherwise the model would learn words that identify a site.
func sumBySite(examples []classify.Example, unit bool) []classify.Example {
	sorted := slices.Clone(examples)
	slices.SortStableFunc(sorted, func(a, b classify.Example) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Class, b.Class))
	})
	var sites []classify.Example
	for len(sorted) > 0 {
		first := sorted[0]
		n := slices.IndexFunc(sorted, func(e classify.Example) bool { return e.Group != first.Group || e.Class != first.Class })
		if n < 0 {
			n = len(sorted)
		}
		sites = append(sites, classify.Example{X: sumVectors(sorted[:n], unit), Class: first.Class, Group: first.Group})
		sorted = sorted[n:]
	}
	return sites
}

// sumVectors returns the sum of the vectors of examples, scaled to length 1 if unit is set.
func sumVectors(examples []classify.Example, unit bool) features.Vector {
	total := map[uint32]float64{}
	var x features.Vector
	for _, e := range examples {
		for n, ix := range e.X.Index {
			if _, ok := total[ix]; !ok {
				x.Index = append(x.Index, ix)
			}
			total[ix] += e.X.Value[n]
		}
	}
	slices.Sort(x.Index)
	var squares float64
	for _, ix := range x.Index {
		x.Value = append(x.Value, total[ix])
		squares += float64(total[ix] * total[ix])
	}
	if length := math.Sqrt(squares); unit && length > 0 {
		for n := range x.Value {
			x.Value[n] /= length
		}
	}
	return x
}
