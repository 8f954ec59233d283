package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/bits"

	berrors "go.etcd.io/bbolt/errors"
)

// The layout of bbolt's files, all numbers in the byte order of the machine:
//
//	page     id⁸ flags² count² overflow⁴, then elements, then their keys and values
//	meta     page header, magic⁴ version⁴ page size⁴ flags⁴ root⁸ sequence⁸ freelist⁸ pages⁸ transaction⁸ FNV-1a⁸
//	branch   position⁴ key size⁴ page⁸        the position counts from the element
//	leaf     flags⁴ position⁴ key size⁴ value size⁴
//	bucket   root⁸ sequence⁸                  the value of a leaf element with flag 1; root 0: a page follows
const (
	headerSize  = 16
	elementSize = 16
	metaSize    = 64
	metaMagic   = 0xED0CDAED
	metaVersion = 2

	branchFlag   = 0x01
	leafFlag     = 0x02
	metaFlag     = 0x04
	freelistFlag = 0x10

	bucketFlag   = 0x01 // of a leaf element
	maxKeySize   = 32768
	maxDepth     = 64 // depth of a tree; 2⁶⁴ pages need fewer levels
	noFreelist   = math.MaxUint64
	minPageSize  = 512
	maxPageSize  = 1 << 16
	maxProblems  = 100     // that one check lists
	maxPageBytes = 1 << 31 // size of a page with its overflow
)

var order = binary.NativeEndian

// A metaPage is the contents of a meta page.
type metaPage struct {
	pageSize    uint32
	root        uint64 // number of the root bucket's page
	freelist    uint64
	pages       uint64 // number of pages of the file, the high-water mark
	transaction uint64
}

// decodeMeta decodes a meta page. The slice has at least headerSize+metaSize bytes.
func decodeMeta(page []byte) (m metaPage, err error) {
	b := page[headerSize : headerSize+metaSize]
	sum := fnv.New64a()
	_, _ = sum.Write(b[:56])
	switch {
	case order.Uint32(b) != metaMagic:
		return m, errors.New("it does not begin like a meta page")
	case order.Uint32(b[4:]) != metaVersion:
		return m, fmt.Errorf("it has version %d of the file format instead of %d", order.Uint32(b[4:]), metaVersion)
	case order.Uint64(b[56:]) != sum.Sum64():
		return m, errors.New("its checksum is wrong")
	}
	m = metaPage{
		pageSize: order.Uint32(b[8:]), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		pages: order.Uint64(b[40:]), transaction: order.Uint64(b[48:]),
	}
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || bits.OnesCount32(m.pageSize) != 1 {
		return m, fmt.Errorf("the page size of %d bytes is not supported", m.pageSize)
	}
	return m, nil
}

// readMetas returns the newest valid meta page of a file of size bytes, and the problems of the meta
// pages. If one is valid the file can be used, but the problems may mean that the last transaction is
// lost. If none is valid, the error is fatal.
func readMetas(r io.ReaderAt, size int64) (newest metaPage, problems []error, fatal error) {
	page := make([]byte, headerSize+metaSize)
	readAt := func(at int64) (metaPage, error) {
		if _, err := r.ReadAt(page, at); err != nil {
			return metaPage{}, fmt.Errorf("it cannot be read: %w", err)
		}
		return decodeMeta(page)
	}
	first, err0 := readAt(0)
	var second metaPage
	err1 := err0
	if err0 == nil {
		second, err1 = readAt(int64(first.pageSize))
	} else {
		for at := int64(1024); at <= 1024<<14 && at+metaSize < size; at *= 2 { // the positions that bbolt tries too
			if second, err1 = readAt(at); err1 == nil {
				break
			}
		}
	}
	switch {
	case err0 != nil && err1 != nil:
		return metaPage{}, nil, &DamageError{Reason: fmt.Sprintf("neither meta page can be used: the first because %v, the second because %v", err0, err1)}
	case err0 != nil:
		return second, []error{&DamageError{Reason: fmt.Sprintf("meta page 0: %v; the latest changes may be missing", err0)}}, nil
	case err1 != nil:
		return first, []error{&DamageError{Reason: fmt.Sprintf("meta page 1: %v; the latest changes may be missing", err1)}}, nil
	case !canFollow(first.transaction, second.transaction) || first.pageSize != second.pageSize:
		problems = []error{&DamageError{Reason: fmt.Sprintf("the meta pages belong to the transactions %d and %d, which do not follow each other", first.transaction, second.transaction)}}
	}
	if second.transaction > first.transaction {
		return second, problems, nil
	}
	return first, problems, nil
}

