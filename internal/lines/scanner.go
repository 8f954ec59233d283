package lines

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits on what is read of a file.
const (
	MaxLine  = 64 << 10  // bytes of a line
	MaxBytes = 256 << 20 // bytes of a file
	MaxBad   = 100       // bad lines reported one by one; further ones are counted
)

// A Scanner returns the lines of a file and reports bad ones with file and number. It is not safe for
// concurrent use.
type Scanner struct {
	name string
	in   *Reader
	read *boundedReader
	bad  func(error)
	text string
	nBad int
	err  error
}

// NewScanner returns a scanner of a file. If bad is not nil, it is called with an error for each unusable
// line, which contains name as the name of the file.
func NewScanner(r io.Reader, name string, bad func(error)) *Scanner {
	if bad == nil {
		bad = func(error) {}
	}
	read := &boundedReader{r: r}
	return &Scanner{name: name, in: NewReader(read, MaxLine), read: read, bad: bad}
}

// A boundedReader ends reading at MaxBytes.
type boundedReader struct {
	r    io.Reader
	n    int64
	over bool // the file is longer than MaxBytes
}

func (c *boundedReader) Read(p []byte) (int, error) {
	if c.n > MaxBytes {
		c.over = true
		return 0, io.EOF
	}
	n, err := c.r.Read(p[:min(int64(len(p)), MaxBytes+1-c.n)])
	c.n += int64(n)
	return n, err
}

// Next reads the next line and reports whether there is one.
func (s *Scanner) Next() bool {
	for s.err == nil {
		line, err := s.in.Next()
		switch {
		case s.read.over:
			return s.endWith(fmt.Errorf("%s: the file has more than %d bytes; split it", s.name, MaxBytes))
		case errors.Is(err, ErrLong):
			s.ReportBad(fmt.Errorf("the line has more than %d bytes", MaxLine))
		case err != nil:
			return s.endWith(err)
		default:
			s.text = string(line)
			return true
		}
	}
	return false
}

func (s *Scanner) endWith(err error) bool {
	s.err = err
	if s.nBad > MaxBad {
		s.bad(fmt.Errorf("%s: %d more bad lines", s.name, s.nBad-MaxBad))
	}
	return false
}

// Text returns the last line without its end.
func (s *Scanner) Text() string { return s.text }

// TrimmedText returns the last line without a byte order mark and without space at its ends. If it is not
// UTF-8, it reports that and returns "".
func (s *Scanner) TrimmedText() string {
	if !utf8.ValidString(s.text) {
		s.ReportBad(errors.New("the file is not UTF-8; convert it"))
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(s.text, "\ufeff"))
}

// ReportBad reports the last line as unusable.
func (s *Scanner) ReportBad(err error) {
	if s.nBad++; s.nBad <= MaxBad {
		s.bad(fmt.Errorf("%s:%d: %w", s.name, s.in.N, err))
	}
}

// Err returns the error that ended reading early, or nil at the end of the file.
func (s *Scanner) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}
