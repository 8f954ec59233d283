package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxEncodings bounds the content encodings laid one upon the other.
const maxEncodings = 3

// DecodeBody removes content encodings, as Content-Encoding lists them (gzip,
// deflate, br, zstd, identity), and keeps at most limit bytes. It reports cut
// where the decoded body was longer or its encoding broke off. A body that is
// not encoded in spite of the header, as archives hold many, is returned as it
// is. The error names an encoding that is not known.
func DecodeBody(body []byte, encoding string, limit int) (decoded []byte, cut bool, err error) {
	names := strings.Split(strings.ToLower(encoding), ",")
	if len(names) > maxEncodings {
		return nil, false, fmt.Errorf("content is encoded %d times, at most %d are undone", len(names), maxEncodings)
	}
	for i := len(names) - 1; i >= 0; i-- {
		name := strings.TrimSpace(names[i])
		if name == "" || name == "identity" || len(body) == 0 {
			continue
		}
		out, outCut, err := decodeOnce(body, name, limit)
		if err != nil {
			return nil, false, err
		}
		body, cut = out, cut || outCut
	}
	if len(body) > limit {
		return body[:limit:limit], true, nil
	}
	return body, cut, nil
}

func decodeOnce(body []byte, name string, limit int) (decoded []byte, cut bool, err error) {
	r, err := newDecoder(bytes.NewReader(body), name)
	if errors.Is(err, errUnknownEncoding) {
		return nil, false, err
	}
	if err != nil {
		return body, false, nil
	}
	defer r.Close()
	var out bytes.Buffer
	_, err = io.Copy(&out, io.LimitReader(r, int64(limit)+1))
	switch {
	case out.Len() > limit:
		return out.Bytes()[:limit:limit], true, nil
	case err != nil && out.Len() == 0:
		return body, false, nil
	}
	// Bytes after the last gzip member are no part of the body.
	return out.Bytes(), err != nil && !errors.Is(err, gzip.ErrHeader), nil
}

var errUnknownEncoding = errors.New("unknown content encoding")

func newDecoder(r *bytes.Reader, name string) (io.ReadCloser, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate": // zlib by RFC 9110, but servers send bare deflate as well
		z, err := zlib.NewReader(r)
		if err == nil {
			return z, nil
		}
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return flate.NewReader(r), nil
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd": // browsers limit the window to 8 MiB (RFC 9659)
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("%w %.40q", errUnknownEncoding, name)
}
