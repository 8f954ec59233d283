package bolt

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/zeebo/xxh3"
)

// A salvage reads what is left of a state of a damaged file. Unlike a walker it takes nothing
// on trust but checksums: neither the order of keys, nor what pages say of themselves.
type salvage struct {
	r        io.ReaderAt
	pageSize int
	pages    uint64
	seen     []uint64 // bits of the pages walked
	used     []uint64 // bits of the pages with a value that matches its checksum
	quota    int64    // bytes of overflow that may still be read: pages lie about it

	sums      map[string]sum      // what the file says of its buckets
	sequences map[string]uint64   // of buckets, as their headers say
	wrong     map[string][][]byte // keys whose values do not match, at most maxProblems a bucket
	again     bool                // pages are read again, of which wrong values are known
	value     func(bucket string, key, stored []byte)
	astray    bool // a branch page on the way was damaged; see follow
}

// overflowShare bounds the total size of the overflow pages read, as a multiple of the file's size.
// Pages below a branch are read twice.
const overflowShare = 8

func newSalvage(r io.ReaderAt, state fileState) *salvage {
	return &salvage{
		r: r, pageSize: state.pageSize, pages: state.pages,
		seen: make([]uint64, state.pages/64+1), used: make([]uint64, state.pages/64+1),
		quota: overflowShare * int64(state.pages) * int64(state.pageSize), // #nosec G115 -- the size of a file
		sums:  map[string]sum{}, sequences: map[string]uint64{}, wrong: map[string][][]byte{},
		value: func(string, []byte, []byte) {},
	}
}

// page reads a page with the overflow that it says it has, if that can be.
func (s *salvage) page(id uint64) []byte {
	if id < 2 || id >= s.pages {
		return nil
	}
	at := int64(id) * int64(s.pageSize) // #nosec G115 -- within the file
	page := make([]byte, s.pageSize)
	if _, err := s.r.ReadAt(page, at); err != nil {
		return nil
	}
	overflow := uint64(order.Uint32(page[12:]))
	more := int64(overflow) * int64(s.pageSize) // #nosec G115 -- 32 bits times a small number
	if overflow == 0 || overflow >= s.pages-id || more > s.quota || more > maxPageBytes {
		return page
	}
	s.quota -= more
	all := make([]byte, int64(s.pageSize)+more)
	if _, err := s.r.ReadAt(all, at); err != nil {
		return page
	}
	return all
}

// elements calls f with what each element of a leaf page holds that lies within the page.
func elements(page []byte, f func(flags uint32, key, value []byte)) {
	n := min(int(order.Uint16(page[10:])), (len(page)-headerSize)/elementSize)
	for i := range n {
		at := headerSize + i*elementSize
		pos, ksize, vsize := uint64(order.Uint32(page[at+4:])), uint64(order.Uint32(page[at+8:])), uint64(order.Uint32(page[at+12:]))
		from := uint64(at) + pos // #nosec G115 -- positive
		if ksize == 0 || ksize > maxKeySize || from+ksize+vsize > uint64(len(page)) {
			continue
		}
		f(order.Uint32(page[at:]), page[from:from+ksize:from+ksize], page[from+ksize:from+ksize+vsize])
	}
}

func isBranch(page []byte) bool { return order.Uint16(page[8:]) == branchFlag }

// A bucketHeader is what a root page says of a bucket.
type bucketHeader struct {
	name  string
	value []byte
}

// headers returns the buckets that a root page, or those below it, lead to. It marks pages as
// seen and used.
func (s *salvage) headers(id uint64, level int) (buckets []bucketHeader) {
	if id < 2 || id >= s.pages || s.has(s.seen, id) || level >= maxDepth {
		return nil
	}
	page := s.page(id)
	if page == nil {
		return nil
	}
	s.mark(s.seen, id)
	s.mark(s.used, id)
	if isBranch(page) {
		for child, key := range children(page) {
			s.follow(child, key)
			buckets = append(buckets, s.headers(child, level+1)...)
		}
		return buckets
	}
	elements(page, func(flags uint32, key, value []byte) {
		if flags == bucketFlag && len(value) >= headerSize {
			buckets = append(buckets, bucketHeader{string(key), value})
		}
	})
	return buckets
}

