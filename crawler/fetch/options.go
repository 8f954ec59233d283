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
	// Transport answers the requests, such as a replay. Nil means the network.
	Transport http.RoundTripper
	// Wrap returns a transport around the one in use, such as a recorder. It
	// sees the bytes as sent. Nil means none.
	Wrap func(http.RoundTripper) http.RoundTripper

	// UserAgent is product and version. Its part before the slash is the name
	// that robots.txt files know. Empty means DefaultUserAgent.
	UserAgent string
	// Contact is a mail address or an http(s) URL, sent in User-Agent, and a
	// mail address in From too.
	Contact string

	// AllowPrivate allows private, loopback and link-local addresses.
	AllowPrivate bool
	// Resolve returns the addresses of a host. Nil means the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that passed the guard. If Dial is set and
	// Resolve is not, names are not resolved but passed on as "host:port", and
	// only literal addresses are guarded. Nil means TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// MaxBody is the most bytes of a body after decoding; what is longer is cut
	// and the page marked as truncated. Zero means DefaultMaxBody.
	MaxBody int
	// MaxHeader is the most bytes of response headers. Zero means DefaultMaxHeader.
	MaxHeader int
	// Timeout bounds a page from the first dial to the last byte, redirects
	// included and the robots.txt of each host apart. Zero means DefaultTimeout.
	Timeout time.Duration
	// DNSTimeout, DialTimeout, TLSTimeout and HeaderTimeout bound the phases
	// before the body, BodyTimeout the time between two pieces of it. Zero means
	// DefaultPhaseTimeout.
	DNSTimeout, DialTimeout, TLSTimeout, HeaderTimeout, BodyTimeout time.Duration
	// RootCAs sign the certificates that are trusted. Nil means the system's.
	RootCAs *x509.CertPool
	// MaxRedirects is the most hops. Zero means DefaultMaxRedirects.
	MaxRedirects int

	// StrictRobots reads robots.txt files with ParseRobotsStrict.
	StrictRobots bool
	// PDF returns the text of a PDF. Nil means PDFText.
	PDF func(ctx context.Context, body []byte) (string, error)
	// AnsweredAt returns when an answer came. Nil means Now.
	AnsweredAt func(*http.Response) time.Time
	// Now is the clock of caches and of FetchedAt. Nil means time.Now.
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
