package train

import (
	"math"

	"eventseer/features"
)

// A view turns the examples of a corpus into vectors.
type view interface {
	of(c *corpus, i int) features.Vector
	// Size is the number of components a vector may have.
	Size() int
	// keep returns a view of those components only that selected says.
	keep(selected []bool) view
}

// view makes the view of a recipe from the examples at index.
func (r Recipe) view(c *corpus, index []int) (view, error) {
	if c.rows != nil {
		return rowView{binary: r.features.Weights == features.Binary, unit: r.features.Normalize, dims: c.dims}, nil
	}
	docs := make([]*features.Document, len(index))
	for n, i := range index {
		docs[n] = c.docs[i]
	}
	v, err := features.Fit(r.features, r.reference, docs)
	return pageView{v}, err
}

// A pageView reads the pages of a corpus.
type pageView struct{ *features.Vectorizer }

func (v pageView) of(c *corpus, i int) features.Vector { return v.Vector(c.docs[i]) }

func (v pageView) keep(selected []bool) view {
	return pageView{v.Select(func(component int) bool { return selected[component] })}
}

// A rowView takes the rows of a corpus of vectors as they are, with 1 for what is
// above 0 if binary is set, and scaled to Euclidean length 1 if unit is.
type rowView struct {
	binary   bool
	unit     bool
	dims     int
	selected []bool // nil: all
}

// Size is the number of components of a row.
func (v rowView) Size() int { return v.dims }

func (v rowView) keep(selected []bool) view {
	v.selected = selected
	return v
}

func (v rowView) of(c *corpus, i int) features.Vector {
	row := c.rows[i]
	var x features.Vector
	var sum float64
	for n, ix := range row.Index {
		if v.selected != nil && !v.selected[ix] {
			continue
		}
		value := row.Value[n]
		if v.binary && value > 0 {
			value = 1
		}
		x.Index = append(x.Index, ix)
		x.Value = append(x.Value, value)
		sum += float64(value * value)
	}
	if length := math.Sqrt(sum); v.unit && length > 0 {
		for n := range x.Value {
			x.Value[n] /= length
		}
	}
	return x
}
