// Package edgeindex is a backlink provider on disk. It is an index of links, sorted by target, that
// is built from edge lists and WAT files of any size.
package edgeindex

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
)

// An edge index is one file, written once and then only read. All numbers are big endian or uvarints, all
// checksums CRC-32C.
//
//	magic⁸ block… index footer
//	block   crc⁴ entry…             entries as in package sortedlinks
//	value   flags¹ (1: nofollow), seen (seconds since 1970, 0 if unknown), anchor
//	index   per block: length of separator, separator, length of the block
//	footer  offset of index⁸, its crc⁴, blocks⁴, edges⁸, targets⁸, crc of the footer⁴, magic⁸
//
// The entries are in order of their keys (see key.go). A separator is a prefix of a block's first key,
// just long enough to be larger than all keys of the previous block. The index of separators is in memory: about 30 bytes for 8 KB of links.
//
// The file is read by ReadAt rather than mapped: if it is truncated while it is in use, this must be an
// error and not end the process.
const (
	edgeMagic   = "ESEdges1" // the last byte is the version
	edgeFooter  = 8 + 4 + 4 + 8 + 8 + 4 + 8
	edgeBlock   = 8 << 10               // size in bytes at which a block ends
	maxBlock    = sortedlinks.MaxLength // bytes of a block; an entry has less than 6 KB
	maxEdgeFile = 1 << 40               // bytes
)

// ErrEdgeIndex is wrapped by errors about a file that is not an edge index, is damaged or has
// another version: rebuild it.
var ErrEdgeIndex = errors.New("not a readable edge index")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An Index provides backlinks from a file written by Build. It is safe for concurrent use.
type Index struct {
	file    *os.File
	blocks  []blockPlace
	edges   int64
	targets int64
}

// A blockPlace is the position of a block, and the beginning of its keys.
type blockPlace struct {
	separator string
	at        int64
	length    int
}

var _ backlink.Provider = (*Index)(nil)

// IsIndex reports whether the file at path begins like an edge index of any version.
func IsIndex(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	head := make([]byte, len(edgeMagic)-1)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == edgeMagic[:len(head)]
}

// Open opens the file at path and reads its index of blocks. The blocks are checked as they are
// read. The error wraps ErrEdgeIndex if the file can be read but is not an edge index of this
// version.
func Open(path string) (*Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("edge index: %w", err)
	}
	x := &Index{file: f}
	if err := x.loadIndex(); err != nil {
		return nil, errors.Join(fmt.Errorf("edge index %s: %w", path, err), f.Close())
	}
	return x, nil
}

// Close closes the file.
func (x *Index) Close() error { return x.file.Close() }

// Len returns the number of links in the index.
func (x *Index) Len() int { return int(x.edges) }

// loadIndex reads the footer and the index.
func (x *Index) loadIndex() error {
	info, err := x.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size < int64(len(edgeMagic))+edgeFooter || size > maxEdgeFile {
		return fmt.Errorf("%w: %d bytes", ErrEdgeIndex, size)
	}
	head, foot := make([]byte, len(edgeMagic)), make([]byte, edgeFooter)
	if _, err := x.file.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := x.file.ReadAt(foot, size-edgeFooter); err != nil {
		return err
	}
	if string(head) != edgeMagic || string(foot[edgeFooter-8:]) != edgeMagic {
		return fmt.Errorf("%w: it begins with %q and ends with %q, not with %q", ErrEdgeIndex, head, foot[edgeFooter-8:], edgeMagic)
	}
	be := binary.BigEndian
	if crc32.Checksum(foot[:32], castagnoli) != be.Uint32(foot[32:]) {
		return fmt.Errorf("%w: the checksum of the footer is wrong", ErrEdgeIndex)
	}
	at, sum, blocks := int64(be.Uint64(foot)), be.Uint32(foot[8:]), int64(be.Uint32(foot[12:]))
	x.edges, x.targets = int64(be.Uint64(foot[16:])), int64(be.Uint64(foot[24:]))
	length := size - edgeFooter - at
	if at < int64(len(edgeMagic)) || length < 0 || blocks > length {
		return fmt.Errorf("%w: its footer says that the index begins at byte %d", ErrEdgeIndex, at)
	}
	index := make([]byte, length)
	if _, err := x.file.ReadAt(index, at); err != nil {
		return err
	}
	if crc32.Checksum(index, castagnoli) != sum {
		return fmt.Errorf("%w: the checksum of the index is wrong", ErrEdgeIndex)
	}
	return x.loadBlocks(index, int(blocks), at)
}

