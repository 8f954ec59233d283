package linkruns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"sort"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
)

// A Pending holds links in memory that are not in a run yet. Its memory is reused. It must not be used
// concurrently. The zero value is empty.
type Pending struct {
	bytes  []byte // page, source and value of each link; consecutive links share a source
	links  []pendingLink
	source string // of the last link

	sorted [][]uint32 // numbers of links in order of key; each slice is less than half as long as the one before
	inSort int        // number of links in sorted, the first ones
	spare  []uint32   // memory of merging
	items  []sortItem // memory of sorting
}

// A pendingLink is the position of a link in the bytes.
type pendingLink struct {
	page, source, value          uint32
	pageLen, sourceLen, valueLen uint16
}

// linkBytes is the memory of a link besides its bytes: its position, its numbers and a sortItem.
const linkBytes = 20 + 2*4 + 16

// maxPart is the largest length of a page's key, a source or a value in bytes.
const maxPart = 8 << 10

// Len returns the number of links.
func (p *Pending) Len() int { return len(p.links) }

// Size returns the memory of the links in bytes.
func (p *Pending) Size() int { return len(p.bytes) + linkBytes*len(p.links) }

// Add adds a link. It does nothing if the target, the source or the value is longer than 8,000 bytes. The target may
// lack its scheme.
func (p *Pending) Add(target, source string, value []byte) {
	if max(len(target)+16, len(source), len(value)) > maxPart {
		return
	}
	l := pendingLink{page: uint32(len(p.bytes))} // #nosec G115 -- the caller bounds Size
	p.bytes = append(sortedlinks.AppendPrefix(p.bytes, target), sortedlinks.PageEnd)
	l.pageLen = uint16(len(p.bytes) - int(l.page)) // #nosec G115 -- at most maxPart, likewise below
	if n := len(p.links); n > 0 && source == p.source {
		l.source, l.sourceLen = p.links[n-1].source, p.links[n-1].sourceLen
	} else {
		l.source, l.sourceLen = uint32(len(p.bytes)), uint16(len(source)) // #nosec G115
		p.bytes = append(p.bytes, source...)
		p.source = source
	}
	l.value, l.valueLen = uint32(len(p.bytes)), uint16(len(value)) // #nosec G115
	p.bytes = append(p.bytes, value...)
	p.links = append(p.links, l)
}

// Truncate removes the links that were added last, until n remain. No links may have been read since the
// first of them was added.
func (p *Pending) Truncate(n int) {
	if n >= len(p.links) {
		return
	}
	p.bytes, p.links, p.source = p.bytes[:p.links[n].page], p.links[:n], ""
}

// Reset removes all links.
func (p *Pending) Reset() {
	p.bytes, p.links, p.source, p.sorted, p.inSort = p.bytes[:0], p.links[:0], "", p.sorted[:0], 0
}

func (p *Pending) pageOf(l pendingLink) []byte { return p.bytes[l.page:][:l.pageLen] }

func (p *Pending) sourceOf(l pendingLink) []byte { return p.bytes[l.source:][:l.sourceLen] }

func (p *Pending) valueOf(l pendingLink) []byte { return p.bytes[l.value:][:l.valueLen:l.valueLen] }

// appendKey appends the key of a link.
func (p *Pending) appendKey(key []byte, l pendingLink) []byte {
	return append(append(key, p.pageOf(l)...), p.sourceOf(l)...)
}

// compare compares two links by key. The page's key ends with a byte that is smaller than all others, so
// pages are compared first.
func (p *Pending) compare(i, j uint32) int {
	a, b := p.links[i], p.links[j]
	if c := bytes.Compare(p.pageOf(a), p.pageOf(b)); c != 0 {
		return c
	}
	if c := bytes.Compare(p.sourceOf(a), p.sourceOf(b)); c != 0 {
		return c
	}
	return cmp.Compare(i, j)
}

