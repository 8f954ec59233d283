package fetch

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"
)

// A client sends single requests through colly. What colly would do beyond that
// is off or kept from it:
//
//   - Init, not NewCollector: the latter obeys COLLY_* environment variables.
//   - Its visited set marks a URL before the fetch, its limits are one pool for
//     all hosts and sleep before handing over, its robots cache is unbounded and
//     takes a 503 for consent: ours are used.
//   - intake hides the response headers, so colly follows no redirect unchecked,
//     decodes no charset, and unpacks no ".xml.gz".
//   - A limit of colly's would cut silently: intake cuts and says so.
type client struct {
	base   *colly.Collector
	header http.Header
}

// A want says what a request may bring.
type want struct {
	limit   int           // bytes of decoded body
	timeout time.Duration // from dial to the last byte
	pages   bool          // bodies of other types than a page's are not read
	header  http.Header   // besides that of every request
}

func newClient(rt http.RoundTripper, header http.Header) *client {
	base := &colly.Collector{}
	base.Init()
	base.AllowURLRevisit = true
	base.ParseHTTPErrorResponse = true
	base.MaxBodySize = 0
	base.DisableCookies()
	base.SetRequestTimeout(0) // the context's deadline holds
	base.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	base.WithTransport(rt)
	return &client{base: base, header: header}
}

// get sends one GET request. A body that was cut off while it came is an answer
// with that mark; an error means that nothing usable came.
func (c *client) get(ctx context.Context, rawURL string, w want) (*answer, error) {
	a := &answer{want: w}
	requestCtx, cancel := context.WithTimeout(context.WithValue(ctx, answerKey{}, a), w.timeout)
	defer cancel()
	requestCtx = httptrace.WithClientTrace(requestCtx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { a.addr = ipOf(info.Conn.RemoteAddr()) },
	})
	header := c.header.Clone() // colly writes into the header it is given
	maps.Copy(header, w.header)
	// A collector has one context, so each request has a collector. Clones share
	// the HTTP client.
	one := c.base.Clone()
	one.Context = requestCtx
	one.OnResponse(func(r *colly.Response) { a.body = r.Body })
	err := one.Request(http.MethodGet, rawURL, nil, nil, header)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, withoutURL(err)
	case a.broken != nil && len(a.body) == 0:
		return nil, a.broken
	}
	return a, nil
}

// withoutURL drops the "Get URL:" that net/http puts before an error.
func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// ipOf returns the IP address of a peer, "" if it has none.
func ipOf(a net.Addr) string {
	peer, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	return peer.Addr().Unmap().String()
}
