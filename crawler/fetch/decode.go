package fetch

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	maxCodings = 3       // content codings of one body
	zstdWindow = 8 << 20 // bytes; RFC 9659 allows no more in HTTP
)

// decode returns body without the content codings that a Content-Encoding
// header lists, in the order they were applied. Many servers name a coding they
// do not use: what does not begin like gzip or zlib is taken as it is, and
// codings we do not know are passed over.
func decode(body io.Reader, header string) io.ReadCloser {
	codings := strings.Split(strings.ToLower(header), ",")
	if len(codings) > maxCodings {
		return broken(fmt.Errorf("%d content encodings, at most %d are decoded", len(codings), maxCodings))
	}
	out := io.NopCloser(body)
	for i := len(codings) - 1; i >= 0; i-- {
		out = decodeOne(out, strings.TrimSpace(codings[i]))
	}
	return out
}

func decodeOne(body io.ReadCloser, coding string) io.ReadCloser {
	switch coding {
	case "gzip", "x-gzip":
		return gunzip(body)
	case "deflate":
		return inflate(body)
	case "br":
		return decoder{brotli.NewReader(body), body.Close}
	case "zstd":
		return unzstd(body)
	}
	return body
}

func gunzip(body io.ReadCloser) io.ReadCloser {
	peeked := bufio.NewReader(body)
	if head, _ := peeked.Peek(2); string(head) != "\x1f\x8b" {
		return decoder{peeked, body.Close}
	}
	r, err := gzip.NewReader(peeked)
	if err != nil {
		body.Close()
		return broken(err)
	}
	return decoder{r, body.Close}
}

// inflate reads zlib data, and bare deflate data as some servers send it.
func inflate(body io.ReadCloser) io.ReadCloser {
	peeked := bufio.NewReader(body)
	head, _ := peeked.Peek(2)
	if len(head) < 2 || head[0] == '<' {
		return decoder{peeked, body.Close}
	}
	if head[0]&0x0f != 8 || (uint(head[0])<<8|uint(head[1]))%31 != 0 {
		return decoder{flate.NewReader(peeked), body.Close}
	}
	r, err := zlib.NewReader(peeked)
	if err != nil {
		body.Close()
		return broken(err)
	}
	return decoder{r, body.Close}
}

func unzstd(body io.ReadCloser) io.ReadCloser {
	r, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		body.Close()
		return broken(err)
	}
	return decoder{r, func() error { r.Close(); return body.Close() }}
}

// A decoder reads from one thing and closes another.
type decoder struct {
	io.Reader
	close func() error
}

func (d decoder) Close() error { return d.close() }

// broken returns a body of which nothing can be read.
func broken(err error) io.ReadCloser {
	return io.NopCloser(errorReader{err})
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }
