package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A .warc.zst file holds one zstd frame per record (RFC 8878). It may begin with a skippable frame that
// holds the dictionary for all records (iipc.github.io/warc-specifications/specifications/warc-zstd).

// zstdMagic begins a frame.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Bounds on the memory of a frame, in bytes.
const (
	maxDictionary = 16 << 20
	maxZstdWindow = 64 << 20
	maxBlocks     = maxSkip >> 17 // largest number of blocks of a frame; each holds up to 128 KiB
	dictionaryID  = 13            // magic number of the skippable frame with a dictionary
)

// A zstdFrames reads the frames of one file.
type zstdFrames struct {
	file io.ReaderAt
	size int64 // of the file
	dec  *zstd.Decoder
}

// newFrames reads the dictionary, if there is one.
func newFrames(file io.ReaderAt, size int64) (*zstdFrames, error) {
	f := &zstdFrames{file: file, size: size}
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow)}
	h, err := f.readHeader(0)
	if err == nil && h.Skippable && h.SkippableID == dictionaryID {
		dict, err := f.readDictionary(h)
		if err != nil {
			return nil, fmt.Errorf("its zstd dictionary cannot be read: %w", err)
		}
		options = append(options, zstd.WithDecoderDicts(dict))
	}
	if f.dec, err = zstd.NewReader(nil, options...); err != nil {
		return nil, fmt.Errorf("its zstd dictionary cannot be used: %w", err)
	}
	return f, nil
}

func (f *zstdFrames) readHeader(at int64) (h zstd.Header, err error) {
	head := make([]byte, zstd.HeaderMaxSize)
	n, err := f.file.ReadAt(head, at)
	if err != nil && err != io.EOF {
		return h, err
	}
	return h, h.Decode(head[:n])
}

// readDictionary returns the contents of the skippable frame at the beginning. They may themselves be
// compressed.
func (f *zstdFrames) readDictionary(h zstd.Header) ([]byte, error) {
	if h.SkippableSize > maxDictionary {
		return nil, fmt.Errorf("it has %d bytes", h.SkippableSize)
	}
	dict := make([]byte, h.SkippableSize)
	if _, err := f.file.ReadAt(dict, int64(h.HeaderSize)); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(dict, zstdMagic) {
		return dict, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(dict, nil)
}

// openFrame begins the frame at an offset, after skippable frames, and returns the offset of its end. It
// decompresses nothing yet.
func (f *zstdFrames) openFrame(at int64) (end int64, err error) {
	h, err := f.readHeader(at)
	for end = at; err == nil && h.Skippable; h, err = f.readHeader(end) {
		if end += int64(h.HeaderSize) + int64(h.SkippableSize); end >= f.size {
			return f.size, f.dec.Reset(bytes.NewReader(nil))
		}
	}
	if err != nil {
		return 0, err
	}
	end += int64(h.HeaderSize)
	for n := 0; ; n++ {
		size, last, err := f.blockSize(end)
		if err != nil || n > maxBlocks {
			return 0, errors.Join(errors.New("its zstd blocks are damaged"), err)
		}
		if end += size; last {
			break
		}
	}
	if h.HasCheckSum {
		end += 4
	}
	if end > f.size {
		return 0, io.ErrUnexpectedEOF
	}
	return end, f.dec.Reset(io.NewSectionReader(f.file, at, end-at))
}

// blockSize returns the number of bytes of the block at an offset, including its header (RFC 8878 §3.1.1.2).
func (f *zstdFrames) blockSize(at int64) (size int64, last bool, err error) {
	var head [3]byte
	if _, err := f.file.ReadAt(head[:], at); err != nil {
		return 0, false, err
	}
	bits := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
	size = bits >> 3
	switch bits >> 1 & 3 {
	case 1: // one byte, repeated
		size = 1
	case 3:
		return 0, false, errors.New("reserved type of block")
	}
	return size + 3, bits&1 == 1, nil
}

// peekFrame returns a reader of a possible frame at an offset, for reading at most its first block.
func (f *zstdFrames) peekFrame(at int64) (io.Reader, error) {
	const block = 256 << 10 // more than any takes
	return f.dec, f.dec.Reset(io.NewSectionReader(f.file, at, min(block, f.size-at)))
}
