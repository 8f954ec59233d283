package frontier

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"
)

// An exported stream is: magic, version, and then, compressed by zstd, entries: kind,
// length as a varint, and so many bytes. Hosts come before their links. The last entry
// is how many there were before it, as a varint, and the XXH3 of all their bytes:
// without it, or with another, a stream is cut or broken.
const (
	streamMagic   = "eventseer/hosts\n"
	streamVersion = 1 // 1: first layout
)

// The kinds of entries.
const (
	hostEntry = 'h' // a host record, see encodeHost
	linkEntry = 'l' // marks and a record, see appendRecord
	lastEntry = 'e'
)

// Marks of a link, which are not in its record.
const (
	wasInterrupted = 1 << iota
	firstWithText  // of its host
)

// Bounds of a stream, which may come from anybody.
const (
	maxEntry   = 1 << 20   // bytes of an entry
	maxEntries = 100 << 20 // of a stream
	maxWindow  = 8 << 20   // bytes that the compression looks back
)

var errStream = errors.New("stream of hosts is cut or broken; export them again")

// A streamWriter writes entries. The first error stays.
type streamWriter struct {
	z   *zstd.Encoder
	w   *bufio.Writer
	sum *xxh3.Hasher
	n   uint64
	err error
}

func newStreamWriter(w io.Writer) (*streamWriter, error) {
	if _, err := w.Write(append([]byte(streamMagic), streamVersion)); err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	return &streamWriter{z: z, w: bufio.NewWriterSize(z, 64<<10), sum: xxh3.New()}, err
}

func (s *streamWriter) put(kind byte, entry []byte) error {
	if len(entry) > maxEntry {
		return fmt.Errorf("an entry of %d bytes, not at most %d", len(entry), maxEntry)
	}
	s.write(binary.AppendUvarint([]byte{kind}, uint64(len(entry))))
	s.write(entry)
	s.n++
	return s.err
}

func (s *streamWriter) write(b []byte) {
	_, _ = s.sum.Write(b) // never fails
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// close writes the last entry.
func (s *streamWriter) close() error {
	last := binary.BigEndian.AppendUint64(binary.AppendUvarint(nil, s.n), s.sum.Sum64())
	err := s.put(lastEntry, last)
	return errors.Join(err, s.w.Flush(), s.z.Close())
}

// A streamReader reads entries.
type streamReader struct {
	z   *zstd.Decoder
	r   *bufio.Reader
	sum *xxh3.Hasher
	n   uint64
	buf []byte
}

func newStreamReader(r io.Reader) (*streamReader, error) {
	head := make([]byte, len(streamMagic)+1)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(streamMagic)]) != streamMagic {
		return nil, errStream
	}
	if v := head[len(streamMagic)]; v != streamVersion {
		return nil, fmt.Errorf("stream of hosts of version %d, this program reads %d", v, streamVersion)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &streamReader{z: z, r: bufio.NewReaderSize(z, 64<<10), sum: xxh3.New()}, nil
}

func (s *streamReader) close() { s.z.Close() }

// next returns the next entry, which lives until the next call, and io.EOF after the
// last, once that has been found right.
func (s *streamReader) next() (kind byte, entry []byte, err error) {
	before := s.sum.Sum64()
	if kind, err = s.r.ReadByte(); err != nil {
		return 0, nil, cutOff(err)
	}
	size, err := binary.ReadUvarint(s.r)
	if err != nil {
		return 0, nil, cutOff(err)
	}
	if size > maxEntry || s.n >= maxEntries {
		return 0, nil, errStream
	}
	if uint64(cap(s.buf)) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	if _, err := io.ReadFull(s.r, s.buf); err != nil {
		return 0, nil, cutOff(err)
	}
	if kind == lastEntry {
		return kind, nil, s.last(before)
	}
	_, _ = s.sum.Write(binary.AppendUvarint([]byte{kind}, size)) // never fails
	_, _ = s.sum.Write(s.buf)
	s.n++
	return kind, s.buf, nil
}

// last returns io.EOF if the last entry is right and nothing follows.
func (s *streamReader) last(sum uint64) error {
	want := binary.BigEndian.AppendUint64(binary.AppendUvarint(nil, s.n), sum)
	if string(want) != string(s.buf) {
		return errStream
	}
	if _, err := s.r.ReadByte(); !errors.Is(err, io.EOF) {
		return errStream
	}
	return io.EOF
}

// cutOff makes an end where there must be none an error, and keeps the cause of others.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errStream
	}
	return fmt.Errorf("%w (%w)", errStream, err)
}
