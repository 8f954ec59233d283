package linkruns

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"

	"github.com/klauspost/compress/s2"
)

const (
	blockSize = 16 << 10              // bytes of entries at which a block ends
	maxBlock  = blockSize + 4*maxPart // bytes of a block's entries; the last entry may be long
)

var errBlock = errors.New("a block of links is damaged")

// decodeBlock returns the entries of a stored block. It uses the memory of buf if that is large enough.
func decodeBlock(buf, stored []byte) ([]byte, error) {
	n, err := s2.DecodedLen(stored)
	if err != nil || n == 0 || n > maxBlock {
		return nil, fmt.Errorf("%w: it claims %d bytes (%v)", errBlock, n, err)
	}
	entries, err := s2.Decode(buf[:cap(buf)], stored)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBlock, err)
	}
	return entries, nil
}

// A sourceFilter chooses from sorted keys those to keep: the first of equal ones, and the first sources of
// each page.
type sourceFilter struct {
	most int    // sources of a page
	last []byte // key
	page int    // length of the page's part of last, with its end
	n    int    // different sources of the page so far
}

// accepts reports whether the next key is to be kept.
func (f *sourceFilter) accepts(key []byte) bool {
	if f.page > 0 && bytes.HasPrefix(key, f.last[:f.page]) {
		if bytes.Equal(key, f.last) {
			return false
		}
		f.n++
	} else {
		f.page, f.n = bytes.IndexByte(key, sortedlinks.PageEnd)+1, 1
	}
	f.last = append(f.last[:0], key...)
	return f.n <= f.most
}

// A blockWriter encodes sorted links as blocks.
type blockWriter struct {
	put     func(begin, stored []byte) error // called with each block; both are valid during the call
	entries []byte
	begin   []byte // beginning of the first key, larger than all keys before
	last    []byte // key
	stored  []byte
	bytes   int // of all blocks
}

// add adds a link. Its key must be larger than the one before.
func (w *blockWriter) add(key, value []byte) error {
	shared := sortedlinks.CommonPrefix(w.last, key)
	if len(w.entries) == 0 {
		w.begin = append(w.begin[:0], key[:min(shared+1, len(key))]...)
		shared = 0
	}
	w.entries = sortedlinks.AppendEntry(w.entries, shared, key, value)
	w.last = append(w.last[:0], key...)
	if len(w.entries) < blockSize {
		return nil
	}
	return w.endBlock()
}

// endBlock ends a block, if it has links.
func (w *blockWriter) endBlock() error {
	if len(w.entries) == 0 {
		return nil
	}
	w.stored = s2.Encode(w.stored[:cap(w.stored)], w.entries)
	w.entries = w.entries[:0]
	w.bytes += len(w.begin) + len(w.stored)
	return w.put(w.begin, w.stored)
}
