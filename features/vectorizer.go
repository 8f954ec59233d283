package features

import (
	"cmp"
	"math"
	"slices"
)

// A Vectorizer turns documents into vectors: the terms of its vocabulary by
// block and then by name, after them the structure if it is read. It is
// read-only and safe for concurrent use.
type Vectorizer struct {
	options Options
	n       int    // documents of the corpus the frequencies are from
	terms   []term // sorted by block and text
	idf     []float64
	index   [textBlocks]map[string]uint32
	reads   [len(blockNames)]bool
}

// newVectorizer makes a Vectorizer of sorted terms.
func newVectorizer(o Options, n int, terms []term) *Vectorizer {
	v := &Vectorizer{options: o, n: n, terms: terms, idf: make([]float64, len(terms)), reads: o.reads()}
	for i, t := range terms {
		if v.index[t.block] == nil {
			v.index[t.block] = make(map[string]uint32)
		}
		v.index[t.block][t.text] = uint32(i)
		v.idf[i] = inverse(n, t.df)
		if !o.Reference {
			v.idf[i] = inverse(n+t.df, t.df)
		}
	}
	return v
}

// Size returns the number of components a vector may have.
func (v *Vectorizer) Size() int {
	if v.reads[structureBlock] {
		return len(v.terms) + len(structureNames)
	}
	return len(v.terms)
}

// Name returns the name of component i, such as "title:call" or
// "structure:links", or "" if there is none.
func (v *Vectorizer) Name(i int) string {
	switch {
	case i < 0 || i >= v.Size():
		return ""
	case i >= len(v.terms):
		return Structure + ":" + structureNames[i-len(v.terms)]
	}
	return blockNames[v.terms[i].block] + ":" + v.terms[i].text
}

// A component is one entry of a vector in the making.
type component struct {
	index uint32
	value float64
}

// Vector returns the vector of d.
func (v *Vectorizer) Vector(d *Document) Vector {
	var all []component
	for block := range textBlocks {
		if v.reads[block] && len(v.index[block]) > 0 {
			all = append(all, v.weigh(block, d)...)
		}
	}
	if k := v.options.Keep; k > 0 && len(all) > k {
		slices.SortFunc(all, func(a, b component) int {
			return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.index, b.index))
		})
		all = all[:k]
		slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.index, b.index) })
	}
	out := Vector{Index: make([]uint32, 0, len(all)+len(structureNames)), Value: make([]float64, 0, len(all)+len(structureNames))}
	for _, c := range v.scale(all) {
		out.Index = append(out.Index, c.index)
		out.Value = append(out.Value, c.value)
	}
	if v.reads[structureBlock] {
		for i, x := range d.structure {
			if x != 0 {
				out.Index = append(out.Index, uint32(len(v.terms)+i))
				out.Value = append(out.Value, x)
			}
		}
	}
	return out
}

// weigh returns the components of one block in index order, without those of
// weight 0. The most frequent term counts even where the vocabulary lacks it.
func (v *Vectorizer) weigh(block int, d *Document) []component {
	var hits []uint32 // one for each occurrence
	var buf []byte
	d.each(block, v.options.Bigrams, &buf, func(key []byte) {
		if ix, ok := v.index[block][string(key)]; ok {
			hits = append(hits, ix)
		}
	})
	slices.Sort(hits)
	most := int(slices.Max(append(d.counts(block), 1)))
	var out []component
	for start, end := 0, 0; start < len(hits); start = end {
		for end = start; end < len(hits) && hits[end] == hits[start]; {
			end++
		}
		tf := float64(end-start) / float64(most)
		if v.options.Sublinear {
			tf = 1 + math.Log(float64(end-start))
		}
		if x := tf * v.idf[hits[start]]; x != 0 {
			out = append(out, component{hits[start], x})
		}
	}
	return out
}

// scale brings each block to length 1 if the options say so. Components are in
// index order, so a block's stand together.
func (v *Vectorizer) scale(all []component) []component {
	if !v.options.Normalize {
		return all
	}
	for start := 0; start < len(all); {
		block, end := v.terms[all[start].index].block, start
		var sum float64
		for end < len(all) && v.terms[all[end].index].block == block {
			sum += float64(all[end].value * all[end].value)
			end++
		}
		length := math.Sqrt(sum)
		for i := start; i < end; i++ {
			all[i].value /= length
		}
		start = end
	}
	return all
}
