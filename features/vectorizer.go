package features

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// A Vectorizer converts documents to vectors. Their components are the terms of its vocabulary by block
// and then by name, then the dense features of pages, of links and of their context, if it reads these.
// It is read-only and safe for concurrent use.
type Vectorizer struct {
	options Options
	n       int    // number of documents in the corpus of the document frequencies
	terms   []term // sorted by block and text
	idf     []float64
	words   termIndex                     // single terms
	places  []termComponents              // of words
	grams   [textBlocks]map[string]uint32 // n-grams of words or characters
	reads   [len(blockNames)]bool
}

// A termComponents holds the component of one term in each block, plus 1; 0 means none.
type termComponents [textBlocks]uint32

// newVectorizer makes a Vectorizer of sorted terms.
func newVectorizer(o Options, n int, terms []term) *Vectorizer {
	v := &Vectorizer{
		options: o, n: n, terms: terms, idf: make([]float64, len(terms)),
		words: newTermIndex(len(terms)), places: make([]termComponents, 0, len(terms)), reads: o.readBlocks(),
	}
	for i, t := range terms {
		v.placeTerm(t, uint32(i))
		v.idf[i] = inverseFrequency(n, t.df)
		if !o.Reference {
			v.idf[i] = inverseFrequency(n+t.df, t.df)
		}
	}
	return v
}

// placeTerm records where a term is in the vocabulary.
func (v *Vectorizer) placeTerm(t term, component uint32) {
	if t.block != charsBlock && !strings.Contains(t.text, " ") {
		i := v.words.add(t.text, hashTerm(t.text))
		if i == len(v.places) {
			v.places = append(v.places, termComponents{})
		}
		v.places[i][t.block] = component + 1
		return
	}
	if v.grams[t.block] == nil {
		v.grams[t.block] = make(map[string]uint32)
	}
	v.grams[t.block][t.text] = component
}

// NumPassageLengths returns the number of lengths of passages in v's vectors.
func (v *Vectorizer) NumPassageLengths() int { return len(v.options.Passages) }

// Size returns the number of components of the vectors.
func (v *Vectorizer) Size() int { return v.firstComponent(len(denseBlocks)) }

// firstComponent returns the component of the first feature of a dense block.
func (v *Vectorizer) firstComponent(dense int) int {
	n := len(v.terms)
	for i, b := range denseBlocks[:dense] {
		if v.reads[textBlocks+i] {
			n += len(b.names)
		}
	}
	return n
}

// Terms returns the number of components that are terms. The dense features, if they are read, come after
// these.
func (v *Vectorizer) Terms() int { return len(v.terms) }

// Name returns the name of component i, such as "title:call",
// "structure:links", "link:offset" or "context:call", or "" if there is none.
func (v *Vectorizer) Name(i int) string {
	if i < 0 || i >= v.Size() {
		return ""
	}
	for dense, b := range slices.Backward(denseBlocks[:]) {
		if start := v.firstComponent(dense); i >= start {
			return blockNames[textBlocks+dense] + ":" + b.names[i-start]
		}
	}
	return blockNames[v.terms[i].block] + ":" + v.terms[i].text
}

// A component is one entry of a vector that is being computed.
type component struct {
	index uint32
	value float64
}

// vectorBuffers are the buffers with which a vector is computed.
type vectorBuffers struct {
	numbers    []int32          // of each of the document's terms in the vocabulary, or -1
	words      []termComponents // of each of the document's terms
	hits       []termHit        // of one block
	components []component
	places     []termPlace // of the terms of the body
	rooms      []int       // the number of places in each passage
	starts     []int32     // for each of the document's terms the index of its first place
	memory     vectorMemory
}

var vectorPool = sync.Pool{New: func() any { return new(vectorBuffers) }}

// Vector returns the vector of d.
func (v *Vectorizer) Vector(d *Document) Vector {
	b := vectorPool.Get().(*vectorBuffers)
	defer vectorPool.Put(b)
	return b.vectorOf(v, d, new(vectorMemory))
}

