package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"eventseer/internal/warc"
)

// MaxAnswer bounds the body of an answer that is recorded, in bytes as they come
// from the transport. It is above the limit of what a page may hold, so that the
// record is never the shorter.
const MaxAnswer = 2 * warc.MaxBody

// NewRecorder returns a transport that asks next and writes every answer to a
// GET to w before it hands it on, a 304 as a revisit record. Requests that get
// no answer leave no record. A body that is longer than MaxAnswer or breaks off
// is recorded as far as it came, and ends in io.ErrUnexpectedEOF both now and
// when it is replayed. An answer that cannot be written is an error. It is safe
// for concurrent use if next is; w is the caller's to close.
func NewRecorder(next http.RoundTripper, w *warc.Writer) http.RoundTripper {
	return &recorder{next, w, MaxAnswer}
}

type recorder struct {
	next  http.RoundTripper
	w     *warc.Writer
	limit int // of a body, in bytes
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if req.Method != http.MethodGet && req.Method != "" {
		return res, nil
	}
	at := r.w.Now()
	data, why := readAnswer(res.Body, r.limit)
	if why != "" && errors.Is(req.Context().Err(), context.Canceled) {
		return nil, req.Context().Err() // we broke it off, not the server
	}
	newRecord := warc.NewResponse
	if res.StatusCode == http.StatusNotModified {
		newRecord = warc.NewRevisit
	}
	rec := newRecord(urlOf(req), at, block(res, data))
	end := error(io.EOF)
	if why != "" {
		rec.Header.Set("WARC-Truncated", why)
		end = io.ErrUnexpectedEOF
	}
	if err := r.w.Write(rec); err != nil {
		return nil, fmt.Errorf("record %s: %w", req.URL, err)
	}
	res.Body = newBody(data, end)
	return res, nil
}

// readAnswer reads and closes a body. It returns why the body is not whole, in
// the words of WARC-Truncated.
func readAnswer(body io.ReadCloser, limit int) (data []byte, why string) {
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	switch {
	case len(data) > limit:
		return data[:limit:limit], "length"
	case errors.Is(err, context.DeadlineExceeded):
		return data, "time"
	case err != nil:
		return data, "disconnect"
	}
	return data, ""
}

// block writes an answer as HTTP/1.1. Chunks are gone from data, and with them
// the header that announced them.
func block(res *http.Response, data []byte) []byte {
	var b bytes.Buffer
	reason := strings.TrimPrefix(res.Status, fmt.Sprintf("%d ", res.StatusCode))
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", res.StatusCode, strings.NewReplacer("\r", " ", "\n", " ").Replace(reason))
	header := res.Header.Clone()
	header.Del("Transfer-Encoding")
	header.Write(&b) // sorted by name; a Buffer takes everything
	b.WriteString("\r\n")
	b.Write(data)
	return b.Bytes()
}
