package warc

import (
	"bufio"
	"bytes"
	"errors"
	"github.com/eventseer/eventseer/internal/coding"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipMagic begins a gzip member: two magic bytes and the method, deflate.
var gzipMagic = []byte{0x1f, 0x8b, 8}

// A packing is how a file's records are compressed.
type packing int

const (
	plain packing = iota
	gzipped
	zstandard
)

// A source gives the bytes of a file, inflated member by member, and knows where
// in the file it is.
type source struct {
	file  io.ReaderAt
	size  int64
	ioErr error // the first error of the file itself, as opposed to its content

	packed packing
	from   int64         // where raw began to read
	passed int64         // bytes raw has taken from the file since
	raw    *bufio.Reader // the file's bytes

	gz      *gzip.Reader
	frames  *frames
	content io.Reader // of the member: raw, gz or that of frames
	rotten  bool      // the member cannot be inflated
	member  int64     // offset of the member, or of the seek in a plain file
	taken   int64     // bytes out has taken from the member since
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
	s.seek(0)
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

// seek goes to an offset of the file, in a compressed one to a member.
func (s *source) seek(offset int64) {
	s.from, s.passed = offset, 0
	s.raw.Reset(rawReader{s})
	s.open()
}

// open begins the member at the place where raw is.
func (s *source) open() {
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

// openFrame begins the frame at member; raw goes to its end.
func (s *source) openFrame() {
	if s.rotten = s.frames == nil; s.rotten {
		return
	}
	end, err := s.frames.open(s.member)
	if s.rotten = err != nil; s.rotten {
		return
	}
	s.content = s.frames.dec
	s.from, s.passed = end, 0
	s.raw.Reset(rawReader{s})
}

// position returns where the next byte of out comes from.
func (s *source) position() Position {
	read := s.taken - int64(s.out.Buffered())
	if s.packed != plain {
		return Position{s.member, read}
	}
	return Position{s.member + read, 0}
}

// end returns the offset in the file at which the last record read ends. The record must be a gzip
// member of its own, or the file plain.
func (s *source) end() int64 {
	if s.packed != plain {
		return s.from + s.passed - int64(s.raw.Buffered())
	}
	return s.position().Offset
}

// more reports whether there are bytes left, going on to the next member where
// one has ended.
func (s *source) more() bool {
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
		s.open()
	}
}

// resync goes on to the next place after a bad record at p that looks like the
// beginning of another. Where a member can be inflated its remainder is
// searched, else the file from p on; it may end up at the end of the file.
func (s *source) resync(p Position) {
	if s.packed != plain && !s.rotten && s.skipToRecord() {
		return
	}
	if s.packed == plain {
		s.seek(p.Offset + 1)
		s.skipToRecord()
		return
	}
	if next, ok := s.nextMember(p.Offset + 1); ok {
		s.seek(next)
	} else {
		s.seek(s.size)
	}
}

// atRecord reports whether a record or the end of the member comes next.
func (s *source) atRecord() bool {
	next, err := s.out.Peek(len("WARC/"))
	return string(next) == "WARC/" || len(next) == 0 && err == io.EOF
}

// skipToRecord reads on until a line begins a record or the member ends well. It
// reports false where the member is rotten or too long to be searched.
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

// nextMember finds a member, from an offset on, that begins with a record.
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

// beginsRecord inflates the first bytes of a member.
func (s *source) beginsRecord(offset int64) bool {
	const enough = 4 << 10
	var in io.Reader
	var err error
	if s.packed == zstandard {
		in, err = s.frames.peek(offset)
	} else {
		in, err = gzip.NewReader(io.NewSectionReader(s.file, offset, min(enough, s.size-offset)))
	}
	head := make([]byte, len("WARC/"))
	if err == nil {
		_, err = io.ReadFull(in, head)
	}
	return err == nil && string(head) == "WARC/"
}
