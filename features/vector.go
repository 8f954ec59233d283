// Package features turns text and tag trees into sparse vectors: tokens, stop
// words, stems, vocabularies and TF-IDF weights (paper 002, section 3.1), and the
// dense features of what a page says, shows and links to.
package features

import "sort"

// A Vector is a sparse vector: Index is strictly increasing, Value has the same
// length and holds no NaN and no infinity. The zero value is the empty vector.
type Vector struct {
	Index []uint32
	Value []float64
}

// Len returns the number of stored components.
func (v Vector) Len() int { return len(v.Index) }

// Dot returns the inner product of v with the dense weights w; components past
// the end of w count as zero. Terms are added in index order, so the result is
// the same on every machine.
func (v Vector) Dot(w []float64) float64 {
	var sum float64
	for i, ix := range v.Index {
		if int(ix) >= len(w) {
			break
		}
		sum += float64(v.Value[i] * w[ix])
	}
	return sum
}

// Vec builds a Vector from a map, in index order. Zero values are left out.
func Vec(m map[uint32]float64) Vector {
	v := Vector{Index: make([]uint32, 0, len(m)), Value: make([]float64, 0, len(m))}
	for ix, x := range m {
		if x != 0 {
			v.Index = append(v.Index, ix)
		}
	}
	sort.Slice(v.Index, func(i, j int) bool { return v.Index[i] < v.Index[j] })
	for _, ix := range v.Index {
		v.Value = append(v.Value, m[ix])
	}
	return v
}
