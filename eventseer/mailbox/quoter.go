package mailbox

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// A quoter passes an mbox on and quotes lines of a body that begin with "From "
// but are no separators, which many archives forget to do; go-mbox would cut
// the message there. go-mbox takes the quotes away again.
type quoter struct {
	r       *bufio.Reader
	pending []byte
	inLine  bool // the next byte of r is not the first of its line
	err     error
}

func newQuoter(r io.Reader) *quoter { return &quoter{r: bufio.NewReaderSize(r, 64<<10)} }

// separator is what follows "From " on a separator: sender, time of day, year.
var separator = regexp.MustCompile(`^From \S.*\d:\d\d.*\b(19|20)\d\d\b`)

func (q *quoter) Read(p []byte) (int, error) {
	for len(q.pending) == 0 {
		if q.err != nil {
			return 0, q.err
		}
		q.fill()
	}
	n := copy(p, q.pending)
	q.pending = q.pending[n:]
	return n, nil
}

// fill takes the next line, or a part of one that is too long for the buffer.
func (q *quoter) fill() {
	line, err := q.r.ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull {
		q.err = err
	}
	q.pending = line
	if !q.inLine && bytes.HasPrefix(line, []byte("From ")) && !separator.Match(line) {
		q.pending = append([]byte{'>'}, line...)
	}
	q.inLine = err == bufio.ErrBufferFull
}