// children yields the pages that a branch page leads to, with the first key that each should
// have. The key is nil if it lies outside of the page.
func children(page []byte) iter.Seq2[uint64, []byte] {
	return func(yield func(id uint64, key []byte) bool) {
		for i := range min(int(order.Uint16(page[10:])), (len(page)-headerSize)/elementSize) {
			at := headerSize + i*elementSize
			var key []byte
			from, size := uint64(at)+uint64(order.Uint32(page[at:])), uint64(order.Uint32(page[at+4:])) // #nosec G115 -- positive
			if from+size <= uint64(len(page)) {
				key = page[from : from+size]
			}
			if !yield(order.Uint64(page[at+8:]), key) {
				return
			}
		}
	}
}

// follow records whether a branch is damaged, which then may lead to old pages. It is if a page
// below is none, was met before, or begins with another key than the branch says.
func (s *salvage) follow(id uint64, key []byte) {
	if id < 2 || id >= s.pages || s.has(s.seen, id) {
		s.astray = true
		return
	}
	page := s.page(id)
	if page == nil {
		s.astray = true
		return
	}
	var first []byte
	if isBranch(page) {
		for _, k := range children(page) {
			first = k
			break
		}
	} else {
		elements(page, func(_ uint32, k, _ []byte) {
			if first == nil {
				first = k
			}
		})
	}
	s.astray = s.astray || !bytes.Equal(first, key)
}

// isRoot reports whether a page leads to buckets, itself or by the first page below it.
func (s *salvage) isRoot(id uint64) bool {
	page := s.page(id)
	for level := 0; page != nil && isBranch(page) && level < maxDepth; level++ {
		for child := range children(page) {
			page = s.page(child)
			break
		}
	}
	found := false
	if page != nil && !isBranch(page) {
		elements(page, func(flags uint32, _, value []byte) { found = found || flags == bucketFlag && len(value) >= headerSize })
	}
	return found
}

