package features

import (
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

// A termPlace is an occurrence of a vocabulary term in the body. The upper 32 bits are its component, the lower
// ones its index in the body's sequence.
type termPlace uint64

// at returns the index in the body's sequence.
func (p termPlace) at() int { return int(uint32(p)) }

// measurePassages finds the places of known terms in the body, and how many are in each passage. It returns the
// sum of these numbers.
func (b *vectorBuffers) measurePassages(v *Vectorizer, d *Document) (sum int) {
	b.places, b.rooms = b.places[:0], b.rooms[:0]
	if len(v.options.Passages) == 0 {
		return 0
	}
	body := d.sequence[bodyBlock]
	for i, ix := range body {
		if ix < 0 {
			continue
		}
		if component := b.words[ix][bodyBlock]; component > 0 {
			b.places = append(b.places, termPlace(component-1)<<32|termPlace(i))
		}
	}
	for _, length := range v.options.Passages {
		step := passageStep(length)
		first, last := 0, 0
		for from := 0; from < numPassages(len(body), length)*step; from += step {
			for first < len(b.places) && b.places[first].at() < from {
				first++
			}
			for last = max(first, last); last < len(b.places) && b.places[last].at() < from+length; last++ {
			}
			b.rooms = append(b.rooms, last-first)
			sum += last - first
		}
	}
	return sum
}

// passageVectors returns the vectors of d's passages for each length, after measurePassages. The passages
// overlap; the last one ends with the body or is the last of maxPassages; an empty body has none.
func (b *vectorBuffers) passageVectors(v *Vectorizer, d *Document, m *vectorMemory) [][]Vector {
	for _, room := range b.rooms {
		m.passages = append(m.passages, m.newVector(room))
	}
	groups, rest := make([][]Vector, len(v.options.Passages)), m.passages
	for g, length := range v.options.Passages {
		n := numPassages(len(d.sequence[bodyBlock]), length)
		groups[g], rest = rest[:n:n], rest[n:]
	}
	b.sortPlaces(d) // passages get their components in order
	for g, length := range v.options.Passages {
		step, group := passageStep(length), groups[g]
		for _, p := range b.places {
			component, at := uint32(p>>32), p.at()
			for n := min(at/step, len(group)-1); n >= 0 && at < n*step+length; n-- {
				group[n].count(component)
			}
		}
		for n := range group {
			v.weighPassage(&group[n])
		}
	}
	return groups
}

// sortPlaces sorts the places by component. Only the distinct terms are compared, and their places are then
// distributed in one pass.
func (b *vectorBuffers) sortPlaces(d *Document) {
	b.hits = b.hits[:0]
	b.starts = slices.Grow(b.starts[:0], len(d.terms))[:len(d.terms)]
	for _, c := range d.bags[bodyBlock] {
		if at := b.words[c.term][bodyBlock]; at > 0 {
			b.hits = append(b.hits, newHit(at-1, int(c.term)))
			b.starts[c.term] = c.n
		}
	}
	slices.Sort(b.hits)
	sum := int32(0)
	for _, h := range b.hits {
		term := h.count()
		b.starts[term], sum = sum, sum+b.starts[term]
	}
	for i, ix := range d.sequence[bodyBlock] {
		if ix < 0 {
			continue
		}
		if component := b.words[ix][bodyBlock]; component > 0 {
			b.places[b.starts[ix]] = termPlace(component-1)<<32 | termPlace(i)
			b.starts[ix]++
		}
	}
}

// passageStep returns how far each passage of a length begins after the previous one.
func passageStep(length int) int { return max(1, length/passageOverlap) }

// numPassages returns the number of passages of a length in a body of size terms.
func numPassages(size, length int) int {
	step := passageStep(length)
	return min(maxPassages, (max(0, size-length)+step-1)/step+min(1, size))
}

// count adds an occurrence of a component, which is the last one of v or comes after it.
func (v *Vector) count(component uint32) {
	if last := len(v.Index) - 1; last >= 0 && v.Index[last] == component {
		v.Value[last]++
		return
	}
	v.Index, v.Value = append(v.Index, component), append(v.Value, 1)
}

// weighPassage replaces the numbers of occurrences in x by weights, scaled to length 1 if the options say
// so.
func (v *Vectorizer) weighPassage(x *Vector) {
	most, sum := 1.0, 0.0
	if v.options.Weights == TFIDF {
		for _, n := range x.Value {
			most = max(most, n)
		}
	}
	for i, component := range x.Index {
		x.Value[i] = v.hitWeight(component, int(x.Value[i]), most)
		sum += float64(x.Value[i] * x.Value[i])
	}
	if length := math.Sqrt(sum); v.options.Normalize && length > 0 {
		for i := range x.Value {
			x.Value[i] /= length
		}
	}
}
