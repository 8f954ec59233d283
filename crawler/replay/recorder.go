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

// MaxAnswer is the maximum number of body bytes that are recorded, as received from the transport. It is
// larger than the limit of a page, so the record is never shorter than the page.
const MaxAnswer = 2 * warc.MaxBody

// NewRecorder returns a transport that sends requests through next and writes every response to a GET to w
// before it returns it. The records are the response, the request, and metadata of the exchange, linked by
// WARC-Concurrent-To.
//
//   - A 304 is a revisit record, and so is a response whose body w has written before.
//   - A body that is longer than MaxAnswer or that is interrupted is recorded
//     up to there, and WARC-Truncated has the reason. It ends in
//     io.ErrUnexpectedEOF both now and in a replay.
//   - Response heads are written as HTTP/1.1, whatever version the server used,
//     and bodies without chunks. The metadata record has the version.
//   - Requests without a response leave no record. A response that cannot be
//     written is an error.
//
// It is safe for concurrent use if next is. The caller must close w.
func NewRecorder(next http.RoundTripper, w *warc.Writer) http.RoundTripper {
	return &recorder{next, w, MaxAnswer}
}

type recorder struct {
	next  http.RoundTripper
	w     *warc.Writer
	limit int // maximum bytes of a body
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != "" {
		return r.next.RoundTrip(req)
	}
	e := exchange{req: req, start: r.w.Now()}
	res, err := r.next.RoundTrip(req.WithContext(e.withTrace(req.Context())))
	if err != nil {
		return nil, err
	}
	res.Request = req
	e.at = r.w.Now()
	data, why := readBody(res.Body, r.limit)
	if why != "" && errors.Is(req.Context().Err(), context.Canceled) {
		return nil, req.Context().Err() // cancelled by the caller, not by the server
	}
	e.end, e.why = r.w.Now(), why
	if err := r.w.Write(e.toRecords(r.w, res, data)...); err != nil {
		return nil, fmt.Errorf("record %s: %w", req.URL, err)
	}
	end := error(io.EOF)
	if why != "" {
		end = io.ErrUnexpectedEOF
	}
	res.Body = newBody(data, end)
	return res, nil
}

// readBody reads and closes a body. If the body is incomplete, why is the reason as a value of
// WARC-Truncated.
func readBody(body io.ReadCloser, limit int) (data []byte, why string) {
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

// An exchange is one request with the times and properties of its response.
type exchange struct {
	req            *http.Request
	start, at, end time.Time // times of the request, of the response's head and of the end of its body
	addr           string    // IP address of the server, "" if unknown
	why            string    // why the body is incomplete, "" if it is complete
}

// withTrace returns a context that sets e.addr once a connection is used.
func (e *exchange) withTrace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if host, _, err := net.SplitHostPort(info.Conn.RemoteAddr().String()); err == nil && net.ParseIP(host) != nil {
			e.addr = host
		}
	}})
}

// toRecords returns the response first, then request and metadata. After a power failure the end of the file
// may be missing, and the response is lost last.
func (e *exchange) toRecords(w *warc.Writer, res *http.Response, data []byte) []*warc.Record {
	url := urlOf(e.req)
	answer := e.responseRecord(w, url, res, data)
	request := warc.NewRequest(url, e.start, requestBlock(e.req))
	metadata := warc.NewMetadata(url, e.at, e.metadataFields(res))
	request.MarkConcurrent(answer)
	metadata.MarkConcurrent(answer)
	if e.addr != "" {
		answer.Header.Set("WARC-IP-Address", e.addr)
		request.Header.Set("WARC-IP-Address", e.addr)
	}
	return []*warc.Record{answer, request, metadata}
}

func (e *exchange) responseRecord(w *warc.Writer, url string, res *http.Response, data []byte) *warc.Record {
	if res.StatusCode == http.StatusNotModified {
		return warc.NewRevisit(url, e.at, responseBlock(res, data))
	}
	rec := warc.NewResponse(url, e.at, responseBlock(res, data))
	if e.why != "" {
		rec.Header.Set("WARC-Truncated", e.why)
		return rec
	}
	if original, ok := w.WrittenBefore(rec); ok {
		return warc.NewDuplicate(rec, original)
	}
	return rec
}

// metadataFields returns the fields of the metadata record.
func (e *exchange) metadataFields(res *http.Response) []warc.Field {
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

// requestBlock returns a request as HTTP/1.1, without the headers that the transport adds.
func requestBlock(req *http.Request) []byte {
	var b bytes.Buffer
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\n", req.URL.RequestURI(), oneLine.Replace(host))
	req.Header.Write(&b) // sorted by name; a Buffer returns no errors
	b.WriteString("\r\n")
	return b.Bytes()
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// responseBlock returns a response as HTTP/1.1. data has no chunks, so the Transfer-Encoding header is removed.
func responseBlock(res *http.Response, data []byte) []byte {
	var b bytes.Buffer
	reason := strings.TrimPrefix(res.Status, fmt.Sprintf("%d ", res.StatusCode))
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", res.StatusCode, oneLine.Replace(reason))
	header := res.Header.Clone()
	header.Del("Transfer-Encoding")
	header.Write(&b) // sorted by name; a Buffer returns no errors
	b.WriteString("\r\n")
	b.Write(data)
	return b.Bytes()
}
