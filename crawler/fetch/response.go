package fetch

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/crawler/fetch/sitemap"
	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/webgraph"
)

// wireSlack is how many bytes a compressed body may exceed the limit of its decoded form. It bounds
// bodies that decode to nothing.
const wireSlack = 64 << 10

// A response is the response to one request.
type response struct {
	want   acceptedResponse
	status int
	header http.Header
	at     time.Time
	addr   string // the server's IP address, "" in a replay
	body   []byte
	pdf    bool  // the body needs a PDF converter
	full   bool  // the body was cut at the size limit
	broken error // error that ended the body early
	unread error // reason why the body was not read
}

type responseKey struct{}

func (a *response) isTruncated() bool { return a.full || a.broken != nil }

func (a *response) statusError() error {
	return fmt.Errorf("server answered %d %s", a.status, http.StatusText(a.status))
}

// redirectTarget returns the canonical URL of the redirect, or "" if it has none.
func (a *response) redirectTarget(from string) (string, error) {
	if !a.isRedirect() {
		return "", nil
	}
	to, err := webgraph.NewResolver(from).Resolve(a.header.Get("Location"))
	if err != nil {
		return "", refusedError(fmt.Errorf("redirect from %s: %w", from, err))
	}
	return to, nil
}

func (a *response) isRedirect() bool {
	switch a.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return a.header.Get("Location") != ""
	}
	return false
}

// wantsBody reports whether the body of the response is used.
func (a *response) wantsBody() bool {
	return !a.isRedirect() && a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable
}

// responseTransport is the transport below colly. It fills the answer in the request's context and passes
// colly a response with only a decoded, bounded body.
type responseTransport struct {
	next       http.RoundTripper
	answeredAt func(*http.Response) time.Time
}

func (t responseTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	a := req.Context().Value(responseKey{}).(*response)
	a.status, a.header, a.at = resp.StatusCode, resp.Header, t.answeredAt(resp)
	body := a.openBody(resp.Body)
	return &http.Response{
		StatusCode:   resp.StatusCode,
		Header:       http.Header{},
		Body:         body,
		Uncompressed: true, // otherwise colly would decompress depending on the URL's ending
		Request:      req,
	}, nil
}

// openBody returns the body to read. It is empty if a.unread is set.
func (a *response) openBody(raw io.ReadCloser) io.ReadCloser {
	if !a.wantsBody() {
		raw.Close()
		return http.NoBody
	}
	declared := sitemap.MediaType(a.header.Get("Content-Type"))
	if a.want.pages && isUnreadable(declared) {
		a.unread = fmt.Errorf("content type %s is not read", declared)
		raw.Close()
		return http.NoBody
	}
	decoded := coding.Decode(io.LimitReader(raw, int64(a.want.limit)+wireSlack), a.header.Values("Content-Encoding"))
	body := bufio.NewReaderSize(decoded, sniffLen)
	b := &boundedBody{answer: a, body: body, left: a.want.limit, closers: []io.Closer{decoded, raw}}
	if a.want.pages {
		head, _ := body.Peek(sniffLen)
		a.pdf, a.unread = checkBodyType(declared, head)
		if a.unread != nil {
			b.Close()
			return http.NoBody
		}
	}
	return b
}

// A boundedBody reads at most left bytes and never fails. The answer records why it ended early, so
// the bytes read before are not lost.
type boundedBody struct {
	answer  *response
	body    *bufio.Reader
	left    int
	closers []io.Closer
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		_, err := b.body.Peek(1)
		b.answer.full = err == nil
		b.recordError(err)
		return 0, io.EOF
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil {
		b.recordError(err)
		return n, io.EOF
	}
	return n, nil
}

func (b *boundedBody) recordError(err error) {
	if err != nil && err != io.EOF {
		b.answer.broken = err
	}
}

func (b *boundedBody) Close() error {
	var first error
	for _, c := range b.closers {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
