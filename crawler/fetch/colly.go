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

// A client sends single requests through colly. Other features of colly are disabled or bypassed:
//
//   - Init, not NewCollector: the latter obeys COLLY_* environment variables.
//   - Its visited set marks a URL before the fetch, its limits are one pool for
//     all hosts and sleep before handing over, its robots cache is unbounded and
//     treats a 503 as permission: the code of this package is used instead.
//   - intake hides the response headers, so colly follows no redirect unchecked,
//     decodes no charset, and unpacks no ".xml.gz".
//   - Colly's body limit would cut silently: intake cuts and marks the page as truncated.
type client struct {
	base   *colly.Collector
	header http.Header
}

// An acceptedResponse describes the acceptable response to a request.
type acceptedResponse struct {
	limit   int           // bytes of decoded body
	timeout time.Duration // from dial to the last byte
	pages   bool          // only bodies of page types are read
	header  http.Header   // in addition to the headers of every request
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

// sendGET sends one GET request. A body that ended early is returned with that mark; an error means
// that nothing usable was received.
func (c *client) sendGET(ctx context.Context, rawURL string, w acceptedResponse) (*response, error) {
	a := &response{want: w}
	requestCtx, cancel := context.WithTimeout(context.WithValue(ctx, responseKey{}, a), w.timeout)
	defer cancel()
	requestCtx = httptrace.WithClientTrace(requestCtx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { a.addr = ipOf(info.Conn.RemoteAddr()) },
	})
	header := c.header.Clone() // colly changes the header that it is passed
	maps.Copy(header, w.header)
	// A collector has one context, so each request needs its own collector. Clones share the HTTP
	// client.
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