// canFollow reports whether two meta pages can belong to one file. bbolt writes transactions to them
// alternately, even ones to page 0. A copy made by bbolt has a transaction in page 0 and the previous
// one, with the same contents, in page 1, whether its number is even or odd. If the one in page 1 is
// even, the next transaction goes to page 0.
func canFollow(first, second uint64) bool {
	return first == second+1 || second == first+1 || first == second+2 && second%2 == 0
}

// A walker reads the pages of one state of a file and checks everything on which bbolt relies.
type walker struct {
	r        io.ReaderAt
	pageSize int
	pages    uint64   // pages of the file
	seen     []uint64 // bit set of the pages seen
	buffers  [][]byte // one a level
	damage   []error  // at most maxProblems
	more     int      // problems beyond these
	// leaf, if not nil, is called with every key and value of undamaged pages, in key order within a
	// bucket. Both are valid only during the call.
	leaf func(bucket string, key, value []byte)
	// bucket, if not nil, is called with the counter of each bucket before its keys.
	bucket func(name string, sequence uint64)
}

// newWalker returns a walker over the pages of a file.
func newWalker(r io.ReaderAt, pageSize int, pages uint64) *walker {
	return &walker{r: r, pageSize: pageSize, pages: pages, seen: make([]uint64, pages/64+1)}
}

func (w *walker) addProblemf(bucket string, page uint64, format string, args ...any) {
	w.addProblem(&DamageError{Bucket: bucket, Page: page, Reason: fmt.Sprintf(format, args...)})
}

func (w *walker) addProblem(err error) {
	if len(w.damage) < maxProblems {
		w.damage = append(w.damage, err)
	} else {
		w.more++
	}
}

// foundProblems returns the problems that were found.
func (w *walker) foundProblems() []error {
	if w.more > 0 {
		return append(w.damage, fmt.Errorf("and %d more", w.more))
	}
	return w.damage
}

// checkFile checks the newest state of a file of size bytes. Its pages must be within the file, and bbolt
// must be able to read each of them. If only one meta page is valid, this is a warning and no problem. If
// values is set it also checks the values and sums of a sealed file, and returns the contents of its
// buckets.
func checkFile(r io.ReaderAt, size int64, values bool) (contents []Contents, warnings, problems []error) {
	m, warnings, fatal := readMetas(r, size)
	if fatal != nil {
		return nil, nil, []error{fatal}
	}
	// Compare by division: the product of pages and page size may not fit in 64 bits.
	if m.pages > uint64(size)/uint64(m.pageSize) { // #nosec G115 -- sizes of files are not negative
		return nil, warnings, []error{&DamageError{Reason: fmt.Sprintf("the file is truncated: it has %d bytes and needs %d pages of %d bytes", size, m.pages, m.pageSize)}}
	}
	w := newWalker(r, int(m.pageSize), m.pages)
	contents = w.checkBuckets(m.root, m.transaction, values)
	w.checkFreelist(m.freelist)
	return contents, warnings, w.foundProblems()
}

// checkBuckets checks everything below the root bucket of a transaction, and returns the contents of the
// buckets if values is set.
func (w *walker) checkBuckets(root, transaction uint64, values bool) (contents []Contents) {
	var c *valueChecker
	if values {
		c = checkValues(w)
	}
	w.checkPage("", root, nil, nil, 0)
	if values {
		contents = c.bucketContents()
		c.compareSums(transaction)
	}
	return contents
}