// sortNew sorts the links that were added since the last call. It keeps the number of sorted slices
// logarithmic, so that queries during a crawl sort few links.
func (p *Pending) sortNew() {
	if p.inSort == len(p.links) {
		return
	}
	items := p.items[:0]
	for ; p.inSort < len(p.links); p.inSort++ {
		items = append(items, sortItem{number: uint32(p.inSort)}) // #nosec G115 -- links that fit memory
	}
	p.items = items
	p.sortItems(items, 0)
	numbers := make([]uint32, len(items))
	for i, item := range items {
		numbers[i] = item.number
	}
	p.sorted = append(p.sorted, numbers)
	for n := len(p.sorted); n > 1 && 2*len(p.sorted[n-1]) >= len(p.sorted[n-2]); n-- {
		p.mergeLast()
	}
}

// A sortItem is a link to sort. Word is the part of its page's key that the current pass compares, as a number.
type sortItem struct {
	word   uint64
	number uint32
}

// sortItems sorts links whose pages share the first bytes up to depth. Comparing words in sequence avoids most of
// the accesses to keys, which are spread over memory.
func (p *Pending) sortItems(items []sortItem, depth int) {
	if len(items) < fewItems {
		slices.SortFunc(items, func(a, b sortItem) int { return p.compare(a.number, b.number) })
		return
	}
	first := p.pageOf(p.links[items[0].number])[depth:]
	shared := len(first)
	for _, item := range items[1:] {
		shared = min(shared, sortedlinks.CommonPrefix(first[:shared], p.pageOf(p.links[item.number])[depth:]))
	}
	if shared == len(first) { // all are of one page
		slices.SortFunc(items, func(a, b sortItem) int { return p.compare(a.number, b.number) })
		return
	}
	depth += shared
	for i := range items {
		items[i].word = wordOf(p.pageOf(p.links[items[i].number])[depth:])
	}
	slices.SortFunc(items, func(a, b sortItem) int { return cmp.Compare(a.word, b.word) })
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].word == items[0].word {
			n++
		}
		p.sortItems(items[:n], depth)
		items = items[n:]
	}
}

// fewItems is the number of links from which sortItems compares words.
const fewItems = 12

// wordOf returns the first eight bytes of a key as a number in the same order. A shorter key is followed by zeros, as
// it ends with one.
func wordOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// mergeLast merges the last two sorted slices.
func (p *Pending) mergeLast() {
	n := len(p.sorted)
	a, b := p.sorted[n-2], p.sorted[n-1]
	all := slices.Grow(p.spare[:0], len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if p.compare(a[0], b[0]) < 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	all = append(append(all, a...), b...)
	p.spare, p.sorted = p.sorted[n-2][:0], append(p.sorted[:n-2], all)
}

// inOrder returns the numbers of all links in order of key, equal keys in the order in which they were
// added.
func (p *Pending) inOrder() []uint32 {
	p.sortNew()
	for len(p.sorted) > 1 {
		p.mergeLast()
	}
	if len(p.sorted) == 0 {
		return nil
	}
	return p.sorted[0]
}

// All yields keys and values of all links in order of key. A key may be repeated. Key and value are valid
// until the next one.
func (p *Pending) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		var key []byte
		for _, i := range p.inOrder() {
			key = p.appendKey(key[:0], p.links[i])
			if !yield(key, p.valueOf(p.links[i])) {
				return
			}
		}
	}
}

// An Entry is a link.
type Entry struct{ Key, Value []byte }

// Within returns copies of the links with a key that has the prefix and is not smaller than from, in order
// of key.
func (p *Pending) Within(prefix, from []byte) []Entry {
	p.sortNew()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	var numbers []uint32
	var key []byte
	for _, s := range p.sorted {
		first := sort.Search(len(s), func(i int) bool {
			key = p.appendKey(key[:0], p.links[s[i]])
			return bytes.Compare(key, from) >= 0
		})
		for _, i := range s[first:] {
			if key = p.appendKey(key[:0], p.links[i]); !bytes.HasPrefix(key, prefix) {
				break
			}
			numbers = append(numbers, i)
		}
	}
	slices.SortFunc(numbers, p.compare)
	entries := make([]Entry, 0, len(numbers))
	for _, i := range numbers {
		l := p.links[i]
		b := make([]byte, 0, int(l.pageLen)+int(l.sourceLen)+int(l.valueLen))
		b = p.appendKey(b, l)
		n := len(b)
		b = append(b, p.valueOf(l)...)
		entries = append(entries, Entry{b[:n:n], b[n:]})
	}
	return entries
}
