package frontier

import (
	"math/bits"
	"slices"
)

// A tableEntry is a URL's state and the place of its record. It is both the set of seen URLs and the
// index of the disk: 24 bytes without a pointer.
type tableEntry struct {
	hash uint64 // of the URL
	at   uint64 // rank in queue, time in due, number in done or away
	tail uint64 // seq<<4 | standing
}

// A linkState encodes the state of a URL in four bits.
type linkState uint8

const (
	unseen linkState = iota
	inQueue
	inDue
	isLeased
	wasFetched
	wasUnchanged
	wasGone
	wasRefused
	wasDropped
	isAlias
	isAway
	wasSent
	standings
)

func (s tableEntry) linkState() linkState { return linkState(s.tail & 15) }
func (s tableEntry) sequence() uint64     { return s.tail >> 4 }

// isEnded reports whether the lease of a URL ended permanently.
func (s linkState) isEnded() bool { return s >= wasFetched && s <= wasRefused }

// A table holds one slot for each URL seen. It uses open addressing with linear probing in parts
// that grow one by one, so that growing never copies the whole table. The index of a slot in its
// part is given by the upper bits of the hash, so that a part is copied in order.
type table struct {
	parts [tableParts]tablePart
	count [standings]int
}

type tablePart struct {
	slots []tableEntry
	n     int
}

const (
	tableParts = 256
	firstSlots = 8
)

func (p *tablePart) homeIndex(hash uint64) int {
	hi, _ := bits.Mul64(hash, uint64(len(p.slots)))
	return int(hi)
}

// find returns the index of hash or of the free slot where it belongs.
func (p *tablePart) find(hash uint64) int {
	i := p.homeIndex(hash)
	for p.slots[i].tail != 0 && p.slots[i].hash != hash {
		if i++; i == len(p.slots) {
			i = 0
		}
	}
	return i
}

// A partOf is chosen by the lowest byte of the hash.
func (t *table) partOf(hash uint64) *tablePart { return &t.parts[hash%tableParts] }

// get returns the slot of a hash. If there is none, it returns the zero slot.
func (t *table) get(hash uint64) tableEntry {
	p := t.partOf(hash)
	if p.n == 0 {
		return tableEntry{}
	}
	return p.slots[p.find(hash)]
}

// set makes or replaces a slot.
func (t *table) set(hash, at, seq uint64, s linkState) {
	p := t.partOf(hash)
	if (p.n+1)*5 > len(p.slots)*4 {
		p.growTable()
	}
	i := p.find(hash)
	if old := p.slots[i].linkState(); old == unseen {
		p.n++
	} else {
		t.count[old]--
	}
	t.count[s]++
	p.slots[i] = tableEntry{hash: hash, at: at, tail: seq<<4 | uint64(s)}
}

// growTable makes room for a quarter more.
func (p *tablePart) growTable() {
	old := p.slots
	p.slots = make([]tableEntry, max(firstSlots, len(old)+len(old)/4))
	for _, s := range old {
		if s.tail != 0 {
			p.slots[p.find(s.hash)] = s
		}
	}
}

// len returns the number of URLs seen.
func (t *table) len() (n int) {
	for _, c := range t.count {
		n += c
	}
	return n
}

// reserve makes room for n URLs at once.
func (t *table) reserve(n int) {
	for i := range t.parts {
		p := &t.parts[i]
		if want := n/tableParts*4/3 + firstSlots; p.n == 0 && want > len(p.slots) {
			p.slots = slices.Grow(p.slots[:0], want)[:want]
		}
	}
}
