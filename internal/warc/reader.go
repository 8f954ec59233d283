package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A Reader reads the records of a file in order:
//
//	for r.Scan() {
//		rec, err := r.Record() // err is a *BadRecord: report it and continue
//	}
//	err := r.Err() // the rest of the file could not be read
//
// It must not be used concurrently.
type Reader struct {
	name   string
	src    *source
	closer io.Closer

	rec  *Record
	bad  *BadRecord
	bads int
	err  error
}

// Open opens a WARC, compressed or not. Close it after use.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r := NewReader(f, info.Size(), path)
	r.closer = f
	return r, nil
}

// NewReader returns a Reader of a file of size bytes. Errors contain name.
func NewReader(file io.ReaderAt, size int64, name string) *Reader {
	return &Reader{name: name, src: newSource(file, size)}
}

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Scan moves to the next record, good or bad. It returns false at the end of the file, or if reading
// cannot continue; then Err returns the cause.
func (r *Reader) Scan() bool {
	r.rec, r.bad = nil, nil
	if r.storeError() || !r.src.hasMore() {
		r.storeError()
		return false
	}
	at := r.src.position()
	rec, err := readRecord(r.src.out)
	if r.storeError() {
		return false
	}
	if err == nil {
		rec.Position = at
		r.rec = rec
		return true
	}
	if r.src.rotten {
		err = fmt.Errorf("%w: %w", ErrRotten, err)
	}
	r.bad = &BadRecord{r.name, at, err}
	if r.bads++; r.bads == MaxBad {
		r.err = fmt.Errorf("%s: not read further after %d bad records; is it a WARC?", r.name, MaxBad)
		return true
	}
	if !errors.Is(err, ErrTooLarge) || !r.src.isAtRecord() {
		r.src.skipToPlausibleRecord(at)
	}
	return true
}

// storeError stores an error of reading the file as r.err and reports whether there is one.
func (r *Reader) storeError() bool {
	if r.err == nil && r.src.ioErr != nil {
		r.err = fmt.Errorf("%s: %w", r.name, r.src.ioErr)
	}
	return r.err != nil
}

// Record returns the current record, or a *BadRecord if there is no readable one.
func (r *Reader) Record() (*Record, error) {
	if r.bad != nil {
		return nil, r.bad
	}
	return r.rec, nil
}

// Err returns the error that ended reading before the end of the file, else nil.
func (r *Reader) Err() error { return r.err }

// readRecord reads one record and the line ends after it, and checks that another record or the end
// follows.
func readRecord(in *bufio.Reader) (*Record, error) {
	header, err := readHeader(in)
	if err != nil {
		return nil, err
	}
	length, err := strconv.ParseInt(strings.TrimSpace(header.Get("Content-Length")), 10, 64)
	if err != nil || length < 0 {
		return nil, fmt.Errorf("%w: Content-Length is %.40q", ErrNotWARC, header.Get("Content-Length"))
	}
	if length > MaxRecord {
		return nil, skipBlock(in, length, header.Get("WARC-Target-URI"))
	}
	block, err := readBlock(in, int(length))
	if err != nil {
		return nil, err
	}
	if err := readEnd(in); err != nil {
		return nil, err
	}
	return &Record{Header: header, Block: block}, nil
}

// readHeader reads the version line and the fields up to the empty line. Folded
// lines, which WARC 1.0 allows, are joined with a space.
func readHeader(in *bufio.Reader) (Header, error) {
	var header Header
	for total, first := 0, true; ; first = false {
		line, err := in.ReadSlice('\n')
		if total += len(line); err == bufio.ErrBufferFull || total > MaxHeader {
			return nil, fmt.Errorf("%w: its header has more than %d bytes", ErrNotWARC, MaxHeader)
		}
		if err != nil {
			return nil, truncatedError(err)
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		if first {
			if !strings.HasPrefix(text, "WARC/") {
				return nil, fmt.Errorf("%w: it begins %.40q", ErrNotWARC, text)
			}
			continue
		}
		if text == "" {
			return header, nil
		}
		if n := len(header); n > 0 && (text[0] == ' ' || text[0] == '\t') {
			header[n-1].Value += " " + strings.TrimSpace(text)
			continue
		}
		if name, value, ok := strings.Cut(text, ":"); ok {
			header = append(header, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
}

// readBlock reads length bytes. It allocates memory only as bytes arrive.
func readBlock(in *bufio.Reader, length int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(min(length, 1<<20) + bytes.MinRead)
	n, err := io.CopyN(&b, in, int64(length))
	if err != nil {
		return nil, fmt.Errorf("the block ends after %d of %d bytes: %w", n, length, truncatedError(err))
	}
	return b.Bytes(), nil
}

// skipBlock skips a block that is too large to be stored. It always returns an error; if it is only
// ErrTooLarge, the next record follows.
func skipBlock(in *bufio.Reader, length int64, uri string) error {
	tooLarge := fmt.Errorf("%w: the record of %[3]s has %[2]d bytes", ErrTooLarge, length, uri)
	if length > maxSkip {
		return tooLarge
	}
	if _, err := io.CopyN(io.Discard, in, length); err != nil {
		return truncatedError(err)
	}
	if err := readEnd(in); err != nil {
		return err
	}
	return tooLarge
}

// readEnd reads the line ends after a block. Reading to the end of a member also checks the member's
// checksum.
func readEnd(in *bufio.Reader) error {
	for {
		switch next, err := in.Peek(len("WARC/")); {
		case len(next) > 0 && (next[0] == '\r' || next[0] == '\n'):
			in.Discard(1)
		case len(next) == 0 && err == io.EOF, string(next) == "WARC/":
			return nil
		case err != nil && err != io.EOF:
			return truncatedError(err)
		default:
			return fmt.Errorf("%w: %.20q follows it", ErrBadLength, next)
		}
	}
}

func truncatedError(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is cut: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// readAt reads the record at a position.
func (r *Reader) readAt(at Position) (*Record, error) {
	r.err, r.src.ioErr, r.bads = nil, nil, 0
	r.src.seekTo(at.Offset)
	if _, err := io.CopyN(io.Discard, r.src.out, at.Skip); err != nil {
		return nil, &BadRecord{r.name, at, truncatedError(err)}
	}
	if !r.Scan() {
		return nil, errors.Join(r.err, &BadRecord{r.name, at, truncatedError(io.EOF)})
	}
	return r.Record()
}