// walk reads all buckets below a root page, first the sums.
func (s *salvage) walk(root uint64) {
	buckets := s.headers(root, 0)
	slices.SortStableFunc(buckets, func(a, b bucketHeader) int {
		return cmp.Or(boolOrder(a.name != sumsBucket, b.name != sumsBucket), cmp.Compare(a.name, b.name))
	})
	for _, b := range buckets {
		if _, twice := s.sequences[b.name]; twice {
			continue
		}
		s.sequences[b.name] = order.Uint64(b.value[8:])
		if below := order.Uint64(b.value); below != 0 {
			s.tree(b.name, below, 0)
		} else if inline := b.value[headerSize:]; len(inline) >= headerSize {
			s.leaf(b.name, inline)
		}
	}
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (s *salvage) mark(bits []uint64, id uint64) { bits[id/64] |= 1 << (id % 64) }

func (s *salvage) has(bits []uint64, id uint64) bool { return bits[id/64]&(1<<(id%64)) != 0 }

// tree reads a page of a bucket and all below it.
func (s *salvage) tree(bucket string, id uint64, level int) {
	if id < 2 || id >= s.pages || s.has(s.seen, id) || level >= maxDepth {
		return
	}
	s.mark(s.seen, id)
	page := s.page(id)
	if page == nil {
		return
	}
	if !isBranch(page) {
		if s.leaf(bucket, page) > 0 {
			s.mark(s.used, id)
		}
		return
	}
	for child, key := range children(page) {
		s.follow(child, key)
		s.tree(bucket, child, level+1)
	}
}

// leaf hands over the values of a leaf page that match their checksums, and returns how many
// there are.
func (s *salvage) leaf(bucket string, page []byte) (n int) {
	seed := seedOf(bucket)
	elements(page, func(_ uint32, key, stored []byte) {
		value, ok := unsealed(seed, key, stored)
		if !ok {
			if !s.again && len(s.wrong[bucket]) < maxProblems {
				s.wrong[bucket] = append(s.wrong[bucket], bytes.Clone(key))
			}
			return
		}
		n++
		if bucket == sumsBucket {
			if of, ok := decodeSum(value); ok {
				s.sums[string(key)] = of
			}
		}
		s.value(bucket, key, stored)
	})
	return n
}

// readAgain hands over the values of a page that was found to belong to a bucket.
func (s *salvage) readAgain(id uint64, bucket string) {
	if page := s.page(id); page != nil {
		s.again = true
		s.leaf(bucket, page)
	}
}

// An orphan is a leaf page that nothing leads to, with values of a bucket that are missing there.
type orphan struct {
	id          uint64
	sum         sum // of the values that are missing
	first, last []byte
	values      map[uint64]uint64 // digests of those by hashes of their keys
}

// maxOrphaned is how many values on pages that nothing leads to are remembered, 16 bytes each.
const maxOrphaned = 4 << 20

// orphans returns, by bucket, the pages that nothing led to with values of one of the buckets. Keys
// of which has reports true are not missing.
func (s *salvage) orphans(buckets []string, has func(bucket string, key []byte) bool) map[string][]orphan {
	found, values := map[string][]orphan{}, 0
	for id := uint64(2); id < s.pages && values < maxOrphaned; id++ {
		if s.has(s.used, id) {
			continue
		}
		page := s.page(id)
		if page == nil || isBranch(page) {
			continue
		}
		for _, name := range buckets {
			o, belongs := s.orphan(id, page, name, has)
			if belongs && o.sum.count > 0 {
				found[name] = append(found[name], o)
				values += len(o.values)
			}
			if belongs {
				break
			}
		}
	}
	return found
}

// probes is how many elements of a page are compared with a bucket's checksums before it
// is taken for one of another bucket.
const probes = 3

func (s *salvage) orphan(id uint64, page []byte, bucket string, has func(bucket string, key []byte) bool) (o orphan, belongs bool) {
	o.id, o.values = id, map[uint64]uint64{}
	seed, tried := seedOf(bucket), 0
	elements(page, func(_ uint32, key, stored []byte) {
		if !belongs && tried == probes {
			return
		}
		tried++
		if _, ok := unsealed(seed, key, stored); !ok {
			return
		}
		belongs = true
		if has(bucket, key) {
			return
		}
		o.sum.count++
		o.sum.digest += trailerOf(stored)
		o.values[xxh3.Hash(key)] = trailerOf(stored)
		if o.first == nil {
			o.first = bytes.Clone(key)
		}
		o.last = bytes.Clone(key)
	})
	return o, belongs
}

// maxChoices bounds the choices that completing tries.
const maxChoices = 1 << 18

// completing returns the pages that together have exactly the values that are missing. It returns nil
// if there are none, or too many choices. Old copies of pages lie among them: either all agree on the values, or some
// are chosen whose keys do not overlap, since leaves of one state do not.
func completing(pages []orphan, missing sum) (ids []uint64) {
	all := map[uint64]uint64{}
	agree := true
	for _, p := range pages {
		for key, digest := range p.values {
			before, twice := all[key]
			agree = agree && (!twice || before == digest)
			all[key] = digest
		}
		ids = append(ids, p.id)
	}
	has := sum{count: uint64(len(all))}
	for _, digest := range all {
		has.digest += digest
	}
	if agree && has == missing {
		return ids
	}
	return disjoint(pages, missing)
}

// disjoint chooses pages for completing.
func disjoint(pages []orphan, missing sum) []uint64 {
	slices.SortFunc(pages, func(a, b orphan) int {
		return cmp.Or(bytes.Compare(a.first, b.first), bytes.Compare(a.last, b.last), cmp.Compare(a.sum.digest, b.sum.digest), cmp.Compare(a.id, b.id))
	})
	pages = slices.CompactFunc(pages, func(a, b orphan) bool { return a.sum == b.sum && bytes.Equal(a.first, b.first) })
	choices := 0
	var chosen []uint64
	var choose func(from int, last []byte, missing sum) bool
	choose = func(from int, last []byte, missing sum) bool {
		if missing.count == 0 {
			return missing.digest == 0
		}
		for i := from; i < len(pages); i++ {
			if choices++; choices > maxChoices {
				return false
			}
			p := pages[i]
			if p.sum.count > missing.count || last != nil && bytes.Compare(p.first, last) <= 0 {
				continue
			}
			chosen = append(chosen, p.id)
			if choose(i+1, p.last, sum{count: missing.count - p.sum.count, digest: missing.digest - p.sum.digest}) {
				return true
			}
			chosen = chosen[:len(chosen)-1]
		}
		return false
	}
	if !choose(0, nil, missing) {
		return nil
	}
	return slices.Clone(chosen)
}
