// Package lines reads text files from outside, line by line and with size limits. A bad line is reported
// by its number, and reading continues.
package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// readBuffer is the size of the read buffer, in bytes.
const readBuffer = 256 << 10

// ErrLong means that a line is longer than the reader's limit.
var ErrLong = errors.New("the line is longer")

// A Reader reads the lines of a file and counts them. It is not safe for
// concurrent use.
type Reader struct {
	// N is the number of the last line, from 1.
	N int

	r    *bufio.Reader
	max  int    // bytes of a line
	long []byte // the last line, if the buffer was too small for it
}

// NewReader returns a reader of lines of at most longest bytes, including their ends.
func NewReader(r io.Reader, longest int) *Reader {
	hidden := struct{ io.Reader }{r} // otherwise bufio would use r's own buffer if r is a bufio.Reader
	return &Reader{r: bufio.NewReaderSize(hidden, min(readBuffer, longest)), max: longest}
}

// Next returns the next line without its end, valid until the next call, and io.EOF after the last. If a
// line is too long it skips it and returns an error that wraps ErrLong.
func (l *Reader) Next() ([]byte, error) {
	l.N++
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		if line, err = l.readRest(line); err != nil {
			return nil, err
		}
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil // the end comes again
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, err
}

// readRest returns a line whose first part has been read.
func (l *Reader) readRest(part []byte) ([]byte, error) {
	l.long = append(l.long[:0], part...)
	tooLong, err := false, error(bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		if tooLong = tooLong || len(l.long)+len(part) > l.max; !tooLong {
			l.long = append(l.long, part...)
		}
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF): // the end comes again
		return nil, err
	case tooLong:
		return nil, fmt.Errorf("%w than %d bytes", ErrLong, l.max)
	}
	return l.long, nil
}

// ReadFile reads a file of at most limit bytes. It returns an error if the file is larger.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return ReadAll(f, limit)
}

// ReadAll reads at most limit bytes from r and closes it. It returns an error if there are more.
func ReadAll(r io.ReadCloser, limit int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	err = errors.Join(err, r.Close())
	if err == nil && n > limit {
		err = fmt.Errorf("the line has more than %d bytes", limit)
	}
	return b.Bytes(), err
}

// WriteJSON writes v as one line of JSON, without escaping HTML characters.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