// ForVector calls f with the vector of d. Its memory is used again after f has returned.
func (v *Vectorizer) ForVector(d *Document, f func(Vector)) {
	b := vectorPool.Get().(*vectorBuffers)
	defer vectorPool.Put(b)
	f(b.vectorOf(v, d, &b.memory))
	if cap(b.memory.value) > maxKept {
		b.memory = vectorMemory{}
	}
}

// vectorMemory is the memory that a vector and those of its passages consist of.
type vectorMemory struct {
	index    []uint32
	value    []float64
	passages []Vector
}

// reset makes room for vectors of so many components in total, which newVector then returns, and for so many
// passages.
func (m *vectorMemory) reset(components, passages int) {
	if cap(m.index) < components {
		m.index, m.value = make([]uint32, 0, components), make([]float64, 0, components)
	}
	if cap(m.passages) < passages {
		m.passages = make([]Vector, 0, passages)
	}
	m.index, m.value, m.passages = m.index[:0], m.value[:0], m.passages[:0]
}

// newVector returns an empty vector with room for n components.
func (m *vectorMemory) newVector(n int) Vector {
	at := len(m.index)
	m.index, m.value = m.index[:at+n], m.value[:at+n]
	return Vector{Index: m.index[at : at : at+n], Value: m.value[at : at : at+n]}
}

// vectorOf returns the vector of d, which consists of m.
func (b *vectorBuffers) vectorOf(v *Vectorizer, d *Document, m *vectorMemory) Vector {
	b.findComponents(v, d)
	b.components = b.components[:0]
	for block := range textBlocks {
		if v.reads[block] {
			b.weighBlock(v, block, d)
		}
	}
	all := b.components
	if k := v.options.Keep; k > 0 && len(all) > k {
		slices.SortFunc(all, func(a, b component) int {
			return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.index, b.index))
		})
		all = all[:k]
		slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.index, b.index) })
	}
	size := len(all)
	for i, dense := range d.dense {
		if v.reads[textBlocks+i] {
			size += dense.Len()
		}
	}
	m.reset(size+b.measurePassages(v, d), len(b.rooms))
	out := m.newVector(size)
	for _, c := range v.scaleBlocks(all) {
		out.Index = append(out.Index, c.index)
		out.Value = append(out.Value, c.value)
	}
	for i, dense := range d.dense {
		if v.reads[textBlocks+i] {
			out.appendDense(dense, v.firstComponent(i))
		}
	}
	if len(v.options.Passages) > 0 {
		out.Passages = b.passageVectors(v, d, m)
	}
	return out
}

// appendDense adds the components of dense, the first as component start.
func (v *Vector) appendDense(dense Vector, start int) {
	for i, ix := range dense.Index {
		v.Index = append(v.Index, uint32(start)+ix)
		v.Value = append(v.Value, dense.Value[i])
	}
}

// findComponents finds the components of each of the document's terms. Each step is done for all terms before
// the next, because the processor can wait for many places in memory at the same time.
func (b *vectorBuffers) findComponents(v *Vectorizer, d *Document) {
	b.numbers = b.numbers[:0]
	for _, hash := range d.hashes {
		b.numbers = append(b.numbers, v.words.guess(hash))
	}
	b.words = b.words[:0]
	for _, n := range b.numbers {
		if n >= 0 {
			b.words = append(b.words, v.places[n])
		} else {
			b.words = append(b.words, termComponents{})
		}
	}
	for i, n := range b.numbers {
		if n < 0 || v.words.terms[n] == d.terms[i] {
			continue
		}
		b.words[i] = termComponents{}
		if n, _ := v.words.find(d.terms[i], d.hashes[i]); n >= 0 {
			b.words[i] = v.places[n]
		}
	}
}

// A termHit is a component that occurs in a block of a document. The upper 32 bits are the component, the
// lower ones the number of times. It is one number because numbers are sorted fast.
type termHit uint64

