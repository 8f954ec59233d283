package fetch

import (
	"cmp"
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Defaults of Options.
const (
	DefaultUserAgent    = "EventSeer/0.1"
	DefaultMaxBody      = 10 << 20
	DefaultMaxHeader    = 256 << 10
	DefaultTimeout      = 30 * time.Second
	DefaultPhaseTimeout = 10 * time.Second
	DefaultMaxRedirects = 10
)

// Options are the settings of a Fetcher. Only Contact must be set, and only for
// a live one.
type Options struct {
	// Transport sends the requests; it may be a replay. Nil means the network.
	Transport http.RoundTripper
	// Wrap returns a transport around the one in use, such as a recorder. It sees the bytes as
	// sent. Nil wraps nothing.
	Wrap func(http.RoundTripper) http.RoundTripper

	// UserAgent is product and version. Its part before the slash is the name used in robots.txt
	// files. Empty means DefaultUserAgent.
	UserAgent string
	// Contact is a mail address or an http(s) URL, sent in User-Agent. A mail address is also sent
	// in From.
	Contact string

	// AllowPrivate allows private, loopback and link-local addresses.
	AllowPrivate bool
	// Resolve returns the addresses of a host. Nil means the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that passed the guard. If Dial is set and
	// Resolve is not, names are not resolved but passed on as "host:port", and
	// only literal addresses are guarded. Nil means TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// MaxBody is the maximum size of a decoded body in bytes; longer ones are cut and the page
	// marked as truncated. Zero means DefaultMaxBody.
	MaxBody int
	// MaxHeader is the maximum size of response headers in bytes. Zero means DefaultMaxHeader.
	MaxHeader int
	// Timeout bounds the time for a page from the first connection to the last byte, including
	// redirects but not the robots.txt of each host. Zero means DefaultTimeout.
	Timeout time.Duration
	// DNSTimeout, DialTimeout, TLSTimeout and HeaderTimeout bound the phases before the body.
	// BodyTimeout bounds the time between two pieces of it. Zero means DefaultPhaseTimeout.
	DNSTimeout, DialTimeout, TLSTimeout, HeaderTimeout, BodyTimeout time.Duration
	// RootCAs are the trusted certificate authorities. If it is nil, those of the system are used.
	RootCAs *x509.CertPool
	// MaxRedirects is the maximum number of redirects. Zero means DefaultMaxRedirects.
	MaxRedirects int

	// StrictRobots reads robots.txt files with ParseRobotsStrict.
	StrictRobots bool
	// PDF returns the text of a PDF. Nil means PDFText.
	PDF func(ctx context.Context, body []byte) (string, error)
	// AnsweredAt returns the time of a response. Nil means Now.
	AnsweredAt func(*http.Response) time.Time
	// Now is the clock for caches and FetchedAt. Nil means time.Now.
	Now func() time.Time
	// Log records why a PDF has no text. Nil logs nothing.
	Log *slog.Logger
}

// withDefaults returns o with every zero field set.
func (o Options) withDefaults() Options {
	o.UserAgent = cmp.Or(o.UserAgent, DefaultUserAgent)
	o.MaxBody, o.MaxHeader = cmp.Or(o.MaxBody, DefaultMaxBody), cmp.Or(o.MaxHeader, DefaultMaxHeader)
	o.Timeout, o.MaxRedirects = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.MaxRedirects, DefaultMaxRedirects)
	for _, phase := range []*time.Duration{&o.DNSTimeout, &o.DialTimeout, &o.TLSTimeout, &o.HeaderTimeout, &o.BodyTimeout} {
		*phase = cmp.Or(*phase, DefaultPhaseTimeout)
	}
	if o.PDF == nil {
		o.PDF = PDFText
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.AnsweredAt == nil {
		o.AnsweredAt = func(*http.Response) time.Time { return o.Now() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
