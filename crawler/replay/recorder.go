package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/warc"
)

// MaxAnswer bounds the body of an answer that is recorded, in bytes as they come
// from the transport. It is above the limit of what a page may hold, so that the
// record is never the shorter.
const MaxAnswer = 2 * warc.MaxBody

// NewRecorder returns a transport that sends requests through next and writes every answer to a GET
// to w before it returns it. The records are a response, the request, and metadata of the exchange,
// linked by WARC-Concurrent-To.
//
//   - A 304 is a revisit record, and so is an answer whose body w has seen before.
//   - A body that is longer than MaxAnswer or breaks off is recorded as far as it
//     came, WARC-Truncated says why, and it ends in io.ErrUnexpectedEOF both now
//     and when it is replayed.
//   - Heads are written as HTTP/1.1, whatever version the server spoke, bodies
//     without chunks; the metadata record names the version.
//   - Requests that get no answer leave no record, and an answer that cannot be
//     written is an error.
//
// It is safe for concurrent use if next is; w is the caller's to close.
func NewRecorder(next http.RoundTripper, w *warc.Writer) http.RoundTripper {
	return &recorder{next, w, MaxAnswer}
}

type recorder struct {
	next  http.RoundTripper
	w     *warc.Writer
	limit int // of a body, in bytes
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != "" {
		return r.next.RoundTrip(req)
	}
	e := exchange{req: req, start: r.w.Now()}
	res, err := r.next.RoundTrip(req.WithContext(e.trace(req.Context())))
	if err != nil {
		return nil, err
	}
	res.Request = req
	e.at = r.w.Now()
	data, why := readAnswer(res.Body, r.limit)
	if why != "" && errors.Is(req.Context().Err(), context.Canceled) {
		return nil, req.Context().Err() // we broke it off, not the server
	}
	e.end, e.why = r.w.Now(), why
	if err := r.w.Write(e.records(r.w, res, data)...); err != nil {
		return nil, fmt.Errorf("record %s: %w", req.URL, err)
	}
	end := error(io.EOF)
	if why != "" {
		end = io.ErrUnexpectedEOF
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

// An exchange is one request and what came of it.
type exchange struct {
	req            *http.Request
	start, at, end time.Time // of the request, of the answer's head and of its body's end
	addr           string    // IP address that answered; "" if not known
	why            string    // why the body is not whole
}

// trace records the server's address.
func (e *exchange) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if host, _, err := net.SplitHostPort(info.Conn.RemoteAddr().String()); err == nil && net.ParseIP(host) != nil {
			e.addr = host
		}
	}})
}

// records returns the answer first: if a failure of power tears what is written,
// it is the last to go.
func (e *exchange) records(w *warc.Writer, res *http.Response, data []byte) []*warc.Record {
	url := urlOf(e.req)
	answer := e.answer(w, url, res, data)
	request := warc.NewRequest(url, e.start, requestBlock(e.req))
	metadata := warc.NewMetadata(url, e.at, e.facts(res))
	request.Concur(answer)
	metadata.Concur(answer)
	if e.addr != "" {
		answer.Header.Set("WARC-IP-Address", e.addr)
		request.Header.Set("WARC-IP-Address", e.addr)
	}
	return []*warc.Record{answer, request, metadata}
}

func (e *exchange) answer(w *warc.Writer, url string, res *http.Response, data []byte) *warc.Record {
	if res.StatusCode == http.StatusNotModified {
		return warc.NewRevisit(url, e.at, block(res, data))
	}
	rec := warc.NewResponse(url, e.at, block(res, data))
	if e.why != "" {
		rec.Header.Set("WARC-Truncated", e.why)
		return rec
	}
	if original, ok := w.WrittenBefore(rec); ok {
		return warc.NewDuplicate(rec, original)
	}
	return rec
}

// facts returns the fields of the metadata record.
func (e *exchange) facts(res *http.Response) []warc.Field {
	facts := []warc.Field{
		{Name: "fetchTimeMs", Value: strconv.FormatInt(e.end.Sub(e.start).Milliseconds(), 10)},
		{Name: "protocol", Value: res.Proto},
	}
	if via := e.req.Referer(); via != "" {
		facts = append(facts, warc.Field{Name: "via", Value: via})
	}
	if e.why != "" {
		facts = append(facts, warc.Field{Name: "truncated", Value: e.why})
	}
	return facts
}

// requestBlock writes a request as HTTP/1.1, without what the transport adds.
func requestBlock(req *http.Request) []byte {
	var b bytes.Buffer
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\n", req.URL.RequestURI(), oneLine.Replace(host))
	req.Header.Write(&b) // sorted by name; a Buffer takes everything
	b.WriteString("\r\n")
	return b.Bytes()
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// block writes an answer as HTTP/1.1. Chunks are gone from data, and with them
// the header that announced them.
func block(res *http.Response, data []byte) []byte {
	var b bytes.Buffer
	reason := strings.TrimPrefix(res.Status, fmt.Sprintf("%d ", res.StatusCode))
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", res.StatusCode, oneLine.Replace(reason))
	header := res.Header.Clone()
	header.Del("Transfer-Encoding")
	header.Write(&b) // sorted by name; a Buffer takes everything
	b.WriteString("\r\n")
	b.Write(data)
	return b.Bytes()
}
