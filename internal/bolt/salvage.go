package bolt

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/zeebo/xxh3"
)

// A salvageReader reads the rest of one state of a damaged file. Unlike a walker it relies only on checksums:
// neither on the order of keys nor on what pages say about themselves.
type salvageReader struct {
	r        io.ReaderAt
	pageSize int
	pages    uint64
	seen     []uint64 // bit set of the pages read
	used     []uint64 // bit set of the pages with a value that matches its checksum
	quota    int64    // bytes of overflow pages that may still be read, because damaged pages may claim any size

	sums      map[string]bucketSum // sums of the buckets as recorded in the file
	sequences map[string]uint64    // counters of buckets from their headers
	wrong     map[string][][]byte  // keys whose values do not match their checksums, at most maxProblems per bucket
	again     bool                 // pages are being read again, and their wrong values are already recorded
	value     func(bucket string, key, stored []byte)
	astray    bool // a branch page was damaged; see follow
}

// overflowShare limits the total size of the overflow pages read to a multiple of the file's size. Pages
// below a branch are read twice.
const overflowShare = 8

func newSalvage(r io.ReaderAt, state fileState) *salvageReader {
	return &salvageReader{
		r: r, pageSize: state.pageSize, pages: state.pages,
		seen: make([]uint64, state.pages/64+1), used: make([]uint64, state.pages/64+1),
		quota: overflowShare * int64(state.pages) * int64(state.pageSize), // #nosec G115 -- the size of a file
		sums:  map[string]bucketSum{}, sequences: map[string]uint64{}, wrong: map[string][][]byte{},
		value: func(string, []byte, []byte) {},
	}
}

