// Package coding undoes the content codings of HTTP bodies (RFC 9110 §8.4.1),
// of live answers and archived ones alike.
package coding

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	maxCodings = 3       // laid one upon the other
	zstdWindow = 8 << 20 // bytes; RFC 9659 allows no more in HTTP
	markSize   = 1024    // bytes looked at to tell whether a coding is in use
	// A coded body may become freeBytes, and beyond these maxRatio times its size: pages, tables and archives
	// reach 20 times, runs of one byte 1,000 with gzip and far more with the others.
	freeBytes = 16 << 20
	maxRatio  = 200
)

// ErrTooMany is the error of reading a body that is coded more than three times.
var ErrTooMany = fmt.Errorf("more than %d content codings", maxCodings)

// ErrBomb is the error of reading a body that becomes more than maxRatio times larger.
var ErrBomb = fmt.Errorf("it becomes more than %d times larger when it is unpacked: it holds nothing but repetitions, and the rest is not read", maxRatio)

// Decode returns body without the codings that the values of its
// Content-Encoding headers list, in the order they were applied: gzip, deflate,
// br and zstd. Many servers name a coding they do not use, and archives one that
// they have undone: what does not begin like the coding is taken as it is, and
// codings we do not know are passed over. Each coding that enlarges a body too much ends it with ErrBomb.
// Close frees the decoders and leaves body to its owner.
func Decode(body io.Reader, contentEncoding []string) io.ReadCloser {
	d := &decoder{Reader: body}
	if len(contentEncoding) == 0 {
		return d
	}
	names := strings.Split(strings.ToLower(strings.Join(contentEncoding, ",")), ",")
	if len(names) > maxCodings {
		d.Reader = failing{ErrTooMany}
		return d
	}
	for i := len(names) - 1; i >= 0; i-- {
		if c, known := codings[strings.TrimSpace(names[i])]; known {
			d.undo(c)
		}
	}
	return d
}

// A decoder reads through decoders laid one upon the other.
type decoder struct {
	io.Reader
	closers []func()
}

func (d *decoder) Close() error {
	for _, c := range d.closers {
		c()
	}
	return nil
}

func (d *decoder) undo(c coding) {
	coded := bufio.NewReaderSize(d.Reader, markSize)
	d.Reader = coded
	head, _ := coded.Peek(markSize) // an error comes again when it is read
	if !c.begins(head) {
		return
	}
	counted := &counter{r: coded}
	r, err := c.open(counted)
	if err != nil {
		d.Reader = failing{err}
		return
	}
	d.Reader = &bounded{r: r, coded: counted}
	if z, ok := r.(*zstd.Decoder); ok {
		d.closers = append(d.closers, z.Close)
	}
}

// Gunzip returns what a gzip file holds, all its members, bounded as Decode does.
func Gunzip(r io.Reader) (io.Reader, error) {
	counted := &counter{r: bufio.NewReader(r)}
	z, err := gzip.NewReader(counted)
	if err != nil {
		return nil, err
	}
	return &bounded{r: z, coded: counted}, nil
}

// A counter counts the bytes read. It reads single bytes as decoders do that read no further than
// they need.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// A bounded reader ends what becomes too large.
type bounded struct {
	r     io.Reader
	coded *counter
	n     int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n > freeBytes && b.n > maxRatio*b.coded.n {
		return 0, ErrBomb
	}
	n, err := b.r.Read(p)
	b.n += int64(n)
	return n, err
}

// A failing reader gives nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A coding is one that we know.
type coding struct {
	begins func(head []byte) bool // whether a body with this beginning may be coded so
	open   func(io.Reader) (io.Reader, error)
}

var codings = map[string]coding{
	"gzip":    {isGzip, gunzip},
	"x-gzip":  {isGzip, gunzip},
	"deflate": {isDeflate, inflate},
	"br":      {isBrotli, func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }},
	"zstd":    {IsZstd, unzstd},
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

func gunzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	return members{z}, err
}

// members reads gzip members up to what is none: browsers pass it over too.
type members struct{ *gzip.Reader }

func (m members) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if errors.Is(err, gzip.ErrHeader) {
		err = io.EOF
	}
	return n, err
}

// isDeflate tries, as bare deflate has no mark, but never takes text for it.
func isDeflate(head []byte) bool {
	if len(head) < 2 || isText(head) {
		return false
	}
	r, err := inflate(bytes.NewReader(head))
	return err == nil && gives(r)
}

// inflate reads zlib data, and bare deflate data as some servers send it.
func inflate(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2); head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(in)
	}
	return flate.NewReader(in), nil
}

// isBrotli tries, as brotli has no mark, but never takes text for it.
func isBrotli(head []byte) bool {
	return !isText(head) && gives(brotli.NewReader(bytes.NewReader(head)))
}

// isText reports whether a beginning is markup, or has only bytes that occur in text. Of 128 bytes
// of a compressed body one does not, in all but a millionth of cases. A shorter one must be UTF-8
// besides.
func isText(head []byte) bool {
	if len(head) > 0 && head[0] == '<' {
		return true
	}
	return (len(head) >= 128 || utf8.Valid(head)) && !bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r'
	})
}

// gives reports whether a decoder of the beginning of a body finds no fault.
func gives(r io.Reader) bool {
	_, err := r.Read(make([]byte, 1))
	return err == nil || err == io.EOF || err == io.ErrUnexpectedEOF
}

// IsZstd knows frames and skippable frames (RFC 8878 §3.1).
func IsZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18})
}

func unzstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
}
