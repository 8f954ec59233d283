package name

import (
	"sync"

	"github.com/eventseer/eventseer/classify"
)

// memory is what a Reader needs for one page. It is reused for the next page, since the choices for a page do
// not refer to it.
type memory struct {
	chunks     slab[chunk]
	words      slab[word]
	candidates slab[candidate]
	hashes     slab[uint32]
	split      []chunk
	texts      []text
	low        []byte
	terms      []classify.Term // of the last call of acronymTerms
	counts     map[uint32]int  // see document.words
}

var memories = sync.Pool{New: func() any { return newMemory() }}

func newMemory() *memory { return &memory{counts: make(map[uint32]int, 1024)} }

// reuse returns m to memories. d, the document made with m, must not be used any more.
func (m *memory) reuse(d *document) {
	if len(d.words) > maxReusedWords || cap(d.texts) > maxReusedWords {
		return // clearing such a map for each further page would take longer than making one
	}
	m.chunks.reset()
	m.words.reset()
	m.candidates.reset()
	m.hashes.reset()
	m.texts = d.texts[:0]
	clear(m.texts[:cap(m.texts)])
	clear(m.counts)
	memories.Put(m)
}

// maxReusedWords is the maximum number of different words, and of texts, of a page whose memory is reused.
const maxReusedWords = 4096

// A slab hands out parts of one allocation.
type slab[T any] struct {
	all  []T
	used int
	need int // elements handed out since the last reset
}

// minSlab is the minimum number of elements of an allocation.
const minSlab = 256

// allocate returns n zero elements.
func (s *slab[T]) allocate(n int) []T {
	s.need += n
	if len(s.all)-s.used < n {
		s.all, s.used = make([]T, max(n, min(s.need, maxReused), minSlab)), 0
	}
	part := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	return part
}

// maxReused is the maximum number of elements that a slab keeps for the next page.
const maxReused = 32 << 10

// reset frees all elements for the next page and sets them to zero.
func (s *slab[T]) reset() {
	if len(s.all) > maxReused {
		s.all = nil
	}
	clear(s.all[:min(s.used, len(s.all))])
	s.used, s.need = 0, 0
}
