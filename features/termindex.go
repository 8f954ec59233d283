package features

// A termIndex numbers distinct terms from 0, in the order in which they are added. It is an open-addressed
// hash table with linear probing, whose callers know the hash of each term.
type termIndex struct {
	terms  []string
	hashes []uint32 // of terms
	slots  []uint64 // the hash of a term in the upper half, its number plus 1 in the lower; 0 is free
}

// newTermIndex returns an index with room for n terms.
func newTermIndex(n int) termIndex {
	x := termIndex{terms: make([]string, 0, n), hashes: make([]uint32, 0, n)}
	x.resize(n)
	return x
}

// resize makes x's slots sufficient for n terms, and puts its terms into them.
func (x *termIndex) resize(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	x.slots = make([]uint64, size)
	for i, hash := range x.hashes {
		_, at := x.find(x.terms[i], hash)
		x.slots[at] = slotOf(hash, i)
	}
}

// reset removes all terms. It keeps the memory unless that is much.
func (x *termIndex) reset() {
	if len(x.slots) > maxKept {
		*x = newTermIndex(termsOfPage)
		return
	}
	clear(x.slots)
	x.terms, x.hashes = x.terms[:0], x.hashes[:0]
}

// maxKept is the number of elements up to which a buffer is used again. A huge page thus does not fill the
// memory for good.
const maxKept = 1 << 14

func slotOf(hash uint32, i int) uint64 { return uint64(hash)<<32 | uint64(i+1) }

// find returns the number of a term with a hash, or -1, and the slot where it is or should be.
func (x *termIndex) find(term string, hash uint32) (i, at int) {
	last := len(x.slots) - 1
	for at = int(hash) & last; ; at = (at + 1) & last {
		switch slot := x.slots[at]; {
		case slot == 0:
			return -1, at
		case uint32(slot>>32) == hash && x.terms[uint32(slot)-1] == term:
			return int(uint32(slot) - 1), at
		}
	}
}

// add returns the number of a term, which it adds if it is new.
func (x *termIndex) add(term string, hash uint32) int {
	i, at := x.find(term, hash)
	if i >= 0 {
		return i
	}
	i = len(x.terms)
	x.terms, x.hashes = append(x.terms, term), append(x.hashes, hash)
	x.slots[at] = slotOf(hash, i)
	if 2*len(x.terms) > len(x.slots) {
		x.resize(len(x.terms))
	}
	return i
}

// guess returns the number of the first term with this hash, or -1. It is nearly always the only one.
func (x *termIndex) guess(hash uint32) int32 {
	last := len(x.slots) - 1
	for at := int(hash) & last; ; at = (at + 1) & last {
		if slot := x.slots[at]; slot == 0 || uint32(slot>>32) == hash {
			return int32(uint32(slot)) - 1
		}
	}
}
