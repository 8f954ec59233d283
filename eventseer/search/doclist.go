package search

import (
	"math/bits"
	"slices"
)

// A documentList is documents in order: a sorted list, or a set if they are many. It is immutable.
type documentList struct {
	sorted []uint32
	set    documentSet // instead of sorted
}

// addShifted adds the documents of a set whose first document has another number in this one.
func (s documentSet) addShifted(o documentSet, first int) {
	at, shift := first/64, first%64
	for i, w := range o {
		s[at+i] |= w << shift
		if over := w >> (64 - shift); over != 0 {
			s[at+i+1] |= over
		}
	}
}

// toList returns the documents of a set, which has so many, in the form that takes less memory. The set
// must not be modified any more.
func (s documentSet) toList(count int) documentList {
	if count > len(s)*2 {
		return documentList{set: s}
	}
	l := documentList{sorted: make([]uint32, 0, count)}
	for d := range s.allDocuments {
		l.sorted = append(l.sorted, d)
	}
	return l
}

func (l documentList) isEmpty() bool { return l.set == nil && len(l.sorted) == 0 }

func (l documentList) len() int {
	if l.set != nil {
		return l.set.len()
	}
	return len(l.sorted)
}

// addTo adds those of the documents that are in of to a set.
func (l documentList) addTo(found, of documentSet) {
	if l.set != nil {
		for i, w := range l.set {
			found[i] |= w & of[i]
		}
		return
	}
	for _, d := range l.sorted {
		found[d/64] |= of[d/64] & (1 << (d % 64))
	}
}

// all yields the documents in order.
func (l documentList) all(yield func(uint32) bool) {
	if l.set != nil {
		l.set.allDocuments(yield)
		return
	}
	for _, d := range l.sorted {
		if !yield(d) {
			return
		}
	}
}

// common returns the documents that both lists have.
func (l documentList) common(o documentList) documentList {
	switch {
	case l.set != nil && o.set != nil:
		both := slices.Clone(l.set)
		both.keepCommon(o.set)
		return both.toList(both.len())
	case l.set != nil:
		return o.common(l)
	case o.set != nil:
		var out []uint32
		for _, d := range l.sorted {
			if o.set.has(d) {
				out = append(out, d)
			}
		}
		return documentList{sorted: out}
	}
	return documentList{sorted: intersectSorted(l.sorted, o.sorted)}
}

// intersectSorted returns the common elements of two sorted lists.
func intersectSorted(a, b []uint32) (out []uint32) {
	if len(a) > len(b) {
		a, b = b, a
	}
	w := sortedSearcher{list: b}
	for _, d := range a {
		if w.advanceTo(d) {
			out = append(out, d)
		}
	}
	return out
}

// A listSearcher searches documents in a list, in ascending order.
type listSearcher struct {
	set            documentSet
	counted, count int // words of set whose documents are counted, and their number
	sortedSearcher
}

func (l documentList) searcher() listSearcher {
	return listSearcher{set: l.set, sortedSearcher: sortedSearcher{list: l.sorted}}
}

// index returns the index in the list of the document that find found last.
func (w *listSearcher) index(d uint32) int {
	if w.set == nil {
		return w.at
	}
	for ; w.counted < int(d/64); w.counted++ {
		w.count += bits.OnesCount64(w.set[w.counted])
	}
	return w.count + bits.OnesCount64(w.set[d/64]&(1<<(d%64)-1))
}

// find reports whether a document is in the list.
func (w *listSearcher) find(d uint32) bool {
	if w.set != nil {
		return w.set.has(d)
	}
	return w.advanceTo(d)
}

// A sortedSearcher searches values in a sorted list, in ascending order.
type sortedSearcher struct {
	list []uint32
	at   int // index of the last element found or passed
}

// advanceTo advances to d and reports whether it is in the list. Its step doubles, so that short lists
// are intersected quickly with long ones.
func (w *sortedSearcher) advanceTo(d uint32) bool {
	step := 1
	for w.at+step < len(w.list) && w.list[w.at+step] <= d {
		w.at += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if w.at+step < len(w.list) && w.list[w.at+step] <= d {
			w.at += step
		}
	}
	return w.at < len(w.list) && w.list[w.at] == d
}