// readPage reads a page with its overflow into the buffer of a level and checks its header. It returns nil if
// the page cannot be used.
func (w *walker) readPage(bucket string, id uint64, level int) []byte {
	if level >= maxDepth {
		w.addProblemf(bucket, id, "the tree has more than %d levels", maxDepth)
		return nil
	}
	if id < 2 || id >= w.pages {
		w.addProblemf(bucket, id, "its number is not one of the file's %d pages", w.pages)
		return nil
	}
	for len(w.buffers) <= level {
		w.buffers = append(w.buffers, make([]byte, w.pageSize))
	}
	buffer := w.buffers[level][:w.pageSize]
	at := int64(id) * int64(w.pageSize) // #nosec G115 -- within the file
	if _, err := w.r.ReadAt(buffer, at); err != nil {
		w.addProblemf(bucket, id, "it cannot be read: %v", err)
		return nil
	}
	overflow := uint64(order.Uint32(buffer[12:]))
	if got := order.Uint64(buffer); got != id {
		w.addProblemf(bucket, id, "its header says page %d", got)
		return nil
	}
	if overflow >= w.pages-id || (overflow+1)*uint64(w.pageSize) > maxPageBytes { // #nosec G115 -- positive
		w.addProblemf(bucket, id, "it claims %d pages, more than the file has", overflow+1)
		return nil
	}
	for n := id; n <= id+overflow; n++ {
		if w.seen[n/64]&(1<<(n%64)) != 0 {
			w.addProblemf(bucket, n, "it is used twice")
			return nil
		}
		w.seen[n/64] |= 1 << (n % 64)
	}
	if overflow > 0 {
		all := int(overflow+1) * w.pageSize // #nosec G115 -- at most maxPageBytes
		if cap(buffer) < all {
			buffer = append(make([]byte, 0, all), buffer...)
			w.buffers[level] = buffer
		}
		buffer = buffer[:all]
		if _, err := w.r.ReadAt(buffer[w.pageSize:], at+int64(w.pageSize)); err != nil {
			w.addProblemf(bucket, id, "its overflow cannot be read: %v", err)
			return nil
		}
	}
	return buffer
}

// checkPage checks page id of a bucket and everything below it. Keys must be at least low and below high,
// unless these are nil.
func (w *walker) checkPage(bucket string, id uint64, low, high []byte, level int) {
	page := w.readPage(bucket, id, level)
	if page == nil {
		return
	}
	switch flags := order.Uint16(page[8:]); flags {
	case leafFlag:
		w.walkLeaf(bucket, id, page, low, high, level)
	case branchFlag:
		w.walkBranch(bucket, id, page, low, high, level)
	default:
		w.addProblemf(bucket, id, "it is neither a branch nor a leaf: its flags are %#x", flags)
	}
}

// elementCount returns the number of elements of a page. It returns false if the page has no space for them.
func (w *walker) elementCount(bucket string, id uint64, page []byte) (int, bool) {
	n := int(order.Uint16(page[10:]))
	if headerSize+n*elementSize > len(page) {
		w.addProblemf(bucket, id, "it claims %d elements, more than it has space for", n)
		return 0, false
	}
	return n, true
}

// elementBytes returns size bytes that start at position pos from an element. They must be within the page after
// all elements; otherwise it returns false.
func (w *walker) elementBytes(bucket string, id uint64, page []byte, elements, element int, pos, size uint64) ([]byte, bool) {
	from := uint64(element) + pos // #nosec G115 -- positive
	if from < uint64(headerSize+elements*elementSize) || from+size > uint64(len(page)) {
		w.addProblemf(bucket, id, "element %d points outside of the page", (element-headerSize)/elementSize)
		return nil, false
	}
	return page[from : from+size], true
}

// isOrdered reports whether key may follow the previous key before, which is nil for the first key.
func (w *walker) isOrdered(bucket string, id uint64, i int, key, before, low, high []byte) bool {
	switch {
	case len(key) == 0 || len(key) > maxKeySize:
		w.addProblemf(bucket, id, "the key of element %d has a wrong length of %d bytes", i, len(key))
	case i > 0 && bytes.Compare(key, before) <= 0:
		w.addProblemf(bucket, id, "key %q of element %d is out of order", shortenKey(key), i)
	case low != nil && bytes.Compare(key, low) < 0, high != nil && bytes.Compare(key, high) >= 0:
		w.addProblemf(bucket, id, "key %q of element %d belongs to another page", shortenKey(key), i)
	default:
		return true
	}
	return false
}

