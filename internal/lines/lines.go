// Package lines reads text files that somebody else wrote, line by line and
// with bounds: a bad line is reported with file and number, and reading goes on.
package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read of a file.
const (
	MaxLine  = 64 << 10  // bytes of a line
	MaxBytes = 256 << 20 // bytes of a file
	MaxBad   = 100       // bad lines reported one by one; the rest is counted
)

// A Reader yields the lines of a file. It is not safe for concurrent use.
type Reader struct {
	name string
	in   *bufio.Reader
	left int64 // bytes that may still be read
	bad  func(error)
	text string
	n    int // of the last line, from 1
	nBad int
	err  error
}

// New returns a reader of the file called name. It calls bad, if not nil, with
// an error for each line that cannot be used.
func New(r io.Reader, name string, bad func(error)) *Reader {
	if bad == nil {
		bad = func(error) {}
	}
	return &Reader{name: name, in: bufio.NewReaderSize(r, MaxLine), left: MaxBytes, bad: bad}
}

// Next reads the next line and reports whether there is one.
func (r *Reader) Next() bool {
	for r.err == nil {
		line, err := r.in.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			return r.end(err)
		}
		r.n++
		r.left -= int64(len(line))
		if r.left < 0 {
			return r.end(fmt.Errorf("%s: larger than %d bytes; split it", r.name, MaxBytes))
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			r.Bad(fmt.Errorf("line longer than %d bytes", MaxLine))
			r.skip()
			continue
		}
		r.text = strings.TrimRight(string(line), "\r\n")
		return true
	}
	return false
}

// skip reads on to the end of a line that the buffer did not hold.
func (r *Reader) skip() {
	for err := error(bufio.ErrBufferFull); errors.Is(err, bufio.ErrBufferFull) && r.left >= 0; {
		var part []byte
		part, err = r.in.ReadSlice('\n')
		r.left -= int64(len(part))
	}
}

func (r *Reader) end(err error) bool {
	r.err = err
	if r.nBad > MaxBad {
		r.bad(fmt.Errorf("%s: %d more bad lines", r.name, r.nBad-MaxBad))
	}
	return false
}

// Text returns the last line without its end.
func (r *Reader) Text() string { return r.text }

// UTF8 returns the last line, stripped of a byte order mark and of space at its
// ends, or "" and a report where it is not UTF-8.
func (r *Reader) UTF8() string {
	if !utf8.ValidString(r.text) {
		r.Bad(errors.New("not UTF-8; convert the file"))
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(r.text, "\ufeff"))
}

// Bad reports the last line as one that cannot be used.
func (r *Reader) Bad(err error) {
	if r.nBad++; r.nBad <= MaxBad {
		r.bad(fmt.Errorf("%s:%d: %w", r.name, r.n, err))
	}
}

// Err returns what ended the reading early, or nil at the end of the file.
func (r *Reader) Err() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}
