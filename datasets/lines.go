package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// readBuffer is how much of a file is read at once, in bytes.
const readBuffer = 256 << 10

// A lineReader reads the lines of a file and counts them.
type lineReader struct {
	r    *bufio.Reader
	max  int    // bytes of a line
	n    int    // of the last line, from 1
	long []byte // the last line, where the buffer did not hold it
}

func newLineReader(r io.Reader, longest int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, min(readBuffer, longest)), max: longest}
}

// next returns the next line without its end, valid until the next call, and
// io.EOF after the last. Of a line longer than max it skips the rest and
// returns errLongLine.
func (l *lineReader) next() ([]byte, error) {
	l.n++
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		if line, err = l.rest(line); err != nil {
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

// rest reads on after the first part of a line.
func (l *lineReader) rest(part []byte) ([]byte, error) {
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
		return nil, fmt.Errorf("%w than %d bytes", errLongLine, l.max)
	}
	return l.long, nil
}

var errLongLine = errors.New("the line is longer")
