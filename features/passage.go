package features

import (
	"cmp"
	"math"
	"slices"
)

// Bounds of passages.
const (
	passageOverlap  = 2     // each passage begins 1/passageOverlap of its length after the previous one
	maxPassages     = 64    // of one length on one page, from its beginning
	maxPassageTerms = 1_000 // of one passage
	maxPassageSizes = 4     // lengths
)

// WithPassages returns a copy of v whose vectors also hold those of passages of the body. lengths
// are in terms, one group of passages each. Each is weighed as a body of its own.
func (v *Vectorizer) WithPassages(lengths ...int) *Vectorizer {
	w := *v
	w.options.Passages = slices.Clone(lengths)
	return &w
}

// A place is an occurrence of a vocabulary term in the body.
type place struct {
	at        int32 // in the body's sequence
	component uint32
}

// passages returns the vectors of d's passages for each length. The passages overlap; the last one
// ends with the body or is the last of maxPassages; an empty body has none.
func (v *Vectorizer) passages(d *Document, words []places) [][]Vector {
	body := d.sequence[bodyBlock]
	known := make([]place, 0, len(body)/2)
	for i, ix := range body {
		if ix < 0 {
			continue
		}
		if component := words[ix][bodyBlock]; component > 0 {
			known = append(known, place{int32(i), component - 1})
		}
	}
	counts := make([]int32, len(v.terms)) // all 0 between passages
	groups := make([][]Vector, len(v.options.Passages))
	for g, length := range v.options.Passages {
		first, step := 0, max(1, length/passageOverlap)
		for from := 0; from < len(body) && len(groups[g]) < maxPassages; from += step {
			for first < len(known) && int(known[first].at) < from {
				first++
			}
			end := first
			for end < len(known) && int(known[end].at) < from+length {
				end++
			}
			groups[g] = append(groups[g], v.passage(known[first:end], counts))
			if from+length >= len(body) {
				break
			}
		}
	}
	return groups
}

// passage returns the vector of the terms at ps, scaled to length 1 if the options say so. The slice
// counts has one number per component, all 0 before and after the call.
func (v *Vectorizer) passage(ps []place, counts []int32) Vector {
	most := int32(1)
	distinct := make([]uint32, 0, len(ps))
	for _, p := range ps {
		if counts[p.component]++; counts[p.component] == 1 {
			distinct = append(distinct, p.component)
		}
		most = max(most, counts[p.component])
	}
	slices.SortFunc(distinct, cmp.Compare)
	x := Vector{Index: distinct, Value: make([]float64, len(distinct))}
	var sum float64
	for i, component := range distinct {
		x.Value[i] = v.weight(hit{component, int(counts[component])}, float64(most))
		sum += float64(x.Value[i] * x.Value[i])
		counts[component] = 0
	}
	if length := math.Sqrt(sum); v.options.Normalize && length > 0 {
		for i := range x.Value {
			x.Value[i] /= length
		}
	}
	return x
}
