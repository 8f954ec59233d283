// Package coding decodes the content codings of HTTP bodies (RFC 9110 §8.4.1), in live and in archived
// responses.
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
	maxCodings = 3       // number of codings applied to one body
	zstdWindow = 8 << 20 // in bytes; RFC 9659 does not allow more in HTTP
	sniffSize  = 1024    // number of bytes examined to detect whether a coding is in use
	// A decoded body may have freeBytes, or maxRatio times its encoded size if that is more. Pages,
	// tables and archives reach a ratio of 20; runs of one byte reach 1,000 with gzip and far more with
	// the others.
	freeBytes = 16 << 20
	maxRatio  = 200
)

// ErrTooMany is returned when reading a body with more than three codings.
var ErrTooMany = fmt.Errorf("it has more than %d content codings", maxCodings)

// ErrBomb is returned when a body becomes more than maxRatio times larger by decoding.
var ErrBomb = fmt.Errorf("unpacking makes it more than %d times larger, so it is only repetitions and the rest is not read", maxRatio)

// Decode returns body decoded from the content codings gzip, deflate, br and zstd. The argument
// contentEncoding holds the values of its Content-Encoding headers, in the order the codings were
// applied.
//
// Many servers name a coding that they do not use, and archives name codings that they have already
// removed. A body that does not begin like the coding is therefore returned unchanged, and unknown
// codings are ignored. If a coding enlarges a body too much, reading returns ErrBomb. Close releases the
// decoders but does not close body.
func Decode(body io.Reader, contentEncoding []string) io.ReadCloser {
	d := &decoder{Reader: body}
	if len(contentEncoding) == 0 {
		return d
	}
	names := strings.Split(strings.ToLower(strings.Join(contentEncoding, ",")), ",")
	if len(names) > maxCodings {
		d.Reader = failingReader{ErrTooMany}
		return d
	}
	for i := len(names) - 1; i >= 0; i-- {
		if c, known := codings[strings.TrimSpace(names[i])]; known {
			d.addDecoder(c)
		}
	}
	return d
}

// A decoder reads through a chain of decoders.
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

func (d *decoder) addDecoder(c coding) {
	coded := bufio.NewReaderSize(d.Reader, sniffSize)
	d.Reader = coded
	head, _ := coded.Peek(sniffSize) // an error is returned again by the next read
	if !c.begins(head) {
		return
	}
	counted := &countingReader{r: coded}
	r, err := c.open(counted)
	if err != nil {
		d.Reader = failingReader{err}
		return
	}
	d.Reader = &boundedReader{r: r, coded: counted}
	if z, ok := r.(*zstd.Decoder); ok {
		d.closers = append(d.closers, z.Close)
	}
}

// Gunzip returns the contents of all members of a gzip file, limited like those of Decode.
func Gunzip(r io.Reader) (io.Reader, error) {
	counted := &countingReader{r: bufio.NewReader(r)}
	z, err := gzip.NewReader(counted)
	if err != nil {
		return nil, err
	}
	return &boundedReader{r: z, coded: counted}, nil
}

// A countingReader counts the bytes read. It has ReadByte, so that decoders read no further than they need.
type countingReader struct {
	r *bufio.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *countingReader) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// A boundedReader returns an error when the decoded body becomes too large.
type boundedReader struct {
	r     io.Reader
	coded *countingReader
	n     int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.n > freeBytes && b.n > maxRatio*b.coded.n {
		return 0, ErrBomb
	}
	n, err := b.r.Read(p)
	b.n += int64(n)
	return n, err
}

// A failingReader returns only an error.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// A coding is a supported content coding.
type coding struct {
	begins func(head []byte) bool // reports whether a body with this beginning may have the coding
	open   func(io.Reader) (io.Reader, error)
}

var codings = map[string]coding{
	"gzip":    {isGzip, gunzipReader},
	"x-gzip":  {isGzip, gunzipReader},
	"deflate": {isDeflate, inflateReader},
	"br":      {isBrotli, func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }},
	"zstd":    {IsZstd, zstdReader},
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

func gunzipReader(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	return memberReader{z}, err
}

// A memberReader reads gzip members and ignores anything after them, like browsers.
type memberReader struct{ *gzip.Reader }

func (m memberReader) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if errors.Is(err, gzip.ErrHeader) {
		err = io.EOF
	}
	return n, err
}

// isDeflate decodes the beginning, because raw deflate has no magic number. It returns false for text.
func isDeflate(head []byte) bool {
	if len(head) < 2 || isText(head) {
		return false
	}
	r, err := inflateReader(bytes.NewReader(head))
	return err == nil && canDecode(r)
}

// inflateReader returns a decoder for zlib data, or for raw deflate data, which some servers send.
func inflateReader(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2); head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(in)
	}
	return flate.NewReader(in), nil
}

// isBrotli decodes the beginning, because brotli has no magic number. It returns false for text.
func isBrotli(head []byte) bool {
	return !isText(head) && canDecode(brotli.NewReader(bytes.NewReader(head)))
}

// isText reports whether the beginning of a body is HTML, or has only bytes that occur in text. Among 128
// bytes of a compressed body there is nearly always another byte; the chance of an error is one in a
// million. A shorter beginning must also be UTF-8.
func isText(head []byte) bool {
	if len(head) > 0 && head[0] == '<' {
		return true
	}
	return (len(head) >= 128 || utf8.Valid(head)) && !bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r'
	})
}

// canDecode reports whether a decoder accepts the beginning of a body.
func canDecode(r io.Reader) bool {
	_, err := r.Read(make([]byte, 1))
	return err == nil || err == io.EOF || err == io.ErrUnexpectedEOF
}

// IsZstd reports whether head begins with a zstd frame or a skippable frame (RFC 8878 §3.1).
func IsZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18})
}

func zstdReader(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
}