// loadBlocks reads the index, which must cover the bytes up to end.
func (x *Index) loadBlocks(index []byte, blocks int, end int64) error {
	x.blocks = make([]blockPlace, 0, blocks)
	at, rest := int64(len(edgeMagic)), string(index) // one string for all separators
	for range blocks {
		n, w := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
		if w <= 0 || n > uint64(len(rest)-w) {
			return fmt.Errorf("%w: the index is truncated", ErrEdgeIndex)
		}
		b := blockPlace{separator: rest[w : w+int(n)], at: at}
		rest = rest[w+int(n):]
		n, w = binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
		if w <= 0 || n <= 4 || n > maxBlock {
			return fmt.Errorf("%w: a block has %d bytes", ErrEdgeIndex, n)
		}
		b.length, rest = int(n), rest[w:]
		at += int64(n)
		x.blocks = append(x.blocks, b)
	}
	if at != end || rest != "" {
		return fmt.Errorf("%w: its blocks end at byte %d instead of %d", ErrEdgeIndex, at, end)
	}
	return nil
}

var blockBuffers = sync.Pool{New: func() any { return new([maxBlock]byte) }}

// scanFrom calls f for the entries whose key is from or after it, in order, until f returns false. Key
// and value are valid during the call.
func (x *Index) scanFrom(ctx context.Context, from []byte, f func(key, value []byte) bool) error {
	first := sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].separator > string(from) })
	buf := blockBuffers.Get().(*[maxBlock]byte)
	defer blockBuffers.Put(buf)
	var key []byte
	for _, b := range x.blocks[max(0, first-1):] {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := x.readBlock(b, buf)
		if err != nil {
			return err
		}
		for key = key[:0]; len(entries) > 0; {
			var value []byte
			if key, value, entries, err = sortedlinks.CutEntry(key, entries); err != nil {
				return fmt.Errorf("%w: block at byte %d: %w", ErrEdgeIndex, b.at, err)
			}
			if string(key) >= string(from) && !f(key, value) {
				return nil
			}
		}
	}
	return nil
}

// readBlock reads the entries of a block into buf.
func (x *Index) readBlock(b blockPlace, buf *[maxBlock]byte) ([]byte, error) {
	data := buf[:b.length]
	if _, err := x.file.ReadAt(data, b.at); err != nil {
		return nil, fmt.Errorf("block at byte %d: %w", b.at, err)
	}
	if crc32.Checksum(data[4:], castagnoli) != binary.BigEndian.Uint32(data) {
		return nil, fmt.Errorf("%w: the checksum of the block at byte %d is wrong", ErrEdgeIndex, b.at)
	}
	return data[4:], nil
}

// Check reads the whole file and returns its faults: a damaged block, keys out of order, or a wrong
// number of links. It takes a few seconds per gigabyte.
func (x *Index) Check(ctx context.Context) error {
	var edges, targets int64
	var last []byte
	var bad error
	err := x.scanFrom(ctx, nil, func(key, value []byte) bool {
		target, _ := cutKey(key)
		before, _ := cutKey(last)
		_, err := edgeOf(key, value)
		switch {
		case err != nil:
			bad = err
		case edges > 0 && string(key) <= string(last):
			bad = fmt.Errorf("%w: the key %q follows %q, out of order", ErrEdgeIndex, key, last)
		}
		if edges == 0 || string(target) != string(before) {
			targets++
		}
		edges++
		last = append(last[:0], key...)
		return bad == nil
	})
	if err = cmp.Or(err, bad); err == nil && (edges != x.edges || targets != x.targets) {
		err = fmt.Errorf("%w: it has %d links to %d targets, but the footer says %d to %d", ErrEdgeIndex, edges, targets, x.edges, x.targets)
	}
	return err
}

// Name returns "edges".
func (x *Index) Name() string { return "edges" }

// Scopes returns all scopes: each is one range of keys.
func (x *Index) Scopes() []backlink.Scope { return slices.Clone(allScopes[:]) }

var allScopes = [...]backlink.Scope{backlink.Page, backlink.Directory, backlink.Host, backlink.Domain}
