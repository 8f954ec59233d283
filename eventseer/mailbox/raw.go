package mailbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"strings"
)

// RawMessages yields the unchanged messages of r, each up to MaxMessage bytes: those of an mbox, or r
// itself. name is used in errors.
func RawMessages(r io.Reader, name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		all := bufio.NewReader(r)
		start, err := all.Peek(len("From "))
		switch {
		case len(start) == 0 && !errors.Is(err, io.EOF):
			yield(nil, fmt.Errorf("%s: %w", name, err))
		case string(start) != "From ":
			raw, err := io.ReadAll(io.LimitReader(all, MaxMessage))
			if err == nil && len(bytes.TrimSpace(raw)) == 0 {
				return
			}
			yield(raw, err)
		default:
			readRawMbox(all, name, yield)
		}
	}
}

func readRawMbox(r io.Reader, name string, yield func([]byte, error) bool) {
	for m, err := range boxMessages(r, name) {
		var raw []byte
		if err == nil {
			raw, err = io.ReadAll(io.LimitReader(m.raw, MaxMessage))
			if err != nil {
				err = fmt.Errorf("%s: message %d: %w", name, m.n, err)
			}
		}
		if !yield(raw, err) {
			return
		}
	}
}

// RawMaildir yields the messages of a maildir as Raw does, in order of delivery.
func RawMaildir(dir string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		deliveries, err := deliveriesIn(dir)
		if err != nil && !yield(nil, err) {
			return
		}
		for _, d := range deliveries {
			raw, err := readRawFile(d.path)
			if !yield(raw, err) {
				return
			}
		}
	}
}

func readRawFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	return io.ReadAll(io.LimitReader(f, MaxMessage))
}

// A quoter copies an mbox and quotes lines of a body that begin with "From " but are not
// separators. Many archives omit this, and go-mbox would split the message there. go-mbox removes
// the quotes again.
type quoter struct {
	r       *bufio.Reader
	pending []byte
	inLine  bool // true if the next byte of r is not the first of its line
	err     error
	lines   int   // number of lines begun
	starts  []int // separator lines that nextSeparator has not returned yet
}

func newQuoter(r io.Reader) *quoter { return &quoter{r: bufio.NewReaderSize(r, 64<<10)} }

// separator matches the text after "From " on a separator: sender, time of day, year.
var separator = regexp.MustCompile(`^From \S.*\d:\d\d.*\b(19|20)\d\d\b`)

func (q *quoter) Read(p []byte) (int, error) {
	for len(q.pending) == 0 {
		if q.err != nil {
			return 0, q.err
		}
		q.readNextLine()
	}
	n := copy(p, q.pending)
	q.pending = q.pending[n:]
	return n, nil
}

// readNextLine reads the next line, or a part of one longer than the buffer.
func (q *quoter) readNextLine() {
	line, err := q.r.ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull {
		q.err = err
	}
	q.pending = line
	if !q.inLine {
		q.lines++
	}
	if !q.inLine && bytes.HasPrefix(line, []byte("From ")) {
		if separator.Match(line) {
			q.starts = append(q.starts, q.lines)
		} else {
			q.pending = append([]byte{'>'}, line...)
		}
	}
	q.inLine = err == bufio.ErrBufferFull
}

// nextSeparator returns the line of the next separator, from 1.
func (q *quoter) nextSeparator() int {
	line := q.starts[0]
	q.starts = q.starts[1:]
	return line
}

// readFailure returns the error that ended the reading early, which go-mbox treats as the end of the
// file.
func (q *quoter) readFailure() error {
	if errors.Is(q.err, io.EOF) {
		return nil
	}
	return q.err
}

// SniffLen is how many bytes of a file IsMbox and IsMessage examine.
const SniffLen = 8 << 10

// IsMbox reports whether a file that begins with b is an mbox: whether its
// first line is a separator.
func IsMbox(b []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(b, "\r\n"), []byte("\n"))
	return separator.Match(line)
}

// sureFields are the header fields of mails that other files with colons do not have.
var sureFields = map[string]bool{
	"from": true, "to": true, "subject": true, "date": true, "message-id": true, "received": true,
	"return-path": true, "mime-version": true, "newsgroups": true, "x-corpus-id": true, "delivered-to": true,
}

// IsMessage reports whether a file that begins with b is one message. It must begin with header
// fields, at least two of them typical of mails, and have nothing else before an empty line within
// b.
func IsMessage(b []byte) bool {
	known := 0
	for n := 0; len(b) > 0; n++ {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case !whole || len(line) == 0:
			return known >= 2
		case n > 0 && (line[0] == ' ' || line[0] == '\t'):
		case !field.Match(line):
			return false
		default:
			name, _, _ := strings.Cut(string(line), ":")
			if sureFields[strings.ToLower(name)] {
				known++
			}
		}
		b = rest
	}
	return known >= 2
}