func (w *walker) walkBranch(bucket string, id uint64, page, low, high []byte, level int) {
	n, ok := w.elementCount(bucket, id, page)
	if !ok {
		return
	}
	if n == 0 {
		w.addProblemf(bucket, id, "a branch without elements")
		return
	}
	keys, children := make([][]byte, n), make([]uint64, n)
	for i := range n {
		at := headerSize + i*elementSize
		key, ok := w.elementBytes(bucket, id, page, n, at, uint64(order.Uint32(page[at:])), uint64(order.Uint32(page[at+4:])))
		var before []byte
		if i > 0 {
			before = keys[i-1]
		}
		if !ok || !w.isOrdered(bucket, id, i, key, before, low, high) {
			return
		}
		keys[i], children[i] = key, order.Uint64(page[at+8:])
	}
	for i, child := range children {
		end := high
		if i+1 < n {
			end = keys[i+1]
		}
		w.checkPage(bucket, child, keys[i], end, level+1)
	}
}

// walkLeaf checks a leaf page. For a page inside the value of a bucket, id is the page that contains it.
func (w *walker) walkLeaf(bucket string, id uint64, page, low, high []byte, level int) {
	n, ok := w.elementCount(bucket, id, page)
	if !ok {
		return
	}
	var before []byte
	for i := range n {
		at := headerSize + i*elementSize
		ksize, vsize := uint64(order.Uint32(page[at+8:])), uint64(order.Uint32(page[at+12:]))
		both, ok := w.elementBytes(bucket, id, page, n, at, uint64(order.Uint32(page[at+4:])), ksize+vsize)
		if !ok || !w.isOrdered(bucket, id, i, both[:ksize], before, low, high) {
			return
		}
		key, value := both[:ksize:ksize], both[ksize:]
		before = key
		switch flags := order.Uint32(page[at:]); {
		case flags == bucketFlag:
			w.walkBucket(joinedName(bucket, key), id, value, level)
		case flags != 0:
			w.addProblemf(bucket, id, "element %d has the invalid flags %#x", i, flags)
		case bucket == "":
			w.addProblemf(bucket, id, "the value %q is stored among the buckets", shortenKey(key))
		case w.leaf != nil:
			w.leaf(bucket, key, value)
		}
	}
}

// walkBucket checks a bucket; value is its header.
func (w *walker) walkBucket(name string, id uint64, value []byte, level int) {
	if len(value) < headerSize {
		w.addProblemf(name, id, "the bucket's header has only %d bytes", len(value))
		return
	}
	root := order.Uint64(value)
	if w.bucket != nil {
		w.bucket(name, order.Uint64(value[8:]))
	}
	if root != 0 {
		w.checkPage(name, root, nil, nil, level+1)
		return
	}
	inline := value[headerSize:]
	if len(inline) < headerSize || order.Uint16(inline[8:]) != leafFlag {
		w.addProblemf(name, id, "the bucket contains no page")
		return
	}
	w.walkLeaf(name, id, inline, nil, nil, level)
}

// checkFreelist checks the list of free pages, if the file has one. bbolt overwrites the pages in it.
func (w *walker) checkFreelist(id uint64) {
	if id == noFreelist {
		return
	}
	page := w.readPage("", id, 0)
	if page == nil {
		return
	}
	if flags := order.Uint16(page[8:]); flags != freelistFlag {
		w.addProblemf("", id, "it is not a list of free pages: its flags are %#x", flags)
		return
	}
	n, at := uint64(order.Uint16(page[10:])), headerSize
	if n == math.MaxUint16 {
		n, at = order.Uint64(page[headerSize:]), headerSize+8
	}
	if n > uint64(len(page)-at)/8 { // #nosec G115 -- a page has room for its header
		w.addProblemf("", id, "it lists %d free pages, more than it has space for", n)
		return
	}
	for i := range int(n) { // #nosec G115 -- within the page
		free := order.Uint64(page[at+8*i:])
		if free < 2 || free >= w.pages || w.seen[free/64]&(1<<(free%64)) != 0 {
			w.addProblemf("", id, "it lists page %d as free, which is in use or does not exist", free)
			return
		}
		w.seen[free/64] |= 1 << (free % 64)
	}
}

// joinedName returns the name of a bucket inside another one.
func joinedName(bucket string, key []byte) string {
	if bucket == "" {
		return string(key)
	}
	return bucket + "/" + string(key)
}

// isFormat reports whether an error of bbolt is about the format of the file.
func isFormat(err error) bool {
	return errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) || errors.Is(err, berrors.ErrVersionMismatch)
}