func newHit(component uint32, n int) termHit { return termHit(component)<<32 | termHit(n) }
func (h termHit) component() uint32          { return uint32(h >> 32) }
func (h termHit) count() int                 { return int(uint32(h)) }

// findHits finds the terms of the vocabulary of v in a block of d, in index order.
func (b *vectorBuffers) findHits(v *Vectorizer, block int, d *Document) {
	b.hits = b.hits[:0]
	for _, c := range d.bags[block] {
		if at := b.words[c.term][block]; at > 0 {
			b.hits = append(b.hits, newHit(at-1, int(c.n)))
		}
	}
	if grams := v.grams[block]; grams != nil {
		note := func(key []byte, n int) {
			if ix, ok := grams[string(key)]; ok {
				b.hits = append(b.hits, newHit(ix, n))
			}
		}
		var buf []byte
		if block == charsBlock {
			d.forEachCharRun(&buf, note)
		}
		d.forEachGram(block, v.options.NGrams, &buf, note)
	}
	slices.Sort(b.hits)
	b.hits = sumAdjacent(b.hits)
}

// sumAdjacent sums the hits of the same component, which must be adjacent.
func sumAdjacent(hits []termHit) []termHit {
	out := hits[:0]
	for _, h := range hits {
		if last := len(out) - 1; last >= 0 && out[last].component() == h.component() {
			out[last] += termHit(h.count())
			continue
		}
		out = append(out, h)
	}
	return out
}

// weighBlock adds the components of one block in index order, without those of weight 0. The most frequent
// term is counted even if it is not in the vocabulary.
func (b *vectorBuffers) weighBlock(v *Vectorizer, block int, d *Document) {
	b.findHits(v, block, d)
	if len(b.hits) == 0 {
		return
	}
	most := 1.0
	if v.options.Weights == TFIDF {
		most = float64(d.maxCount(block))
	}
	for _, h := range b.hits {
		if x := v.hitWeight(h.component(), h.count(), most); x != 0 {
			b.components = append(b.components, component{h.component(), x})
		}
	}
}

// sublinear holds 1 + log f for small f.
var sublinear = func() (weights [64]float64) {
	for f := 1; f < len(weights); f++ {
		weights[f] = 1 + math.Log(float64(f))
	}
	return weights
}()

// hitWeight returns the weight of a component that occurs n times in a block whose most frequent term occurs
// most times.
func (v *Vectorizer) hitWeight(component uint32, n int, most float64) float64 {
	switch f := float64(n); v.options.Weights {
	case Binary:
		return 1
	case Counts:
		return f
	case Sublinear:
		if n < len(sublinear) { // as nearly all are
			return sublinear[n] * v.idf[component]
		}
		return (1 + math.Log(f)) * v.idf[component]
	default:
		return f / most * v.idf[component]
	}
}

// scaleBlocks scales each block to length 1 if the options say so. The components must be in index order,
// so that those of a block are adjacent.
func (v *Vectorizer) scaleBlocks(all []component) []component {
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

// Select returns a Vectorizer of only those terms of v for which keep returns true. It calls keep once
// per term, by component, in order. Dense features stay. Blocks are scaled to length 1 after the
// selection.
func (v *Vectorizer) Select(keep func(component int) bool) *Vectorizer {
	var terms []term
	for i, t := range v.terms {
		if keep(i) {
			terms = append(terms, t)
		}
	}
	return newVectorizer(v.options, v.n, terms)
}

// TermText returns the name of a feature in words, such as “call paper” in the URL. It shows the stems of
// words, and names their block unless it is the body.
func TermText(term string) string {
	block, name, ok := strings.Cut(term, ":")
	switch {
	case !ok:
		return term
	case block == Structure:
		return strings.ReplaceAll(name, "_", " ")
	case block == Body:
		return "“" + name + "”"
	case block == Headings:
		return "“" + name + "” in a heading"
	case block == URL:
		return "“" + name + "” in the URL"
	}
	return "“" + name + "” in the " + strings.ReplaceAll(block, "_", " ")
}