// readPage returns a page with the overflow that it claims to have, or nil if that is impossible.
func (s *salvageReader) readPage(id uint64) []byte {
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

// forEachElement calls f for each element of a leaf page that lies within the page.
func forEachElement(page []byte, f func(flags uint32, key, value []byte)) {
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

// A bucketHeader is the entry of a bucket in a root page.
type bucketHeader struct {
	name  string
	value []byte
}

// bucketHeaders returns the buckets in a root page and the pages below it. It marks pages as seen and used.
func (s *salvageReader) bucketHeaders(id uint64, level int) (buckets []bucketHeader) {
	if id < 2 || id >= s.pages || s.hasBit(s.seen, id) || level >= maxDepth {
		return nil
	}
	page := s.readPage(id)
	if page == nil {
		return nil
	}
	s.setBit(s.seen, id)
	s.setBit(s.used, id)
	if isBranch(page) {
		for child, key := range childPages(page) {
			s.checkBranch(child, key)
			buckets = append(buckets, s.bucketHeaders(child, level+1)...)
		}
		return buckets
	}
	forEachElement(page, func(flags uint32, key, value []byte) {
		if flags == bucketFlag && len(value) >= headerSize {
			buckets = append(buckets, bucketHeader{string(key), value})
		}
	})
	return buckets
}

// childPages returns the pages to which a branch page refers, with the first key that each should have. The
// key is nil if it lies outside of the page.
func childPages(page []byte) iter.Seq2[uint64, []byte] {
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

// checkBranch checks whether a branch is damaged, so that it may refer to old pages, and records this in
// s.astray. It is damaged if a page below it is invalid, was seen before, or begins with another key than
// the branch says.
func (s *salvageReader) checkBranch(id uint64, key []byte) {
	if id < 2 || id >= s.pages || s.hasBit(s.seen, id) {
		s.astray = true
		return
	}
	page := s.readPage(id)
	if page == nil {
		s.astray = true
		return
	}
	var first []byte
	if isBranch(page) {
		for _, k := range childPages(page) {
			first = k
			break
		}
	} else {
		forEachElement(page, func(_ uint32, k, _ []byte) {
			if first == nil {
				first = k
			}
		})
	}
	s.astray = s.astray || !bytes.Equal(first, key)
}

// isRoot reports whether a page holds buckets, itself or in the first page below it.
func (s *salvageReader) isRoot(id uint64) bool {
	page := s.readPage(id)
	for level := 0; page != nil && isBranch(page) && level < maxDepth; level++ {
		for child := range childPages(page) {
			page = s.readPage(child)
			break
		}
	}
	found := false
	if page != nil && !isBranch(page) {
		forEachElement(page, func(flags uint32, _, value []byte) { found = found || flags == bucketFlag && len(value) >= headerSize })
	}
	return found
}

// readBuckets reads all buckets below a root page, the sums first.
func (s *salvageReader) readBuckets(root uint64) {
	buckets := s.bucketHeaders(root, 0)
	slices.SortStableFunc(buckets, func(a, b bucketHeader) int {
		return cmp.Or(compareBools(a.name != sumsBucket, b.name != sumsBucket), cmp.Compare(a.name, b.name))
	})
	for _, b := range buckets {
		if _, twice := s.sequences[b.name]; twice {
			continue
		}
		s.sequences[b.name] = order.Uint64(b.value[8:])
		if below := order.Uint64(b.value); below != 0 {
			s.readTree(b.name, below, 0)
		} else if inline := b.value[headerSize:]; len(inline) >= headerSize {
			s.readLeaf(b.name, inline)
		}
	}
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (s *salvageReader) setBit(bits []uint64, id uint64) { bits[id/64] |= 1 << (id % 64) }

func (s *salvageReader) hasBit(bits []uint64, id uint64) bool { return bits[id/64]&(1<<(id%64)) != 0 }

// readTree reads a page of a bucket and all below it.
func (s *salvageReader) readTree(bucket string, id uint64, level int) {
	if id < 2 || id >= s.pages || s.hasBit(s.seen, id) || level >= maxDepth {
		return
	}
	s.setBit(s.seen, id)
	page := s.readPage(id)
	if page == nil {
		return
	}
	if !isBranch(page) {
		if s.readLeaf(bucket, page) > 0 {
			s.setBit(s.used, id)
		}
		return
	}
	for child, key := range childPages(page) {
		s.checkBranch(child, key)
		s.readTree(bucket, child, level+1)
	}
}

// readLeaf passes on the values of a leaf page that match their checksums, and returns their number.
func (s *salvageReader) readLeaf(bucket string, page []byte) (n int) {
	seed := seedOf(bucket)
	forEachElement(page, func(_ uint32, key, stored []byte) {
		value, ok := withoutDigest(seed, key, stored)
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

// readAgain passes on the values of a page that was found to belong to a bucket.
func (s *salvageReader) readAgain(id uint64, bucket string) {
	if page := s.readPage(id); page != nil {
		s.again = true
		s.readLeaf(bucket, page)
	}
}

// An orphanPage is a leaf page to which no page refers, with values that its bucket lacks.
type orphanPage struct {
	id          uint64
	sum         bucketSum // of the missing values
	first, last []byte
	values      map[uint64]uint64 // digests of the missing values by hashes of their keys
}

// maxOrphaned is the largest number of values on orphan pages that are stored, 16 bytes each.
const maxOrphaned = 4 << 20

// findOrphans returns the orphan pages with values of each bucket. Values whose keys exist according to has
// are not missing.
func (s *salvageReader) findOrphans(buckets []string, has func(bucket string, key []byte) bool) map[string][]orphanPage {
	found, values := map[string][]orphanPage{}, 0
	for id := uint64(2); id < s.pages && values < maxOrphaned; id++ {
		if s.hasBit(s.used, id) {
			continue
		}
		page := s.readPage(id)
		if page == nil || isBranch(page) {
			continue
		}
		for _, name := range buckets {
			o, belongs := s.readOrphan(id, page, name, has)
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

// probes is the number of elements of a page that are compared with a bucket's checksums. If none
// matches, the page is considered to belong to another bucket.
const probes = 3

func (s *salvageReader) readOrphan(id uint64, page []byte, bucket string, has func(bucket string, key []byte) bool) (o orphanPage, belongs bool) {
	o.id, o.values = id, map[uint64]uint64{}
	seed, tried := seedOf(bucket), 0
	forEachElement(page, func(_ uint32, key, stored []byte) {
		if !belongs && tried == probes {
			return
		}
		tried++
		if _, ok := withoutDigest(seed, key, stored); !ok {
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

// maxChoices is the largest number of combinations that completing tries.
const maxChoices = 1 << 18

// orphansCompleting returns the pages that together have exactly the missing values. It returns nil if there are
// none, or too many combinations. Orphans include old copies of pages. So either all agree on the values,
// or it chooses pages with disjoint key ranges, because leaves of one state never overlap.
func orphansCompleting(pages []orphanPage, missing bucketSum) (ids []uint64) {
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
	has := bucketSum{count: uint64(len(all))}
	for _, digest := range all {
		has.digest += digest
	}
	if agree && has == missing {
		return ids
	}
	return disjointOrphans(pages, missing)
}

// disjointOrphans chooses pages with disjoint key ranges for completing, nil if there are none.
func disjointOrphans(pages []orphanPage, missing bucketSum) []uint64 {
	slices.SortFunc(pages, func(a, b orphanPage) int {
		return cmp.Or(bytes.Compare(a.first, b.first), bytes.Compare(a.last, b.last), cmp.Compare(a.sum.digest, b.sum.digest), cmp.Compare(a.id, b.id))
	})
	pages = slices.CompactFunc(pages, func(a, b orphanPage) bool { return a.sum == b.sum && bytes.Equal(a.first, b.first) })
	choices := 0
	var chosen []uint64
	var choose func(from int, last []byte, missing bucketSum) bool
	choose = func(from int, last []byte, missing bucketSum) bool {
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
			if choose(i+1, p.last, bucketSum{count: missing.count - p.sum.count, digest: missing.digest - p.sum.digest}) {
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
