package warc

import (
	"bufio"
	"bytes"
	"errors"
	"github.com/eventseer/eventseer/internal/coding"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipMagic is the beginning of a gzip member: two magic bytes and the compression method, deflate.
var gzipMagic = []byte{0x1f, 0x8b, 8}

// A compression is how the records of a file are compressed.
type compression int

const (
	plain compression = iota
	gzipped
	zstandard
)

// A source reads the decompressed bytes of a file, member by member, and knows the position in the file.
type source struct {
	file  io.ReaderAt
	size  int64
	ioErr error // first error of the file itself, as opposed to its contents

	packed compression
	from   int64         // offset at which raw began to read
	passed int64         // number of bytes that raw has read since
	raw    *bufio.Reader // the file's bytes

	gz      *gzip.Reader
	frames  *zstdFrames
	content io.Reader // content of the member: raw, gz or that of frames
	rotten  bool      // the member cannot be decompressed
	member  int64     // offset of the member; in a plain file, of the last seek
	taken   int64     // number of bytes that out has read from the member
	out     *bufio.Reader
}

func newSource(file io.ReaderAt, size int64) *source {
	s := &source{file: file, size: size}
	s.raw = bufio.NewReaderSize(rawReader{s}, 32<<10)
	s.out = bufio.NewReaderSize(outReader{s}, MaxHeader)
	head := make([]byte, len(zstdMagic))
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		s.ioErr = err
	}
	switch {
	case bytes.HasPrefix(head[:n], gzipMagic):
		s.packed, s.gz = gzipped, new(gzip.Reader)
	case coding.IsZstd(head[:n]):
		s.packed = zstandard
		if s.frames, err = newFrames(file, size); err != nil {
			s.ioErr, s.rotten = err, true
			return s
		}
	}
	s.seekTo(0)
	return s
}

// rawReader reads the file, outReader the content of the current member.
type (
	rawReader struct{ *source }
	outReader struct{ *source }
)

func (s rawReader) Read(p []byte) (int, error) {
	at := s.from + s.passed
	if at >= s.size {
		return 0, io.EOF
	}
	n, err := s.file.ReadAt(p[:min(int64(len(p)), s.size-at)], at)
	s.passed += int64(n)
	if n > 0 {
		return n, nil
	}
	if err != nil && err != io.EOF {
		s.ioErr = err
	}
	return 0, err
}

func (s outReader) Read(p []byte) (int, error) {
	if s.rotten || s.content == nil {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := s.content.Read(p)
	s.taken += int64(n)
	s.rotten = err != nil && err != io.EOF && s.packed != plain
	return n, err
}

// seekTo moves to an offset of the file; in a compressed file it must be that of a member.
func (s *source) seekTo(offset int64) {
	s.from, s.passed = offset, 0
	s.raw.Reset(rawReader{s})
	s.openMember()
}

// openMember begins reading the member at the current offset of raw.
func (s *source) openMember() {
	s.member = s.from + s.passed - int64(s.raw.Buffered())
	s.taken = 0
	s.rotten = false
	s.out.Reset(outReader{s})
	if s.packed == plain {
		s.content = s.raw
		return
	}
	if s.member >= s.size {
		return
	}
	if s.packed == zstandard {
		s.openFrame()
		return
	}
	if s.rotten = s.gz.Reset(s.raw) != nil; !s.rotten {
		s.gz.Multistream(false)
		s.content = s.gz
	}
}

// openFrame begins reading the zstd frame at member and moves raw to its end.
func (s *source) openFrame() {
	if s.rotten = s.frames == nil; s.rotten {
		return
	}
	end, err := s.frames.openFrame(s.member)
	if s.rotten = err != nil; s.rotten {
		return
	}
	s.content = s.frames.dec
	s.from, s.passed = end, 0
	s.raw.Reset(rawReader{s})
}

// position returns the position of the next byte of out.
func (s *source) position() Position {
	read := s.taken - int64(s.out.Buffered())
	if s.packed != plain {
		return Position{s.member, read}
	}
	return Position{s.member + read, 0}
}

// endOffset returns the offset in the file at which the last read record ends. The file must be plain, or the
// record must be a gzip member of its own.
func (s *source) endOffset() int64 {
	if s.packed != plain {
		return s.from + s.passed - int64(s.raw.Buffered())
	}
	return s.position().Offset
}

// hasMore reports whether there are bytes left, moving to the next member if one has ended.
func (s *source) hasMore() bool {
	for {
		if s.member >= s.size {
			return false
		}
		if _, err := s.out.Peek(1); err == nil || s.rotten {
			return true
		}
		if s.packed == plain || s.ioErr != nil {
			return false
		}
		s.openMember()
	}
}

// skipToPlausibleRecord moves to the next position that looks like the beginning of a record, after a bad record at p.
// If a member can be decompressed, it searches the rest of the member, otherwise the file from p on. It
// stops at the end of the file.
func (s *source) skipToPlausibleRecord(p Position) {
	if s.packed != plain && !s.rotten && s.skipToRecord() {
		return
	}
	if s.packed == plain {
		s.seekTo(p.Offset + 1)
		s.skipToRecord()
		return
	}
	if next, ok := s.nextMember(p.Offset + 1); ok {
		s.seekTo(next)
	} else {
		s.seekTo(s.size)
	}
}

// isAtRecord reports whether a record or the end of the member comes next.
func (s *source) isAtRecord() bool {
	next, err := s.out.Peek(len("WARC/"))
	return string(next) == "WARC/" || len(next) == 0 && err == io.EOF
}

// skipToRecord reads until a line begins a record or the member ends without an error. It returns false
// if the member cannot be decompressed or is too long to be searched.
func (s *source) skipToRecord() bool {
	for limit := s.taken + maxSkip; s.taken < limit || s.packed == plain; {
		line, err := s.out.ReadSlice('\n')
		if err == io.EOF {
			return true
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
		if len(line) > 0 && line[len(line)-1] == '\n' {
			if next, _ := s.out.Peek(len("WARC/")); string(next) == "WARC/" {
				return true
			}
		}
	}
	return false
}

// nextMember returns the offset of the next member, from an offset on, that begins with a record.
func (s *source) nextMember(offset int64) (int64, bool) {
	const window = 64 << 10
	magic := gzipMagic
	if s.packed == zstandard {
		magic = zstdMagic
	}
	buf := make([]byte, window+len(magic)-1)
	for offset < s.size {
		n, err := s.file.ReadAt(buf[:min(int64(len(buf)), s.size-offset)], offset)
		for at := 0; ; at++ {
			i := bytes.Index(buf[at:n], magic)
			if i < 0 {
				break
			}
			at += i
			if s.beginsRecord(offset + int64(at)) {
				return offset + int64(at), true
			}
		}
		if err != nil && err != io.EOF {
			s.ioErr = err
			return 0, false
		}
		offset += window
	}
	return 0, false
}

// beginsRecord reports whether the member at an offset begins with a record. It decompresses only the
// first bytes.
func (s *source) beginsRecord(offset int64) bool {
	const enough = 4 << 10
	var in io.Reader
	var err error
	if s.packed == zstandard {
		in, err = s.frames.peekFrame(offset)
	} else {
		in, err = gzip.NewReader(io.NewSectionReader(s.file, offset, min(enough, s.size-offset)))
	}
	head := make([]byte, len("WARC/"))
	if err == nil {
		_, err = io.ReadFull(in, head)
	}
	return err == nil && string(head) == "WARC/"
}
