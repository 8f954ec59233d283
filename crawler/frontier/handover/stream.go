// Package handover defines the format in which hosts and their links move from one crawler's
// frontier to another's.
package handover

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"
)

// An exported stream has magic, version, and then zstd-compressed entries: kind, length as a
// varint, and that many bytes. Hosts come before their links. The last entry is the number of
// entries before it, as a varint, and the XXH3 hash of all their bytes. If it is missing or wrong,
// the stream is damaged.
const (
	streamMagic   = "eventseer/hosts\n"
	streamVersion = 1 // 1: first layout
)

// The kinds of entries.
const (
	HostEntry = 'h' // a host record in the format of package frontier
	LinkEntry = 'l' // marks and a record in the format of package frontier
	lastEntry = 'e'
)

// Marks of a link that are not in its record.
const (
	WasInterrupted = 1 << iota
	FirstWithText  // of its host
)

// Limits on a stream, which may come from anywhere.
const (
	maxEntry   = 1 << 20   // bytes of an entry
	maxEntries = 100 << 20 // of a stream
	maxWindow  = 8 << 20   // maximum window of the compression in bytes
)

// ErrBroken means that a stream is truncated or damaged.
var ErrBroken = errors.New("the stream of hosts is truncated or damaged; export them again")

// A Writer writes entries. The first error stays.
type Writer struct {
	z   *zstd.Encoder
	w   *bufio.Writer
	sum *xxh3.Hasher
	n   uint64
	err error
}

// NewWriter begins a stream.
func NewWriter(w io.Writer) (*Writer, error) {
	if _, err := w.Write(append([]byte(streamMagic), streamVersion)); err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	return &Writer{z: z, w: bufio.NewWriterSize(z, 64<<10), sum: xxh3.New()}, err
}

// Put writes an entry.
func (s *Writer) Put(kind byte, entry []byte) error {
	if len(entry) > maxEntry {
		return fmt.Errorf("an entry has %d bytes, at most %d are allowed", len(entry), maxEntry)
	}
	s.write(binary.AppendUvarint([]byte{kind}, uint64(len(entry))))
	s.write(entry)
	s.n++
	return s.err
}

func (s *Writer) write(b []byte) {
	_, _ = s.sum.Write(b) // never fails
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// Close writes the last entry.
func (s *Writer) Close() error {
	last := binary.BigEndian.AppendUint64(binary.AppendUvarint(nil, s.n), s.sum.Sum64())
	err := s.Put(lastEntry, last)
	return errors.Join(err, s.w.Flush(), s.z.Close())
}

// A Reader reads entries.
type Reader struct {
	z   *zstd.Decoder
	r   *bufio.Reader
	sum *xxh3.Hasher
	n   uint64
	buf []byte
}

// NewReader reads the head of a stream.
func NewReader(r io.Reader) (*Reader, error) {
	head := make([]byte, len(streamMagic)+1)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(streamMagic)]) != streamMagic {
		return nil, ErrBroken
	}
	if v := head[len(streamMagic)]; v != streamVersion {
		return nil, fmt.Errorf("the stream of hosts has version %d, this program reads %d", v, streamVersion)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &Reader{z: z, r: bufio.NewReaderSize(z, 64<<10), sum: xxh3.New()}, nil
}

// Close frees the memory of the compression.
func (s *Reader) Close() { s.z.Close() }

// Next returns the next entry, valid until the next call. After the last entry it returns io.EOF if
// count and hash are right.
func (s *Reader) Next() (kind byte, entry []byte, err error) {
	before := s.sum.Sum64()
	if kind, err = s.r.ReadByte(); err != nil {
		return 0, nil, truncatedError(err)
	}
	size, err := binary.ReadUvarint(s.r)
	if err != nil {
		return 0, nil, truncatedError(err)
	}
	if size > maxEntry || s.n >= maxEntries {
		return 0, nil, ErrBroken
	}
	if uint64(cap(s.buf)) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	if _, err := io.ReadFull(s.r, s.buf); err != nil {
		return 0, nil, truncatedError(err)
	}
	if kind == lastEntry {
		return kind, nil, s.checkLast(before)
	}
	_, _ = s.sum.Write(binary.AppendUvarint([]byte{kind}, size)) // never fails
	_, _ = s.sum.Write(s.buf)
	s.n++
	return kind, s.buf, nil
}

// checkLast checks the last entry and returns io.EOF if it is right and nothing follows.
func (s *Reader) checkLast(sum uint64) error {
	want := binary.BigEndian.AppendUint64(binary.AppendUvarint(nil, s.n), sum)
	if string(want) != string(s.buf) {
		return ErrBroken
	}
	if _, err := s.r.ReadByte(); !errors.Is(err, io.EOF) {
		return ErrBroken
	}
	return io.EOF
}

// truncatedError replaces an unexpected end of input by ErrBroken and keeps the cause of other errors.
func truncatedError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrBroken
	}
	return fmt.Errorf("%w (%w)", ErrBroken, err)
}
